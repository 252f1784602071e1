//! The messages of a saved session, for display: one branch of the tree, with the results of parallel calls beside it.

use std::borrow::Cow;
use std::io;
use std::path::Path;

use serde::Deserialize;
use serde_json::value::RawValue;
use sluice_wire::Raw;

use super::error::Error;
use super::load;
use super::opened::Opened;
use super::place::Folders;
use super::time::milliseconds;

/// The kind of a message of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MessageKind {
    /// The person, or a result of a call.
    User,
    /// The model.
    Assistant,
}

/// One message of a session on disk.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SessionMessage {
    /// Its kind.
    pub kind: MessageKind,
    /// Its id.
    pub uuid: String,
    /// The session it was written in.
    pub session_id: String,
    /// The message of the API.
    pub message: Raw,
    /// What the tool itself gave, beside what the model was shown.
    pub tool_use_result: Option<Raw>,
    /// When it was written, in milliseconds since 1970.
    pub timestamp: Option<u64>,
}

impl Folders {
    /// The conversation of a session as it stands: the branch that was gone on with, since the last compaction.
    ///
    /// # Errors
    /// When there is no such session, or its file cannot be read.
    pub fn messages(&self, session_id: &str) -> Result<Vec<SessionMessage>, Error> {
        let (_, file) = self.session(session_id)?;
        conversation(&file).map_err(|error| Error::file(&file, error))
    }
}

/// The conversation as it stands.
fn conversation(path: &Path) -> io::Result<Vec<SessionMessage>> {
    let Opened { file, record } = Opened::session(path)?;
    let Some(leaf) = record.leaf() else {
        return Ok(Vec::new());
    };
    let places = record.said_since_compaction(leaf);
    let mut messages = Vec::with_capacity(places.len());
    load::each(&places, &file, |_, line| messages.extend(message(line)))?;
    Ok(messages)
}

/// The fields of an entry that are told.
#[derive(Deserialize)]
struct Told<'a> {
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
    // Bytes that are no text are shown as such.
    let line = String::from_utf8_lossy(line);
    let told: Told<'_> = serde_json::from_str(&line).ok()?;
    Some(SessionMessage {
        kind: match &*told.kind {
            "user" => MessageKind::User,
            "assistant" => MessageKind::Assistant,
            _ => return None,
        },
        uuid: told.uuid.into_owned(),
        session_id: told.session_id.into_owned(),
        message: told.message.to_owned().into(),
        tool_use_result: told.tool_use_result.map(|result| result.to_owned().into()),
        timestamp: told.timestamp.as_deref().and_then(milliseconds),
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

    fn said(kind: &str, uuid: &str, parent: Option<&str>) -> Value {
        json!({"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "s", "timestamp": uuid,
            "message": {"role": kind, "content": uuid}})
    }

    fn uuids(text: &str) -> Vec<String> {
        conversation(text).into_iter().map(|message| message.uuid).collect()
    }

    #[test]
    fn the_branch_that_was_gone_on_with_counts() {
        let text = file(&[
            said("user", "1", None),
            said("assistant", "2", Some("1")),
            said("user", "3a", Some("2")),
            said("user", "3b", Some("2")),
            said("assistant", "4", Some("3b")),
            json!({"type": "last-prompt", "lastPrompt": "x"}),
        ]);
        assert_eq!(uuids(&text), ["1", "2", "3b", "4"]);
    }

    #[test]
    fn a_compaction_begins_anew_and_its_summary_stays() {
        let mut boundary = said("system", "5", None);
        boundary["logicalParentUuid"] = json!("2");
        let mut summary = said("user", "6", Some("5"));
        summary["isCompactSummary"] = json!(true);
        let text = file(&[
            said("user", "1", None),
            said("assistant", "2", Some("1")),
            boundary,
            summary,
        ]);
        assert_eq!(uuids(&text), ["6"]);
    }

    #[test]
    fn parallel_calls_and_their_results_are_put_back() {
        let block = |uuid: &str, parent: &str| {
            let mut entry = said("assistant", uuid, Some(parent));
            entry["message"]["id"] = json!("m");
            entry
        };
        let result = |uuid: &str, of: &str| {
            let mut entry = said("user", uuid, Some(of));
            entry["sourceToolAssistantUUID"] = json!(of);
            entry
        };
        let text = file(&[
            said("user", "1", None),
            block("2", "1"),
            block("3", "2"),
            result("4", "2"),
            result("5", "3"),
            said("assistant", "6", Some("5")),
        ]);
        assert_eq!(uuids(&text), ["1", "2", "3", "4", "5", "6"]);
    }

    #[test]
    fn what_was_written_again_counts_once_and_parents_may_come_later() {
        let text = file(&[
            said("assistant", "2", Some("1")),
            said("user", "1", None),
            said("user", "3", Some("2")),
            said("assistant", "2", Some("1")),
            said("user", "3", Some("2")),
            said("assistant", "4", Some("3")),
        ]);
        assert_eq!(uuids(&text), ["1", "2", "3", "4"]);
    }

    #[test]
    fn many_dead_ends_on_a_long_way_cost_little() {
        let mut entries = vec![said("user", "0", None)];
        for at in 1..4_000 {
            entries.push(said("assistant", &at.to_string(), Some(&(at - 1).to_string())));
            entries.push(json!({"type": "progress", "uuid": format!("p{at}"), "parentUuid": at.to_string()}));
        }
        assert_eq!(uuids(&file(&entries)).len(), 4_000);
    }

    #[test]
    fn rings_and_broken_lines_do_no_harm() {
        let text = format!(
            "{}not json\n",
            file(&[said("user", "1", Some("2")), said("assistant", "2", Some("1"))])
        );
        assert_eq!(uuids(&text), Vec::<String>::new());
    }

    #[test]
    fn what_is_told_is_what_is_written_to_the_byte() {
        let line = concat!(
            r#"{"type":"user","uuid":"1","sessionId":"s","timestamp":"1970-01-01T00:00:01.000Z","#,
            r#""message":{"role":"user", "content":[1.50e2,"\u00e9"]},"toolUseResult":{ "n": 1.0 }}"#,
        );
        let told = conversation(line).remove(0);
        assert_eq!(told.message.get(), r#"{"role":"user", "content":[1.50e2,"\u00e9"]}"#);
        assert_eq!(told.tool_use_result.unwrap().get(), r#"{ "n": 1.0 }"#);
        assert_eq!((told.uuid.as_str(), told.timestamp), ("1", Some(1000)));
    }

    #[test]
    fn what_programs_wrote_and_subagents_said_is_not_told() {
        let mut meta = said("user", "2", Some("1"));
        meta["isMeta"] = json!(true);
        let mut aside = said("user", "3", Some("2"));
        aside["isSidechain"] = json!(true);
        let mut team = said("user", "5", Some("4"));
        team["teamName"] = json!("t");
        let text = file(&[
            said("user", "1", None),
            meta,
            aside,
            said("assistant", "4", Some("2")),
            team,
        ]);
        assert_eq!(uuids(&text), ["1", "4"]);
    }
}
