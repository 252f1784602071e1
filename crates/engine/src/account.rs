//! The account of a session: what was used, what it cost, how long it took, what it changed.

use std::time::Instant;

use serde_json::Value;

use crate::control::spending::Lines;
use crate::ledger::SharedLedger;
use crate::options::KeySource;

/// What a session has cost.
#[derive(Debug)]
pub(crate) struct Account {
    pub(crate) ledger: SharedLedger,
    /// Time spent in model requests, all turns together.
    pub(crate) api_ms: u64,
    /// What the last answer of the model used.
    pub(crate) last_usage: Option<Value>,
    /// What calls have changed.
    pub(crate) lines: Lines,
    pub(crate) began: Instant,
}

impl Account {
    pub(crate) fn new(source: KeySource) -> Self {
        Self {
            ledger: SharedLedger::new(source),
            api_ms: 0,
            last_usage: None,
            lines: Lines::default(),
            began: Instant::now(),
        }
    }
}
