//! The earlier conversation that a session resumes.

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value, json};

use super::block::Look;
use super::copies::Copies;
use super::entry_content;
use super::envelope::Key;
use super::history_builder::{Conversation, HistoryBuilder};
use super::line::{Line, Names};
use super::load::{self, EntryLocation, FieldSelection, load};
use super::since::Since;

/// A conversation of more than this many bytes is loaded in the background while the session starts.
const LONG_CONVERSATION_BYTES: u64 = 1024 * 1024;

/// An earlier conversation.
#[derive(Debug, Clone)]
pub struct Earlier {
    /// The id of the session in which it was saved.
    pub session_id: String,
    /// The path of its transcript.
    pub file: PathBuf,
    /// The open transcript, and the locations of the entries of the conversation in it.
    pub(super) source: Arc<File>,
    pub(super) places: Vec<EntryLocation>,
    /// The last entries: the model's last message and everything after it.
    pub(super) end: Vec<Line>,
    /// The keys of all `user` entries of the file, sorted. A prompt with one of these ids is a duplicate.
    pub known: Vec<Key>,
    pub(super) names: Names,
    /// Its recorded cost.
    pub cost: Option<Value>,
    /// The system prompt, if it was recorded.
    pub system_prompt: Option<Vec<String>>,
    /// Number of lines of the file that cannot be parsed.
    pub(super) broken: u64,
    pub(super) fork: bool,
    /// The call at the end of the conversation that a hook deferred.
    pub deferred_call: Option<DeferredCall>,
}

impl Earlier {
    /// Whether it is resumed with another session id.
    #[must_use]
    pub fn is_fork(&self) -> bool {
        self.fork
    }

    /// Returns the entries that are copied to the file of a fork.
    pub(super) fn copies(&self) -> Option<Copies> {
        self.fork.then(|| Copies {
            source: self.source.clone(),
            places: self.places.clone(),
        })
    }

    /// Returns a warning for the user if some lines cannot be parsed.
    pub(super) fn problem(&self) -> Option<String> {
        let what = match self.broken {
            0 => return None,
            1 => "one line of this transcript is invalid and was".to_owned(),
            more => format!("{more} lines of this transcript are invalid and were"),
        };
        let file = self.file.display();
        Some(format!(
            "{file}: {what} skipped; the rest of the conversation was loaded"
        ))
    }

    /// Whether it ends with a deferred call, which runs without a new prompt.
    #[must_use]
    pub fn awaits_call(&self) -> bool {
        self.deferred_call.is_some()
    }

    /// Returns the token usage of the model's last message, if nothing follows it in the conversation.
    #[must_use]
    pub fn usage(&self) -> Option<Value> {
        let last = self.end.iter().rev().find(|line| is_shown(line))?;
        let message = last.fields.get("message").filter(|_| last.is("assistant"))?;
        message.get("usage").cloned()
    }

    /// Whether the conversation is so long that loading it takes noticeable time.
    #[must_use]
    pub fn is_long(&self) -> bool {
        self.places.iter().map(EntryLocation::length).sum::<u64>() > LONG_CONVERSATION_BYTES
    }

    /// Builds the conversation for the model. Also returns the messages since the model's last one. A deferred call
    /// remains at the end without a result.
    ///
    /// # Errors
    /// If the transcript cannot be read any more.
    pub fn tell<C: Conversation>(&self, look: Look) -> io::Result<(C, Since)> {
        let mut builder = HistoryBuilder::new(self.deferred_call.as_ref().map(|call| call.id.as_str()));
        let mut since = Since::default();
        load::each(&self.places, &self.source, |key, line| {
            if let Some(content) = entry_content::read(line, key, look) {
                since.push(content.clone());
                builder.push(content);
            }
        })?;
        Ok((builder.finish(), since))
    }
}

/// A call that a hook deferred.
#[derive(Debug, Clone, PartialEq)]
pub struct DeferredCall {
    pub(super) id: String,
    /// The `attachment` field of the entry that records the call.
    pub attachment: Value,
}

impl DeferredCall {
    /// Parses an `attachment` field.
    pub(super) fn read(attachment: &Value) -> Option<Self> {
        let text = |key: &str| attachment.get(key).and_then(Value::as_str);
        text("type").filter(|kind| *kind == "hook_deferred_tool")?;
        text("toolName")?;
        Some(Self {
            id: text("toolUseID")?.to_owned(),
            attachment: attachment.clone(),
        })
    }
}

/// Returns the entries from the model's last message on.
pub(super) fn end(places: &[EntryLocation], file: &mut File) -> io::Result<Vec<Line>> {
    let mut end: Vec<Line> = Vec::new();
    let mut last: Option<String> = None;
    for place in places.iter().rev() {
        let Some(line) = load(&[*place], FieldSelection::Resume, file)?.pop() else {
            continue;
        };
        if let Some(message) = line.message_id().filter(|_| is_shown(&line)) {
            if last.as_deref().is_some_and(|last| last != message) {
                break;
            }
            last = Some(message.to_owned());
        }
        end.push(line.without_content());
    }
    end.reverse();
    Ok(end)
}

/// Whether the model receives this entry. It does not receive messages that the agent wrote in the name of the model,
/// nor entries that are only displayed.
fn is_shown(line: &Line) -> bool {
    let ours = line.flag("isApiErrorMessage")
        || line.fields.get("message").and_then(|message| message.get("model")) == Some(&json!("<synthetic>"));
    let hidden = line.flag("isVisibleInTranscriptOnly") && !line.flag("isCompactSummary");
    line.is_message() && !ours && !hidden
}
