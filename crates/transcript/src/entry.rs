//! The entries of a transcript, as values. Keys have a fixed order and no spaces between them, because readers search
//! for them in the text.

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use serde_json::{Map, Value, json};
use sluice_wire::stdout;
use sluice_wire::stdout::system::CompactBoundary;

use super::time;

/// What every entry of a session carries.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stamp {
    /// The session's id.
    pub session_id: String,
    /// Where it works.
    pub cwd: String,
    /// The version of the protocol.
    pub version: String,
    /// Who started it.
    pub entrypoint: String,
    /// The branch checked out where it works.
    pub git_branch: String,
    /// The subagent it is about.
    pub agent_id: Option<String>,
}

/// A prompt of a person, or of a program on their behalf.
#[derive(Debug, Clone, Copy)]
pub struct Prompt<'a> {
    /// The uuid it is known by.
    pub uuid: &'a str,
    /// A string or a list of blocks, in the form the host chose.
    pub content: &'a Value,
    /// When it arrived.
    pub timestamp: &'a str,
    /// The permission mode then.
    pub mode: &'a str,
    /// Written by a program.
    pub synthetic: bool,
    /// Who it came from.
    pub origin: Option<&'a Value>,
}

/// An entry of the conversation before it has its place in the chain.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub(super) uuid: String,
    /// Stands behind this entry; none is behind the last one.
    pub(super) parent: Option<String>,
    /// A new beginning: the conversation before it ended with this entry.
    begins_after: Option<Option<String>>,
    body: Map<String, Value>,
}

impl Entry {
    /// A prompt of a person, or of a program on their behalf.
    #[must_use]
    pub fn prompt(prompt: &Prompt<'_>) -> Self {
        let mut entry = Self::user(prompt.uuid, prompt.content, prompt.timestamp);
        entry.set("permissionMode", prompt.mode);
        entry.set("promptSource", "sdk");
        if prompt.synthetic {
            entry.set("isMeta", true);
        }
        if let Some(origin) = prompt.origin {
            entry.set("origin", origin);
        }
        entry
    }

    /// A `user` message of the session itself.
    #[must_use]
    pub fn aside(frame: &stdout::User) -> Self {
        let uuid = frame.uuid.as_deref().unwrap_or_default();
        let timestamp = frame.timestamp.as_deref().unwrap_or_default();
        let mut entry = Self::user(uuid, &value(&frame.message.content), timestamp);
        if frame.is_synthetic == Some(true) {
            entry.set("isMeta", true);
        }
        entry
    }

    /// A message of the session to the model that the host does not see.
    #[must_use]
    pub fn note(uuid: &str, text: &str, origin: &Value, timestamp: &str) -> Self {
        let mut entry = Self::user(uuid, &json!(text), timestamp);
        entry.set("isMeta", true);
        entry.set("origin", origin);
        entry
    }

    /// What a call came to, to the byte; `source` is the entry that holds the call.
    #[must_use]
    pub fn tool_result(frame: &stdout::User, block: Value, source: Option<&str>) -> Self {
        let uuid = frame.uuid.as_deref().unwrap_or_default();
        let timestamp = frame.timestamp.as_deref().unwrap_or_default();
        let mut entry = Self::user(uuid, &Value::Array(vec![block]), timestamp);
        if let Some(result) = &frame.tool_use_result {
            entry.set("toolUseResult", result);
        }
        if let Some(source) = source {
            entry.set("sourceToolAssistantUUID", source);
            entry.parent = Some(source.to_owned());
        }
        let meta = frame.tool_result_meta.as_deref().and_then(<[_]>::first);
        if let Some(decision) = meta.and_then(|meta| meta.permission_decision.as_ref()) {
            entry.set("permissionDecision", camel(value(decision)));
        }
        entry
    }

    /// One content block of the model's message, unchanged.
    pub(super) fn assistant(frame: &stdout::Assistant, block: Option<&Value>, index: usize, model: &str) -> Self {
        let mut message = value(&frame.message);
        if let (Some(block), Some(map)) = (block, message.as_object_mut()) {
            map.insert("content".to_owned(), Value::Array(vec![block.clone()]));
        }
        let mut body = Map::new();
        body.insert("message".to_owned(), message);
        body.insert("apiBlockIndex".to_owned(), index.into());
        if let Some(request_id) = &frame.request_id {
            body.insert("requestId".to_owned(), request_id.as_str().into());
        }
        body.insert("requestedModel".to_owned(), model.into());
        body.insert("type".to_owned(), "assistant".into());
        if let Some(error) = &frame.error {
            body.insert("error".to_owned(), value(error));
            body.insert("isApiErrorMessage".to_owned(), true.into());
        }
        Self::new(&frame.uuid, frame.timestamp.as_deref().unwrap_or_default(), body)
    }

    /// The boundary of a compaction: entries before it are no longer shown to the model.
    pub(super) fn boundary(frame: &CompactBoundary, timestamp: &str) -> Self {
        let meta = serde_json::to_value(&frame.compact_metadata).unwrap_or_default();
        let body = json!({
            "type": "system",
            "subtype": "compact_boundary",
            "content": "Conversation compacted",
            "isMeta": false,
            "level": "info",
            "compactMetadata": camel_case(meta),
        });
        let mut entry = Self::new(&frame.uuid, timestamp, object(body));
        entry.begins_after = Some(frame.logical_parent_uuid.clone());
        entry
    }

    /// The summary after a compaction.
    pub(super) fn summary(frame: &stdout::User) -> Self {
        let mut entry = Self::aside(frame);
        entry.body.remove("isMeta");
        // A plain text, whatever the host was shown.
        let text = frame.message.content.text();
        entry.set("message", json!({"role": "user", "content": text}));
        entry.set("isVisibleInTranscriptOnly", true);
        entry.set("isCompactSummary", true);
        entry
    }

    /// A deferred call.
    #[must_use]
    pub fn deferred_call(uuid: &str, attachment: &Value, timestamp: &str) -> Self {
        let body = json!({"attachment": attachment, "type": "attachment"});
        Self::new(uuid, timestamp, object(body))
    }

    /// A local slash command and its output, which are not sent to the model.
    #[must_use]
    pub fn local(uuid: &str, text: &str, timestamp: &str) -> Self {
        Self::user(uuid, &json!(text), timestamp)
    }

    /// A file or a folder that a prompt mentions, and the blocks in which the model is shown it.
    #[must_use]
    pub fn attachment(what: &Value, blocks: &[Value], timestamp: &str) -> Self {
        let mut body = Map::new();
        body.insert("attachment".to_owned(), what.clone());
        body.insert("type".to_owned(), "attachment".into());
        let mut entry = Self::new(&super::fresh_id(), timestamp, body);
        let rendered = blocks.iter().map(|block| match block.get("text") {
            Some(text) => json!({"content": text}),
            None => json!({"content": [block]}),
        });
        entry.set("rendered", rendered.collect::<Vec<Value>>());
        entry.set("renderedRole", "user");
        entry
    }

    fn user(uuid: &str, content: &Value, timestamp: &str) -> Self {
        let mut body = Map::new();
        body.insert("type".to_owned(), "user".into());
        body.insert("message".to_owned(), json!({"role": "user", "content": content}));
        Self::new(uuid, timestamp, body)
    }

    /// Makes it later than the entry that was written `last`. Agents of this format take the newest entry for the end of
    /// the conversation (2.1.38), and the first of several that are equally new: what follows in the same
    /// millisecond would be lost, a summary behind its boundary for one.
    pub(super) fn come_after(&mut self, last: &mut Option<Timestamp>) {
        let own = self.body.get("timestamp").and_then(Value::as_str);
        let Some(own) = own.and_then(|own| own.parse::<Timestamp>().ok()) else {
            return;
        };
        let mut at = own;
        if let Some(last) = last.filter(|last| own <= *last)
            && let Ok(later) = last.checked_add(SignedDuration::from_millis(1))
        {
            at = later;
            self.set("timestamp", time::spelled(later));
        }
        *last = Some(at);
    }

    fn new(uuid: &str, timestamp: &str, mut body: Map<String, Value>) -> Self {
        body.insert("uuid".to_owned(), uuid.into());
        body.insert("timestamp".to_owned(), timestamp.into());
        Self {
            uuid: uuid.to_owned(),
            parent: None,
            begins_after: None,
            body,
        }
    }

    fn set(&mut self, key: &str, value: impl Serialize) {
        self.body
            .insert(key.to_owned(), serde_json::to_value(value).unwrap_or_default());
    }

    /// The line, in its place behind `parent`.
    pub(super) fn line(self, parent: Option<&str>, prompt_id: &str, stamp: &Stamp) -> Value {
        let mut line = Map::new();
        match self.begins_after {
            None => line.insert("parentUuid".to_owned(), parent.into()),
            Some(before) => {
                line.insert("parentUuid".to_owned(), Value::Null);
                line.insert("logicalParentUuid".to_owned(), before.into())
            }
        };
        line.insert("isSidechain".to_owned(), stamp.agent_id.is_some().into());
        if let Some(agent) = &stamp.agent_id {
            line.insert("agentId".to_owned(), agent.as_str().into());
        }
        if self.body.get("type").and_then(Value::as_str) == Some("user") {
            line.insert("promptId".to_owned(), prompt_id.into());
        }
        line.extend(self.body);
        let stamped = [
            ("userType", "external"),
            ("entrypoint", &stamp.entrypoint),
            ("cwd", &stamp.cwd),
            ("sessionId", &stamp.session_id),
            ("version", &stamp.version),
            ("gitBranch", &stamp.git_branch),
        ];
        line.extend(stamped.map(|(key, text)| (key.to_owned(), text.into())));
        Value::Object(line)
    }
}

fn value<T: Serialize>(of: &T) -> Value {
    serde_json::to_value(of).unwrap_or_default()
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

/// The wire writes `pre_tokens`, files write `preTokens`.
fn camel_case(value: Value) -> Value {
    match value {
        Value::Object(map) => map
            .into_iter()
            .map(|(key, value)| (camel_key(&key), camel_case(value)))
            .collect::<Map<_, _>>()
            .into(),
        other => other,
    }
}

fn camel_key(key: &str) -> String {
    let mut words = key.split('_');
    let mut name = words.next().unwrap_or_default().to_owned();
    for word in words {
        let mut letters = word.chars();
        name.extend(letters.next().map(|letter| letter.to_ascii_uppercase()));
        name.extend(letters);
    }
    name
}

/// The wire says `reason_type`, files say `reasonType`.
fn camel(decision: Value) -> Value {
    let Value::Object(map) = decision else { return decision };
    map.into_iter()
        .map(|(key, value)| match key.as_str() {
            "reason_type" => ("reasonType".to_owned(), value),
            _ => (key, value),
        })
        .collect::<Map<_, _>>()
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_one_moment_are_told_apart_by_their_time() {
        let mut last = None;
        let mut times = Vec::new();
        for at in ["10:00:00.999", "10:00:00.999", "10:00:00.500", "10:00:02.000"] {
            let mut entry = Entry::local("u", "x", &format!("2026-01-01T{at}Z"));
            entry.come_after(&mut last);
            times.push(entry.body.get("timestamp").cloned().unwrap_or_default());
        }
        let wanted = ["10:00:00.999", "10:00:01.000", "10:00:01.001", "10:00:02.000"];
        assert_eq!(times, wanted.map(|at| json!(format!("2026-01-01T{at}Z"))));
    }
}
