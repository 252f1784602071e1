//! The ledger: tokens used and their cost, shared by a session and all its subagents.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use sluice_model::cost::{Ledger, Tokens};

use crate::options::KeySource;

/// A ledger that several sessions share.
#[derive(Debug, Clone, Default)]
pub(crate) struct SharedLedger(Arc<Mutex<Ledger>>);

impl SharedLedger {
    /// Creates an empty ledger. Requests to the demo model are free.
    pub(crate) fn new(source: KeySource) -> Self {
        let ledger = match source {
            KeySource::Demo => Ledger::free(),
            _ => Ledger::new(),
        };
        Self(Arc::new(Mutex::new(ledger)))
    }

    /// Adds the usage of a response.
    pub(crate) fn add(&self, model: &str, usage: &Value) {
        self.ledger().add(model, usage);
    }

    pub(crate) fn total_cost_usd(&self) -> f64 {
        self.ledger().total_cost_usd()
    }

    pub(crate) fn total_cost_value(&self) -> Value {
        self.ledger().total_cost_value()
    }

    pub(crate) fn tokens(&self) -> Tokens {
        self.ledger().tokens()
    }

    pub(crate) fn model_usage(&self) -> Value {
        self.ledger().model_usage()
    }

    /// The models whose prices are unknown.
    pub(crate) fn unpriced(&self) -> Vec<String> {
        self.ledger().unpriced().map(str::to_owned).collect()
    }

    /// Restores the usage of an earlier process.
    pub(crate) fn restore(&self, model_usage: &Value) {
        self.ledger().restore(model_usage);
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
