//! `Item`, its status, and its changes.

use serde::{Deserialize, Serialize};

use super::{
    Command, Compaction, FilesRewound, HookRun, ModelChange, Notice, ProcessChange, PromptItem, RateLimit, Request,
    RequestError, Retry, TaskEnd, Text, Thinking, ToolCall, TurnEnd, TurnOrigin,
};
use crate::conversation::Time;

/// The id of an item: its position in the transcript. It never changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(transparent)]
pub struct ItemId(pub u32);

/// One entry of the transcript.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Item {
    /// The id.
    pub id: ItemId,
    /// The revision of the last change. It is unique in the session and increases with every change of any item.
    pub revision: u64,
    /// The turn the item belongs to, as position among [the turns](crate::conversation::ConversationState::turns).
    pub turn: Option<u32>,
    /// The tool call whose subagent the item belongs to.
    pub parent: Option<ItemId>,
    /// When the item began.
    pub at: Time,
    /// The status.
    pub status: ItemStatus,
    /// The content.
    pub body: ItemBody,
}

/// The status of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ItemStatus {
    /// The model is writing it.
    Streaming,
    /// It runs.
    Running,
    /// It waits for the answer of a person.
    Waiting,
    /// It is complete.
    Done,
    /// It failed.
    Failed,
    /// The permission was denied.
    Denied,
    /// It was stopped.
    Cancelled,
    /// It continues beside the turn.
    Background,
    /// The process ended, or the model's message was cut off, before it was complete.
    Interrupted,
}

impl ItemStatus {
    /// Returns whether the item is expected to change.
    #[must_use]
    pub fn is_open(self) -> bool {
        matches!(self, Self::Streaming | Self::Running | Self::Waiting | Self::Background)
    }
}

/// The content of an item.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum ItemBody {
    /// A prompt of this host or of another client.
    Prompt(PromptItem),
    /// Text of the model.
    Text {
        /// The text, as Markdown.
        text: Text,
        /// Whether the agent itself wrote it, and no model.
        synthetic: bool,
    },
    /// Thinking of the model.
    Thinking(Thinking),
    /// A tool call with its result.
    ToolCall(Box<ToolCall>),
    /// A local command of the agent, such as `/context`, with its output.
    Command(Command),
    /// A compaction of the context.
    Compaction(Compaction),
    /// A request to the model that failed and is tried again. The item is removed when a later attempt succeeds, and
    /// becomes [`ItemBody::Error`] when the last one fails.
    Retry(Retry),
    /// A request to the model that failed for good.
    Error(RequestError),
    /// A limit of the account.
    RateLimit(RateLimit),
    /// A message of the agent about itself.
    Notice(Notice),
    /// A run of a hook.
    Hook(HookRun),
    /// Another model answers from here on.
    ModelChange(ModelChange),
    /// The end of a task in the background.
    TaskEnd(TaskEnd),
    /// Files were restored from a checkpoint.
    FilesRewound(FilesRewound),
    /// The agent's process started or ended.
    Process(ProcessChange),
    /// A turn began that no prompt of a person started.
    TurnOrigin(TurnOrigin),
    /// The end of a turn.
    TurnEnd(Box<TurnEnd>),
    /// A request of the agent to a person that belongs to no tool call.
    Request(Box<Request>),
    /// What the model suggests as next prompt.
    Suggestion {
        /// The prompt.
        text: String,
    },
    /// Something that this version does not know.
    Unknown {
        /// The `type` of the message and its `subtype`, separated by a slash; `None` for a line that is no message.
        raw_type: Option<String>,
    },
}

/// A change of an item.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum ItemChange {
    /// The item is new or changed.
    Item(Item),
    /// Text was appended to an item that is being streamed.
    Delta {
        /// The item.
        item: ItemId,
        /// The new revision of the item.
        revision: u64,
        /// The field that grew.
        field: ItemField,
        /// The text to append.
        text: String,
    },
    /// The item was removed.
    Removed {
        /// The item.
        item: ItemId,
        /// The revision of the removal.
        revision: u64,
    },
}

/// A field of an item that can grow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ItemField {
    /// The text of [`ItemBody::Text`].
    Text,
    /// The text of [`ItemBody::Thinking`].
    Thinking,
    /// The input of [`ItemBody::ToolCall`], as part of a JSON text: [`ToolCall::written`].
    Input,
}

/// How far a client has read.
///
/// [`ItemCursor::default`] has read nothing. A client that only stored a revision continues with [`ItemCursor::at`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ItemCursor {
    /// The revision of the last change that was read.
    pub(super) revision: u64,
    /// The streaming items that the client has, with the number of bytes of their text.
    pub(super) streaming: Vec<(ItemId, usize)>,
}

impl ItemCursor {
    /// Returns the cursor of a client that has all changes up to `revision`.
    #[must_use]
    pub fn at(revision: u64) -> Self {
        Self {
            revision,
            streaming: Vec::new(),
        }
    }

    /// Returns the revision of the last change that was read.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.revision
    }
}

impl Item {
    /// Returns the tool call, if the item is one.
    #[must_use]
    pub fn call(&self) -> Option<&ToolCall> {
        match &self.body {
            ItemBody::ToolCall(call) => Some(call),
            _ => None,
        }
    }

    /// Appends streamed text to a field of the item.
    pub fn append(&mut self, field: ItemField, more: &str) {
        match (field, &mut self.body) {
            (ItemField::Text, ItemBody::Text { text, .. }) => text.push_str(more),
            (ItemField::Thinking, ItemBody::Thinking(thinking)) => thinking.text.push_str(more),
            (ItemField::Input, ItemBody::ToolCall(call)) => call.append(more),
            _ => {}
        }
    }
}

impl ItemChange {
    /// Applies the change to a list of items that is ordered by id.
    pub fn apply(self, items: &mut Vec<Item>) {
        let place = |items: &[Item], id: ItemId| items.binary_search_by_key(&id, |item| item.id);
        match self {
            Self::Item(item) => match place(items, item.id) {
                Ok(at) => {
                    if let Some(old) = items.get_mut(at) {
                        *old = item;
                    }
                }
                Err(at) => items.insert(at, item),
            },
            Self::Delta {
                item,
                revision,
                field,
                text,
            } => {
                if let Some(item) = place(items, item).ok().and_then(|at| items.get_mut(at)) {
                    item.revision = revision;
                    item.append(field, &text);
                }
            }
            Self::Removed { item, .. } => {
                if let Ok(at) = place(items, item) {
                    items.remove(at);
                }
            }
        }
    }
}
