//! Measures the search tools on a tree and Edit on a large file, for comparison with `rg` and `fd`:
//!
//! ```text
//! cargo run --release -p sluice-tools --example search -- /some/tree 'pattern' '**/*.rs'
//! ```
#![allow(clippy::print_stdout)]

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sluice_tools::{Context, Cwd, FileState, Lists, NoServices, Outcome, Tasks, Web, WebConfig, find};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Number of runs of each call; the fastest one counts.
const TIMES: usize = 7;

fn context(cwd: &Path) -> Context {
    let (events, _) = mpsc::channel(1);
    Context {
        call_id: "toolu_01".to_owned(),
        cwd: Arc::new(Cwd::new(cwd)),
        roots: vec![cwd.to_owned()],
        env: Arc::new(Vec::new()),
        files: Arc::new(FileState::new()),
        output_dir: cwd.to_owned(),
        cancel: CancellationToken::new(),
        events,
        tasks: Arc::new(Tasks::new()),
        hidden: None,
        pins: None,
        policy: None,
        takes_shared: false,
        services: Arc::new(NoServices),
        lists: Arc::new(Lists::new()),
        web: Arc::new(Web::new(WebConfig::default())),
        sandbox: None,
    }
}

async fn call(tool: &str, input: Value, cx: &Context) -> Outcome {
    match find(tool) {
        Some(tool) => tool.run(input, cx).await,
        None => Outcome::unknown_tool(tool),
    }
}

/// Returns the CPU time of this process in milliseconds.
fn used() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks = fields.split_whitespace().skip(11).take(2);
    ticks.filter_map(|ticks| ticks.parse::<u64>().ok()).sum::<u64>() * 10
}

async fn timed(name: &str, tool: &str, input: Value, cx: &Context) {
    let mut fastest = Duration::MAX;
    let before = used();
    let mut result = Value::Null;
    for _ in 0..TIMES {
        let started = Instant::now();
        result = call(tool, input.clone(), cx).await.result;
        fastest = fastest.min(started.elapsed());
    }
    let count = ["totalMatches", "totalFiles", "totalLines", "numMatches"]
        .iter()
        .find_map(|field| result.get(field));
    let count = count.map_or_else(|| result.to_string().chars().take(80).collect(), Value::to_string);
    let used = (used() - before) / TIMES as u64;
    println!("{name:<28} {fastest:>10.1?}  cpu {used}ms  found {count}");
}

/// Measures the time from cancellation to the outcome, and until all work has stopped.
async fn cancelled(name: &str, tool: &'static str, input: Value, cx: &Context, after: Duration) {
    let cx = Context {
        cancel: CancellationToken::new(),
        ..cx.clone()
    };
    let cancel = cx.cancel.clone();
    let running = tokio::spawn(async move { call(tool, input, &cx).await });
    tokio::time::sleep(after).await;
    let started = Instant::now();
    cancel.cancel();
    let interrupted = running.await.is_ok_and(|outcome| outcome.interrupted);
    println!("{name:<28} {:>10.1?}  interrupted: {interrupted}", started.elapsed());
}

async fn edit_of_10_mb() -> std::io::Result<()> {
    let folder = std::env::temp_dir().join(format!("sluice-edit-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let file = folder.join("large.txt");
    let text: String = (0..200_000)
        .map(|line| format!("line {line:>8} with some more text to fill it up\n"))
        .collect();
    std::fs::write(&file, &text)?;
    let cx = context(&folder);
    println!("file of {} bytes", text.len());
    for (name, old, new, all) in [
        ("edit in the middle", "line   100000", "LINE   100000", false),
        ("edit back", "LINE   100000", "line   100000", false),
        ("edit of 2000 lines", "99 with", "99 without", true),
        ("edit of every line", "some more", "still more", true),
    ] {
        let started = Instant::now();
        let input = json!({"file_path": file, "old_string": old, "new_string": new, "replace_all": all});
        let outcome = call("Edit", input, &cx).await;
        let hunks = outcome
            .result
            .get("structuredPatch")
            .and_then(Value::as_array)
            .map(Vec::len);
        println!("{name:<28} {:>10.1?}  hunks {hunks:?}", started.elapsed());
    }
    std::fs::remove_dir_all(&folder)
}

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let Some(tree) = arguments.next() else {
        return edit_of_10_mb().await;
    };
    let pattern = arguments.next().unwrap_or_else(|| "needle".to_owned());
    let glob = arguments.next().unwrap_or_else(|| "**/*.rs".to_owned());
    let cx = context(Path::new(&tree));
    timed("Glob", "Glob", json!({"pattern": glob}), &cx).await;
    timed("Glob **/*", "Glob", json!({"pattern": "**/*"}), &cx).await;
    timed("Grep files_with_matches", "Grep", json!({"pattern": pattern}), &cx).await;
    timed(
        "Grep count",
        "Grep",
        json!({"pattern": pattern, "output_mode": "count"}),
        &cx,
    )
    .await;
    timed(
        "Grep content",
        "Grep",
        json!({"pattern": pattern, "output_mode": "content"}),
        &cx,
    )
    .await;
    timed(
        "Grep content, no match",
        "Grep",
        json!({"pattern": "zzqqzz", "output_mode": "content"}),
        &cx,
    )
    .await;
    let after = Duration::from_millis(30);
    cancelled("cancel Glob", "Glob", json!({"pattern": "**/*"}), &cx, after).await;
    cancelled(
        "cancel Grep",
        "Grep",
        json!({"pattern": pattern, "output_mode": "content"}),
        &cx,
        after,
    )
    .await;
    edit_of_10_mb().await
}
