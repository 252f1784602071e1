//! Limits on the results of all calls in one message of the model.

use std::io::Read as _;
use std::process::Stdio;

use serde_json::{Value, json};

use super::STREAM;
use crate::binary::Lab;
use crate::peak;

/// Number of calls in the message. Their results are 200 MB in total, for the model and the host.
const CALLS: usize = 400;
/// Maximum total size of the results of one message in bytes.
const BUDGET: usize = 32 << 20;
/// Memory limit in MiB; several copies of the budget fit into it.
const MAX_MEMORY: u64 = 320;

#[test]
fn the_results_of_one_message_are_limited_together() {
    let read = |at: usize| {
        let input = json!({"file_path": format!("file{}", at % 20), "offset": at / 20 + 1});
        json!({"type": "tool_use", "id": format!("toolu_{at}"), "name": "Read", "input": input})
    };
    let mut calls: Vec<Value> = (0..CALLS).map(read).collect();
    let written = json!({"file_path": "made", "content": "x"});
    calls.push(json!({"type": "tool_use", "id": "toolu_write", "name": "Write", "input": written}));
    let text = |text: &str| json!([{"type": "text", "text": text}]);
    // The results fill the context window, so the conversation is compacted before the last response.
    let lab = Lab::new(&json!([calls, text("A summary"), text("The end")]));
    for file in 0..20 {
        let line = format!("{}\n", "x".repeat(99));
        std::fs::write(lab.work().join(format!("file{file}")), line.repeat(2_300)).unwrap();
    }
    let args: Vec<&str> = STREAM
        .iter()
        .copied()
        .chain(["--permission-mode", "acceptEdits", "hi"])
        .collect();
    let mut child = lab
        .command(&args)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut out = child.stdout.take().unwrap();
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        out.read_to_string(&mut text).unwrap();
        text
    });
    let memory = peak::memory_of(&mut child);
    let text = reader.join().unwrap();
    let messages: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let results = messages
        .iter()
        .filter_map(|message| message.pointer("/message/content/0"));
    let results: Vec<&Value> = results.filter(|block| block["type"] == "tool_result").collect();
    assert_eq!(results.len(), CALLS + 1);
    let failed: Vec<&Value> = results
        .iter()
        .copied()
        .filter(|block| block["is_error"] == true)
        .collect();
    assert!(
        failed.len() > CALLS / 2 && failed.len() < CALLS,
        "{} failed",
        failed.len()
    );
    for block in &failed {
        let told = block["content"].as_str().unwrap();
        assert!(told.contains("32 MiB") && told.contains("one message"), "{told}");
    }
    // Calls after the limit do not run.
    assert!(!lab.has("made"));
    assert_eq!(messages.last().unwrap()["result"], "The end");
    assert!(text.len() < BUDGET * 3 / 2, "{} bytes", text.len());
    assert!(memory < MAX_MEMORY, "{memory} MiB");
}
