//! Finds the session to resume and the part of its conversation that continues.

use std::collections::HashSet;
use std::fs::File;
use std::io;
use std::mem::take;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::branch::Extent;
use super::earlier::{DeferredCall, Earlier, end};
use super::envelope::Key;
use super::line::{self, Line, Names};
use super::lines;
use super::load::{EntryLocation, FieldSelection, load};
use super::projects::{Projects, is_id};
use super::record::Record;
use super::scanned::ScannedFile;

/// The conversation to resume, and how much of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The session.
    pub which: Which,
    /// The uuid of the last entry to include; `None` for the whole conversation.
    pub at: Option<String>,
    /// Fail unless all left-out entries belong to the turn of the prompt with this uuid.
    pub drops_turn: Option<String>,
    /// Resume with a new session id and leave the original unchanged.
    pub fork: bool,
}

/// The session to resume.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Which {
    /// The session with this id or title.
    Named(String),
    /// The newest session of the folder.
    Newest,
}

/// Why a session cannot be resumed.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// No session has this id.
    #[error("No conversation found with session ID: {0}")]
    Unknown(String),
    /// The name is not an id, and no session has this title.
    #[error("--resume needs the id or the title of a session: \"{0}\" is not a UUID, and no session has this title")]
    Untitled(String),
    /// The session has no such entry.
    #[error("No message found with message.uuid of: {0}")]
    NoEntry(String),
    /// Entries outside the given turn would be left out.
    #[error("Resume rejected by --resume-drops-turn: {0}")]
    DropsMore(String),
    /// The transcript cannot be read.
    #[error("{path} cannot be read: {error}", path = .0.display(), error = .1)]
    Unreadable(PathBuf, #[source] io::Error),
}

/// Finds the conversation to resume. Returns `None` if the newest session was requested and there is none.
///
/// # Errors
/// If the requested session or entry does not exist, cannot be read, or `drops_turn` does not permit it.
pub fn find(projects: &Projects, cwd: &Path, choice: &Choice) -> Result<Option<Earlier>, Refusal> {
    let mut found = match &choice.which {
        Which::Named(id) if is_id(id) => {
            let unknown = || Refusal::Unknown(id.clone());
            let path = projects.find(cwd, id).ok_or_else(unknown)?;
            let found = FoundTranscript::open(&path)?;
            found.scanned.record.leaf().ok_or_else(unknown)?;
            found
        }
        Which::Named(title) => titled(projects, cwd, title).ok_or_else(|| Refusal::Untitled(title.clone()))?,
        Which::Newest => match newest(projects, cwd) {
            Some(found) => found,
            None => return Ok(None),
        },
    };
    let session_id = found
        .path
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let places = found.cut(choice)?;
    let deferred_call = found.deferred_call(&places);
    let FoundTranscript { path, scanned } = found;
    let ScannedFile { mut file, mut record } = scanned;
    let mut known = record.take_users();
    let Record {
        names,
        cost,
        system_prompt,
        broken,
        ..
    } = record;
    let unreadable = |error| Refusal::Unreadable(path.clone(), error);
    let end = end(&places, &mut file).map_err(unreadable)?;
    if choice.fork {
        // A fork has a new transcript. Only prompts that are copied to it are known there.
        let copied: HashSet<Key> = places.iter().map(|location| location.key).collect();
        known.retain(|key| copied.contains(key));
    }
    Ok(Some(Earlier {
        session_id,
        file: path,
        source: Arc::new(file),
        places,
        end,
        known,
        names: if choice.fork { Names::default() } else { names },
        cost,
        system_prompt,
        broken,
        fork: choice.fork,
        deferred_call,
    }))
}

/// Returns the conversation of a subagent from its transcript.
#[must_use]
pub fn of_agent(file: &Path) -> Option<Earlier> {
    let mut scanned = ScannedFile::agent(file).ok()?;
    let last = scanned.record.last_message()?;
    let places = scanned.branch(Some(last), Extent::Whole).ok()?;
    Some(Earlier {
        session_id: String::new(),
        file: file.to_owned(),
        end: end(&places, &mut scanned.file).ok()?,
        places,
        source: Arc::new(scanned.file),
        known: Vec::new(),
        names: Names::default(),
        cost: None,
        system_prompt: None,
        broken: 0,
        fork: false,
        deferred_call: None,
    })
}

/// A transcript that was found and scanned.
struct FoundTranscript {
    path: PathBuf,
    scanned: ScannedFile,
}

impl FoundTranscript {
    fn open(path: &Path) -> Result<Self, Refusal> {
        let scanned = ScannedFile::session(path).map_err(|error| Refusal::Unreadable(path.to_owned(), error))?;
        let path = path.to_owned();
        Ok(Self { path, scanned })
    }

    fn unreadable(&self, error: io::Error) -> Refusal {
        Refusal::Unreadable(self.path.clone(), error)
    }

    /// Whether it contains a message.
    fn has_messages(&self) -> bool {
        self.scanned.record.leaf().is_some()
    }

    fn branch(&mut self, leaf: Option<usize>, extent: Extent) -> Result<Vec<EntryLocation>, Refusal> {
        let branch = self.scanned.branch(leaf, extent);
        branch.map_err(|error| self.unreadable(error))
    }

    /// Returns the deferred call at the end of the conversation. A call that cannot be parsed is ignored.
    fn deferred_call(&mut self, branch: &[EntryLocation]) -> Option<DeferredCall> {
        let location = self.scanned.record.deferred_call(branch.last()?)?;
        let lines = load(&[location], FieldSelection::All, &mut self.scanned.file).ok()?;
        DeferredCall::read(lines.first()?.fields.get("attachment")?)
    }

    /// Returns the entries of the requested part of the conversation.
    fn cut(&mut self, choice: &Choice) -> Result<Vec<EntryLocation>, Refusal> {
        let record = &self.scanned.record;
        let Some(at) = &choice.at else {
            let leaf = record.leaf().map(|leaf| record.with_session_messages(leaf));
            return self.branch(leaf, Extent::Whole);
        };
        if record.find(at).is_none_or(|index| !record.is_complete_to(index)) {
            self.scanned.scan_completely().map_err(|error| self.unreadable(error))?;
        }
        let record = &self.scanned.record;
        let end = record.find(at).ok_or_else(|| Refusal::NoEntry(at.clone()))?;
        if let Some(prompt) = &choice.drops_turn {
            let whole = self.branch(record.leaf(), Extent::Whole)?;
            let whole =
                load(&whole, FieldSelection::Resume, &mut self.scanned.file).map_err(|error| self.unreadable(error))?;
            let Some(end) = whole.iter().position(|line| line.uuid == *at) else {
                return Err(Refusal::DropsMore(format!(
                    "{at} is not part of the current conversation"
                )));
            };
            let dropped = whole.get(end + 1..).unwrap_or_default();
            check_turn(dropped, prompt).map_err(Refusal::DropsMore)?;
        }
        self.branch(Some(end), Extent::Cut)
    }
}

/// Finds the newest session with a message.
fn newest(projects: &Projects, cwd: &Path) -> Option<FoundTranscript> {
    let mut sessions = projects.of(cwd).into_iter();
    sessions.find_map(|seen| {
        FoundTranscript::open(&seen.file)
            .ok()
            .filter(FoundTranscript::has_messages)
    })
}

/// Finds the newest session with this title, ignoring case.
fn titled(projects: &Projects, cwd: &Path, title: &str) -> Option<FoundTranscript> {
    let wanted = title.trim().to_lowercase();
    projects.of(cwd).into_iter().find_map(|seen| {
        let mut named = Names::default();
        lines::each(&mut File::open(&seen.file).ok()?, |_, line| {
            named = line::names(line).or(take(&mut named));
        })
        .ok()?;
        if named.title?.trim().to_lowercase() != wanted {
            return None;
        }
        FoundTranscript::open(&seen.file)
            .ok()
            .filter(FoundTranscript::has_messages)
    })
}

/// Checks that all left-out lines belong to the turn of one prompt.
fn check_turn(dropped: &[Line], prompt: &str) -> Result<(), String> {
    let mut said = dropped.iter().filter(|line| line.is_message());
    let Some(first) = said.next() else { return Ok(()) };
    if first.uuid != prompt {
        return Err(format!(
            "the first message left out is {}, not the prompt {prompt}",
            first.uuid
        ));
    }
    let turn = first.text("promptId");
    let foreign = said.find(|line| {
        let asked = line.text("promptSource").is_some() || line.fields.contains_key("origin");
        let other = line.is("user") && !line.is_result() && line.text("promptId") != turn;
        asked || other
    });
    match foreign {
        None => Ok(()),
        Some(line) => Err(format!("{} is not part of the turn of {prompt}", line.uuid)),
    }
}

#[cfg(test)]
#[path = "resume_tests.rs"]
mod tests;
