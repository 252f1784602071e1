//! What the session has cost and changed so far.

use std::time::Duration;

use serde_json::Value;
use sluice_wire::Number;
use sluice_wire::control::{GetSessionCostResponse, GetUsageResponse, RequestId};
use sluice_wire::stdout::UsageReportSession;

use crate::messages;
use crate::session::Session;

/// Lines that calls have added and taken away.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Lines {
    pub(crate) added: u64,
    pub(crate) removed: u64,
}

impl Lines {
    /// Counts what a call's `tool_use_result` says it changed.
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

impl Session {
    /// The cost so far, in words.
    pub(crate) fn cost_text(&mut self) -> String {
        self.tooling.services.settle(&self.account.ledger);
        let tokens = self.account.ledger.tokens();
        let unpriced = self.account.ledger.unpriced();
        let note = match unpriced.as_slice() {
            [] => String::new(),
            models => format!(" (without {}, whose prices are not known)", models.join(", ")),
        };
        format!(
            "Cost: ${:.4}{note}\nTime, model: {}\nTime, all: {}\nLines: {} added, {} removed\n\
             Tokens: {} in, {} out",
            self.account.ledger.total_cost_usd(),
            spelled(Duration::from_millis(self.account.api_ms)),
            spelled(self.account.began.elapsed()),
            self.account.lines.added,
            self.account.lines.removed,
            tokens.prompt(),
            tokens.output,
        )
    }

    pub(super) async fn session_cost(&mut self, id: &RequestId) {
        let response = GetSessionCostResponse {
            text: self.cost_text(),
            ..GetSessionCostResponse::default()
        };
        self.say(messages::success(id, &response)).await;
    }

    /// What was used. There is no subscription here, so there are no limits to tell of.
    pub(super) async fn usage(&mut self, id: &RequestId) {
        self.tooling.services.settle(&self.account.ledger);
        #[allow(clippy::cast_precision_loss)]
        let response = GetUsageResponse {
            session: UsageReportSession {
                total_cost_usd: Number(self.account.ledger.total_cost_usd()),
                total_api_duration_ms: Number(self.account.api_ms as f64),
                total_duration_ms: Number(self.account.began.elapsed().as_millis() as f64),
                total_lines_added: self.account.lines.added,
                total_lines_removed: self.account.lines.removed,
                model_usage: serde_json::from_value(self.account.ledger.model_usage()).unwrap_or_default(),
                ..UsageReportSession::default()
            },
            ..GetUsageResponse::default()
        };
        self.say(messages::success(id, &response)).await;
    }
}

fn as_u64(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

/// A time as people read it.
fn spelled(time: Duration) -> String {
    let seconds = time.as_secs();
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds}s"),
        (0, minutes, seconds) => format!("{minutes}m {seconds}s"),
        (hours, minutes, seconds) => format!("{hours}h {minutes}m {seconds}s"),
    }
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

    #[test]
    fn times_are_spelled_for_people() {
        assert_eq!(spelled(Duration::from_secs(59)), "59s");
        assert_eq!(spelled(Duration::from_secs(3725)), "1h 2m 5s");
    }
}
