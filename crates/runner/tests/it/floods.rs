//! Agents that write a lot and bridges that lag behind: the memory of the runner stays constant.

use sluice_runner::{FromRunner, Kind, ToRunner};

use crate::stage::{Bridge, Stage, assert_in_order, eventually, notes, script};

/// The maximum memory of the runner in KiB.
const MAX_MEMORY: u64 = 6 << 10;

/// How many bytes a reader lags behind: 64 MiB, or 1 GiB with `SLUICE_LONG=1`.
fn lag() -> u64 {
    if std::env::var_os("SLUICE_LONG").is_some() {
        1 << 30
    } else {
        64 << 20
    }
}

#[test]
fn flood_of_lines_is_logged_completely_with_constant_memory() {
    let stage = Stage::run("seq 1 2000000; echo end; cat");
    let mut peak = 0;
    eventually("all lines are in the log", || {
        peak = peak.max(stage.memory());
        let (mut log, mut last) = (stage.dir.join("log").read_dir().unwrap().collect::<Vec<_>>(), 0);
        log.retain(|entry| entry.is_ok());
        for entry in log.into_iter().flatten() {
            let first: u64 = entry.file_name().to_str().unwrap()[..20].parse().unwrap();
            last = last.max(first);
        }
        let tail = sluice_runner::LogReader::open(&stage.dir)
            .unwrap()
            .read_from(last)
            .last();
        tail.is_some_and(|record| record.body == b"end")
    });
    assert!(peak <= MAX_MEMORY, "{peak} KiB");
    let records = stage.records();
    assert_in_order(&records, 1);
    let output = records.iter().filter(|record| record.kind == Kind::Said);
    let numbers = output
        .take(2_000_000)
        .map(|record| std::str::from_utf8(&record.body).unwrap().parse::<u64>().unwrap());
    assert!(numbers.eq(1..=2_000_000));
}

#[test]
fn bridge_that_never_reads_does_not_block_the_agent() {
    let stage = Stage::run("read line; seq 1 500000; echo end >&2; cat");
    let (mut never, _) = Bridge::connect_with_hello(&stage.dir, 1, 1);
    never.write(1, "go");
    eventually("the agent is done", || stage.bodies(Kind::Stderr) == ["end"]);
    let memory = stage.memory();
    assert!(memory <= MAX_MEMORY, "{memory} KiB");
    // Another bridge takes over and receives everything.
    let (mut bridge, _) = Bridge::connect_with_hello(&stage.dir, 2, 1);
    let (records, _) = bridge.until(|frame| matches!(frame, FromRunner::CaughtUp { .. }));
    assert_eq!(records, stage.records());
}

#[test]
fn slow_bridge_receives_everything_in_order() {
    let stage = Stage::run("seq 1 300000; echo end; cat");
    let (mut slow, _) = Bridge::connect_with_hello(&stage.dir, 1, 1);
    // The socket buffer is full while the agent continues; then the bridge reads.
    eventually("the agent is done", || {
        stage.records().last().is_some_and(|record| record.body == b"end")
    });
    let records = slow.read_until_output("end");
    assert_in_order(&records, 1);
    assert_eq!(records, stage.records());
}

#[test]
fn reader_far_behind_needs_only_one_buffer() {
    let stage = Stage::new();
    let lines = lag() >> 16;
    // Lines of 64 KiB, including the line end.
    let text = format!("yes $(head -c 65535 /dev/zero | tr '\\0' x) | head -n {lines}; echo end; cat");
    stage.start(&script(&text)).unwrap();
    let (mut first, _) = Bridge::connect_with_hello(&stage.dir, 1, u64::MAX);
    let end = first.read_until_output("end").last().unwrap().number;
    drop(first);
    let (mut bridge, _) = Bridge::connect_with_hello(&stage.dir, 2, 1);
    let mut peak = 0;
    for number in 1..=end {
        match bridge.next().unwrap() {
            FromRunner::Record(record) => assert_eq!(record.number, number),
            FromRunner::CaughtUp { .. } => panic!("at {number}"),
            other => panic!("{other:?}"),
        }
        if number % 100 == 0 {
            peak = peak.max(stage.memory());
        }
    }
    assert_eq!(bridge.next(), Some(FromRunner::CaughtUp { next: end + 1 }));
    assert!(peak <= MAX_MEMORY, "{peak} KiB");
}

#[test]
fn full_log_suspends_the_agent_until_trimmed() {
    let stage = Stage::new();
    let mut launch = script("seq 1 200000; echo end; cat");
    launch.log_cap = 1 << 20;
    stage.start(&launch).unwrap();
    eventually("the log is full", || stage.notes() == ["log_full"]);
    // The agent is blocked, as its output pipe is full.
    let agent = stage.agent();
    assert!(agent.is_alive());
    let (mut bridge, _) = Bridge::connect_with_hello(&stage.dir, 1, 1);
    // A line can still be written to the agent.
    bridge.write(1, "while it waits");
    let mut all = Vec::new();
    loop {
        let FromRunner::Record(record) = (match bridge.next().unwrap() {
            FromRunner::CaughtUp { .. } | FromRunner::Wrote { id: 1, .. } => continue,
            frame => frame,
        }) else {
            panic!("a record comes");
        };
        let number = record.number;
        let done = record.body == b"end";
        let full = record.kind == Kind::Note && record.body.starts_with(br#"{"what":"log_full"#);
        all.push(record);
        if done {
            break;
        }
        if full {
            bridge.send(&ToRunner::Trim { below: number });
        }
    }
    assert_in_order(&all, 1);
    let output = all.iter().filter(|record| record.kind == Kind::Said).count();
    assert_eq!(output, 200_001);
    let notes = notes(&all);
    assert!(
        notes.len() > 4 && notes.chunks(2).all(|pair| pair == ["log_full", "log_ok"]),
        "{notes:?}"
    );
}
