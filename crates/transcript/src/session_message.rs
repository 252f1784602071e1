//! The messages of a saved session for display: the branch of the conversation with all parallel calls and results.

use std::borrow::Cow;
use std::io;
use std::path::Path;

use serde::Deserialize;
use serde_json::value::RawValue;
use sluice_wire::Raw;

use super::error::Error;
use super::load;
use super::projects::Folders;
use super::scanned::ScannedFile;
use super::time::milliseconds;

/// The role of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MessageKind {
    /// A prompt of the user or a tool result.
    User,
    /// A message of the model.
    Assistant,
}

/// A message of a saved session.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SessionMessage {
    /// The role.
    pub kind: MessageKind,
    /// The uuid.
    pub uuid: String,
    /// The id of the session in which it was written.
    pub session_id: String,
    /// The message in the format of the Messages API.
    pub message: Raw,
    /// The structured result of a tool, in addition to the content for the model.
    pub tool_use_result: Option<Raw>,
    /// The time of writing, in milliseconds since 1970.
    pub timestamp: Option<u64>,
}

impl Folders {
    /// Returns the messages of the current branch of a session since the last compaction.
    ///
    /// # Errors
    /// If there is no such session, or its file cannot be read.
    pub fn messages(&self, session_id: &str) -> Result<Vec<SessionMessage>, Error> {
        let (_, file) = self.session(session_id)?;
        conversation(&file).map_err(|error| Error::file(&file, error))
    }
}

/// Returns the messages of the current branch.
fn conversation(path: &Path) -> io::Result<Vec<SessionMessage>> {
    let ScannedFile { file, record } = ScannedFile::session(path)?;
    let Some(leaf) = record.leaf() else {
        return Ok(Vec::new());
    };
    let places = record.visible_since_compaction(leaf);
    let mut messages = Vec::with_capacity(places.len());
    load::each(&places, &file, |_, line| messages.extend(message(line)))?;
    Ok(messages)
}

/// The fields of an entry that are returned.
#[derive(Deserialize)]
struct EntryFields<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    uuid: Cow<'a, str>,
    #[serde(borrow, default, rename = "sessionId")]
    session_id: Cow<'a, str>,
    #[serde(borrow)]
    message: &'a RawValue,
    #[serde(borrow, rename = "toolUseResult")]
    tool_use_result: Option<&'a RawValue>,
    #[serde(borrow)]
    timestamp: Option<Cow<'a, str>>,
}

fn message(line: &[u8]) -> Option<SessionMessage> {
    // Bytes that are not UTF-8 become replacement characters.
    let line = String::from_utf8_lossy(line);
    let fields: EntryFields<'_> = serde_json::from_str(&line).ok()?;
    Some(SessionMessage {
        kind: match &*fields.kind {
            "user" => MessageKind::User,
            "assistant" => MessageKind::Assistant,
            _ => return None,
        },
        uuid: fields.uuid.into_owned(),
        session_id: fields.session_id.into_owned(),
        message: fields.message.to_owned().into(),
        tool_use_result: fields.tool_use_result.map(|result| result.to_owned().into()),
        timestamp: fields.timestamp.as_deref().and_then(milliseconds),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
    use serde_json::{Value, json};

    fn file(entries: &[Value]) -> String {
        entries.iter().map(|entry| format!("{entry}\n")).collect()
    }

    fn conversation(text: &str) -> Vec<super::SessionMessage> {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("s.jsonl");
        std::fs::write(&file, text).unwrap();
        super::conversation(&file).unwrap()
    }

    fn entry(kind: &str, uuid: &str, parent: Option<&str>) -> Value {
        json!({"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "s", "timestamp": uuid,
            "message": {"role": kind, "content": uuid}})
    }

    fn uuids(text: &str) -> Vec<String> {
        conversation(text).into_iter().map(|message| message.uuid).collect()
    }

    #[test]
    fn the_branch_that_was_continued_counts() {
        let text = file(&[
            entry("user", "1", None),
            entry("assistant", "2", Some("1")),
            entry("user", "3a", Some("2")),
            entry("user", "3b", Some("2")),
            entry("assistant", "4", Some("3b")),
            json!({"type": "last-prompt", "lastPrompt": "x"}),
        ]);
        assert_eq!(uuids(&text), ["1", "2", "3b", "4"]);
    }

    #[test]
    fn the_conversation_starts_with_the_summary_of_a_compaction() {
        let mut boundary = entry("system", "5", None);
        boundary["logicalParentUuid"] = json!("2");
        let mut summary = entry("user", "6", Some("5"));
        summary["isCompactSummary"] = json!(true);
        let text = file(&[
            entry("user", "1", None),
            entry("assistant", "2", Some("1")),
            boundary,
            summary,
        ]);
        assert_eq!(uuids(&text), ["6"]);
    }

    #[test]
    fn parallel_calls_and_their_results_are_included() {
        let block = |uuid: &str, parent: &str| {
            let mut entry = entry("assistant", uuid, Some(parent));
            entry["message"]["id"] = json!("m");
            entry
        };
        let result = |uuid: &str, of: &str| {
            let mut entry = entry("user", uuid, Some(of));
            entry["sourceToolAssistantUUID"] = json!(of);
            entry
        };
        let text = file(&[
            entry("user", "1", None),
            block("2", "1"),
            block("3", "2"),
            result("4", "2"),
            result("5", "3"),
            entry("assistant", "6", Some("5")),
        ]);
        assert_eq!(uuids(&text), ["1", "2", "3", "4", "5", "6"]);
    }

    #[test]
    fn repeated_lines_count_once_and_parents_may_come_later() {
        let text = file(&[
            entry("assistant", "2", Some("1")),
            entry("user", "1", None),
            entry("user", "3", Some("2")),
            entry("assistant", "2", Some("1")),
            entry("user", "3", Some("2")),
            entry("assistant", "4", Some("3")),
        ]);
        assert_eq!(uuids(&text), ["1", "2", "3", "4"]);
    }

    #[test]
    fn many_side_branches_are_handled_quickly() {
        let mut entries = vec![entry("user", "0", None)];
        for at in 1..4_000 {
            entries.push(entry("assistant", &at.to_string(), Some(&(at - 1).to_string())));
            entries.push(json!({"type": "progress", "uuid": format!("p{at}"), "parentUuid": at.to_string()}));
        }
        assert_eq!(uuids(&file(&entries)).len(), 4_000);
    }

    #[test]
    fn cycles_and_invalid_lines_are_ignored() {
        let text = format!(
            "{}not json\n",
            file(&[entry("user", "1", Some("2")), entry("assistant", "2", Some("1"))])
        );
        assert_eq!(uuids(&text), Vec::<String>::new());
    }

    #[test]
    fn messages_are_returned_byte_for_byte() {
        let line = concat!(
            r#"{"type":"user","uuid":"1","sessionId":"s","timestamp":"1970-01-01T00:00:01.000Z","#,
            r#""message":{"role":"user", "content":[1.50e2,"\u00e9"]},"toolUseResult":{ "n": 1.0 }}"#,
        );
        let fields = conversation(line).remove(0);
        assert_eq!(fields.message.get(), r#"{"role":"user", "content":[1.50e2,"\u00e9"]}"#);
        assert_eq!(fields.tool_use_result.unwrap().get(), r#"{ "n": 1.0 }"#);
        assert_eq!((fields.uuid.as_str(), fields.timestamp), ("1", Some(1000)));
    }

    #[test]
    fn messages_of_programs_and_subagents_are_left_out() {
        let mut meta = entry("user", "2", Some("1"));
        meta["isMeta"] = json!(true);
        let mut aside = entry("user", "3", Some("2"));
        aside["isSidechain"] = json!(true);
        let mut team = entry("user", "5", Some("4"));
        team["teamName"] = json!("t");
        let text = file(&[
            entry("user", "1", None),
            meta,
            aside,
            entry("assistant", "4", Some("2")),
            team,
        ]);
        assert_eq!(uuids(&text), ["1", "4"]);
    }
}
