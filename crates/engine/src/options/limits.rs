//! When a session stops, and when it makes room.

use std::time::Duration;

use sluice_model::compaction::Compaction;

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
