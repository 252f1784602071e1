//! Generates a session of an agent: turns with streams, calls and results.

use serde_json::{Value, json};

/// Returns a recording with this number of lines.
pub fn text(lines: usize) -> String {
    let mut text = String::new();
    let mut count = 0;
    for turn in 0.. {
        for line in self::turn(turn) {
            if count == lines {
                return text;
            }
            text.push_str(&line.to_string());
            text.push('\n');
            count += 1;
        }
    }
    text
}

fn turn(turn: usize) -> Vec<Value> {
    let session = "5c1d5a54-5d35-4d6f-9a3c-0d6a0a7f9a11";
    let mut serial = 0;
    let mut uuid = || {
        serial += 1;
        format!("{turn:08x}-0000-4000-8000-{serial:012x}")
    };
    let message = format!("msg_{turn}");
    let call = format!("toolu_{turn}");
    let usage = json!({"input_tokens": 1200, "output_tokens": 40, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 900});
    let api = |content: Value| {
        json!({"id": message, "type": "message", "role": "assistant", "model": "claude-sonnet-4-5", "content": [content],
            "stop_reason": null, "stop_sequence": null, "usage": usage})
    };
    let mut lines = vec![json!({"type": "system", "subtype": "init", "cwd": "/work", "session_id": session,
        "tools": ["Bash", "Read", "Edit", "Write"], "mcp_servers": [], "model": "claude-sonnet-4-5", "permissionMode": "default",
        "slash_commands": ["compact", "context"], "apiKeySource": "none", "claude_code_version": "2.1.325",
        "output_style": "default", "agents": [], "skills": [], "plugins": [], "uuid": uuid()})];
    for word in 0..24 {
        let event = json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": format!("word {word} ")}});
        lines.push(json!({"type": "stream_event", "event": event, "session_id": session, "parent_tool_use_id": null, "uuid": uuid()}));
    }
    let answer = json!({"type": "text", "text": "What there is to say about it, in a sentence or two. ".repeat(8)});
    lines.push(json!({"type": "assistant", "message": api(answer), "parent_tool_use_id": null, "session_id": session, "uuid": uuid()}));
    let used = json!({"type": "tool_use", "id": call, "name": "Bash", "input": {"command": "cargo test", "description": "Runs the tests"}});
    lines.push(json!({"type": "assistant", "message": api(used), "parent_tool_use_id": null, "session_id": session, "uuid": uuid()}));
    let output = "test it::holds ... ok\n".repeat(120);
    lines.push(json!({"type": "user", "message": {"role": "user", "content": [
        {"tool_use_id": call, "type": "tool_result", "content": output, "is_error": false}]}, "parent_tool_use_id": null,
        "session_id": session, "uuid": uuid(), "tool_use_result": {"stdout": output, "stderr": "", "interrupted": false, "isImage": false}}));
    lines.push(json!({"type": "result", "subtype": "success", "is_error": false, "duration_ms": 1200, "duration_api_ms": 900,
        "num_turns": 2, "result": "Done.", "stop_reason": "end_turn", "session_id": session, "total_cost_usd": 0.0123,
        "usage": usage, "modelUsage": {}, "permission_denials": [], "uuid": uuid()}));
    lines
}
