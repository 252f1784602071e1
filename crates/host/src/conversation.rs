//! The conversation: what is true about an agent, worked out from what was seen of it.
//!
//! An agent is a process somewhere, a pair of pipes, and a stream of lines.
//! Everything a host wants to know has to be worked out from these: whether a prompt arrived, whose turn a
//! `result` ends, whether the agent works or hangs, what it waits for.
//! This module is the one place where that happens.
//! It is a machine without a clock and without I/O:
//!
//! ```text
//!            ┌───────────────────────────┐
//!  ConversationEvent ──▶ │ step(&mut ConversationState, ConversationEvent)   │ ──▶ Effects
//!            └───────────────────────────┘
//!  a line, a wish,                           lines to write, asks to answer,
//!  an exit, a tick                           what changed
//! ```
//!
//! [`step`] is a function of the state and the event, so a log of [`ConversationEvent`]s that is read again gives the same
//! [`ConversationState`], and a [`Snapshot`] goes on as the conversation it was taken from would have.
//! Whoever drives the machine feeds it every event with its [`Time`], does what the [`Effects`] say, and
//! sends a [`What::Tick`] no later than [`ConversationState::deadline`].
//!
//! # Three axes
//!
//! Three questions that are easily mixed up are kept apart.
//! [`ProcessStatus`]: is there one? [`TransportStatus`]: do lines pass? [`Activity`]: does a turn run?
//! A lost way to the process says nothing about the turn; a process that is up may hang.
//! So an activity always carries its [`Evidence`] and when that was seen, and every kind of evidence has a
//! deadline ([`Patience`]) after which the turn is shown as stalled, until a new sign of it comes.
//! A person who has not answered, a call that runs and a hook that is being served keep a turn alive for
//! longer than a silent model.
//!
//! # Prompts and turns
//!
//! A [`TrackedPrompt`] that was accepted ends delivered or failed.
//! In between it can be queued here, sent, or *indeterminate*: written, and then the process died.
//! Its uuid settles that. A process that resumes the conversation repeats a prompt it knows and runs one it
//! does not, so an indeterminate prompt is written again under its uuid.
//!
//! A [`Turn`] begins with the first sign of one and ends with its `result`.
//! Agents begin turns on their own, when a background task ends for example, and they fold prompts into
//! turns that are running, and merge several into one.
//! So turns are never matched by counting.
//! New agents name the prompts a turn answers, in `command_lifecycle`, on messages and on the `result`; with
//! these a result that names other prompts, or says that it has another origin, never ends an own turn.
//! Old agents echo the prompt at best. Where even that is missing, the owner is [presumed](Proof::Presumed)
//! from the order of things, and gives way to anything the agent says later.
//!
//! # Asks
//!
//! An [`Ask`] has exactly one outcome: answered, withdrawn by the agent, overtaken by events, or expired with
//! the process. The first answer is written, later ones are noted ([`Effect::TooLate`]). Asks outlive the way
//! to the process, and are told to whoever answers them once, even when old lines are read again.
//!
//! # What is kept
//!
//! Messages are kept verbatim, once, as [`Entry`]s; everything else points at them. Partial messages live in
//! a [`Draft`] until their blocks are said. What this version does not know is an entry like any other, and
//! counted in [`Drift`].

// What goes in,
mod event;
mod line;
mod time;
// what comes out,
mod effect;
// and what is known: the axes,
mod activity;
mod axes;
mod patience;
// the things of the protocol,
mod ask;
mod call;
mod draft;
mod entry;
mod prompt;
mod session;
mod task;
mod turn;
// all of it together.
mod exact;
mod index;
mod seen;
mod snapshot;
mod state;
// How the one becomes the other.
mod fold;
mod read;

pub use ask::{Ask, AskKind, AskState};
pub use axes::{Activity, Evidence, ProcessStatus, Rung, TransportStatus};
pub use call::{Call, CallState};
pub use draft::{Draft, DraftBlock, DraftKind};
pub use effect::{Change, Effect, Effects, RequestOutcome, Signal};
pub use entry::{Entry, EntryKind};
pub use event::{AnswerNote, AskAnswer, AskVerdict, ConversationEvent, Exit, HostNote, OwnRequest, Submit, What};
pub use fold::step;
pub use line::Line;
pub use patience::{Ladder, Patience};
pub use prompt::{Failure, PromptState, Proof, TrackedPrompt};
pub use session::{Command, Context, Cost, Drift, LoadedPlugin, Model, Server, Session};
pub use snapshot::{OtherForm, Snapshot};
pub use state::{ConversationState, Interruption, Pending};
pub use task::{Task, TaskState, Todo};
pub use time::Time;
pub use turn::{End, Tokens, Turn};
