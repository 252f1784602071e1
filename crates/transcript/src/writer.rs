//! The transcript of a running session.
//!
//! A message is in the file before it is sent to the host, with the same uuid. Lines are only appended, and stay where
//! they are; the end of a model message replaces the usage and the stop reason of its entries in place. A resumed
//! session continues in its file. Every line that is written is also returned, for a host that mirrors the transcript.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::Value;
use sluice_wire::stdout;
use sluice_wire::stdout::system::CompactBoundary;

use super::block::Look;
use super::copies::Copies;
use super::earlier::Earlier;
use super::entry::{Entry, Stamp};
use super::entry_content::Part;
use super::envelope::Key;
use super::line::Names;
use super::other_lines::{self, Cost, Queued};
use super::pen::{self, Pen, Spot};
use super::place::Projects;
use super::since::Since;
use super::tail::Tail;
use super::unfinished::{MessageEnd, Unfinished};

/// How a session is saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keeping {
    /// Where all transcripts lie.
    pub projects: Projects,
    /// The transcript of this session; none keeps nothing.
    pub file: Option<PathBuf>,
    /// Who started the session: `cli`, `sdk-cli`, `sdk-py` …
    pub entrypoint: String,
    /// The branch checked out where it works.
    pub git_branch: String,
    /// Tell the host of every line.
    pub mirror: bool,
    /// The title the person gave it.
    pub title: Option<String>,
}

/// A session's transcript while it is being written.
#[derive(Debug)]
pub struct Transcript {
    stamp: Stamp,
    pen: Option<Pen>,
    mirror: bool,
    /// What a fork's file begins with, until that is written.
    copies: Option<Copies>,
    /// What has to stand in the file before anything else does.
    owed: Vec<Value>,
    /// The end of the chain.
    leaf: Option<String>,
    tail: Tail,
    since: Since,
    /// When the last entry says it was written.
    written: Option<jiff::Timestamp>,
    prompt_id: String,
    last_prompt: Option<String>,
    /// The entries that hold the calls of the turn.
    calls: HashMap<String, String>,
    /// The model message that is being written.
    unfinished: Unfinished,
    names: Names,
    began: Instant,
    started_ms: i64,
    earlier_cost: Option<Value>,
    /// Whether it was told that nothing can be written.
    failed: bool,
    /// What of an earlier conversation cannot be read.
    broken: Option<String>,
}

impl Transcript {
    /// The transcript of a session: what its entries carry, how it is kept, and what it goes on with.
    #[must_use]
    pub fn new(stamp: Stamp, keeping: &Keeping, earlier: Option<&Earlier>) -> Self {
        let mut transcript = Self {
            stamp,
            pen: keeping.file.clone().map(Pen::new),
            mirror: keeping.mirror,
            copies: None,
            owed: Vec::new(),
            leaf: None,
            tail: Tail::default(),
            since: Since::default(),
            written: None,
            prompt_id: String::new(),
            last_prompt: None,
            calls: HashMap::new(),
            unfinished: Unfinished::default(),
            names: Names::default(),
            began: Instant::now(),
            started_ms: jiff::Timestamp::now().as_millisecond(),
            earlier_cost: None,
            failed: false,
            broken: None,
        };
        if let Some(earlier) = earlier {
            transcript.broken = earlier.problem();
            transcript.leaf = earlier.end.last().map(|line| line.uuid.clone());
            transcript.tail = Tail::of(&earlier.end);
            transcript.names = earlier.names.clone();
            transcript.earlier_cost.clone_from(&earlier.cost);
            transcript.copies = earlier.copies();
        }
        if let Some(title) = &keeping.title {
            transcript.entitle(title);
        }
        transcript
    }

    /// Takes a title in; it is written with the next line.
    pub fn entitle(&mut self, title: &str) {
        self.names.title = Some(title.to_owned());
        self.owed.push(other_lines::title(title, &self.stamp.session_id));
        self.owed.push(other_lines::agent_name(title, &self.stamp.session_id));
    }

    /// Whether there is a file.
    #[must_use]
    pub fn there(&self) -> bool {
        let exists = |pen: &Pen| pen.begun() || pen.path().exists();
        self.pen.as_ref().is_some_and(exists)
    }

    /// It is a subagent's, beside that of the session.
    pub fn of_agent(&mut self, id: &str) {
        self.stamp.agent_id = Some(id.to_owned());
    }

    /// What of an earlier conversation cannot be read.
    #[must_use]
    pub fn problem(&self) -> Option<String> {
        self.broken.clone()
    }

    /// The title, if it has one.
    #[must_use]
    pub fn title(&self) -> Option<&str> {
        self.names.title.as_deref().filter(|title| !title.is_empty())
    }

    /// Writes a line that is no part of the conversation. One that cannot be written is owed.
    pub fn note(&mut self, line: Value) {
        // The next line that is kept says so if the place cannot be written to.
        let _owed = self.put(vec![line]);
    }

    /// The call of this id is held by the end of the chain.
    pub fn holds(&mut self, call_id: &str) {
        self.calls
            .extend(self.leaf.clone().map(|leaf| (call_id.to_owned(), leaf)));
    }

    /// The end of the chain.
    #[must_use]
    pub fn leaf(&self) -> Option<&str> {
        self.leaf.as_deref()
    }

    /// The entries that a compaction keeps.
    #[must_use]
    pub fn kept(&self, with_reply: bool) -> Vec<String> {
        self.tail.uuids(with_reply)
    }

    /// Where it is written.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.pen.as_ref().map(Pen::path)
    }

    /// By which the turn's prompt is known.
    #[must_use]
    pub fn prompt_id(&self) -> Option<&str> {
        Some(self.prompt_id.as_str()).filter(|id| !id.is_empty())
    }

    /// Whether anything was written yet.
    #[must_use]
    pub fn begun(&self) -> bool {
        self.pen.as_ref().is_some_and(Pen::begun)
    }

    /// Another turn begins.
    pub fn begin_turn(&mut self) {
        self.prompt_id = super::fresh_id();
        self.calls.clear();
    }

    /// Whether the host mirrors the transcript.
    #[must_use]
    pub fn is_mirrored(&self) -> bool {
        self.mirror
    }

    /// Whether it was told already that nothing can be written; from now on it was.
    pub fn was_told_of_failure(&mut self) -> bool {
        std::mem::replace(&mut self.failed, true)
    }

    /// Takes in what a person asked for, as lists show it.
    pub fn asked(&mut self, content: &Value) {
        if let Some(words) = other_lines::one_line(content) {
            self.last_prompt = Some(words);
        }
    }

    /// What was said earlier is known now.
    pub fn preceded_by(&mut self, since: Since) {
        self.since.preceded_by(since);
    }

    /// The entry that holds the call of this id.
    #[must_use]
    pub fn holder(&self, call_id: &str) -> Option<&str> {
        self.calls.get(call_id).map(String::as_str)
    }

    /// Writes the entry of a content block of the model, unchanged.
    pub fn block(&mut self, frame: &stdout::Assistant, block: Option<&Value>, model: &str) -> Entry {
        let index = self
            .unfinished
            .begin_block(&frame.message.id, block.map(|_| frame.uuid.as_str()));
        if let Some(call) = block.and_then(|block| block.get("id")).and_then(Value::as_str) {
            self.calls.insert(call.to_owned(), frame.uuid.clone());
        }
        if block.is_some() {
            self.tail.push(Some(&frame.message.id), &frame.uuid);
        }
        Entry::assistant(frame, block, index, model)
    }

    /// Gives the entries of a model message their final usage and stop reason. Returns the lines that a host that
    /// mirrors the transcript has not got yet.
    pub fn finish_message(&mut self, end: MessageEnd<'_>) -> Vec<Value> {
        match &self.pen {
            Some(pen) => self.unfinished.finish(pen, end),
            None => Vec::new(),
        }
    }

    /// The model message ends without final values. Returns the lines that a host that mirrors the transcript has not
    /// got yet.
    pub fn abandon_message(&mut self) -> Vec<Value> {
        self.unfinished.release()
    }

    /// Puts an entry at the end of the chain; gives what was written.
    ///
    /// # Errors
    /// When it cannot be written: then it is owed.
    pub fn append(&mut self, mut entry: Entry, look: Look) -> io::Result<Vec<Value>> {
        if self.pen.is_none() {
            return Ok(Vec::new());
        }
        entry.come_after(&mut self.written);
        let uuid = entry.uuid.clone();
        let parent = entry.parent.clone().or_else(|| self.leaf.clone());
        let line = entry.line(parent.as_deref(), &self.prompt_id, &self.stamp);
        self.tail.push(None, &uuid);
        let leaf = self.leaf.replace(uuid.clone());
        let asked = self.since.push_line(&line, (&uuid, leaf.as_deref()), look);
        let ended = asked.zip(leaf).map(|(asked, leaf)| self.shown_line(&asked, &leaf));
        let room = self.unfinished.room(&uuid);
        let mut lines: Vec<Value> = ended.into_iter().chain([line]).collect();
        if room == 0 {
            return self.put(lines);
        }
        let own = lines.last().cloned().unwrap_or_default();
        let (written, spot) = self.put_with_room(std::mem::take(&mut lines), room)?;
        self.unfinished.written(&uuid, spot, own);
        Ok(self.pass(written))
    }

    /// Puts where a compaction ended and what the model goes on with at the end of the chain; gives what was written, or
    /// why it was not, for each.
    pub fn compact(
        &mut self,
        boundary: &CompactBoundary,
        summary: &stdout::User,
        look: Look,
    ) -> [io::Result<Vec<Value>>; 2] {
        // What was kept in its own words stays the end of the conversation.
        let tail = self.tail.clone();
        let timestamp = summary.timestamp.clone().unwrap_or_default();
        self.since.begin_anew();
        let begun = self.append(Entry::boundary(boundary, &timestamp), look);
        let went_on = self.append(Entry::summary(summary), look);
        self.tail = tail;
        let kept = boundary.compact_metadata.preserved_messages.as_ref();
        self.since.compacted(kept.map_or(&[], |kept| &kept.uuids));
        [begun, went_on]
    }

    /// Writes how the user's side is shown to the model, where its entries alone would tell it otherwise; gives what was
    /// written. `shown` are the messages since the model last spoke, as they are sent.
    ///
    /// # Errors
    /// When it cannot be written: then it is owed.
    pub fn keep_shown(&mut self, shown: &[&[u8]], look: Look) -> io::Result<Vec<Value>> {
        let Some(leaf) = self.leaf.clone().filter(|_| self.pen.is_some()) else {
            return Ok(Vec::new());
        };
        let Some(parts) = self.since.otherwise(Key::of(&leaf), shown, look) else {
            return Ok(Vec::new());
        };
        let line = self.shown_line(&parts, &leaf);
        self.put(vec![line])
    }

    /// Writes what stands before the conversation; gives what was written.
    ///
    /// # Errors
    /// When it cannot be written: then it is owed.
    pub fn keep_system_prompt(&mut self, texts: &[String]) -> io::Result<Vec<Value>> {
        let line = other_lines::system_prompt(texts, &self.stamp.session_id);
        self.put(vec![line])
    }

    fn shown_line(&self, messages: &[Vec<Part>], leaf: &str) -> Value {
        let messages = messages
            .iter()
            .map(|parts| parts.iter().map(Part::line).collect::<Value>());
        other_lines::shown(&messages.collect(), leaf, &self.stamp.session_id)
    }

    /// Takes in what becomes of a prompt that waits; it is written with the next line. `secret` ones leave no words.
    pub fn queue(&mut self, what: Queued<'_>, timestamp: &str, secret: bool) {
        if self.pen.is_none() {
            return;
        }
        let mut line = other_lines::queued(what, timestamp, &self.stamp.session_id);
        if secret {
            other_lines::without_words(&mut line);
        }
        self.owed.push(line);
    }

    /// Takes in the title a model found; it is written with the next line.
    pub fn entitle_by_model(&mut self, title: &str) {
        self.owed.push(other_lines::ai_title(title, &self.stamp.session_id));
    }

    /// Writes what is owed; gives what was written.
    ///
    /// # Errors
    /// When it cannot be written: then it is owed still.
    pub fn flush(&mut self) -> io::Result<Vec<Value>> {
        self.put(Vec::new())
    }

    /// Writes lines, and before them what is owed; gives what was written.
    fn put(&mut self, lines: Vec<Value>) -> io::Result<Vec<Value>> {
        let (written, _) = self.put_with_room(lines, 0)?;
        Ok(self.pass(written))
    }

    /// The lines that a host that mirrors the transcript may get now.
    fn pass(&mut self, written: Vec<Value>) -> Vec<Value> {
        if self.mirror {
            self.unfinished.pass(written)
        } else {
            written
        }
    }

    /// Writes lines, the last one with room to be replaced; gives what was written, and where the last one is.
    fn put_with_room(&mut self, lines: Vec<Value>, room: usize) -> io::Result<(Vec<Value>, Option<Spot>)> {
        let Some(pen) = &mut self.pen else {
            return Ok((Vec::new(), None));
        };
        let mut all = std::mem::take(&mut self.owed);
        let titled = all.iter().any(is_title);
        all.extend(lines);
        if all.is_empty() && self.copies.is_none() {
            return Ok((all, None));
        }
        let id = &self.stamp.session_id;
        let copied = self.copies.as_ref().map_or(Ok(()), |copies| pen.copy(copies, id));
        let spot = match copied.and_then(|()| pen.append(&all, room)) {
            Ok(spot) => spot,
            Err(error) => {
                // Once the place is writable again the chain must be whole.
                self.owed = all;
                return Err(error);
            }
        };
        if let Some(copies) = self.copies.take().filter(|_| self.mirror) {
            all.splice(0..0, copies.values(id)?);
        }
        if let (true, Some(title)) = (titled, &self.names.title) {
            pen::title_beside(pen.path(), title)?;
        }
        Ok((all, spot))
    }

    /// How long the session has been written by this process, in milliseconds.
    #[must_use]
    pub fn elapsed_ms(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Writes what stands at the end of a turn: what lists show, where lists look for it. Gives what was written.
    ///
    /// # Errors
    /// When it cannot be written: then it is owed.
    pub fn end_turn(&mut self, cost: &Cost) -> io::Result<Vec<Value>> {
        if self.pen.is_none() {
            return Ok(Vec::new());
        }
        let id = self.stamp.session_id.clone();
        let mut lines = Vec::new();
        if let (Some(prompt), Some(leaf)) = (&self.last_prompt, &self.leaf) {
            lines.push(other_lines::last_prompt(prompt, leaf, &id));
        }
        lines.push(other_lines::cost(
            cost,
            self.earlier_cost.as_ref(),
            self.started_ms,
            &id,
        ));
        if let Some(pen) = &mut self.pen
            && let Some(names) = pen.names_far_back()?
        {
            self.names = names.or(std::mem::take(&mut self.names));
            lines.extend(self.title().map(|title| other_lines::title(title, &id)));
            let tag = self.names.tag.as_deref().filter(|tag| !tag.is_empty());
            lines.extend(tag.map(|tag| other_lines::tag(tag, &id)));
        }
        self.put(lines)
    }
}

fn is_title(line: &Value) -> bool {
    line.get("type").and_then(Value::as_str) == Some("custom-title")
}
