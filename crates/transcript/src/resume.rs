//! Resuming a session: which one, how much of it, and what the model is shown of it.

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
use super::load::{Much, Place, load};
use super::opened::Opened;
use super::place::{Projects, is_id};
use super::record::Record;

/// Which conversation, and how much of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// Which one.
    pub which: Which,
    /// Only up to this entry, it included.
    pub at: Option<String>,
    /// Refuse unless all that is left out belongs to the turn of this prompt.
    pub drops_turn: Option<String>,
    /// Resume under another id and leave the original unchanged.
    pub fork: bool,
}

/// Which conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Which {
    /// The one of this id or title.
    Named(String),
    /// The newest of the folder.
    Newest,
}

/// Why an earlier conversation cannot be gone on with.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// There is no session of this id.
    #[error("No conversation found with session ID: {0}")]
    Unknown(String),
    /// It is no id, and no session has this title.
    #[error("--resume needs the id or the title of a session: \"{0}\" is not a UUID, and no session has this title")]
    Untitled(String),
    /// There is no such entry.
    #[error("No message found with message.uuid of: {0}")]
    NoEntry(String),
    /// More would be left out than the turn named.
    #[error("Resume rejected by --resume-drops-turn: {0}")]
    DropsMore(String),
    /// The transcript cannot be read.
    #[error("{path} cannot be read: {error}", path = .0.display(), error = .1)]
    Unreadable(PathBuf, #[source] io::Error),
}

/// Looks for an earlier conversation. `None` when the newest is asked for and there is none: the session is a new one.
///
/// # Errors
/// When what was asked for is not there, or may not be done.
pub fn find(projects: &Projects, cwd: &Path, choice: &Choice) -> Result<Option<Earlier>, Refusal> {
    let mut found = match &choice.which {
        Which::Named(id) if is_id(id) => {
            let unknown = || Refusal::Unknown(id.clone());
            let path = projects.find(cwd, id).ok_or_else(unknown)?;
            let found = Found::open(&path)?;
            found.opened.record.leaf().ok_or_else(unknown)?;
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
    let Found { path, opened } = found;
    let Opened { mut file, mut record } = opened;
    let mut known = record.users();
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
        // A fork begins a file of its own: what is not in it was never said there.
        let copied: HashSet<Key> = places.iter().map(|place| place.key).collect();
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

/// The conversation of a subagent, from its own file.
#[must_use]
pub fn of_agent(file: &Path) -> Option<Earlier> {
    let mut opened = Opened::agent(file).ok()?;
    let last = opened.record.last_word()?;
    let places = opened.branch(Some(last), Extent::Whole).ok()?;
    Some(Earlier {
        session_id: String::new(),
        file: file.to_owned(),
        end: end(&places, &mut opened.file).ok()?,
        places,
        source: Arc::new(opened.file),
        known: Vec::new(),
        names: Names::default(),
        cost: None,
        system_prompt: None,
        broken: 0,
        fork: false,
        deferred_call: None,
    })
}

/// A transcript that was found.
struct Found {
    path: PathBuf,
    opened: Opened,
}

impl Found {
    fn open(path: &Path) -> Result<Self, Refusal> {
        let opened = Opened::session(path).map_err(|error| Refusal::Unreadable(path.to_owned(), error))?;
        let path = path.to_owned();
        Ok(Self { path, opened })
    }

    fn unreadable(&self, error: io::Error) -> Refusal {
        Refusal::Unreadable(self.path.clone(), error)
    }

    /// Whether anything is said in it.
    fn speaks(&self) -> bool {
        self.opened.record.leaf().is_some()
    }

    fn branch(&mut self, leaf: Option<usize>, extent: Extent) -> Result<Vec<Place>, Refusal> {
        let branch = self.opened.branch(leaf, extent);
        branch.map_err(|error| self.unreadable(error))
    }

    /// The call the conversation ends with, where it was put off. One that cannot be read is none.
    fn deferred_call(&mut self, branch: &[Place]) -> Option<DeferredCall> {
        let place = self.opened.record.deferred_call(branch.last()?)?;
        let lines = load(&[place], Much::All, &mut self.opened.file).ok()?;
        DeferredCall::read(lines.first()?.fields.get("attachment")?)
    }

    /// The conversation as far as it is wanted.
    fn cut(&mut self, choice: &Choice) -> Result<Vec<Place>, Refusal> {
        let record = &self.opened.record;
        let Some(at) = &choice.at else {
            let leaf = record.leaf().map(|leaf| record.with_asides(leaf));
            return self.branch(leaf, Extent::Whole);
        };
        if record.find(at).is_none_or(|place| !record.reaches(place)) {
            self.opened.look_again().map_err(|error| self.unreadable(error))?;
        }
        let record = &self.opened.record;
        let place = record.find(at).ok_or_else(|| Refusal::NoEntry(at.clone()))?;
        if let Some(prompt) = &choice.drops_turn {
            let whole = self.branch(record.leaf(), Extent::Whole)?;
            let whole = load(&whole, Much::Spoken, &mut self.opened.file).map_err(|error| self.unreadable(error))?;
            let Some(end) = whole.iter().position(|line| line.uuid == *at) else {
                return Err(Refusal::DropsMore(format!(
                    "{at} is not part of the current conversation"
                )));
            };
            let dropped = whole.get(end + 1..).unwrap_or_default();
            belongs(dropped, prompt).map_err(Refusal::DropsMore)?;
        }
        self.branch(Some(place), Extent::Cut)
    }
}

/// The newest session that says anything.
fn newest(projects: &Projects, cwd: &Path) -> Option<Found> {
    let mut sessions = projects.of(cwd).into_iter();
    sessions.find_map(|seen| Found::open(&seen.file).ok().filter(Found::speaks))
}

/// The newest session of this title.
fn titled(projects: &Projects, cwd: &Path, title: &str) -> Option<Found> {
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
        Found::open(&seen.file).ok().filter(Found::speaks)
    })
}

/// Whether all of this is the turn of one prompt.
fn belongs(dropped: &[Line], prompt: &str) -> Result<(), String> {
    let mut said = dropped.iter().filter(|line| line.speaks());
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
