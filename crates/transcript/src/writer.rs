//! The transcript of a running session.
//!
//! A message is written to the file before it is sent to the host, with the same uuid. Lines are only appended and
//! never move; at the end of a model message the usage and the stop reason of its entries are replaced in place. A
//! resumed session continues in its file. All written lines are also returned, for a host that mirrors the transcript.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::Value;
use sluice_wire::stdout;
use sluice_wire::stdout::system::CompactBoundary;

use super::appender::{self, Appender, LineLocation};
use super::block::Look;
use super::copies::Copies;
use super::earlier::Earlier;
use super::entry::{Entry, Stamp};
use super::entry_content::ShownPart;
use super::envelope::Key;
use super::line::Names;
use super::other_lines::{self, Cost, Queued};
use super::projects::Projects;
use super::since::Since;
use super::tail::Tail;
use super::unfinished::{MessageEnd, Unfinished};

/// Options for saving a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keeping {
    /// The folder of all transcripts.
    pub projects: Projects,
    /// The path of the transcript; `None` if the session is not saved.
    pub file: Option<PathBuf>,
    /// The program that started the session: `cli`, `sdk-cli`, `sdk-py` …
    pub entrypoint: String,
    /// The git branch that is checked out in the working directory.
    pub git_branch: String,
    /// Whether every line is also sent to the host.
    pub mirror: bool,
    /// The title set by the user.
    pub title: Option<String>,
}

/// The transcript of a running session.
#[derive(Debug)]
pub struct Transcript {
    stamp: Stamp,
    appender: Option<Appender>,
    mirror: bool,
    /// The entries at the start of a fork's transcript, until they are written.
    copies: Option<Copies>,
    /// Lines that are written before the next line.
    pending_lines: Vec<Value>,
    /// The uuid of the last entry of the chain.
    leaf: Option<String>,
    tail: Tail,
    since: Since,
    /// The timestamp of the last entry.
    written: Option<jiff::Timestamp>,
    prompt_id: String,
    last_prompt: Option<String>,
    /// The uuids of the entries that contain the calls of the turn, by call id.
    calls: HashMap<String, String>,
    /// The model message that is being received.
    unfinished: Unfinished,
    names: Names,
    began: Instant,
    started_ms: i64,
    earlier_cost: Option<Value>,
    /// Whether a write failure was reported.
    failure_reported: bool,
    /// A warning about lines of an earlier conversation that cannot be parsed.
    broken: Option<String>,
}

impl Transcript {
    /// Creates the transcript of a session, which continues an earlier conversation if there is one.
    #[must_use]
    pub fn new(stamp: Stamp, keeping: &Keeping, earlier: Option<&Earlier>) -> Self {
        let mut transcript = Self {
            stamp,
            appender: keeping.file.clone().map(Appender::new),
            mirror: keeping.mirror,
            copies: None,
            pending_lines: Vec::new(),
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
            failure_reported: false,
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

    /// Sets the title. It is written with the next line.
    pub fn entitle(&mut self, title: &str) {
        self.names.title = Some(title.to_owned());
        self.pending_lines
            .push(other_lines::title(title, &self.stamp.session_id));
        self.pending_lines
            .push(other_lines::agent_name(title, &self.stamp.session_id));
    }

    /// Whether the file exists.
    #[must_use]
    pub fn there(&self) -> bool {
        let exists = |appender: &Appender| appender.is_open() || appender.path().exists();
        self.appender.as_ref().is_some_and(exists)
    }

    /// Makes this the transcript of a subagent.
    pub fn of_agent(&mut self, id: &str) {
        self.stamp.agent_id = Some(id.to_owned());
    }

    /// Returns a warning for the user about lines of an earlier conversation that cannot be parsed.
    #[must_use]
    pub fn problem(&self) -> Option<String> {
        self.broken.clone()
    }

    /// Returns the title, if the session has one.
    #[must_use]
    pub fn title(&self) -> Option<&str> {
        self.names.title.as_deref().filter(|title| !title.is_empty())
    }

    /// Writes a line that is not part of the conversation. If that fails, it is written with the next line.
    pub fn note(&mut self, line: Value) {
        // A failure is reported with the next entry.
        self.write(vec![line]).ok();
    }

    /// Records that the last entry contains the call with this id.
    pub fn holds(&mut self, call_id: &str) {
        self.calls
            .extend(self.leaf.clone().map(|leaf| (call_id.to_owned(), leaf)));
    }

    /// Returns the uuid of the last entry of the chain.
    #[must_use]
    pub fn leaf(&self) -> Option<&str> {
        self.leaf.as_deref()
    }

    /// Returns the uuids of the entries that a compaction preserves.
    #[must_use]
    pub fn kept(&self, with_reply: bool) -> Vec<String> {
        self.tail.uuids(with_reply)
    }

    /// Returns the path of the file.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.appender.as_ref().map(Appender::path)
    }

    /// Returns the prompt id of the current turn.
    #[must_use]
    pub fn prompt_id(&self) -> Option<&str> {
        Some(self.prompt_id.as_str()).filter(|id| !id.is_empty())
    }

    /// Whether this process has written to the file.
    #[must_use]
    pub fn begun(&self) -> bool {
        self.appender.as_ref().is_some_and(Appender::is_open)
    }

    /// Starts a new turn.
    pub fn begin_turn(&mut self) {
        self.prompt_id = super::fresh_id();
        self.calls.clear();
    }

    /// Whether the host mirrors the transcript.
    #[must_use]
    pub fn is_mirrored(&self) -> bool {
        self.mirror
    }

    /// Returns whether a write failure was already reported, and marks it as reported.
    pub fn was_told_of_failure(&mut self) -> bool {
        std::mem::replace(&mut self.failure_reported, true)
    }

    /// Stores the text of a prompt as the last prompt for lists of sessions.
    pub fn asked(&mut self, content: &Value) {
        if let Some(words) = other_lines::one_line(content) {
            self.last_prompt = Some(words);
        }
    }

    /// Adds the entries of the earlier conversation, which was loaded in the background.
    pub fn preceded_by(&mut self, since: Since) {
        self.since.preceded_by(since);
    }

    /// Returns the uuid of the entry that contains the call with this id.
    #[must_use]
    pub fn holder(&self, call_id: &str) -> Option<&str> {
        self.calls.get(call_id).map(String::as_str)
    }

    /// Creates the entry of a content block of the model.
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

    /// Writes the final usage and stop reason to the entries of a model message. Returns the lines that were held back
    /// from a host that mirrors the transcript.
    pub fn finish_message(&mut self, end: MessageEnd<'_>) -> Vec<Value> {
        match &self.appender {
            Some(appender) => self.unfinished.finish(appender, end),
            None => Vec::new(),
        }
    }

    /// Ends a model message without final values. Returns the lines that were held back from a host that mirrors the
    /// transcript.
    pub fn abandon_message(&mut self) -> Vec<Value> {
        self.unfinished.release()
    }

    /// Appends an entry to the chain. Returns the written lines.
    ///
    /// # Errors
    /// If the file cannot be written. The lines are then written with the next ones.
    pub fn append(&mut self, mut entry: Entry, look: Look) -> io::Result<Vec<Value>> {
        if self.appender.is_none() {
            return Ok(Vec::new());
        }
        entry.ensure_later_than(&mut self.written);
        let uuid = entry.uuid.clone();
        let parent = entry.parent.clone().or_else(|| self.leaf.clone());
        let line = entry.line(parent.as_deref(), &self.prompt_id, &self.stamp);
        self.tail.push(None, &uuid);
        let leaf = self.leaf.replace(uuid.clone());
        let asked = self.since.push_line(&line, (&uuid, leaf.as_deref()), look);
        let ended = asked.zip(leaf).map(|(asked, leaf)| self.shown_line(&asked, &leaf));
        let reserved_bytes = self.unfinished.reserved_bytes(&uuid);
        let mut lines: Vec<Value> = ended.into_iter().chain([line]).collect();
        if reserved_bytes == 0 {
            return self.write(lines);
        }
        let own = lines.last().cloned().unwrap_or_default();
        let (written, location) = self.write_reserving(std::mem::take(&mut lines), reserved_bytes)?;
        self.unfinished.written(&uuid, location, own);
        Ok(self.release_to_host(written))
    }

    /// Appends the boundary and the summary of a compaction to the chain. Returns the written lines or the error for
    /// each.
    pub fn compact(
        &mut self,
        boundary: &CompactBoundary,
        summary: &stdout::User,
        look: Look,
    ) -> [io::Result<Vec<Value>>; 2] {
        // The preserved messages remain the end of the conversation.
        let tail = self.tail.clone();
        let timestamp = summary.timestamp.clone().unwrap_or_default();
        self.since.forget_request();
        let boundary_written = self.append(Entry::boundary(boundary, &timestamp), look);
        let summary_written = self.append(Entry::summary(summary), look);
        self.tail = tail;
        let kept = boundary.compact_metadata.preserved_messages.as_ref();
        self.since.compacted(kept.map_or(&[], |kept| &kept.uuids));
        [boundary_written, summary_written]
    }

    /// Records the user messages as they are sent to the model, if the entries alone would give different messages.
    /// `shown` are the messages since the model's last message, as they are sent. Returns the written lines.
    ///
    /// # Errors
    /// If the file cannot be written. The lines are then written with the next ones.
    pub fn keep_shown(&mut self, shown: &[&[u8]], look: Look) -> io::Result<Vec<Value>> {
        let Some(leaf) = self.leaf.clone().filter(|_| self.appender.is_some()) else {
            return Ok(Vec::new());
        };
        let Some(parts) = self.since.difference(Key::of(&leaf), shown, look) else {
            return Ok(Vec::new());
        };
        let line = self.shown_line(&parts, &leaf);
        self.write(vec![line])
    }

    /// Records the system prompt. Returns the written lines.
    ///
    /// # Errors
    /// If the file cannot be written. The lines are then written with the next ones.
    pub fn keep_system_prompt(&mut self, texts: &[String]) -> io::Result<Vec<Value>> {
        let line = other_lines::system_prompt(texts, &self.stamp.session_id);
        self.write(vec![line])
    }

    fn shown_line(&self, messages: &[Vec<ShownPart>], leaf: &str) -> Value {
        let messages = messages
            .iter()
            .map(|parts| parts.iter().map(ShownPart::line).collect::<Value>());
        other_lines::shown(&messages.collect(), leaf, &self.stamp.session_id)
    }

    /// Records a change of the prompt queue with the next line. The text of a `secret` prompt is not written.
    pub fn queue(&mut self, what: Queued<'_>, timestamp: &str, secret: bool) {
        if self.appender.is_none() {
            return;
        }
        let mut line = other_lines::queued(what, timestamp, &self.stamp.session_id);
        if secret {
            other_lines::without_content(&mut line);
        }
        self.pending_lines.push(line);
    }

    /// Sets a title written by a model. It is written with the next line.
    pub fn entitle_by_model(&mut self, title: &str) {
        self.pending_lines
            .push(other_lines::ai_title(title, &self.stamp.session_id));
    }

    /// Writes the pending lines. Returns the written lines.
    ///
    /// # Errors
    /// If the file cannot be written. The lines stay pending.
    pub fn flush(&mut self) -> io::Result<Vec<Value>> {
        self.write(Vec::new())
    }

    /// Writes the pending lines and then these. Returns the written lines.
    fn write(&mut self, lines: Vec<Value>) -> io::Result<Vec<Value>> {
        let (written, _) = self.write_reserving(lines, 0)?;
        Ok(self.release_to_host(written))
    }

    /// Returns the lines that may be sent to a host that mirrors the transcript now.
    fn release_to_host(&mut self, written: Vec<Value>) -> Vec<Value> {
        if self.mirror {
            self.unfinished.hold_back(written)
        } else {
            written
        }
    }

    /// Writes lines, the last one with reserved space for a replacement. Returns the written lines and the location of
    /// the last one.
    fn write_reserving(
        &mut self,
        lines: Vec<Value>,
        reserved_bytes: usize,
    ) -> io::Result<(Vec<Value>, Option<LineLocation>)> {
        let Some(appender) = &mut self.appender else {
            return Ok((Vec::new(), None));
        };
        let mut all = std::mem::take(&mut self.pending_lines);
        let titled = all.iter().any(is_title);
        all.extend(lines);
        if all.is_empty() && self.copies.is_none() {
            return Ok((all, None));
        }
        let id = &self.stamp.session_id;
        let copied = self.copies.as_ref().map_or(Ok(()), |copies| appender.copy(copies, id));
        let location = match copied.and_then(|()| appender.append(&all, reserved_bytes)) {
            Ok(location) => location,
            Err(error) => {
                // The chain must be complete once the file is writable again.
                self.pending_lines = all;
                return Err(error);
            }
        };
        if let Some(copies) = self.copies.take().filter(|_| self.mirror) {
            all.splice(0..0, copies.values(id)?);
        }
        if let (true, Some(title)) = (titled, &self.names.title) {
            appender::write_title_file(appender.path(), title)?;
        }
        Ok((all, location))
    }

    /// Returns how long this process has been running the session, in milliseconds.
    #[must_use]
    pub fn elapsed_ms(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Writes the lines at the end of a turn: the last prompt, the cost and, if needed, title and tag again, so that
    /// lists of sessions find them at the end of the file. Returns the written lines.
    ///
    /// # Errors
    /// If the file cannot be written. The lines are then written with the next ones.
    pub fn end_turn(&mut self, cost: &Cost) -> io::Result<Vec<Value>> {
        if self.appender.is_none() {
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
        if let Some(appender) = &mut self.appender
            && let Some(names) = appender.names_beyond_tail()?
        {
            self.names = names.or(std::mem::take(&mut self.names));
            lines.extend(self.title().map(|title| other_lines::title(title, &id)));
            let tag = self.names.tag.as_deref().filter(|tag| !tag.is_empty());
            lines.extend(tag.map(|tag| other_lines::tag(tag, &id)));
        }
        self.write(lines)
    }
}

fn is_title(line: &Value) -> bool {
    line.get("type").and_then(Value::as_str) == Some("custom-title")
}
