//! Control requests about cost and usage.

use std::time::Duration;

use sluice_wire::Number;
use sluice_wire::control::{GetSessionCostResponse, GetUsageResponse, RequestId};
use sluice_wire::stdout::UsageReportSession;

use crate::messages;
use crate::session::Session;

impl Session {
    /// Describes the cost so far in words.
    pub(crate) fn cost_text(&mut self) -> String {
        self.tooling.services().settle(self.account.ledger());
        let tokens = self.account.ledger().tokens();
        let unpriced = self.account.ledger().unpriced();
        let note = match unpriced.as_slice() {
            [] => String::new(),
            models => format!(" (without {}, whose prices are not known)", models.join(", ")),
        };
        format!(
            "Cost: ${:.4}{note}\nTime (API): {}\nTime (total): {}\nLines: {} added, {} removed\n\
             Tokens: {} in, {} out",
            self.account.ledger().total_cost_usd(),
            format_duration(Duration::from_millis(self.account.api_ms())),
            format_duration(self.account.elapsed()),
            self.account.lines().added,
            self.account.lines().removed,
            tokens.prompt(),
            tokens.output,
        )
    }

    pub(super) async fn session_cost(&mut self, id: &RequestId) {
        let response = GetSessionCostResponse {
            text: self.cost_text(),
            ..GetSessionCostResponse::default()
        };
        self.emit(messages::success(id, &response)).await;
    }

    /// Responds with the usage of the session. Rate limits are omitted: they exist only for subscriptions.
    pub(super) async fn usage(&mut self, id: &RequestId) {
        self.tooling.services().settle(self.account.ledger());
        #[allow(clippy::cast_precision_loss)]
        let response = GetUsageResponse {
            session: UsageReportSession {
                total_cost_usd: Number(self.account.ledger().total_cost_usd()),
                total_api_duration_ms: Number(self.account.api_ms() as f64),
                total_duration_ms: Number(self.account.elapsed().as_millis() as f64),
                total_lines_added: self.account.lines().added,
                total_lines_removed: self.account.lines().removed,
                model_usage: serde_json::from_value(self.account.ledger().model_usage()).unwrap_or_default(),
                ..UsageReportSession::default()
            },
            ..GetUsageResponse::default()
        };
        self.emit(messages::success(id, &response)).await;
    }
}

/// Formats a duration for people.
fn format_duration(time: Duration) -> String {
    let seconds = time.as_secs();
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds}s"),
        (0, minutes, seconds) => format!("{minutes}m {seconds}s"),
        (hours, minutes, seconds) => format!("{hours}h {minutes}m {seconds}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_formatted_for_people() {
        assert_eq!(format_duration(Duration::from_secs(59)), "59s");
        assert_eq!(format_duration(Duration::from_secs(3725)), "1h 2m 5s");
    }
}
