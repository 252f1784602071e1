//! The account of a session: tokens used, cost, durations, and lines changed.

use std::time::{Duration, Instant};

use serde_json::Value;
use sluice_wire::stdout::RateLimitInfo;

use crate::ledger::SharedLedger;
use crate::options::KeySource;

/// The usage and cost of a session.
#[derive(Debug)]
pub(crate) struct Account {
    ledger: SharedLedger,
    /// Time spent in model requests, in milliseconds, over all turns.
    api_ms: u64,
    /// Usage of the latest response of the model.
    last_usage: Option<Value>,
    /// Lines that tool calls have added and removed.
    lines: Lines,
    began: Instant,
    /// The rate limits of the account, as last sent to the host.
    limits: Option<RateLimitInfo>,
}

impl Account {
    pub(crate) fn new(source: KeySource) -> Self {
        Self {
            ledger: SharedLedger::new(source),
            api_ms: 0,
            last_usage: None,
            lines: Lines::default(),
            began: Instant::now(),
            limits: None,
        }
    }

    /// Stores the rate limits of the account. Returns false if they have not changed.
    pub(crate) fn set_limits(&mut self, limits: &RateLimitInfo) -> bool {
        let changed = self.limits.as_ref() != Some(limits);
        if changed {
            self.limits = Some(limits.clone());
        }
        changed
    }

    pub(crate) fn ledger(&self) -> &SharedLedger {
        &self.ledger
    }

    /// Uses the ledger of the parent session; for a subagent.
    pub(crate) fn share(&mut self, ledger: SharedLedger) {
        self.ledger = ledger;
    }

    /// Starts a new account for another session in this process. The start time of the process is kept.
    pub(crate) fn restart(&mut self, source: KeySource) {
        *self = Self {
            began: self.began,
            ..Self::new(source)
        };
    }

    pub(crate) fn api_ms(&self) -> u64 {
        self.api_ms
    }

    pub(crate) fn add_api_ms(&mut self, millis: u64) {
        self.api_ms += millis;
    }

    /// Adds the request time of the process that ran this session earlier.
    pub(crate) fn resume_api_ms(&mut self, millis: u64) {
        self.api_ms = millis;
    }

    /// Usage of the latest response of the model.
    pub(crate) fn last_usage(&self) -> Option<&Value> {
        self.last_usage.as_ref()
    }

    pub(crate) fn set_last_usage(&mut self, usage: Value) {
        self.last_usage = Some(usage);
    }

    /// Clears the usage of the latest response, which belonged to a conversation that has been replaced.
    pub(crate) fn forget_usage(&mut self) {
        self.last_usage = None;
    }

    /// Counts the lines that the `tool_use_result` of a call reports as changed.
    pub(crate) fn count_lines(&mut self, result: &Value) {
        self.lines.count(result);
    }

    pub(crate) fn lines(&self) -> Lines {
        self.lines
    }

    /// How long the session has run.
    pub(crate) fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }
}

/// Numbers of lines that tool calls have added and removed.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Lines {
    pub(crate) added: u64,
    pub(crate) removed: u64,
}

impl Lines {
    /// Counts the lines that the `tool_use_result` of a call reports as changed.
    pub(crate) fn count(&mut self, result: &Value) {
        if result.get("type").and_then(Value::as_str) == Some("create") {
            let content = result.get("content").and_then(Value::as_str).unwrap_or_default();
            self.added += as_u64(content.lines().count());
            return;
        }
        let hunks = result.get("structuredPatch").and_then(Value::as_array);
        let lines = hunks
            .into_iter()
            .flatten()
            .filter_map(|hunk| hunk.get("lines")?.as_array());
        for line in lines.flatten().filter_map(Value::as_str) {
            self.added += u64::from(line.starts_with('+'));
            self.removed += u64::from(line.starts_with('-'));
        }
    }
}

fn as_u64(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lines_are_counted_from_patches_and_new_files() {
        let mut lines = Lines::default();
        lines.count(&json!({"type": "create", "content": "a\nb\n", "structuredPatch": []}));
        lines.count(&json!({"structuredPatch": [{"lines": [" a", "-b", "+c", "+d"]}, {"lines": ["-e"]}]}));
        lines.count(&json!("Error: no"));
        assert_eq!(lines, Lines { added: 4, removed: 2 });
    }
}
