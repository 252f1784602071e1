//! Events for listeners, in one order for all of them.

use std::sync::Arc;

use sluice_wire::Malformed;

use crate::conversation::{Change, Exit, Rung};
use crate::message::Message;
use crate::process::Identity;

/// An event between this host and its agent.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// The agent is there.
    Connected {
        /// Its process, when it is a child of this program.
        process: Option<Identity>,
        /// The session it was told to go on with, after it had been lost.
        resumed: Option<Arc<str>>,
    },
    /// A line of the agent.
    Message(Arc<Message>),
    /// A line that is no message. It costs nothing but itself.
    Malformed(Arc<Malformed>),
    /// A line over the cap, thrown away.
    TooLong {
        /// How long it was.
        bytes: u64,
    },
    /// A line the agent wrote beside the protocol.
    Stderr(Arc<str>),
    /// Something to be seen in the [conversation](crate::conversation::ConversationState) changed.
    Changed(Change),
    /// An interrupt took a step: each is tried only when the one before did not help.
    Ladder(Step),
    /// The agent is gone.
    Gone {
        /// How its process ended, when it had one.
        exit: Option<Exit>,
    },
    /// The agent was started again to go on with this session and does not know it: it was never kept, or is kept
    /// elsewhere. The agent begins anew, without memory of what was said; prompts that wait are still run.
    Forgotten {
        /// The session it was to go on with.
        session: Arc<str>,
        /// What it said.
        error: Arc<str>,
    },
    /// The agent could not be reached again.
    Unreachable {
        /// Why.
        error: Arc<str>,
    },
    /// This listener was too slow: so many events were dropped to keep memory bounded.
    /// [`Client::look`](crate::Client::look) shows what they came to.
    Gap {
        /// How many.
        missed: u64,
    },
}

/// A step of an interrupt, each harder than the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Step {
    /// Callbacks that were about to answer an ask no longer do.
    AsksWithdrawn {
        /// How many there were.
        count: usize,
    },
    /// A rung was reached: asked, acknowledged, terminated, killed.
    Rung(Rung),
    /// The agent is started again and goes on with its session.
    Respawn,
    /// The turn has ended.
    Stopped,
}

impl Event {
    /// The message, if it is one.
    #[must_use]
    pub fn message(&self) -> Option<&Arc<Message>> {
        match self {
            Self::Message(message) => Some(message),
            _ => None,
        }
    }

    /// How many bytes it keeps alive, about.
    pub(crate) fn weight(&self) -> usize {
        let text = match self {
            // The text, and what it was read into.
            Self::Message(message) => message.text().len() * 2,
            Self::Malformed(malformed) => malformed.text.len(),
            Self::Stderr(line) => line.len(),
            _ => 0,
        };
        text + 128
    }
}
