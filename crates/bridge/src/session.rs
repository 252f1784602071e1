//! One session: a task that owns its conversation, its records, its queue and the way to its runner.
//!
//! ```text
//! runner ─▶ incoming ─▶ conversation (pure) ─▶ effects ─▶ runner
//!                         │
//!                         ├─▶ items (feed) ─▶ listeners
//!                         ├─▶ records ─▶ store
//!                         └─▶ view ─▶ listeners, the list
//! ```

mod actor;
mod archive;
mod asks;
mod feed;
mod hold;
mod incoming;
mod listeners;
mod loading;
mod outside;
mod process;
mod prompts;
pub(crate) mod records;
mod requests;
mod response;
mod search_text;
mod starts;
mod title;
mod unfinished;
mod view;

use std::sync::Arc;

use serde_json::Value;
use sluice_host::conversation::ConversationState;
use sluice_host::items::ItemId;
use sluice_host::wire::control::Request;
use sluice_store::{PromptRow, SessionRow};
use tokio::sync::{mpsc, oneshot};

use crate::api::{AnswerAsk, ItemPage, LineCursor, Problem};
use crate::outbox::Outbox;

pub(crate) use actor::{Actor, now};
pub(crate) use archive::Own;
pub(crate) use asks::in_words;
pub(crate) use feed::TURNS;
pub(crate) use response::{accepted_suggestions, add_rule};
pub(crate) use search_text::of as search_text;
pub(crate) use starts::has_process;
pub(crate) use view::{info_of_row, turn_result};

/// How many commands may wait for a session.
pub(crate) const DEPTH: usize = 64;

/// Who gave a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct By {
    pub(crate) device: String,
    pub(crate) name: String,
}

/// The level of the API a listener speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Level {
    Zero,
    /// Items.
    One,
    /// The lines of the agent, for a client that is itself a host.
    Lines,
}

/// A subscriber of a session.
#[derive(Debug, Clone)]
pub(crate) struct Listener {
    /// The connection.
    pub(crate) key: u64,
    pub(crate) level: Level,
    pub(crate) outbox: Arc<Outbox>,
}

/// Where the result of a command goes.
pub(crate) type Reply<T> = oneshot::Sender<Result<T, Problem>>;

/// A function that reads the state of a session in its task.
pub(crate) type Look = Box<dyn FnOnce(&ConversationState, &SessionRow) + Send>;

/// A command to a session.
pub(crate) enum Command {
    /// Sends a listener the items that it lacks, and from then on all changes.
    Subscribe {
        listener: Listener,
        revision: Option<u64>,
        turns: usize,
        reply: Reply<()>,
    },
    /// Sends a listener the lines that it lacks, and from then on all of them.
    FollowLines {
        listener: Listener,
        after: Option<LineCursor>,
        turns: usize,
        reply: Reply<()>,
    },
    /// The items of the turns before one.
    ItemsBefore {
        before: ItemId,
        turns: usize,
        reply: Reply<ItemPage>,
    },
    /// The lines of the agent that an item was made from.
    RawLines {
        item: ItemId,
        reply: Reply<Vec<Value>>,
    },
    /// The item of a record.
    FindItem {
        record: i64,
        reply: Reply<ItemId>,
    },
    Unsubscribe {
        key: u64,
    },
    /// A prompt that is in the store.
    Prompt {
        row: Box<PromptRow>,
        steer: bool,
        /// The connection that sent it: at level 0 it is not told its own words.
        from: u64,
        reply: Reply<&'static str>,
    },
    /// Whether a prompt would be taken.
    MayPrompt {
        level: Level,
        reply: Reply<()>,
    },
    EditPrompt {
        uuid: String,
        text: String,
        reply: Reply<()>,
    },
    MovePrompt {
        uuid: String,
        before: Option<String>,
        reply: Reply<()>,
    },
    SendNow {
        uuid: String,
        reply: Reply<()>,
    },
    TakeBack {
        uuid: String,
        reply: Reply<()>,
    },
    Answer {
        answer: Box<AnswerAsk>,
        by: By,
        reply: Reply<()>,
    },
    Interrupt {
        all: bool,
        /// Whether prompts that wait are held.
        hold: bool,
        reply: Reply<()>,
    },
    /// Sends held prompts again.
    ReleaseQueue {
        reply: Reply<()>,
    },
    /// Any control request of the protocol.
    Request {
        request: Box<Request>,
        reply: Reply<Value>,
    },
    /// Starts the agent, when it does not run.
    Resume {
        mode: Option<String>,
        reply: Reply<()>,
    },
    /// Ends the agent for good.
    Stop {
        by: By,
        reply: Reply<()>,
    },
    Rename {
        title: String,
        by: By,
        reply: Reply<()>,
    },
    Archive {
        archived: bool,
        reply: Reply<()>,
    },
    /// Notes what was set, so that an agent that is started again has it too.
    Remember {
        model: Option<Option<String>>,
        effort: Option<String>,
        thinking: Option<Option<u64>>,
        mode: Option<String>,
    },
    Look(Look),
    /// Lets everything go: the session is deleted, or the bridge ends.
    Leave {
        reply: oneshot::Sender<()>,
    },
}

/// A session that is loaded.
#[derive(Debug, Clone)]
pub(crate) struct Handle {
    pub(crate) s: u32,
    pub(crate) commands: mpsc::Sender<Command>,
}
