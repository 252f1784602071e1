//! The three independent axes of the state: the process, the turn, and the transport.

use serde::{Deserialize, Serialize};

use super::{Exit, Time};

/// Whether there is a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProcessStatus {
    /// None yet, or the next is being started.
    Starting,
    /// It runs.
    Up {
        /// Since when.
        since: Time,
    },
    /// It is gone.
    Exited {
        /// How it ended.
        exit: Exit,
        /// When.
        at: Time,
    },
}

/// Whether lines pass between the process and this side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TransportStatus {
    /// They do, in both directions.
    Connected,
    /// Old ones are being read.
    CatchingUp,
    /// They do not. The process may live, a turn may run, asks stay open.
    Lost {
        /// Since when.
        since: Time,
    },
}

/// Why a turn is believed to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Evidence {
    /// The agent said that a turn begins, or that it took up a prompt.
    Announced,
    /// The model was asked, or is about to be.
    Requesting,
    /// The answer grows.
    Streaming,
    /// A block of the answer came.
    Said,
    /// A call runs. Calls can be silent for long; new agents give a sign every thirty seconds.
    Calling,
    /// A request failed and will be tried again.
    Retrying,
    /// The conversation is being summarised.
    Compacting,
    /// The model stopped of itself: the `result` is owed.
    Stopped,
    /// The agent says that it is idle, and has not said how the turn ended.
    SaidIdle,
}

/// The activity of the conversation, as far as is known.
///
/// It is worked out anew whenever it is asked for: from the open turn, its evidence and the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Activity {
    /// No turn is open.
    Idle,
    /// A turn is open, and there is fresh evidence for it.
    Running {
        /// Which turn.
        turn: usize,
        /// Why it is believed to run.
        evidence: Evidence,
        /// When that was last seen.
        seen: Time,
    },
    /// An ask waits for a person.
    Waiting {
        /// The ask that waits longest.
        ask: usize,
        /// Since when.
        since: Time,
    },
    /// Someone interrupted, and the turn has not ended yet.
    Interrupting {
        /// How far that went.
        rung: Rung,
        /// Since when.
        since: Time,
    },
    /// A turn is open, but its evidence is too old to be believed.
    Stalled {
        /// Which turn.
        turn: usize,
        /// The last evidence.
        evidence: Evidence,
        /// When that was last seen.
        seen: Time,
    },
}

impl Activity {
    /// Whether nothing is open.
    #[must_use]
    pub fn is_idle(self) -> bool {
        self == Self::Idle
    }
}

/// The ladder of an interrupt. The next rung is taken when the one before did not help in its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Rung {
    /// The interrupt was sent.
    Asked,
    /// The agent acknowledged it; the `result` is owed.
    Acknowledged,
    /// The process was told to end.
    Terminated,
    /// The process was killed.
    Killed,
}
