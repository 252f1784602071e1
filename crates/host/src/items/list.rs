//! The list of items in the conversation state: records without text.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use sluice_wire::control::RequestId;

use super::{ChangedFiles, ItemBody, ItemStatus, Permission};
use crate::conversation::Time;

/// The items of a conversation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Items {
    /// The revision of the last change.
    pub(crate) revision: u64,
    pub(super) list: Vec<Record>,
    /// Blocks of model messages that are being written, oldest first.
    pub(crate) streamed: Vec<Streamed>,
    /// The items that a later line continues.
    pub(crate) current: Current,
    /// The files that were changed in this session.
    pub(crate) files: ChangedFiles,
    /// The open turn.
    pub(crate) turn: Tally,
    /// The folders in which commands ran; calls refer to them by position.
    pub(crate) folders: Vec<Box<str>>,
    /// The entries before this position have been released, except those in `held`.
    pub(crate) released: usize,
    /// Entries before `released` that an open item still needs.
    pub(crate) held: Vec<u32>,
    #[serde(skip)]
    pub(super) index: ItemIndex,
}

/// Counters of the open turn.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Tally {
    /// Tool calls.
    pub(crate) calls: u64,
    /// Denied tool calls.
    pub(crate) denials: u64,
    /// Changed files.
    pub(crate) files: ChangedFiles,
    /// Since when it waits for a person.
    pub(crate) waits_since: Option<Time>,
    /// The time that it waited for a person, in milliseconds.
    pub(crate) waited: u64,
}

/// The items that a later line continues, by position.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Current {
    pub(crate) retry: Option<u32>,
    pub(crate) compaction: Option<u32>,
    pub(crate) command: Option<u32>,
    pub(crate) limit: Option<u32>,
    /// Hooks that run, by their ids.
    pub(crate) hooks: Vec<(Box<str>, u32)>,
    /// The tokens of thinking whose block has not arrived.
    pub(crate) thinking_tokens: Option<u64>,
    /// The position in `folders` of the folder in which the next command runs.
    pub(crate) folder: Option<u32>,
    /// The folder of the session, as position in `folders`.
    pub(crate) root: Option<u32>,
    /// The last start or end of the process.
    pub(crate) process: Option<u32>,
    /// The last requests that belong to no call.
    pub(crate) requests: Vec<(RequestId, u32)>,
    /// The turn of another program that is being imported.
    pub(crate) imported: Option<u32>,
    /// The end of a task, which may start the next turn.
    pub(crate) task_end: Option<u32>,
    /// Whether the origin of the open turn is known.
    pub(crate) has_origin: bool,
}

/// A content block that the model is writing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Streamed {
    pub(crate) item: u32,
    /// The call whose subagent writes it.
    pub(crate) parent: Option<u32>,
    /// The id of the message.
    pub(crate) message: Box<str>,
    /// The position of the block in the message.
    pub(crate) index: u64,
    /// The time of its first event.
    pub(crate) began: Time,
    /// The revision of the last change other than growth.
    pub(crate) whole: u64,
}

/// An item without its text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) revision: u64,
    pub(crate) at: Time,
    pub(crate) turn: Option<u32>,
    /// The entry of the line that added it.
    pub(crate) entry: Option<u32>,
    /// The position of the call whose subagent it belongs to.
    pub(crate) parent: Option<u32>,
    pub(crate) status: ItemStatus,
    pub(crate) body: RecordBody,
}

/// The content of a record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum RecordBody {
    /// A prompt of this host, by its position.
    Prompt(u32),
    Text {
        source: Source,
        /// Whether the agent itself wrote it.
        synthetic: bool,
    },
    Thinking(Box<ThinkingRecord>),
    /// A tool call whose input the model is writing.
    Writing(Box<WritingRecord>),
    Call(Box<CallRecord>),
    /// A small body.
    Other(Box<ItemBody>),
    Removed,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ThinkingRecord {
    pub(crate) text: Source,
    /// In milliseconds.
    pub(crate) duration: Option<u64>,
    pub(crate) tokens: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct WritingRecord {
    pub(crate) id: Box<str>,
    pub(crate) tool: Box<str>,
    pub(crate) input: Source,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct CallRecord {
    /// The position of the call.
    pub(crate) call: u32,
    pub(crate) input: Option<Leaf>,
    /// The input that ran, as JSON, where it is another one.
    pub(crate) changed: Option<Box<str>>,
    pub(crate) result: Option<ResultRecord>,
    pub(crate) permission: Option<Box<Permission>>,
    /// The position of the folder.
    pub(crate) folder: Option<u32>,
    /// The names for people of a tool of an MCP server.
    pub(crate) titles: Option<Box<Titles>>,
    /// The text that a skill loaded.
    pub(crate) loaded: Option<Box<str>>,
    /// What the task is about that the call names by its id.
    pub(crate) task: Option<Box<str>>,
}

/// The names for people of a tool of an MCP server.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Titles {
    pub(crate) server: Option<Box<str>>,
    pub(crate) tool: Option<Box<str>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ResultRecord {
    /// What the model reads: a string or a list of blocks.
    pub(crate) content: Option<Leaf>,
    /// What the tool returned besides.
    pub(crate) value: Option<Leaf>,
    /// The status that it leads to.
    pub(crate) status: ItemStatus,
}

/// Where a text is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Source {
    /// A JSON string in a line of the agent.
    Line(Leaf),
    /// A block of the message that is being written, by the call whose subagent writes it and by its position.
    Draft(Option<u32>, u64),
    /// Here.
    Kept(Box<str>),
}

/// A JSON value in a line of the agent. It is decoded when it is read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Leaf {
    /// A range of the line of an entry.
    At {
        /// The position of the entry.
        entry: u32,
        start: u32,
        end: u32,
    },
    /// The text of the value, where the line had to be repaired.
    Own(Box<str>),
}

/// Positions of items. Computed from the list.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct ItemIndex {
    /// By revision.
    pub(super) by_revision: BTreeMap<u64, u32>,
    /// The open items.
    pub(super) open: BTreeSet<u32>,
    /// The item of each call, by the position of the call.
    pub(super) calls: BTreeMap<u32, u32>,
    /// The item of each prompt of this host, by the position of the prompt.
    pub(super) prompts: BTreeMap<u32, u32>,
}

impl Items {
    /// Adds an item and returns its position.
    pub(crate) fn add(&mut self, mut record: Record) -> u32 {
        let at = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
        self.revision += 1;
        record.revision = self.revision;
        self.index.add(at, &record);
        self.list.push(record);
        at
    }

    /// Gives an item a new revision, and returns it to be changed.
    pub(crate) fn change(&mut self, at: u32) -> Option<&mut Record> {
        let record = self.list.get_mut(at as usize)?;
        self.revision += 1;
        self.index.by_revision.remove(&record.revision);
        record.revision = self.revision;
        self.index.by_revision.insert(record.revision, at);
        Some(record)
    }

    /// Sets the status of an item, without a new revision.
    pub(crate) fn set_status(&mut self, at: u32, status: ItemStatus) {
        if let Some(record) = self.list.get_mut(at as usize) {
            record.status = status;
            self.index.note_open(at, status);
        }
    }

    /// Turns an item into the one of a tool call.
    pub(crate) fn set_call(&mut self, at: u32, call: CallRecord) {
        self.index.calls.insert(call.call, at);
        if let Some(record) = self.list.get_mut(at as usize) {
            record.body = RecordBody::Call(Box::new(call));
        }
    }

    /// Removes an item. Its position stays taken.
    pub(crate) fn remove(&mut self, at: u32) {
        if let Some(record) = self.change(at) {
            record.body = RecordBody::Removed;
            record.status = ItemStatus::Done;
            self.index.note_open(at, ItemStatus::Done);
        }
    }

    pub(crate) fn get(&self, at: u32) -> Option<&Record> {
        self.list.get(at as usize)
    }

    pub(crate) fn get_mut(&mut self, at: u32) -> Option<&mut Record> {
        self.list.get_mut(at as usize)
    }

    /// Returns the item of a call, by the position of the call.
    pub(crate) fn of_call(&self, call: usize) -> Option<u32> {
        self.index.calls.get(&u32::try_from(call).ok()?).copied()
    }

    /// Returns the item of a prompt, by the position of the prompt.
    pub(crate) fn of_prompt(&self, prompt: usize) -> Option<u32> {
        self.index.prompts.get(&u32::try_from(prompt).ok()?).copied()
    }

    /// Returns the record of a call, by the position of the call.
    pub(crate) fn call(&self, call: usize) -> Option<&CallRecord> {
        match &self.get(self.of_call(call)?)?.body {
            RecordBody::Call(record) => Some(record),
            _ => None,
        }
    }

    pub(crate) fn call_mut(&mut self, call: usize) -> Option<&mut CallRecord> {
        let at = self.of_call(call)?;
        match &mut self.get_mut(at)?.body {
            RecordBody::Call(record) => Some(record),
            _ => None,
        }
    }

    /// Returns the folder in which the next command runs.
    pub(crate) fn folder(&self, at: Option<u32>) -> Option<&str> {
        Some(self.folders.get(at? as usize)?)
    }

    /// Returns the position of a folder in the list of folders.
    pub(crate) fn intern_folder(&mut self, folder: &str) -> Option<u32> {
        let known = self.folders.iter().position(|known| &**known == folder);
        let at = known.unwrap_or_else(|| {
            self.folders.push(folder.into());
            self.folders.len() - 1
        });
        u32::try_from(at).ok()
    }

    /// Returns the entries that items refer to which are open, or which a client that has read up to this revision has not
    /// seen as they are.
    pub(crate) fn needed_entries(&self, seen: u64) -> BTreeSet<u32> {
        let unseen = self.index.by_revision.range(seen + 1..).map(|(_, at)| at);
        let records = self.index.open.iter().chain(unseen).filter_map(|at| self.get(*at));
        let mut entries = BTreeSet::new();
        for record in records {
            entries.extend(record.leaves().filter_map(Leaf::entry));
        }
        entries
    }

    /// Computes the index from the list.
    pub(crate) fn reindex(&mut self) {
        self.index = ItemIndex::default();
        for (at, record) in self.list.iter().enumerate() {
            self.index.add(u32::try_from(at).unwrap_or(u32::MAX), record);
        }
    }
}

impl ItemIndex {
    fn add(&mut self, at: u32, record: &Record) {
        self.by_revision.insert(record.revision, at);
        self.note_open(at, record.status);
        match &record.body {
            RecordBody::Call(call) => {
                self.calls.insert(call.call, at);
            }
            RecordBody::Prompt(prompt) => {
                self.prompts.insert(*prompt, at);
            }
            _ => {}
        }
    }

    fn note_open(&mut self, at: u32, status: ItemStatus) {
        if status.is_open() {
            self.open.insert(at);
        } else {
            self.open.remove(&at);
        }
    }
}

impl Leaf {
    /// The entry whose line contains the value.
    fn entry(&self) -> Option<u32> {
        match self {
            Self::At { entry, .. } => Some(*entry),
            Self::Own(_) => None,
        }
    }
}

impl Record {
    /// The values in lines that the item shows.
    fn leaves(&self) -> impl Iterator<Item = &Leaf> {
        fn source(source: &Source) -> Option<&Leaf> {
            match source {
                Source::Line(leaf) => Some(leaf),
                Source::Draft(..) | Source::Kept(_) => None,
            }
        }
        let leaves = match &self.body {
            RecordBody::Text { source: text, .. } => [source(text), None, None],
            RecordBody::Thinking(thinking) => [source(&thinking.text), None, None],
            RecordBody::Call(call) => {
                let result = call.result.as_ref();
                [
                    call.input.as_ref(),
                    result.and_then(|result| result.content.as_ref()),
                    result.and_then(|result| result.value.as_ref()),
                ]
            }
            _ => [None, None, None],
        };
        leaves.into_iter().flatten()
    }

    /// The entries whose lines the item was made from.
    pub(super) fn entries(&self) -> Vec<u32> {
        self.entry
            .into_iter()
            .chain(self.leaves().filter_map(Leaf::entry))
            .collect()
    }

    /// A record whose revision is set when it is added.
    pub(crate) fn new(at: Time, status: ItemStatus, body: RecordBody) -> Self {
        Self {
            revision: 0,
            at,
            turn: None,
            entry: None,
            parent: None,
            status,
            body,
        }
    }
}

impl From<ItemBody> for RecordBody {
    fn from(body: ItemBody) -> Self {
        Self::Other(Box::new(body))
    }
}
