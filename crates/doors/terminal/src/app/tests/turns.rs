//! Named screens of a turn: streaming answers, thinking, calls of every kind, and how turns end.

use serde_json::{Value, json};
use sluice_host::conversation::{Submit, What};
use sluice_wire::stdin::User;

use super::screens::{called, came, card, ended, screen, seen, stage};
use super::stage::Stage;

/// Returns the committed rows and the live region, without escape sequences of the answer.
fn grown(columns: usize) -> Vec<String> {
    let mut stage = stage(columns);
    stage.turn("why does the retry loop never end?");
    stage.begins_text();
    let answer = "The loop in `retry.rs` makes its counter anew on every attempt, so the limit is never reached. Two things \
        follow:\n\n1. `attempt` has to live outside the loop.\n2. The delay must be taken from the";
    for piece in answer.split_inclusive(' ') {
        stage.delta(piece);
        stage.look();
        stage.region();
    }
    stage.later(12_000);
    stage.look();
    seen(&mut stage)
}

#[test]
fn streaming() {
    for columns in [80, 40] {
        screen(&format!("streaming-{columns}"), &grown(columns));
    }
}

#[test]
fn unwrapped_prose_is_one_line_per_paragraph() {
    let mut stage = stage(40);
    stage.press(&["meta+r"]);
    stage.turn("why?");
    stage.begins_text();
    let long = "The loop makes its counter anew on every attempt, so the limit is never reached, whatever it is.";
    stage.delta(&format!("{long}\n\nAnd so on"));
    stage.look();
    let region = stage.region();
    assert!(stage.committed.iter().any(|row| row == long), "{:?}", stage.committed);
    assert!(region.iter().all(|row| row.chars().count() <= 40));
    stage.press(&["meta+r"]);
    stage.delta(&format!(". {long}\n\nEnd"));
    stage.look();
    stage.region();
    assert!(
        stage
            .committed
            .iter()
            .filter(|row| *row != long)
            .all(|row| row.chars().count() <= 40),
        "{:?}",
        stage.committed
    );
}

#[test]
fn thinking() {
    let mut stage = stage(80);
    stage.turn("why?");
    for event in [
        json!({"type": "message_start", "message": {"id": "m1", "type": "message", "role": "assistant", "model": "x",
            "content": [], "stop_reason": null, "stop_sequence": null, "usage": {"input_tokens": 1, "output_tokens": 1}}}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": "", "signature": ""}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta",
            "thinking": "let me see\nthe outer counter is shadowed, so it never moves"}}),
    ] {
        stage.streams(&event);
    }
    stage.later(9000);
    stage.look();
    let mut rows = stage.region();
    stage.says(
        &json!({"type": "assistant", "message": {"id": "m1", "type": "message", "role": "assistant", "model": "x",
        "content": [{"type": "thinking", "thinking": "the outer counter", "signature": "s"}], "stop_reason": null,
        "stop_sequence": null, "usage": {"input_tokens": 1, "output_tokens": 1}}, "parent_tool_use_id": null,
        "session_id": "s", "uuid": "t1", "thinking_duration_ms": 14_000}),
    );
    stage.look();
    stage.committed.clear();
    stage.region();
    rows.extend(std::mem::take(&mut stage.committed));
    screen("thinking-80", &rows);
}

#[test]
fn reading() {
    let mut stage = stage(80);
    stage.turn("look");
    let shop = |path: &str| format!("/home/me/code/shop/{path}");
    let file = json!({"type": "text", "file": {"startLine": 1, "numLines": 120, "totalLines": 480}});
    card(
        &mut stage,
        "1",
        "Read",
        &json!({"file_path": shop("src/main.rs")}),
        "",
        &file,
    );
    // An item in between, because adjacent reading calls share a row.
    card(
        &mut stage,
        "b",
        "Bash",
        &json!({"command": "true"}),
        "",
        &json!({"stdout": "", "stderr": ""}),
    );
    let hits = json!({"numMatches": 7, "numFiles": 3, "mode": "content", "content":
        "crates/model/src/retry.rs:18:let retry_delay = base * 2u32.pow(n);\na:1:x\nb:1:x\nc:1:x\nd:1:x\ne:1:x\nf:1:x"});
    let grep = json!({"pattern": "retry_delay", "path": shop("crates"), "output_mode": "content"});
    card(&mut stage, "2", "Grep", &grep, hits["content"].as_str().unwrap(), &hits);
    card(
        &mut stage,
        "c",
        "Bash",
        &json!({"command": "true"}),
        "",
        &json!({"stdout": "", "stderr": ""}),
    );
    for (id, path) in [("4", "src/main.rs"), ("5", "src/lib.rs"), ("6", "src/net.rs")] {
        card(&mut stage, id, "Read", &json!({"file_path": shop(path)}), "", &file);
    }
    card(
        &mut stage,
        "7",
        "Grep",
        &json!({"pattern": "retry"}),
        "",
        &json!({"numMatches": 12, "numFiles": 3}),
    );
    card(
        &mut stage,
        "8",
        "Glob",
        &json!({"pattern": "**/*.toml"}),
        "",
        &json!({"numFiles": 14}),
    );
    ended(&mut stage);
    screen("reading-80", &seen(&mut stage));
}

#[test]
fn changing() {
    let mut stage = stage(80);
    stage.turn("change");
    let patch = json!({"structuredPatch": [{"oldStart": 6, "newStart": 6, "oldLines": 3, "newLines": 3, "lines":
        [" fn add(a: i32, b: i32) -> i32 {", "-    a - b", "+    a + b", " }"]}]});
    let edit = json!({"file_path": "/home/me/code/shop/src/add.rs", "old_string": "a - b", "new_string": "a + b"});
    card(&mut stage, "1", "Edit", &edit, "", &patch);
    let lines = "# Notes\nAsk before the release.\n".to_owned() + &"more\n".repeat(30);
    let write = json!({"file_path": "/home/me/code/shop/notes.md", "content": lines});
    card(&mut stage, "2", "Write", &write, "", &json!({"type": "create"}));
    let cell = json!({"notebook_path": "/home/me/code/shop/plot.ipynb", "cell_id": "3", "new_source": "df.plot(kind=\"bar\")"});
    let before = json!({"cells": [{"id": "3", "cell_type": "code", "source": ["df.plot()"]}]});
    let value =
        json!({"original_file": before.to_string(), "cell_id": "3", "cell_type": "code", "edit_mode": "replace"});
    card(&mut stage, "3", "NotebookEdit", &cell, "Updated cell 3", &value);
    ended(&mut stage);
    screen("changing-80", &seen(&mut stage));
}

#[test]
fn others() {
    let mut stage = stage(80);
    stage.turn("look around");
    let fetched = json!({"code": 200, "bytes": 48_000, "durationMs": 1200});
    card(
        &mut stage,
        "1",
        "WebFetch",
        &json!({"url": "https://docs.rs/ratatui"}),
        "Layout, Buffer and Widget are its three ideas.",
        &fetched,
    );
    card(
        &mut stage,
        "2",
        "mcp__tracker__search_issues",
        &json!({"query": "retry"}),
        "#41 Retry never ends (open)",
        &Value::Null,
    );
    called(&mut stage, "3", "mcp__tracker__close_issue", &json!({"id": 41}));
    came(
        &mut stage,
        "3",
        "the server refused: read-only token",
        &Value::Null,
        true,
    );
    card(
        &mut stage,
        "4",
        "Frobnicate",
        &json!({"depth": 2, "paths": ["a", "b"]}),
        "",
        &Value::Null,
    );
    ended(&mut stage);
    screen("others-80", &seen(&mut stage));
}

fn inside(stage: &mut Stage, parent: &str, id: &str, tool: &str, input: &Value) {
    stage.says(
        &json!({"type": "assistant", "message": {"id": format!("m{id}"), "type": "message", "role": "assistant",
        "model": "x", "content": [{"type": "tool_use", "id": id, "name": tool, "input": input}], "stop_reason": null,
        "stop_sequence": null, "usage": {"input_tokens": 1, "output_tokens": 1}}, "parent_tool_use_id": parent,
        "session_id": "s", "uuid": format!("a{id}")}),
    );
}

#[test]
fn agents_and_tasks() {
    let mut stage = stage(80);
    stage.turn("find the callers");
    let todos = json!({"todos": [{"content": "Read the retry code", "status": "completed", "activeForm": "Reading"},
        {"content": "Add the test", "status": "in_progress", "activeForm": "Adding the test for the limit"},
        {"content": "Note it in CHANGELOG.md", "status": "pending", "activeForm": "Noting", "blockedBy": ["2"]}]});
    card(&mut stage, "0", "TodoWrite", &todos, "", &Value::Null);
    let task = json!({"description": "Find the callers of retry()", "subagent_type": "Explore", "prompt": "find"});
    called(&mut stage, "1", "Task", &task);
    inside(&mut stage, "1", "2", "Grep", &json!({"pattern": "retry("}));
    stage.says(
        &json!({"type": "user", "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "2",
        "content": "22"}]}, "parent_tool_use_id": "1", "session_id": "s", "uuid": "u2",
        "tool_use_result": {"numMatches": 22, "numFiles": 9}}),
    );
    let driver = json!({"file_path": "/home/me/code/shop/crates/host/src/driver.rs"});
    inside(&mut stage, "1", "3", "Read", &driver);
    stage.later(41_000);
    stage.look();
    let mut rows = seen(&mut stage);
    stage.later(17_000);
    let said = "Nine callers; driver.rs and client.rs pass no limit.";
    let value = json!({"status": "completed", "agentId": "a1", "agentType": "Explore", "content": [{"type": "text", "text": said}],
        "totalDurationMs": 58_000, "totalTokens": 36_000, "totalToolUseCount": 12});
    came(&mut stage, "1", said, &value, false);
    called(&mut stage, "4", "Bash", &json!({"command": "rm -rf target"}));
    stage.says(&json!({"type": "user", "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "4",
        "content": "denied by Bash(rm:*), project settings", "is_error": true}]}, "parent_tool_use_id": null, "session_id": "s",
        "uuid": "u4", "tool_use_result": "denied", "tool_result_meta": [{"id": "4", "permission_decision": {"decision": "deny"}}]}));
    called(&mut stage, "5", "Bash", &json!({"command": "cargo build"}));
    stage.later(8000);
    came(&mut stage, "5", "stopped", &json!("User rejected tool use"), true);
    ended(&mut stage);
    rows.extend(seen(&mut stage));
    screen("agents-tasks-80", &rows);
}

#[test]
fn stopped() {
    let mut stage = stage(80);
    stage.turn("why?");
    stage.begins_text();
    stage.delta("The loop in `retry.rs` makes its counter anew on every");
    stage.look();
    stage.region();
    stage.later(12_000);
    stage.says(
        &json!({"type": "result", "subtype": "error_during_execution", "is_error": true, "duration_ms": 12_000,
        "duration_api_ms": 1, "num_turns": 1, "session_id": "6da3ebdf-0000", "total_cost_usd": 0.0,
        "usage": {"input_tokens": 1, "output_tokens": 1}, "modelUsage": {}, "stop_reason": null, "uuid": "r",
        "permission_denials": [], "terminal_reason": "aborted_streaming", "errors": []}),
    );
    stage.look();
    screen("stopped-80", &seen(&mut stage));
}

#[test]
fn served() {
    let mut facts = Stage::facts();
    facts.served = Some("http://127.0.0.1:4717".to_owned());
    let mut stage = Stage::of(facts, 80, 24);
    seen(&mut stage);
    stage.turn("test it");
    stage.later(1000);
    stage.ask("1", "Bash", &json!({"command": "cargo test"}), &json!([]));
    stage.region();
    stage.says(
        &json!({"type": "system", "subtype": "informational", "content": "allowed by \"phone\"", "level": "info",
        "tool_use_id": "t1", "tag": "answered", "session_id": "s", "uuid": "n"}),
    );
    stage.says(&json!({"type": "control_cancel_request", "request_id": "1"}));
    stage.later(12_000);
    came(&mut stage, "t1", "ok", &json!({"stdout": "ok", "stderr": ""}), false);
    ended(&mut stage);
    stage.says(
        &json!({"type": "user", "message": {"role": "user", "content": "run it again on nightly"},
        "parent_tool_use_id": null, "session_id": "s", "uuid": "u9", "sluice_by": "phone"}),
    );
    stage.look();
    screen("served-80", &seen(&mut stage));
}

#[test]
fn turns_have_semantic_marks() {
    use crate::screen::Mark;
    let mut stage = stage(80);
    stage.happen(What::Submit(Submit::new("p0", User::new("why?"))));
    stage.look();
    stage.turn("why?");
    stage.begins_text();
    stage.delta("Because.\n\n");
    ended(&mut stage);
    let frame = stage.app.frame(stage.now);
    let kinds: Vec<Mark> = frame.marks.iter().map(|(_, mark)| *mark).collect();
    assert!(kinds.starts_with(&[Mark::Prompt, Mark::Answer]), "{kinds:?}");
    assert_eq!(kinds.last(), Some(&Mark::End));
    let (at, _) = frame.marks.iter().find(|(_, mark)| *mark == Mark::Prompt).unwrap();
    assert_eq!(frame.commit.get(*at).unwrap().text(), "› why?");
}

#[test]
fn nested_subagents_show_only_the_innermost_running_call() {
    let mut stage = stage(80);
    stage.turn("find it");
    let agent = |what: &str| json!({"description": what, "subagent_type": "Explore", "prompt": "find"});
    called(&mut stage, "1", "Task", &agent("outer"));
    inside(&mut stage, "1", "2", "Task", &agent("middle"));
    inside(&mut stage, "2", "3", "Task", &agent("inner"));
    inside(&mut stage, "3", "4", "Grep", &json!({"pattern": "retry("}));
    stage.later(2000);
    stage.look();
    let region = stage.region();
    assert!(region.iter().any(|row| row.contains("Agent  outer")), "{region:#?}");
    assert!(
        region
            .iter()
            .any(|row| row.starts_with("    ") && row.contains("Grep  \"retry(\"")),
        "{region:#?}"
    );
    for between in ["middle", "inner"] {
        assert!(
            !region.iter().any(|row| row.contains(between)),
            "{between} in {region:#?}"
        );
    }
}
