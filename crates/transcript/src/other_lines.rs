//! Creates the lines of a transcript that are not part of the conversation.

use serde_json::{Value, json};

/// Maximum length of the last prompt in a `last-prompt` line, in characters.
const MAX_PROMPT_CHARS: usize = 200;

/// Returns the line of a title set by the user.
pub(super) fn title(title: &str, session_id: &str) -> Value {
    json!({"type": "custom-title", "customTitle": title, "sessionId": session_id})
}

/// Returns the line of the same title for programs that list agents.
pub(super) fn agent_name(title: &str, session_id: &str) -> Value {
    json!({"type": "agent-name", "agentName": title, "sessionId": session_id})
}

/// Returns the line of a title written by a model. A title set by the user has precedence.
pub(super) fn ai_title(title: &str, session_id: &str) -> Value {
    json!({"type": "ai-title", "aiTitle": title, "sessionId": session_id})
}

/// Returns the line of the session's tag. An empty tag removes the tag.
pub(super) fn tag(tag: &str, session_id: &str) -> Value {
    json!({"type": "tag", "tag": tag, "sessionId": session_id})
}

/// Returns the line of the last prompt and the entry at the end of the chain at that time.
pub(super) fn last_prompt(prompt: &str, leaf: &str, session_id: &str) -> Value {
    json!({"type": "last-prompt", "lastPrompt": prompt, "leafUuid": leaf, "sessionId": session_id})
}

/// The `type` of lines that record changes of the prompt queue.
const QUEUE: &str = "queue-operation";

/// A change of the prompt queue.
#[derive(Debug, Clone, Copy)]
pub enum Queued<'a> {
    /// A prompt was queued: its content.
    Enqueue(&'a Value),
    /// The turn of a prompt started.
    Dequeue,
    /// A prompt joined the running turn: its uuid and content.
    Absorbed(&'a str, &'a Value),
}

/// Returns the line of a change of the prompt queue. It contains the prompt only if that is plain text.
pub(super) fn queued(what: Queued<'_>, timestamp: &str, session_id: &str) -> Value {
    let (operation, content) = match what {
        Queued::Enqueue(content) => ("enqueue", Some(content)),
        Queued::Dequeue => ("dequeue", None),
        Queued::Absorbed(_, content) => ("remove", Some(content)),
    };
    let mut line = json!({
        "type": QUEUE, "operation": operation, "timestamp": timestamp, "sessionId": session_id
    });
    if let Some(text) = content.filter(|content| content.is_string()) {
        set(&mut line, "content", text.clone());
    }
    if let Queued::Absorbed(uuid, _) = what {
        set(&mut line, "reason", "absorbed_mid_turn".into());
        set(&mut line, "commandUuid", uuid.into());
        set(&mut line, "deliveryId", super::fresh_id().into());
    }
    line
}

fn set(line: &mut Value, key: &str, value: Value) {
    if let Value::Object(line) = line {
        line.insert(key.to_owned(), value);
    }
}

/// Removes the text of the prompt from such a line.
pub(super) fn without_content(line: &mut Value) {
    if let Value::Object(line) = line {
        line.shift_remove("content");
    }
}

/// The `type` of lines that record what the model was shown.
pub(super) const SHOWN: &str = "shown-to-model";

/// Returns the line that records the user messages since the model's last message, up to this entry, as they were sent.
/// Other programs ignore it.
pub(super) fn shown(messages: &Value, leaf: &str, session_id: &str) -> Value {
    json!({"type": SHOWN, "leafUuid": leaf, "messages": messages, "sessionId": session_id})
}

/// The `type` of lines that record a rewind.
pub(super) const REWOUND: &str = "rewound";

/// Returns the line of a rewind: the conversation ends at this entry until a message is added after this line. Other
/// programs ignore it.
pub(super) fn rewound(leaf: &str, session_id: &str) -> Value {
    json!({"type": REWOUND, "leafUuid": leaf, "sessionId": session_id})
}

/// The `type` of lines that record the system prompt.
pub(super) const SYSTEM_PROMPT: &str = "system-prompt";

/// Returns the line of the system prompt, which applies until the next compaction. Other programs ignore it.
pub(super) fn system_prompt(texts: &[String], session_id: &str) -> Value {
    json!({"type": SYSTEM_PROMPT, "texts": texts, "sessionId": session_id})
}

/// The cost of the session so far.
#[derive(Debug, Clone, PartialEq)]
pub struct Cost {
    /// The total in US dollars.
    pub total: Value,
    /// Total duration of the requests to the model, in milliseconds.
    pub api_ms: u64,
    /// The usage by model.
    pub model_usage: Value,
    /// Whether a model without known prices was used.
    pub unpriced: bool,
    /// How long this process has been running the session, in milliseconds.
    pub elapsed_ms: u64,
}

/// Returns the line of the cost so far. Values that this session does not measure are copied from the earlier line.
pub(super) fn cost(cost: &Cost, earlier: Option<&Value>, started_ms: i64, session_id: &str) -> Value {
    let before = |key: &str| earlier.and_then(|earlier| earlier.get(key)).and_then(Value::as_u64);
    json!({
        "type": "cost-state",
        "sessionId": session_id,
        "totalCostUSD": cost.total,
        "totalAPIDuration": cost.api_ms,
        "totalAPIDurationWithoutRetries": cost.api_ms,
        "totalToolDuration": before("totalToolDuration").unwrap_or(0),
        "totalLinesAdded": before("totalLinesAdded").unwrap_or(0),
        "totalLinesRemoved": before("totalLinesRemoved").unwrap_or(0),
        "totalDuration": before("totalDuration").unwrap_or(0) + cost.elapsed_ms,
        "startTime": earlier.and_then(|earlier| earlier.get("startTime")).and_then(Value::as_i64).unwrap_or(started_ms),
        "modelUsage": cost.model_usage,
        "hasUnknownModelCost": cost.unpriced,
    })
}

/// Returns the text of a prompt on one line, for lists.
pub(super) fn one_line(content: &Value) -> Option<String> {
    let text = match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => blocks
            .iter()
            .filter_map(|block| block.get("text").and_then(Value::as_str))
            .collect::<Vec<_>>()
            .join(" "),
        _ => return None,
    };
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.is_empty() {
        return None;
    }
    match text.char_indices().nth(MAX_PROMPT_CHARS) {
        None => Some(text),
        Some((cut, _)) => Some(format!("{}…", text.get(..cut).unwrap_or_default())),
    }
}
