//! Turns: from their first evidence to their `result`.

use serde::{Deserialize, Serialize};
use sluice_wire::origin::OriginKind;
use sluice_wire::stdout::{ResultSubtype, TerminalReason};

use super::{Evidence, Exit, Time};

/// One turn of the agent; it may run without a prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    /// When its first sign came.
    pub began: Time,
    /// The prompts it answers; none when the agent began it by itself.
    pub prompts: Vec<usize>,
    /// Who began it, when the agent said so.
    pub origin: Option<OriginKind>,
    /// Whether `system/init` was seen.
    pub announced: bool,
    /// The last reason to believe that it runs.
    pub evidence: Evidence,
    /// When that was seen.
    pub seen: Time,
    /// How it ended; `None` while it is open.
    pub end: Option<End>,
    /// When it ended.
    pub ended: Option<Time>,
    /// What it cost in dollars, worked out from the totals.
    #[serde(with = "super::exact::maybe")]
    pub cost: Option<f64>,
    /// What it used.
    pub usage: Option<Tokens>,
    /// The place of its `result` among the entries.
    pub entry: Option<usize>,
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// With a `result`.
    Result {
        /// What kind.
        subtype: ResultSubtype,
        /// Whether it went wrong. Old agents say `false` of interrupts and limits: see [`End::is_error`].
        is_error: bool,
        /// Why it ended, when the agent said so.
        reason: Option<TerminalReason>,
    },
    /// The agent went on to something else and never said how this one ended.
    Unreported,
    /// The process ended.
    Died(Exit),
}

impl End {
    /// Whether the turn ended with an error.
    #[must_use]
    pub fn is_error(&self) -> bool {
        match self {
            Self::Result { subtype, is_error, .. } => *is_error || *subtype != ResultSubtype::Success,
            Self::Unreported | Self::Died(_) => true,
        }
    }
}

/// Tokens of a turn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Tokens {
    /// Read afresh.
    pub input: u64,
    /// Read from the cache.
    pub cache_read: u64,
    /// Written to the cache.
    pub cache_write: u64,
    /// Given.
    pub output: u64,
}

impl Turn {
    pub(crate) fn new(at: Time, evidence: Evidence) -> Self {
        Self {
            began: at,
            prompts: Vec::new(),
            origin: None,
            announced: false,
            evidence,
            seen: at,
            end: None,
            ended: None,
            cost: None,
            usage: None,
            entry: None,
        }
    }

    /// Whether it is still open.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.end.is_none()
    }

    /// Whether it answers a prompt of this side.
    #[must_use]
    pub fn is_own(&self) -> bool {
        !self.prompts.is_empty()
    }
}
