//! When a session stops, and when it makes room.

use std::time::Duration;

/// What a session is told about its limits.
#[derive(Debug, Clone, Default)]
pub struct LimitOptions {
    /// Model requests a turn may make; none or zero is no limit.
    pub max_turns: Option<u32>,
    /// What the session may cost.
    pub max_budget_usd: Option<f64>,
    /// When a conversation is summarised.
    pub compaction: Compaction,
    /// How long to wait for background work after the input ended; none is for ever.
    pub background_wait: Option<Duration>,
}

/// What the launch says about compaction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Compaction {
    /// Never, not even when asked to.
    pub off: bool,
    /// Only when asked to.
    pub manual_only: bool,
    /// Behave as if the model's window were no larger than this.
    pub window: Option<u64>,
    /// Begin at this share of the window, if that is earlier than usual.
    pub percent: Option<u8>,
}
