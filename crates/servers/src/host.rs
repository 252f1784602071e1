//! The interface through which MCP servers reach the host.

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use futures_util::future::BoxFuture;
use serde_json::Value;
use sluice_wire::control::{Elicitation, ElicitationResponse, Request};

/// The host's answer to a control request, or an error message.
pub type Said = Result<Value, String>;

/// The connection to the host. It is the only part of a session that a server can access.
#[async_trait]
pub trait Host: fmt::Debug + Send + Sync {
    /// Sends a control request and returns a future for its answer. Dropping the future withdraws the request. Requests are
    /// sent in the order of these calls.
    async fn request(&self, request: Request) -> Result<BoxFuture<'static, Said>, String>;

    /// Returns the answer of an `Elicitation` hook to an elicitation, if there is one.
    async fn elicitation(&self, question: &Elicitation) -> Option<ElicitationResponse>;

    /// Returns another answer to an elicitation, if an `ElicitationResult` hook changes the person's answer.
    async fn elicitation_result(
        &self,
        question: &Elicitation,
        answer: &ElicitationResponse,
    ) -> Option<ElicitationResponse>;

    /// Notifies the host that an elicitation by URL is complete.
    async fn elicitation_complete(&self, server: &str, elicitation_id: &str);

    /// Notifies the host that a call of a server's tool is still running.
    async fn tool_progress(&self, call_id: &str, tool: &str, elapsed: Duration);
}
