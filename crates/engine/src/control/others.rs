//! Control requests that are too small for a file of their subject.

use serde_json::json;
use sluice_tools::ToolEvent;
use sluice_wire::control::{BackgroundTasksResponse, GetBinaryVersionResponse, MessageRated, RequestId};
use tokio::time::Instant;

use crate::messages;
use crate::session::Session;
use crate::turn::Stop;

/// How long to wait until calls have moved to the background.
const BACKGROUNDING_TIMEOUT: std::time::Duration = std::time::Duration::from_millis(500);

impl Session {
    pub(super) async fn stop_named_task(&mut self, id: &RequestId, task: &str) {
        self.stop_task(task).await;
        self.emit(messages::success(id, &json!({}))).await;
    }

    /// Moves the running commands, or those of one call, to the background.
    pub(super) async fn background_calls(&mut self, id: &RequestId, call: Option<&str>) {
        // Commands of subagents are not moved: a subagent ends its background commands when it finishes.
        let own: Vec<String> = match call {
            Some(call) => vec![call.to_owned()],
            None => self.calls.iter().map(|call| call.id.clone()).collect(),
        };
        let asked = own.iter().map(|call| self.tooling.tasks().background(Some(call))).sum();
        let moved = asked > 0;
        self.await_backgrounding(asked).await;
        let response = BackgroundTasksResponse {
            backgrounded: call.map(|_| moved),
            ..BackgroundTasksResponse::default()
        };
        self.emit(messages::success(id, &response)).await;
    }

    /// Waits until the moved calls have been reported, so that the reports precede the response.
    async fn await_backgrounding(&mut self, mut asked: usize) {
        let until = Instant::now() + BACKGROUNDING_TIMEOUT;
        while asked > 0
            && let Ok(Some(event)) = tokio::time::timeout_at(until, self.tooling.next_report()).await
        {
            let moved = match &event {
                ToolEvent::TaskStarted { is_backgrounded, .. } => *is_backgrounded,
                event => matches!(event, ToolEvent::TaskBackgrounded { .. }),
            };
            asked -= usize::from(moved);
            self.on_tool_event(Some(event)).await;
        }
    }

    /// Ends the session: interrupts the running turn and exits.
    pub(super) async fn end_session(&mut self, id: &RequestId) {
        self.emit(messages::ok(id)).await;
        self.line.leave(i32::from(self.turn.is_open()));
        if self.turn.is_open() {
            self.withdraw_asks().await;
            self.turn.stop_unless_stopping(Stop::Interrupt);
        }
    }

    /// Validates a rating of a message. It is not sent anywhere.
    pub(super) async fn rated(&mut self, id: &RequestId, request: &MessageRated) {
        let field = |name: &str| request.extra.value(name).unwrap_or_default();
        let known = matches!(field("sentiment").as_str(), Some("positive" | "negative"));
        if known && field("messageUuid").is_string() {
            return self.emit(messages::success(id, &json!({}))).await;
        }
        let text = "message_rated: messageUuid must be a string, sentiment \"positive\" or \"negative\"";
        self.emit(messages::error(id, text)).await;
    }

    /// Responds with the version of this program.
    pub(super) async fn binary_version(&mut self, id: &RequestId) {
        let mut version = GetBinaryVersionResponse {
            version: messages::PROTOCOL_VERSION.to_owned(),
            ..GetBinaryVersionResponse::default()
        };
        version.extra.write_null("buildTime");
        self.emit(messages::success(id, &version)).await;
    }
}
