//! Builds the messages that agents send most often.

use serde_json::{Map, Value, json};

/// Returns a `system`/`init` message: the defaults with `changes`.
pub(super) fn init(changes: &Map<String, Value>) -> Value {
    let base = json!({
        "type": "system", "subtype": "init", "cwd": "/sim", "session_id": "$SID",
        "tools": ["Bash", "Read", "Write", "Edit"], "mcp_servers": [], "model": "sim-agent",
        "permissionMode": "default", "slash_commands": [], "apiKeySource": "none",
        "claude_code_version": "2.1.326", "output_style": "default", "agents": [], "skills": [], "plugins": [],
        "uuid": "$UUID",
    });
    changed(base, changes)
}

/// Returns an `assistant` message with one text block.
pub(super) fn text(text: &str) -> Value {
    assistant(json!({"type": "text", "text": text}))
}

/// Returns an `assistant` message with one tool call.
pub(super) fn tool(call: &Map<String, Value>) -> Value {
    let base = json!({"type": "tool_use", "id": "toolu_01", "name": "Bash", "input": {}});
    assistant(changed(base, call))
}

/// Returns a `user` message with the result of a tool call.
pub(super) fn tool_result(result: &Map<String, Value>) -> Value {
    let mut block = json!({"type": "tool_result", "tool_use_id": "toolu_01", "content": ""});
    block = changed(block, result);
    let output = block.get("content").cloned().unwrap_or(Value::Null);
    json!({
        "type": "user", "message": {"role": "user", "content": [block]}, "parent_tool_use_id": null,
        "session_id": "$SID", "uuid": "$UUID", "tool_use_result": output,
    })
}

/// Returns the `result` of a successful turn: the defaults with `changes`.
pub(super) fn result(changes: &Map<String, Value>) -> Value {
    let base = json!({
        "type": "result", "subtype": "success", "is_error": false, "duration_ms": 1, "duration_api_ms": 1,
        "num_turns": 1, "result": "", "stop_reason": "end_turn", "session_id": "$SID", "total_cost_usd": 0,
        "usage": usage(), "modelUsage": {}, "permission_denials": [], "uuid": "$UUID",
    });
    changed(base, changes)
}

/// Returns the streaming events of a text, with the complete message before the end of the block.
pub(super) fn stream(words: &str) -> Vec<Value> {
    let message = json!({
        "id": "$MSG", "type": "message", "role": "assistant", "model": "sim-agent", "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": usage(),
    });
    let block = json!({"type": "text", "text": ""});
    let mut frames = vec![
        event(json!({"type": "message_start", "message": message})),
        event(json!({"type": "content_block_start", "index": 0, "content_block": block})),
    ];
    for word in words.split_inclusive(char::is_whitespace) {
        let delta = json!({"type": "text_delta", "text": word});
        frames.push(event(
            json!({"type": "content_block_delta", "index": 0, "delta": delta}),
        ));
    }
    frames.push(text(words));
    frames.push(event(json!({"type": "content_block_stop", "index": 0})));
    let delta = json!({"stop_reason": "end_turn", "stop_sequence": null});
    frames.push(event(
        json!({"type": "message_delta", "delta": delta, "usage": {"output_tokens": 5}}),
    ));
    frames.push(event(json!({"type": "message_stop"})));
    frames
}

/// Returns the `request` of a `can_use_tool` control request.
pub(super) fn can_use_tool(request: &Map<String, Value>) -> Value {
    let base = json!({"subtype": "can_use_tool", "tool_name": "Bash", "input": {}, "tool_use_id": "toolu_01"});
    changed(base, request)
}

fn assistant(block: Value) -> Value {
    let mut frame = json!({
        "type": "assistant",
        "message": {
            "id": "$MSG", "type": "message", "role": "assistant", "model": "sim-agent", "content": [],
            "stop_reason": null, "stop_sequence": null, "usage": usage(),
        },
        "parent_tool_use_id": null, "session_id": "$SID", "uuid": "$UUID",
    });
    if let Some(Value::Array(content)) = frame.pointer_mut("/message/content") {
        content.push(block);
    }
    frame
}

fn event(event: Value) -> Value {
    let mut frame = Map::new();
    frame.insert("type".into(), "stream_event".into());
    frame.insert("event".into(), event);
    frame.insert("parent_tool_use_id".into(), Value::Null);
    frame.insert("session_id".into(), "$SID".into());
    frame.insert("uuid".into(), "$UUID".into());
    Value::Object(frame)
}

fn usage() -> Value {
    json!({
        "input_tokens": 10, "output_tokens": 5, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
    })
}

fn changed(mut base: Value, changes: &Map<String, Value>) -> Value {
    if let Value::Object(fields) = &mut base {
        fields.extend(changes.clone());
    }
    base
}
