//! A label for every message, so that the messages of a session can be compared as one line of text.
//!
//! `init`, `requesting`, `mode:plan`, `state:idle`, `retry`, `fallback`, `thought`, `info`, `denied`;
//! `ms bs d be md me` for the events of a stream; `assistant:text`, `user:tool_result` (`user:tool_error`
//! if it failed), `notice` (inserted by the engine), `nudge` (the same, synthetic), `replay`;
//! `ask:Bash`, `hook:id` (a callback), `cancel`, `ok`, `error`; `queued:u1` and similar; `result:success`. A `!` after
//! a label means `is_error` or `aborted`. Consecutive deltas are counted: `d×3`.

use serde_json::Value;

/// The label of a message.
pub(crate) fn word(message: &Value) -> String {
    let text = |pointer: &str| message.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let flag = |pointer: &str| message.pointer(pointer) == Some(&Value::Bool(true));
    let mark = |pointer: &str| if flag(pointer) { "!" } else { "" };
    match text("/type") {
        "system" => system(message),
        "stream_event" => match text("/event/type") {
            "message_start" => "ms".into(),
            "content_block_start" => "bs".into(),
            "content_block_delta" => "d".into(),
            "content_block_stop" => "be".into(),
            "message_delta" => "md".into(),
            "message_stop" => "me".into(),
            other => format!("event:{other}"),
        },
        "assistant" => format!("assistant:{}{}", text("/message/content/0/type"), mark("/aborted")),
        "user" if flag("/isReplay") => "replay".into(),
        "user" if flag("/isSynthetic") => "nudge".into(),
        "user" => match text("/message/content/0/type") {
            "tool_result" if flag("/message/content/0/is_error") => "user:tool_error".into(),
            "tool_result" => "user:tool_result".into(),
            _ => "notice".into(),
        },
        "control_request" if text("/request/subtype") == "hook_callback" => {
            format!("hook:{}", text("/request/callback_id"))
        }
        "control_request" => format!("ask:{}", text("/request/tool_name")),
        "control_cancel_request" => "cancel".into(),
        "control_response" if text("/response/subtype") == "success" => "ok".into(),
        "control_response" => "error".into(),
        "command_lifecycle" => format!("{}:{}", text("/state"), text("/command_uuid")),
        "result" => format!("result:{}{}", text("/subtype"), mark("/is_error")),
        other => other.to_owned(),
    }
}

fn system(message: &Value) -> String {
    let text = |key: &str| message[key].as_str().unwrap_or_default();
    match text("subtype") {
        "status" if text("status").is_empty() => format!("mode:{}", text("permissionMode")),
        "status" => text("status").to_owned(),
        "session_state_changed" => format!("state:{}", text("state")),
        "background_tasks_changed" => format!("background:{}", message["tasks"].as_array().map_or(0, Vec::len)),
        "task_notification" => format!("task:{}", text("status")),
        "api_retry" => "retry".into(),
        "model_fallback" => "fallback".into(),
        "thinking_tokens" => "thought".into(),
        "informational" => "info".into(),
        "permission_denied" => "denied".into(),
        other => other.to_owned(),
    }
}

/// The labels of messages in order.
pub(crate) fn line(messages: &[Value]) -> String {
    let mut words: Vec<(String, usize)> = Vec::new();
    for word in messages.iter().map(word) {
        match words.last_mut() {
            Some((last, count)) if *last == word && word == "d" => *count += 1,
            _ => words.push((word, 1)),
        }
    }
    let shown = words.into_iter().map(|(word, count)| match count {
        1 => word,
        count => format!("{word}×{count}"),
    });
    shown.collect::<Vec<_>>().join(" ")
}
