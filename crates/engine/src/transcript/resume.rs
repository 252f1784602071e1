//! Going on with an earlier conversation: which one, how much of it, and what the model is shown of it.

use std::collections::HashSet;
use std::fs::File;
use std::io;
use std::mem::take;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};

use super::copies::Copies;
use super::entry_content;
use super::envelope::Key;
use super::history_builder::HistoryBuilder;
use super::lines;
use super::place::{self, Projects};
use super::read::{self, Line, Much, Names, Place, Record};
use super::scan::{self, Wanted};
use super::since::Since;
use crate::history::History;
use crate::hooks::Deferred;

/// A conversation of so many bytes is read while the session begins.
const LONG: u64 = 1024 * 1024;

/// Which conversation, and how much of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// Which one.
    pub which: Which,
    /// Only up to this entry, it included.
    pub at: Option<String>,
    /// Refuse unless all that is left out belongs to the turn of this prompt.
    pub drops_turn: Option<String>,
    /// Go on under another id and leave the original as it is.
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
    #[error("--resume needs the id or the title of a session: \"{0}\" is no UUID, and no session has this title")]
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

/// An earlier conversation.
#[derive(Debug, Clone)]
pub struct Earlier {
    /// The id it was kept under.
    pub session_id: String,
    /// Where it was kept.
    pub file: PathBuf,
    /// Where what was said is read from, and the entries that hold it.
    source: Arc<File>,
    places: Vec<Place>,
    /// The last of them: the model's last message, and what stands behind it.
    pub(super) end: Vec<Line>,
    /// The prompts that were here before, and all else the user's side said; in order.
    pub(super) known: Vec<Key>,
    pub(super) names: Names,
    pub(super) cost: Option<Value>,
    /// How many lines of the file cannot be read.
    pub(super) broken: u64,
    pub(super) fork: bool,
    /// The call it ends with, where a hook has put it off.
    pub(super) deferred_call: Option<Deferred>,
}

impl Earlier {
    /// Whether it goes on under another id.
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

    /// Whether it ends with a call that was put off: then there is something to do without a prompt.
    #[must_use]
    pub fn awaits_call(&self) -> bool {
        self.deferred_call.is_some()
    }
}

/// Looks for an earlier conversation. `None` when the newest is asked for and there is none: the session is a new one.
///
/// # Errors
/// When what was asked for is not there, or may not be done.
pub fn find(projects: &Projects, cwd: &Path, choice: &Choice) -> Result<Option<Earlier>, Refusal> {
    let mut found = match &choice.which {
        Which::Named(id) if place::is_id(id) => {
            let unknown = || Refusal::Unknown(id.clone());
            let path = projects.find(cwd, id).ok_or_else(unknown)?;
            let found = Found::open(&path)?;
            found.record.leaf().ok_or_else(unknown)?;
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
    let Found {
        path,
        mut file,
        mut record,
    } = found;
    let mut known = record.users();
    let Record {
        names, cost, broken, ..
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
        broken,
        fork: choice.fork,
        deferred_call,
    }))
}

/// What a subagent said and heard, from the file it has for itself.
pub(crate) fn of_agent(file: &Path) -> Option<Earlier> {
    let open = File::open(file).ok()?;
    let mut found = Found {
        path: file.to_owned(),
        record: scan::file(&open, Wanted::Agent).ok()?,
        file: open,
    };
    let last = found.record.last_word()?;
    let places = found.branch(Some(last)).ok()?;
    Some(Earlier {
        session_id: String::new(),
        file: file.to_owned(),
        end: end(&places, &mut found.file).ok()?,
        places,
        source: Arc::new(found.file),
        known: Vec::new(),
        names: Names::default(),
        cost: None,
        broken: 0,
        fork: false,
        deferred_call: None,
    })
}

/// The entries from the model's last message on.
fn end(places: &[Place], file: &mut File) -> io::Result<Vec<Line>> {
    let mut end: Vec<Line> = Vec::new();
    let mut last: Option<String> = None;
    for place in places.iter().rev() {
        let Some(line) = read::load(&[*place], Much::Spoken, file)?.pop() else {
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

/// A transcript that was looked at.
struct Found {
    path: PathBuf,
    file: File,
    record: Record,
}

impl Found {
    fn open(path: &Path) -> Result<Self, Refusal> {
        let unreadable = |error| Refusal::Unreadable(path.to_owned(), error);
        let file = File::open(path).map_err(unreadable)?;
        let record = scan::file(&file, Wanted::Live).map_err(unreadable)?;
        let enough = record.leaf().is_some_and(|leaf| record.reaches(leaf));
        let mut found = Self {
            path: path.to_owned(),
            file,
            record,
        };
        if !enough {
            found.look_again()?;
        }
        Ok(found)
    }

    /// Looks at what was forgotten, too.
    fn look_again(&mut self) -> Result<(), Refusal> {
        if self.record.has_forgotten() {
            let whole = scan::file(&self.file, Wanted::Whole);
            self.record = whole.map_err(|error| Refusal::Unreadable(self.path.clone(), error))?;
        }
        Ok(())
    }

    /// Where that is read which is said up to this entry.
    fn branch(&mut self, leaf: Option<usize>) -> Result<Vec<Place>, Refusal> {
        let Self { path, file, record } = self;
        let Some(leaf) = leaf else { return Ok(Vec::new()) };
        let branch = record.branch(leaf, file);
        branch
            .map(|branch| record.places(&branch))
            .map_err(|error| Refusal::Unreadable(path.clone(), error))
    }

    /// The call the conversation ends with, where it was put off. One that cannot be read is none.
    fn deferred_call(&mut self, branch: &[Place]) -> Option<Deferred> {
        let place = self.record.deferred_call(branch.last()?)?;
        let lines = read::load(&[place], Much::All, &mut self.file).ok()?;
        Deferred::read(lines.first()?.fields.get("attachment")?)
    }

    /// The conversation as far as it is wanted.
    fn cut(&mut self, choice: &Choice) -> Result<Vec<Place>, Refusal> {
        let Some(at) = &choice.at else {
            let leaf = self.record.leaf();
            return self.branch(leaf.map(|leaf| self.record.with_asides(leaf)));
        };
        if self.record.find(at).is_none_or(|place| !self.record.reaches(place)) {
            self.look_again()?;
        }
        let place = self.record.find(at).ok_or_else(|| Refusal::NoEntry(at.clone()))?;
        if let Some(prompt) = &choice.drops_turn {
            let whole = self.branch(self.record.leaf())?;
            let whole = read::load(&whole, Much::Spoken, &mut self.file)
                .map_err(|error| Refusal::Unreadable(self.path.clone(), error))?;
            let Some(end) = whole.iter().position(|line| line.uuid == *at) else {
                return Err(Refusal::DropsMore(format!(
                    "{at} is no part of the conversation as it stands"
                )));
            };
            let dropped = whole.get(end + 1..).unwrap_or_default();
            belongs(dropped, prompt).map_err(Refusal::DropsMore)?;
        }
        self.branch(Some(place))
    }
}

/// The newest session that says anything.
fn newest(projects: &Projects, cwd: &Path) -> Option<Found> {
    let mut sessions = projects.of(cwd).into_iter();
    sessions.find_map(|seen| {
        Found::open(&seen.file)
            .ok()
            .filter(|found| found.record.leaf().is_some())
    })
}

/// The newest session of this title.
fn titled(projects: &Projects, cwd: &Path, title: &str) -> Option<Found> {
    let wanted = title.trim().to_lowercase();
    projects.of(cwd).into_iter().find_map(|seen| {
        let mut named = Names::default();
        lines::each(&mut File::open(&seen.file).ok()?, |_, line| {
            named = read::names(line).or(take(&mut named));
        })
        .ok()?;
        if named.title?.trim().to_lowercase() != wanted {
            return None;
        }
        Found::open(&seen.file)
            .ok()
            .filter(|found| found.record.leaf().is_some())
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
        Some(line) => Err(format!("{} was said besides the turn of {prompt}", line.uuid)),
    }
}

impl Earlier {
    /// What the API counted with the last answer, if that stands at the end of what the model is shown.
    pub(super) fn usage(&self) -> Option<Value> {
        let last = self.end.iter().rev().find(|line| is_shown(line))?;
        let message = last.fields.get("message").filter(|_| last.is("assistant"))?;
        message.get("usage").cloned()
    }

    /// What the model was shown of it, and will be again.
    ///
    /// # Errors
    /// When the transcript cannot be read any more.
    pub fn messages(&self) -> io::Result<Vec<sluice_model::Message>> {
        self.history().map(|(history, _)| history.all())
    }

    /// Whether it takes a while to read what was said.
    pub(super) fn is_long(&self) -> bool {
        self.places.iter().map(Place::length).sum::<u64>() > LONG
    }

    /// What the model is shown of it. A call that was put off stays at its end.
    pub(crate) fn history(&self) -> io::Result<(History, Since)> {
        let mut told = HistoryBuilder::new(self.deferred_call.as_ref().map(|call| call.id.as_str()));
        let mut since = Since::default();
        read::each(&self.places, &self.source, |key, line| {
            if let Some(said) = entry_content::read(line, key) {
                since.push(said.clone());
                told.take(said);
            }
        })?;
        Ok((told.done(), since))
    }
}

/// What of the conversation reaches the model: not our own words in its place, nor what only readers are to see.
fn is_shown(line: &Line) -> bool {
    let ours = line.flag("isApiErrorMessage")
        || line.fields.get("message").and_then(|message| message.get("model")) == Some(&json!("<synthetic>"));
    let hidden = line.flag("isVisibleInTranscriptOnly") && !line.flag("isCompactSummary");
    line.speaks() && !ours && !hidden
}

#[cfg(test)]
#[path = "resume_tests.rs"]
mod tests;
