#![allow(clippy::unwrap_used)]
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_host::conversation::{ConversationEvent, ConversationState, Submit, Time, What, step};
use sluice_host::items::ItemCursor;
use sluice_wire::Frame;
use sluice_wire::stdin::User;

use super::*;

/// A conversation and its rendering as lines.
struct Stage {
    state: ConversationState,
    now: u64,
    from: ItemCursor,
    lines: Lines,
    said: Vec<String>,
}

impl Stage {
    fn new(verbose: bool) -> Self {
        let mut stage = Self {
            state: ConversationState::default(),
            now: 10_000,
            from: ItemCursor::default(),
            lines: Lines::new("/home/me/code/shop", verbose),
            said: Vec::new(),
        };
        for what in [What::Starting { resumed: false }, What::Up, What::Connected] {
            stage.happen(what);
        }
        stage
    }

    fn happen(&mut self, what: What) {
        let at = Time(self.now);
        step(&mut self.state, ConversationEvent { at, what });
        let snapshot = Snapshot::of(&self.state, self.from.clone(), at);
        self.from = snapshot.cursor.clone();
        self.said.extend(self.lines.of(&snapshot));
    }

    fn says(&mut self, line: &Value) {
        self.happen(What::Said(Frame::parse(&line.to_string()).unwrap()));
    }

    fn prompt(&mut self, text: &str) {
        self.happen(What::Submit(Submit::new("p1", User::new(text))));
        self.says(
            &json!({"type": "system", "subtype": "init", "cwd": "/", "session_id": "s", "tools": [], "mcp_servers": [],
            "model": "claude-sonnet-4-5", "permissionMode": "default", "slash_commands": [], "apiKeySource": "none",
            "claude_code_version": "2", "output_style": "default", "uuid": "i", "user_message_uuids": ["p1"]}),
        );
    }

    fn blocks(&mut self, id: &str, content: &Value) {
        self.says(&json!({"type": "assistant", "message": {"id": id, "type": "message", "role": "assistant", "model": "x",
            "content": content, "stop_reason": null, "stop_sequence": null, "usage": {"input_tokens": 1, "output_tokens": 1}},
            "parent_tool_use_id": null, "session_id": "s", "uuid": format!("a{id}")}));
    }

    fn result(&mut self, id: &str, text: &str, failed: bool) {
        self.says(&json!({"type": "user", "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id,
            "content": text, "is_error": failed}]}, "parent_tool_use_id": null, "session_id": "s", "uuid": format!("u{id}")}));
    }

    fn ends(&mut self) {
        self.says(
            &json!({"type": "result", "subtype": "success", "is_error": false, "duration_ms": 1, "duration_api_ms": 1,
            "num_turns": 1, "result": "", "session_id": "s", "total_cost_usd": 0.42, "usage": {"input_tokens": 1,
            "output_tokens": 7}, "modelUsage": {}, "stop_reason": "end_turn", "uuid": "r", "permission_denials": []}),
        );
    }
}

#[test]
fn a_turn_is_rendered_as_in_the_reference() {
    let mut stage = Stage::new(false);
    stage.prompt("fix the sign in add");
    let edit = json!({"file_path": "/home/me/code/shop/src/add.rs", "old_string": "a - b", "new_string": "a + b"});
    stage.blocks(
        "1",
        &json!([{"type": "text", "text": "I will fix the sign."}, {"type": "tool_use", "id": "c1", "name": "Edit", "input": edit}]),
    );
    stage.result("c1", "done", false);
    stage.blocks(
        "2",
        &json!([{"type": "tool_use", "id": "c2", "name": "Bash", "input": {"command": "cargo test"}}]),
    );
    for _ in 0..45 {
        stage.now += 1000;
        stage.says(&json!({"type": "keep_alive"}));
    }
    stage.result("c2", "Exit code 101\nerror: unused variable: span", true);
    stage.says(
        &json!({"type": "system", "subtype": "compact_boundary", "compact_metadata": {"trigger": "auto",
        "pre_tokens": 168_000, "post_tokens": 21_000}, "session_id": "s", "uuid": "x"}),
    );
    stage.ends();
    assert_eq!(
        stage.said,
        [
            "you: fix the sign in add",
            "agent: I will fix the sign.",
            "call 1: Edit src/add.rs, 1 line added, 1 removed",
            "call 1 done",
            "call 2: Bash cargo test",
            "call 2 running, 10 seconds: Bash cargo test",
            "call 2 running, 40 seconds: Bash cargo test",
            "call 2 failed, exit 101, last lines:",
            "  error: unused variable: span",
            "notice: compacted 168k to 21k tokens",
            "done",
        ]
    );
}

#[test]
fn a_streaming_answer_is_printed_once_sentence_by_sentence() {
    let mut stage = Stage::new(false);
    stage.prompt("why?");
    let event = |event: Value| {
        json!({"type": "stream_event", "event": event, "session_id": "s", "parent_tool_use_id": null,
        "uuid": uuid::Uuid::new_v4().to_string()})
    };
    stage.says(&event(
        json!({"type": "message_start", "message": {"id": "m1", "type": "message", "role": "assistant", "model": "x",
        "content": [], "stop_reason": null, "stop_sequence": null, "usage": {"input_tokens": 1, "output_tokens": 1}}}),
    ));
    stage.says(&event(
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
    ));
    for piece in ["It is the cl", "ock. Set", " it."] {
        stage.says(&event(
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}}),
        ));
    }
    assert_eq!(stage.said, ["you: why?", "agent: It is the clock."]);
    stage.blocks("m1", &json!([{"type": "text", "text": "It is the clock. Set it."}]));
    stage.ends();
    assert_eq!(
        stage.said,
        ["you: why?", "agent: It is the clock.", "agent: Set it.", "done"]
    );
}

#[test]
fn tasks_are_printed_and_times_if_verbose() {
    let mut stage = Stage::new(true);
    stage.prompt("go");
    let todos = json!({"todos": [{"content": "Read", "status": "completed", "activeForm": "Reading"},
        {"content": "Add the test", "status": "in_progress", "activeForm": "Adding the test"}]});
    stage.blocks(
        "1",
        &json!([{"type": "tool_use", "id": "c1", "name": "TodoWrite", "input": todos}]),
    );
    stage.now += 3000;
    stage.says(
        &json!({"type": "user", "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1",
        "content": "ok"}]}, "parent_tool_use_id": null, "session_id": "s", "uuid": "u1",
        "tool_use_result": {"oldTodos": [], "newTodos": todos["todos"]}}),
    );
    stage.ends();
    assert_eq!(
        stage.said,
        [
            "you: go",
            "call 1: Tasks",
            "call 1 done, 3 seconds",
            "tasks: 1 of 2 done, now: Adding the test",
            "done, 3 seconds, 7 tokens",
        ]
    );
}
