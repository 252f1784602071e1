//! Limits of a session.

use std::time::Duration;

use sluice_model::compaction::Compaction;

/// Limits of a session.
#[derive(Debug, Clone, Default)]
pub struct LimitOptions {
    /// The maximum number of model requests per turn. `None` and zero mean no limit.
    pub max_turns: Option<u32>,
    /// The maximum cost of the session.
    pub max_budget_usd: Option<f64>,
    /// When the conversation is compacted.
    pub compaction: Compaction,
    /// How long to wait for background tasks after the end of the input. `None` means no limit.
    pub background_wait: Option<Duration>,
}
