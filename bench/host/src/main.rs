//! Measures the host library: framing, parsing, the latency from a pipe to a subscriber, and idle sessions.
//!
//! `cargo run --release` prints a table, `host-bench latency` and `host-bench fold` print parts of it;
//! `host-bench recording FILE` writes the recording that is used for the measurements.

mod recording;

/// The benchmark of the library for long sessions, in the same build.
#[path = "../../../crates/host/benches/fold.rs"]
mod fold;

use std::hint::black_box;
use std::time::{Duration, Instant};

use sluice_host::transport::{ChannelTransport, Link};
use sluice_host::wire::{Frame, Framer};
use sluice_host::{Client, Event, Options};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::UnixStream;
use tokio::net::unix::OwnedWriteHalf;

const LINES: usize = 40_000;
const READ: usize = 64 * 1024;

fn main() {
    let text = recording::text(LINES);
    let mut args = std::env::args().skip(1);
    match args.next().as_deref() {
        Some("recording") => {
            std::fs::write(args.next().expect("a file"), text).expect("the file can be written");
            return;
        }
        Some("fold") => return fold::main(),
        Some("latency") => return latencies(),
        _ => {}
    }
    let mib = text.len() as f64 / (1024.0 * 1024.0);
    println!("recording: {LINES} lines, {mib:.1} MiB\n");
    let per_line = |time: Duration| time.as_secs_f64() * 1e6 / LINES as f64;
    let row = |name: &str, time: Duration| {
        println!("{name:<44} {:>8.2} µs a line {:>9.0} MB/s", per_line(time), text.len() as f64 / time.as_secs_f64() / 1e6);
    };
    row("lines split, for forwarding (sluice)", best(|| cut(text.as_bytes(), false)));
    row("lines split and scanned (sluice)", best(|| cut(text.as_bytes(), true)));
    row("parsed into types (sluice)", best(|| text.lines().filter(|line| ours(line)).count()));
    row("parsed into types (claude-codes)", best(|| text.lines().filter(|line| codes(line)).count()));
    row("parsed into types (claude-agent-sdk-rs)", best(|| text.lines().filter(|line| port(line)).count()));
    let unread = |read: fn(&str) -> bool| text.lines().filter(|line| !read(line)).count();
    println!("lines not parsed: sluice {}, claude-codes {}, claude-agent-sdk-rs {}\n", unread(ours), unread(codes), unread(port));

    latencies();
    let runtime = many_threads();
    let took = runtime.block_on(through(&text));
    println!("pipe to subscriber, all at once: {:.2} µs a line, {:.0} MB/s", per_line(took), text.len() as f64 / took.as_secs_f64() / 1e6);
    let (sessions, kib) = runtime.block_on(idle(500));
    println!("{sessions} idle sessions: {:.1} MiB, {:.0} KiB each", kib / 1024.0, kib / sessions as f64);
}

fn many_threads() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime")
}

fn latencies() {
    let one = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    for (name, runtime) in [("one thread", one), ("many threads", many_threads())] {
        // The round that was least disturbed by other load.
        let rounds = (0..5).map(|_| runtime.block_on(latency()));
        let (median, p99) = rounds.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or_default();
        let bare = (0..5).map(|_| runtime.block_on(bare())).fold(f64::INFINITY, f64::min);
        println!("pipe to subscriber, {name}: median {median:.1} µs, 99 % {p99:.1} µs; to a task that only reads: {bare:.1} µs");
    }
}

/// Returns the shortest of several rounds, as there may be other load on the machine.
fn best(mut work: impl FnMut() -> usize) -> Duration {
    let round = |work: &mut dyn FnMut() -> usize| {
        let begin = Instant::now();
        black_box(work());
        begin.elapsed()
    };
    (0..5).map(|_| round(&mut work)).min().unwrap_or_default()
}

fn cut(bytes: &[u8], peek: bool) -> usize {
    let mut framer = Framer::new();
    let mut count = 0;
    for read in bytes.chunks(READ) {
        for line in framer.push(read) {
            count += usize::from(!peek || line.frame().is_some_and(|frame| frame.is_ok()));
            black_box(&line);
        }
    }
    count
}

fn ours(line: &str) -> bool {
    black_box(Frame::parse(line).and_then(|frame| frame.to_host())).is_ok()
}

fn codes(line: &str) -> bool {
    black_box(claude_codes::io::ClaudeOutput::parse_json(line)).is_ok()
}

fn port(line: &str) -> bool {
    // In the same way as its client: first to a value, then to a message.
    let value: Result<serde_json::Value, _> = serde_json::from_str(line);
    black_box(value.and_then(serde_json::from_value::<claude_agent_sdk_rs::types::messages::Message>)).is_ok()
}

/// Returns a client and the agent's end of its input pipe.
async fn pair() -> (Client, OwnedWriteHalf) {
    let (near, far) = UnixStream::pair().expect("a pair of sockets");
    let near = std::sync::Mutex::new(Some(near));
    let transport = ChannelTransport::new(move |_| {
        let (read, write) = near.lock().expect("one at a time").take().expect("one connection").into_split();
        async move { Ok(Link::bytes(read, write)) }
    });
    let (read, mut write) = far.into_split();
    let initialize = tokio::spawn(async move {
        let mut lines = BufReader::with_capacity(1024, read).lines();
        let line = lines.next_line().await.expect("readable").expect("an initialize request");
        let request: serde_json::Value = serde_json::from_str(&line).expect("JSON");
        let id = &request["request_id"];
        let answer = format!("{{\"type\":\"control_response\",\"response\":{{\"subtype\":\"success\",\"request_id\":{id},\"response\":{{}}}}}}\n");
        write.write_all(answer.as_bytes()).await.expect("writable");
        // Keeps the reading end open, so that the client can write.
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        write
    });
    let client = Client::over(transport, Options::new()).await.expect("a client");
    (client, initialize.await.expect("initialized"))
}

/// The time the agent needs for a line; shorter than with any model.
const WORK_TIME: Duration = Duration::from_micros(50);

/// Simulates the work on the next line.
fn work() {
    let begin = Instant::now();
    while begin.elapsed() < WORK_TIME {
        std::hint::spin_loop();
    }
}

/// Measures the latency of single lines. The agent is a separate thread and starts a line only after the previous one was
/// received. The time is measured from before the write until a subscriber, a task of the runtime, has the message.
async fn latency() -> (f64, f64) {
    let (client, agent) = pair().await;
    let mut events = client.events();
    let lines: Vec<String> = recording::text(5000).lines().map(|line| format!("{line}\n")).collect();
    let (received, next) = std::sync::mpsc::channel::<Instant>();
    let writing = std::thread::spawn(move || {
        let mut times = Vec::new();
        for line in lines {
            work();
            let begin = Instant::now();
            // The buffer is empty, as all previous lines were read.
            assert_eq!(agent.try_write(line.as_bytes()).expect("writable"), line.len());
            let received_at = next.recv().expect("received");
            times.push(received_at.duration_since(begin).as_secs_f64() * 1e6);
        }
        times
    });
    let subscriber = tokio::spawn(async move {
        while let Some(event) = events.next().await {
            if matches!(event, Event::Message(_)) && received.send(Instant::now()).is_err() {
                break;
            }
        }
    });
    let mut times = tokio::task::spawn_blocking(|| writing.join()).await.expect("a thread").expect("times");
    client.close().await;
    subscriber.await.expect("a subscriber");
    times.sort_by(f64::total_cmp);
    (times[times.len() / 2], times[times.len() * 99 / 100])
}

/// Measures the share of the system: the same, with a task that only reads.
async fn bare() -> f64 {
    let (near, far) = UnixStream::pair().expect("a pair of sockets");
    let lines: Vec<String> = recording::text(5000).lines().map(|line| format!("{line}\n")).collect();
    let (received, next) = std::sync::mpsc::channel::<Instant>();
    far.writable().await.expect("writable");
    let writing = std::thread::spawn(move || {
        let mut times = Vec::new();
        for line in lines {
            work();
            let begin = Instant::now();
            assert_eq!(far.try_write(line.as_bytes()).expect("writable"), line.len());
            let received_at = next.recv().expect("received");
            times.push(received_at.duration_since(begin).as_secs_f64() * 1e6);
        }
        times
    });
    tokio::spawn(async move {
        let (mut lines, mut line) = (BufReader::new(near), Vec::new());
        while lines.read_until(b'\n', &mut line).await.is_ok_and(|count| count > 0) && received.send(Instant::now()).is_ok() {
            line.clear();
        }
    });
    let mut times = tokio::task::spawn_blocking(|| writing.join()).await.expect("a thread").expect("times");
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

async fn through(text: &str) -> Duration {
    let (client, mut agent) = pair().await;
    let mut events = client.events();
    let bytes = text.as_bytes().to_vec();
    let begin = Instant::now();
    tokio::spawn(async move { agent.write_all(&bytes).await.map(|()| agent) });
    let mut seen = 0;
    while seen < LINES as u64 {
        match events.next().await {
            Some(Event::Message(_)) => seen += 1,
            Some(Event::Gap { missed }) => seen += missed,
            Some(_) => {}
            None => break,
        }
    }
    begin.elapsed()
}

async fn idle(count: usize) -> (usize, f64) {
    let before = resident_kib();
    let mut held = Vec::new();
    for _ in 0..count {
        held.push(pair().await);
    }
    (held.len(), resident_kib() - before)
}

fn resident_kib() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").trim().parse().ok()).unwrap_or(0.0)
}
