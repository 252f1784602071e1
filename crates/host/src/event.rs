//! Events for subscribers, in the same order for all of them.

use std::sync::Arc;

use sluice_wire::Malformed;

use crate::conversation::{Change, Exit, Rung};
use crate::message::Message;
use crate::process::Identity;

/// An event between this host and its agent.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// The agent is connected.
    Connected {
        /// Its process, if it is a child of this program.
        process: Option<Identity>,
        /// The session that the restarted agent is to resume.
        resumed: Option<Arc<str>>,
    },
    /// A message of the agent.
    Message(Arc<Message>),
    /// A line that is not a valid message. It has no further effect.
    Malformed(Arc<Malformed>),
    /// A line that exceeded the maximum length and was dropped.
    TooLong {
        /// The length of the line.
        bytes: u64,
    },
    /// A line that the agent wrote to standard error.
    Stderr(Arc<str>),
    /// A visible part of the [conversation state](crate::conversation::ConversationState) changed.
    Changed(Change),
    /// An interrupt escalated. Each step is only taken if the previous one had no effect.
    Ladder(Step),
    /// The agent has exited or the connection was lost.
    Gone {
        /// How its process ended, if it had one.
        exit: Option<Exit>,
    },
    /// The agent was restarted to resume this session and does not know it: it was never saved, or is saved elsewhere. The
    /// agent starts a new session without memory of the conversation; queued prompts still run.
    Forgotten {
        /// The session that was to be resumed.
        session: Arc<str>,
        /// The error of the agent.
        error: Arc<str>,
    },
    /// The agent could not be restarted or reconnected.
    Unreachable {
        /// The error message.
        error: Arc<str>,
    },
    /// This subscriber was too slow, so events were dropped to limit memory usage.
    /// [`Client::look`](crate::Client::look) shows the resulting state.
    Gap {
        /// The number of dropped events.
        missed: u64,
    },
}

/// A step of an interrupt; each is more forceful than the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Step {
    /// Callbacks that were answering permission requests were cancelled.
    AsksWithdrawn {
        /// The number of cancelled callbacks.
        count: usize,
    },
    /// The next escalation step was taken: asked, acknowledged, terminated, killed.
    Rung(Rung),
    /// The agent is restarted and resumes its session.
    Respawn,
    /// The turn has ended.
    Stopped,
}

impl Event {
    /// Returns the message, if the event is one.
    #[must_use]
    pub fn message(&self) -> Option<&Arc<Message>> {
        match self {
            Self::Message(message) => Some(message),
            _ => None,
        }
    }

    /// Returns the approximate memory usage of the event in bytes.
    pub(crate) fn weight(&self) -> usize {
        let text = match self {
            // Counts the text twice, for its parsed form.
            Self::Message(message) => message.text().len() * 2,
            Self::Malformed(malformed) => malformed.text.len(),
            Self::Stderr(line) => line.len(),
            _ => 0,
        };
        text + 128
    }
}
