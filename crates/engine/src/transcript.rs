//! What is kept of a session: every word of it, in a file that other programs read too.
//!
//! A message is in the file before anybody is told of it, under the uuid it is told with. Lines are only ever appended;
//! a session that goes on with an earlier one goes on in its file.
//!
//! * [`place`]: where the files lie;
//! * `entry`: the lines, as values;
//! * `write`: the pen; `copies`: what a fork begins with;
//! * `tail`: what a compaction leaves as it is;
//! * `lines`, `json_fields`, `envelope`, `scan`, `read`, `entry_fields`: from a file to the conversation in it;
//! * `entry_content`, `history_builder`: what the model is shown of it; `since`: that it stays the same;
//! * [`resume`], `recall`: going on with an earlier one.

pub mod place;
pub mod resume;

mod copies;
mod entry;
mod entry_content;
mod entry_fields;
mod envelope;
mod history_builder;
mod json_fields;
mod lines;
mod read;
mod recall;
mod scan;
mod since;
mod tail;
mod write;

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::Value;
use sluice_wire::Raw;
use sluice_wire::stdout::system::{CompactBoundary, SessionTitleChanged};
use sluice_wire::stdout::{self, TranscriptMirror};

pub(crate) use entry::Queued;
pub(crate) use envelope::Key;
pub(crate) use lines::each as each_line;
pub use place::Projects;
pub(crate) use recall::Recall;
pub use resume::{Choice, Earlier, Refusal, Which};

use crate::commands::Attached;
use crate::messages;
use crate::options::Options;
use crate::queue::Prompt;
use crate::session::Session;
use crate::session_loop::SessionLoop;
use copies::Copies;
use entry::{Cost, Entry, Stamp};
use read::Names;
use since::Since;
use tail::Tail;
use write::Pen;

/// How a session is kept.
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
pub(crate) struct Transcript {
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
    /// How many blocks of which message are written.
    blocks: (String, usize),
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
    pub(crate) fn new(options: &Options) -> Self {
        let keeping = &options.keeping;
        let stamp = Stamp {
            session_id: options.session_id.clone(),
            cwd: options.cwd.display().to_string(),
            version: messages::PROTOCOL_VERSION.to_owned(),
            entrypoint: keeping.entrypoint.clone(),
            git_branch: keeping.git_branch.clone(),
            agent_id: None,
        };
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
            blocks: (String::new(), 0),
            names: Names::default(),
            began: Instant::now(),
            started_ms: jiff::Timestamp::now().as_millisecond(),
            earlier_cost: None,
            failed: false,
            broken: None,
        };
        if let Some(earlier) = &options.earlier {
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
    fn entitle(&mut self, title: &str) {
        self.names.title = Some(title.to_owned());
        self.owed.push(entry::title(title, &self.stamp.session_id));
        self.owed.push(entry::agent_name(title, &self.stamp.session_id));
    }

    /// Whether there is a file.
    fn there(&self) -> bool {
        let exists = |pen: &Pen| pen.begun() || pen.path().exists();
        self.pen.as_ref().is_some_and(exists)
    }

    /// It is a subagent's, beside that of the session.
    pub(crate) fn of_agent(&mut self, id: &str) {
        self.stamp.agent_id = Some(id.to_owned());
    }

    /// What of an earlier conversation cannot be read.
    pub(crate) fn problem(&self) -> Option<String> {
        self.broken.clone()
    }

    /// The title, if it has one.
    pub(crate) fn title(&self) -> Option<&str> {
        self.names.title.as_deref().filter(|title| !title.is_empty())
    }

    /// Writes a line that is no part of the conversation. One that cannot be written is owed.
    pub(crate) fn note(&mut self, line: Value) {
        // The next line that is kept says so if the place cannot be written to.
        let _owed = self.put(vec![line]);
    }

    /// The call of this id is held by the end of the chain.
    pub(crate) fn holds(&mut self, call_id: &str) {
        self.calls
            .extend(self.leaf.clone().map(|leaf| (call_id.to_owned(), leaf)));
    }

    /// The end of the chain.
    pub(crate) fn leaf(&self) -> Option<&str> {
        self.leaf.as_deref()
    }

    /// The entries that a compaction keeps.
    pub(crate) fn kept(&self, with_reply: bool) -> Vec<String> {
        self.tail.uuids(with_reply)
    }

    /// Where it is written.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.pen.as_ref().map(Pen::path)
    }

    /// By which the turn's prompt is known.
    pub(crate) fn prompt_id(&self) -> Option<&str> {
        Some(self.prompt_id.as_str()).filter(|id| !id.is_empty())
    }

    /// Whether anything stands in the file yet.
    pub(crate) fn begun(&self) -> bool {
        self.pen.as_ref().is_some_and(Pen::begun)
    }

    /// Another turn begins.
    pub(crate) fn begin_turn(&mut self) {
        self.prompt_id = messages::fresh_id();
        self.calls.clear();
    }

    /// Puts an entry at the end of the chain.
    fn append(&mut self, mut entry: Entry) -> io::Result<Vec<Value>> {
        if self.pen.is_none() {
            return Ok(Vec::new());
        }
        entry.come_after(&mut self.written);
        let uuid = entry.uuid.clone();
        let parent = entry.parent.clone().or_else(|| self.leaf.clone());
        let line = entry.line(parent.as_deref(), &self.prompt_id, &self.stamp);
        self.tail.push(None, &uuid);
        let leaf = self.leaf.replace(uuid.clone());
        let asked = self.since.push_line(&line, &uuid, leaf.as_deref());
        let ended = asked.zip(leaf).map(|(asked, leaf)| self.shown_line(&asked, &leaf));
        self.put(ended.into_iter().chain([line]).collect())
    }

    /// Writes lines, and before them what is owed; gives what was written.
    fn put(&mut self, lines: Vec<Value>) -> io::Result<Vec<Value>> {
        let Some(pen) = &mut self.pen else {
            return Ok(Vec::new());
        };
        let mut all = std::mem::take(&mut self.owed);
        let titled = all.iter().any(is_title);
        all.extend(lines);
        if all.is_empty() && self.copies.is_none() {
            return Ok(all);
        }
        let id = &self.stamp.session_id;
        let copied = self.copies.as_ref().map_or(Ok(()), |copies| pen.copy(copies, id));
        if let Err(error) = copied.and_then(|()| pen.append(&all)) {
            // Once the place is writable again the chain must be whole.
            self.owed = all;
            return Err(error);
        }
        if let Some(copies) = self.copies.take().filter(|_| self.mirror) {
            all.splice(0..0, copies.values(id)?);
        }
        if let (true, Some(title)) = (titled, &self.names.title) {
            write::title_beside(pen.path(), title)?;
        }
        Ok(all)
    }

    /// What stands at the end of a turn: what lists show, where lists look for it.
    fn end_turn(&mut self, cost: &Cost) -> io::Result<Vec<Value>> {
        if self.pen.is_none() {
            return Ok(Vec::new());
        }
        let id = self.stamp.session_id.clone();
        let mut lines = Vec::new();
        if let (Some(prompt), Some(leaf)) = (&self.last_prompt, &self.leaf) {
            lines.push(entry::last_prompt(prompt, leaf, &id));
        }
        lines.push(entry::cost(cost, self.earlier_cost.as_ref(), self.started_ms, &id));
        if let Some(pen) = &mut self.pen
            && let Some(names) = pen.names_far_back()?
        {
            self.names = names.or(std::mem::take(&mut self.names));
            lines.extend(self.title().map(|title| entry::title(title, &id)));
            let tag = self.names.tag.as_deref().filter(|tag| !tag.is_empty());
            lines.extend(tag.map(|tag| entry::tag(tag, &id)));
        }
        self.put(lines)
    }
}

fn is_title(line: &Value) -> bool {
    line.get("type").and_then(Value::as_str) == Some("custom-title")
}

impl Session {
    /// Keeps what a prompt brought along.
    pub(crate) async fn keep_attachment(&mut self, attached: &Attached) {
        self.keep(Entry::attachment(attached, &messages::now())).await;
    }

    /// Keeps what becomes of a prompt that waits. A session in which nothing was said has no file yet: it waits for it.
    pub(crate) async fn keep_queued(&mut self, what: Queued<'_>) {
        if self.conversation.transcript.pen.is_none() || self.agents.id().is_some() {
            return;
        }
        let mut line = entry::queued(what, &messages::now(), &self.conversation.transcript.stamp.session_id);
        if matches!(what, Queued::Enqueue(_)) && self.hooks_judge_prompts() {
            // One that is refused must leave no trace.
            entry::without_words(&mut line);
        }
        self.conversation.transcript.owed.push(line);
        if self.conversation.transcript.begun() {
            let written = self.conversation.transcript.put(Vec::new());
            self.mirror(written).await;
        }
    }

    /// Keeps the title a model found. A session in which nothing was said has no file yet: it waits for it.
    pub(crate) async fn keep_ai_title(&mut self, title: &str) {
        let line = entry::ai_title(title, &self.conversation.transcript.stamp.session_id);
        self.conversation.transcript.owed.push(line);
        if self.conversation.transcript.there() {
            let written = self.conversation.transcript.put(Vec::new());
            self.mirror(written).await;
        }
    }

    /// Keeps what the model is told by the session itself.
    pub(crate) async fn keep_note(&mut self, text: &str, origin: &Value) {
        self.keep(Entry::note(&messages::fresh_id(), text, origin, &messages::now()))
            .await;
    }

    /// Keeps what the model reads of a command, unseen by the host.
    pub(crate) async fn keep_meta(&mut self, text: &str) {
        self.keep(Entry::aside(&messages::nudge(text))).await;
    }

    /// Keeps that a call was put off.
    pub(crate) async fn keep_deferred_call(&mut self, attachment: &Value) {
        self.keep(Entry::deferred_call(
            &messages::fresh_id(),
            attachment,
            &messages::now(),
        ))
        .await;
    }

    /// Keeps what is said on the user's side, then says it.
    pub(crate) async fn say_aside(&mut self, frame: stdout::User) {
        self.keep(Entry::aside(&frame)).await;
        self.say(frame).await;
    }

    /// Keeps what a call came to, then says it.
    pub(crate) async fn say_result(&mut self, call_id: &str, frame: stdout::User, block: Value) {
        let source = self.conversation.transcript.calls.get(call_id).cloned();
        self.keep(Entry::tool_result(&frame, block, source.as_deref())).await;
        self.say(frame).await;
    }

    /// Keeps a block of what the model said, as the model said it, then shows it.
    pub(crate) async fn say_block(&mut self, frame: stdout::Assistant, block: Option<&Value>) {
        let transcript = &mut self.conversation.transcript;
        if transcript.blocks.0 != frame.message.id {
            transcript.blocks = (frame.message.id.clone(), 0);
        }
        let index = transcript.blocks.1;
        transcript.blocks.1 += 1;
        if let Some(call) = block.and_then(|block| block.get("id")).and_then(Value::as_str) {
            transcript.calls.insert(call.to_owned(), frame.uuid.clone());
        }
        if block.is_some() {
            self.conversation
                .transcript
                .tail
                .push(Some(&frame.message.id), &frame.uuid);
        }
        self.keep(Entry::assistant(&frame, block, index, &self.model.name))
            .await;
        self.say(frame).await;
    }

    /// Keeps where a compaction ended and what the model goes on with.
    pub(crate) async fn keep_compaction(&mut self, boundary: &CompactBoundary, summary: &stdout::User) {
        // What was kept in its own words stays the end of the conversation.
        let tail = self.conversation.transcript.tail.clone();
        let timestamp = summary.timestamp.clone().unwrap_or_default();
        self.conversation.transcript.since.begin_anew();
        self.keep(Entry::boundary(boundary, &timestamp)).await;
        self.keep(Entry::summary(summary)).await;
        self.conversation.transcript.tail = tail;
        let kept = boundary.compact_metadata.preserved_messages.as_ref();
        self.conversation
            .transcript
            .since
            .compacted(kept.map_or(&[], |kept| &kept.uuids));
    }

    /// Keeps a command of the session's own, or what it said.
    pub(crate) async fn keep_local(&mut self, uuid: &str, text: &str) {
        self.keep(Entry::local(uuid, text, &messages::now())).await;
    }

    /// Keeps what lists show of the session.
    pub(crate) async fn keep_turn_end(&mut self) {
        let cost = Cost {
            total: self.account.ledger.total_cost_value(),
            api_ms: self.account.api_ms,
            model_usage: self.account.ledger.model_usage(),
            unpriced: !self.account.ledger.unpriced().is_empty(),
            elapsed_ms: u64::try_from(self.conversation.transcript.began.elapsed().as_millis()).unwrap_or(u64::MAX),
        };
        let written = self.conversation.transcript.end_turn(&cost);
        self.mirror(written).await;
    }

    pub(crate) async fn keep(&mut self, entry: Entry) {
        let written = self.conversation.transcript.append(entry);
        self.mirror(written).await;
    }

    /// Tells the host what was written, if it wants to know; or, once, that it could not be.
    async fn mirror(&mut self, written: io::Result<Vec<Value>>) {
        match written {
            Ok(lines) if self.conversation.transcript.mirror && !lines.is_empty() => {
                let file_path = self
                    .conversation
                    .transcript
                    .pen
                    .as_ref()
                    .map(|pen| pen.path().display().to_string());
                self.say(TranscriptMirror {
                    file_path: file_path.unwrap_or_default(),
                    entries: lines.iter().map(Raw::of).collect(),
                    ..TranscriptMirror::default()
                })
                .await;
            }
            Ok(_) => {}
            Err(error) if !std::mem::replace(&mut self.conversation.transcript.failed, true) => {
                let text = format!("This conversation cannot be kept: {error}. It goes on all the same.");
                self.say(messages::informational(&text, "warning")).await;
            }
            Err(_) => {}
        }
    }

    /// Tells the title, if the session has one from the start.
    pub(crate) async fn tell_title(&self) {
        if let Some(title) = self.conversation.transcript.title() {
            self.say(title_changed(title)).await;
        }
    }

    /// Gives this session, or another one, a title.
    pub(crate) async fn rename(&mut self, title: &str, other: Option<&str>) -> Result<(), String> {
        let title = title.trim();
        if title.is_empty() {
            return Err("rename_session: a title needs at least one visible character".to_owned());
        }
        if let Some(other) = other.filter(|other| *other != self.options.session_id) {
            let projects = &self.options.keeping.projects;
            let file = Some(other).filter(|other| place::is_id(other));
            let file = file.and_then(|other| projects.find(&self.options.cwd, other));
            let file = file.ok_or_else(|| format!("rename_session: there is no session {other}"))?;
            let lines = [entry::title(title, other), entry::agent_name(title, other)];
            return write::append_to(&file, &lines)
                .and_then(|()| write::title_beside(&file, title))
                .map_err(|error| format!("rename_session: {error}"));
        }
        self.conversation.transcript.entitle(title);
        // A session in which nothing was said has no file yet; the title waits for it.
        if self.conversation.transcript.there() {
            let written = self.conversation.transcript.put(Vec::new());
            self.mirror(written).await;
        }
        self.say(title_changed(title)).await;
        Ok(())
    }
}

impl SessionLoop {
    /// Keeps a prompt.
    pub(crate) async fn keep_prompt(&mut self, prompt: &Prompt) {
        if let Some(words) = entry::one_line(&prompt.content).filter(|_| !prompt.synthetic) {
            self.session.conversation.transcript.last_prompt = Some(words);
        }
        let entry = Entry::prompt(prompt, self.session.policy.mode.as_str());
        self.session.keep(entry).await;
        self.checkpoint_prompt(&prompt.id).await;
    }
}

fn title_changed(title: &str) -> SessionTitleChanged {
    SessionTitleChanged {
        title: Some(title.to_owned()),
        uuid: Some(messages::fresh_id()),
        ..SessionTitleChanged::default()
    }
}
