//! The entries of a transcript, as values. The keys have a fixed order and are written without spaces, because other
//! programs search for them in the text.

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use serde_json::{Map, Value, json};
use sluice_wire::stdout;
use sluice_wire::stdout::system::CompactBoundary;

use super::time;

/// The fields that all entries of a session have.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stamp {
    /// The id of the session.
    pub session_id: String,
    /// The working directory.
    pub cwd: String,
    /// The version of the protocol.
    pub version: String,
    /// The program that started the session.
    pub entrypoint: String,
    /// The git branch that is checked out in the working directory.
    pub git_branch: String,
    /// The id of the subagent, in the transcript of a subagent.
    pub agent_id: Option<String>,
}

/// A prompt of the user, or of a program on the user's behalf.
#[derive(Debug, Clone, Copy)]
pub struct Prompt<'a> {
    /// The uuid of the prompt.
    pub uuid: &'a str,
    /// A string or a list of blocks, in the form in which the host sent it.
    pub content: &'a Value,
    /// When the prompt arrived.
    pub timestamp: &'a str,
    /// The permission mode at that time.
    pub mode: &'a str,
    /// Whether the prompt was written by a program.
    pub synthetic: bool,
    /// The sender.
    pub origin: Option<&'a Value>,
}

/// An entry of the conversation that is not yet linked to its parent.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub(super) uuid: String,
    /// The entry that this one follows; `None` means the last entry of the transcript.
    pub(super) parent: Option<String>,
    /// Set for a compaction, which has no parent: the last entry of the conversation before it.
    logical_parent: Option<Option<String>>,
    body: Map<String, Value>,
}

impl Entry {
    /// A prompt of the user, or of a program on the user's behalf.
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

    /// Creates the entry of a `user` message written by the session itself.
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

    /// Creates the entry of a message from the session to the model that is not sent to the host.
    #[must_use]
    pub fn note(uuid: &str, text: &str, origin: &Value, timestamp: &str) -> Self {
        let mut entry = Self::user(uuid, &json!(text), timestamp);
        entry.set("isMeta", true);
        entry.set("origin", origin);
        entry
    }

    /// Creates the entry of a tool result. `source` is the uuid of the entry that contains the call.
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
            entry.set("permissionDecision", permission_decision_keys(value(decision)));
        }
        entry
    }

    /// Creates the entry of one content block of a model message.
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

    /// Creates the boundary entry of a compaction. Entries before it are no longer sent to the model.
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
        entry.logical_parent = Some(frame.logical_parent_uuid.clone());
        entry
    }

    /// Creates the entry of the summary after a compaction.
    pub(super) fn summary(frame: &stdout::User) -> Self {
        let mut entry = Self::aside(frame);
        entry.body.remove("isMeta");
        // Stored as plain text, even if the host received blocks.
        let text = frame.message.content.text();
        entry.set("message", json!({"role": "user", "content": text}));
        entry.set("isVisibleInTranscriptOnly", true);
        entry.set("isCompactSummary", true);
        entry
    }

    /// Creates the entry that records a deferred call.
    #[must_use]
    pub fn deferred_call(uuid: &str, attachment: &Value, timestamp: &str) -> Self {
        let body = json!({"attachment": attachment, "type": "attachment"});
        Self::new(uuid, timestamp, object(body))
    }

    /// Creates the entry of a local slash command or its output, which are not sent to the model.
    #[must_use]
    pub fn local(uuid: &str, text: &str, timestamp: &str) -> Self {
        Self::user(uuid, &json!(text), timestamp)
    }

    /// Creates the entry of a file or folder that a prompt mentions, with the blocks that the model receives.
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

    /// Makes the timestamp later than that of the entry that was written `last`. CLI 2.1.38 takes the newest entry as
    /// the end of the conversation, and the first one of several with the same timestamp. So an entry that is written
    /// in the same millisecond as the one before it would be lost, for example a summary after its boundary.
    pub(super) fn ensure_later_than(&mut self, last: &mut Option<Timestamp>) {
        let own = self.body.get("timestamp").and_then(Value::as_str);
        let Some(own) = own.and_then(|own| own.parse::<Timestamp>().ok()) else {
            return;
        };
        let mut at = own;
        if let Some(last) = last.filter(|last| own <= *last)
            && let Ok(later) = last.checked_add(SignedDuration::from_millis(1))
        {
            at = later;
            self.set("timestamp", time::format(later));
        }
        *last = Some(at);
    }

    fn new(uuid: &str, timestamp: &str, mut body: Map<String, Value>) -> Self {
        body.insert("uuid".to_owned(), uuid.into());
        body.insert("timestamp".to_owned(), timestamp.into());
        Self {
            uuid: uuid.to_owned(),
            parent: None,
            logical_parent: None,
            body,
        }
    }

    fn set(&mut self, key: &str, value: impl Serialize) {
        self.body
            .insert(key.to_owned(), serde_json::to_value(value).unwrap_or_default());
    }

    /// Returns the line of this entry as a child of `parent`.
    pub(super) fn line(self, parent: Option<&str>, prompt_id: &str, stamp: &Stamp) -> Value {
        let mut line = Map::new();
        match self.logical_parent {
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

/// Converts keys to permission_decision_keys case: messages contain `pre_tokens`, transcripts `preTokens`.
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

/// Converts the keys of a permission decision: messages contain `reason_type`, transcripts `reasonType`.
fn permission_decision_keys(decision: Value) -> Value {
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
    fn entries_of_the_same_moment_get_increasing_timestamps() {
        let mut last = None;
        let mut times = Vec::new();
        for at in ["10:00:00.999", "10:00:00.999", "10:00:00.500", "10:00:02.000"] {
            let mut entry = Entry::local("u", "x", &format!("2026-01-01T{at}Z"));
            entry.ensure_later_than(&mut last);
            times.push(entry.body.get("timestamp").cloned().unwrap_or_default());
        }
        let wanted = ["10:00:00.999", "10:00:01.000", "10:00:01.001", "10:00:02.000"];
        assert_eq!(times, wanted.map(|at| json!(format!("2026-01-01T{at}Z"))));
    }
}
