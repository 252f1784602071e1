//! The records of the bridge in the archive of a session, and what they add to the conversation.
//!
//! The archive contains the lines of the agent, and between them what the bridge knows and no line contains: who sent a
//! prompt, who answered, why a process ended. Loading a session folds all of it again, so both go the same way into the
//! conversation: as [`HostNote`]s.

use serde::Serialize;
use serde_json::{Value, json};
use sluice_host::conversation::{AnswerNote, ConversationState, Exit, HostNote};
use sluice_host::items::{Blob, ExitCause, NoticeKind, ProcessEnd, Sender};
use sluice_host::wire::Frame;

/// A record of the bridge: `type` begins with `sluice_`, so that no message of an agent is mistaken for one.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all_fields = "camelCase")]
pub(crate) enum Own {
    /// A prompt, where the agent read it, or where it failed.
    #[serde(rename = "sluice_prompt")]
    Prompt {
        uuid: String,
        text: String,
        images: Vec<Blob>,
        /// `delivered`, `indeterminate`, `failed` or `withdrawn`. A later record of the same uuid takes its place.
        state: String,
        /// The device's name.
        by: String,
        device: String,
    },
    /// An ask has its outcome.
    #[serde(rename = "sluice_ask")]
    Ask {
        ask: String,
        tool_use_id: Option<String>,
        kind: String,
        tool_name: String,
        /// `allowed`, `denied`, `cancelled`, `superseded` or `expired`.
        outcome: String,
        /// Who decided, when someone did.
        by: Option<String>,
        device: Option<String>,
        message: Option<String>,
        /// The rules that were added with it, as in a settings file, and where.
        rules: Vec<String>,
        destination: Option<String>,
        /// What questions were answered with.
        answers: Option<Value>,
        /// Whether the input was changed before.
        changed: bool,
    },
    /// The agent's process ended: `exited`, `retired` or `stopped`.
    #[serde(rename = "sluice_process")]
    Process {
        state: String,
        /// Whether it crashed.
        crashed: bool,
        code: Option<i32>,
        signal: Option<i32>,
        /// Its last lines on standard error.
        stderr: Vec<String>,
        reason: Option<String>,
    },
    /// A message that was being written when the agent ended.
    #[serde(rename = "sluice_unfinished")]
    Unfinished {
        /// The message's id.
        message: String,
        /// The call that started the subagent that wrote it.
        parent: Option<String>,
        blocks: Vec<UnfinishedBlock>,
    },
    /// A line of the agent that is no message.
    #[serde(rename = "sluice_garbled")]
    Garbled { line: String },
    /// The session has another title.
    #[serde(rename = "sluice_title")]
    Title { title: String, by: Option<String> },
    /// A notice of the bridge about the session.
    #[serde(rename = "sluice_note")]
    Note { kind: String, text: String },
}

/// A block that was not finished.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UnfinishedBlock {
    /// `text` or `thinking`.
    pub(crate) kind: String,
    pub(crate) text: String,
}

/// Returns what a record adds to the conversation.
pub(super) fn notes(record: &Value, state: &ConversationState) -> Vec<HostNote> {
    let word = |key: &str| record.get(key).and_then(Value::as_str).filter(|word| !word.is_empty());
    let text = |key: &str| word(key).unwrap_or_default().to_owned();
    match word("type").unwrap_or_default() {
        "user" | "assistant" => imported(record).into_iter().collect(),
        "sluice_prompt" => prompt(record, state).into_iter().collect(),
        "sluice_ask" => vec![HostNote::Answer(AnswerNote {
            ask: text("ask").into(),
            sender: word("by").map(|name| sender(name, word("device"))),
            message: word("message").map(str::to_owned),
            rules: texts(record.get("rules")),
            destination: word("destination").map(Into::into),
        })],
        "sluice_process" => vec![HostNote::Exit(ended(record))],
        "sluice_note" => vec![HostNote::Notice {
            kind: notice_kind(word("kind").unwrap_or_default()),
            text: text("text"),
        }],
        "sluice_unfinished" => unfinished(record),
        _ => Vec::new(),
    }
}

fn sender(name: &str, device: Option<&str>) -> Sender {
    Sender {
        name: name.into(),
        device: device.map(Into::into),
    }
}

fn texts(list: Option<&Value>) -> Vec<String> {
    let list = list.and_then(Value::as_array).into_iter().flatten();
    list.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// A prompt of this bridge has its sender. One without is of another program.
fn prompt(record: &Value, state: &ConversationState) -> Option<HostNote> {
    let word = |key: &str| record.get(key).and_then(Value::as_str).filter(|word| !word.is_empty());
    let uuid = word("uuid")?;
    if state.prompt(uuid).is_some() {
        return Some(HostNote::Prompt {
            prompt: uuid.into(),
            sender: sender(word("by")?, word("device")),
        });
    }
    if word("by").is_some() || word("state") != Some("delivered") {
        return None;
    }
    let content = record.get("text").cloned().unwrap_or_default();
    imported(&json!({"type": "user", "uuid": uuid, "message": {"role": "user", "content": content}}))
}

fn imported(line: &Value) -> Option<HostNote> {
    Frame::parse(&line.to_string()).ok().map(HostNote::Imported)
}

fn ended(record: &Value) -> ProcessEnd {
    let word = |key: &str| record.get(key).and_then(Value::as_str).filter(|word| !word.is_empty());
    let number = |key: &str| {
        let number = record.get(key).and_then(Value::as_i64);
        number.and_then(|number| i32::try_from(number).ok())
    };
    let exit = Exit {
        code: number("code"),
        signal: number("signal"),
    };
    let failed = exit.code.is_some_and(|code| code != 0) || exit.signal.is_some();
    let crashed = record.get("crashed").and_then(Value::as_bool).unwrap_or(failed);
    ProcessEnd {
        exit,
        cause: match word("state") {
            Some("stopped") => ExitCause::Stopped,
            Some("retired") => ExitCause::Retired,
            _ if crashed => ExitCause::Crashed,
            _ => ExitCause::Unknown,
        },
        reason: word("reason").map(str::to_owned),
        stderr: texts(record.get("stderr")),
    }
}

fn notice_kind(kind: &str) -> NoticeKind {
    match kind {
        "forgotten" => NoticeKind::Forgotten,
        "imported" => NoticeKind::Imported,
        "too_long" => NoticeKind::LineTooLong,
        "disk_full" => NoticeKind::DiskFull,
        "disk_ok" => NoticeKind::DiskFree,
        "log_full" => NoticeKind::LogFull,
        "tail_cut" => NoticeKind::LogCut,
        _ => NoticeKind::Message,
    }
}

fn unfinished(record: &Value) -> Vec<HostNote> {
    let parent = record.get("parent").and_then(Value::as_str);
    let blocks = record.get("blocks").and_then(Value::as_array).into_iter().flatten();
    let blocks = blocks.map(|block| HostNote::Unfinished {
        parent: parent.map(Into::into),
        thinking: block.get("kind").and_then(Value::as_str) == Some("thinking"),
        text: block.get("text").and_then(Value::as_str).unwrap_or_default().into(),
    });
    blocks.collect()
}
