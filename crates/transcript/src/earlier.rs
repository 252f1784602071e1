//! An earlier conversation that a session resumes.

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
use super::load::{self, Much, Place, load};
use super::since::Since;

/// A conversation of so many bytes is read while the session begins.
const LONG: u64 = 1024 * 1024;

/// An earlier conversation.
#[derive(Debug, Clone)]
pub struct Earlier {
    /// The id it was kept under.
    pub session_id: String,
    /// Where it was kept.
    pub file: PathBuf,
    /// Where what was said is read from, and the entries that hold it.
    pub(super) source: Arc<File>,
    pub(super) places: Vec<Place>,
    /// The last of them: the model's last message, and what stands behind it.
    pub(super) end: Vec<Line>,
    /// The prompts that were here before, and all else the user's side said; in order.
    pub known: Vec<Key>,
    pub(super) names: Names,
    /// Its recorded cost.
    pub cost: Option<Value>,
    /// What stood before it, where that was written down.
    pub system_prompt: Option<Vec<String>>,
    /// How many lines of the file cannot be read.
    pub(super) broken: u64,
    pub(super) fork: bool,
    /// The call it ends with, where a hook has put it off.
    pub deferred_call: Option<DeferredCall>,
}

impl Earlier {
    /// Whether it is resumed under another id.
    #[must_use]
    pub fn is_fork(&self) -> bool {
        self.fork
    }

    /// What the file of a fork begins with.
    pub(super) fn copies(&self) -> Option<Copies> {
        self.fork.then(|| Copies {
            source: self.source.clone(),
            places: self.places.clone(),
        })
    }

    /// What of it cannot be read: a sentence for a person.
    pub(super) fn problem(&self) -> Option<String> {
        let what = match self.broken {
            0 => return None,
            1 => "one line of this transcript cannot be read and is".to_owned(),
            more => format!("{more} lines of this transcript cannot be read and are"),
        };
        let file = self.file.display();
        Some(format!(
            "{file}: {what} left out; the rest of the conversation is there"
        ))
    }

    /// Whether it ends with a deferred call, which runs without a new prompt.
    #[must_use]
    pub fn awaits_call(&self) -> bool {
        self.deferred_call.is_some()
    }

    /// What the API counted with the last answer, if that stands at the end of what the model is shown.
    #[must_use]
    pub fn usage(&self) -> Option<Value> {
        let last = self.end.iter().rev().find(|line| is_shown(line))?;
        let message = last.fields.get("message").filter(|_| last.is("assistant"))?;
        message.get("usage").cloned()
    }

    /// Whether it is so long that reading it takes a while.
    #[must_use]
    pub fn is_long(&self) -> bool {
        self.places.iter().map(Place::length).sum::<u64>() > LONG
    }

    /// Tells what the model is shown of it, and gives what was said since the model last spoke. A call that was put off
    /// stays at its end.
    ///
    /// # Errors
    /// When the transcript cannot be read any more.
    pub fn tell<C: Conversation>(&self, look: Look) -> io::Result<(C, Since)> {
        let mut told = HistoryBuilder::new(self.deferred_call.as_ref().map(|call| call.id.as_str()));
        let mut since = Since::default();
        load::each(&self.places, &self.source, |key, line| {
            if let Some(said) = entry_content::read(line, key, look) {
                since.push(said.clone());
                told.take(said);
            }
        })?;
        Ok((told.done(), since))
    }
}

/// A call that a hook deferred.
#[derive(Debug, Clone, PartialEq)]
pub struct DeferredCall {
    pub(super) id: String,
    /// What is kept of it.
    pub attachment: Value,
}

impl DeferredCall {
    /// Read from an attachment.
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

/// The entries from the model's last message on.
pub(super) fn end(places: &[Place], file: &mut File) -> io::Result<Vec<Line>> {
    let mut end: Vec<Line> = Vec::new();
    let mut last: Option<String> = None;
    for place in places.iter().rev() {
        let Some(line) = load(&[*place], Much::Spoken, file)?.pop() else {
            continue;
        };
        if let Some(message) = line.message_id().filter(|_| is_shown(&line)) {
            if last.as_deref().is_some_and(|last| last != message) {
                break;
            }
            last = Some(message.to_owned());
        }
        end.push(line.without_words());
    }
    end.reverse();
    Ok(end)
}

/// What of the conversation reaches the model: not our own words in its place, nor what only readers are to see.
fn is_shown(line: &Line) -> bool {
    let ours = line.flag("isApiErrorMessage")
        || line.fields.get("message").and_then(|message| message.get("model")) == Some(&json!("<synthetic>"));
    let hidden = line.flag("isVisibleInTranscriptOnly") && !line.flag("isCompactSummary");
    line.speaks() && !ours && !hidden
}
