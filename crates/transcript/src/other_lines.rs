//! The lines of a transcript that are not part of the conversation, as values.

use serde_json::{Value, json};

/// The longest last prompt that is kept as a title.
const LONGEST_PROMPT: usize = 200;

/// The title a person gave the session.
pub(super) fn title(title: &str, session_id: &str) -> Value {
    json!({"type": "custom-title", "customTitle": title, "sessionId": session_id})
}

/// The same title, for those who list agents.
pub(super) fn agent_name(title: &str, session_id: &str) -> Value {
    json!({"type": "agent-name", "agentName": title, "sessionId": session_id})
}

/// The title a model found for the session; one a person gave counts for more.
pub(super) fn ai_title(title: &str, session_id: &str) -> Value {
    json!({"type": "ai-title", "aiTitle": title, "sessionId": session_id})
}

/// The session's tag; empty is none.
pub(super) fn tag(tag: &str, session_id: &str) -> Value {
    json!({"type": "tag", "tag": tag, "sessionId": session_id})
}

/// What was last asked for, and the end of the chain then.
pub(super) fn last_prompt(prompt: &str, leaf: &str, session_id: &str) -> Value {
    json!({"type": "last-prompt", "lastPrompt": prompt, "leafUuid": leaf, "sessionId": session_id})
}

/// The lines that say how prompts waited.
const QUEUE: &str = "queue-operation";

/// What becomes of a prompt that waits.
#[derive(Debug, Clone, Copy)]
pub enum Queued<'a> {
    /// It is queued: its content.
    Enqueue(&'a Value),
    /// Its turn begins.
    Dequeue,
    /// It joins the running turn: its uuid and content.
    Absorbed(&'a str, &'a Value),
}

/// What became of a prompt that waits; its words only where they are plain ones.
pub(super) fn queued(what: Queued<'_>, timestamp: &str, session_id: &str) -> Value {
    let (operation, content) = match what {
        Queued::Enqueue(content) => ("enqueue", Some(content)),
        Queued::Dequeue => ("dequeue", None),
        Queued::Absorbed(_, content) => ("remove", Some(content)),
    };
    let mut line = json!({
        "type": QUEUE, "operation": operation, "timestamp": timestamp, "sessionId": session_id
    });
    if let Some(words) = content.filter(|content| content.is_string()) {
        set(&mut line, "content", words.clone());
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

/// Takes the words of a prompt out of such a line.
pub(super) fn without_words(line: &mut Value) {
    if let Value::Object(line) = line {
        line.shift_remove("content");
    }
}

/// The `type` of lines that record what the model was shown.
pub(super) const SHOWN: &str = "shown-to-model";

/// What the user's side was shown as saying since the model last spoke, up to this entry: messages of blocks. Other readers
/// pass over it.
pub(super) fn shown(messages: &Value, leaf: &str, session_id: &str) -> Value {
    json!({"type": SHOWN, "leafUuid": leaf, "messages": messages, "sessionId": session_id})
}

/// The `type` of lines that record a rewind.
pub(super) const REWOUND: &str = "rewound";

/// The conversation ends at this entry again, until something is said after this line. Other readers pass over it.
pub(super) fn rewound(leaf: &str, session_id: &str) -> Value {
    json!({"type": REWOUND, "leafUuid": leaf, "sessionId": session_id})
}

/// The `type` of lines that record the system prompt.
pub(super) const SYSTEM_PROMPT: &str = "system-prompt";

/// What stands before the conversation, text by text, until a compaction. Other readers pass over it.
pub(super) fn system_prompt(texts: &[String], session_id: &str) -> Value {
    json!({"type": SYSTEM_PROMPT, "texts": texts, "sessionId": session_id})
}

/// What the session has cost so far.
#[derive(Debug, Clone, PartialEq)]
pub struct Cost {
    /// In dollars.
    pub total: Value,
    /// How long the model was waited for.
    pub api_ms: u64,
    /// What was used, by model.
    pub model_usage: Value,
    /// Whether a model was used whose prices are not known.
    pub unpriced: bool,
    /// How long this process has been at it.
    pub elapsed_ms: u64,
}

/// What the session has cost so far, with what `earlier` said where this session counts nothing.
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

/// A prompt's words in one line, for lists.
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
    match text.char_indices().nth(LONGEST_PROMPT) {
        None => Some(text),
        Some((cut, _)) => Some(format!("{}…", text.get(..cut).unwrap_or_default())),
    }
}
