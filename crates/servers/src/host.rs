//! The host, as MCP servers reach it: through the owner of the conversation.

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use futures_util::future::BoxFuture;
use serde_json::Value;
use sluice_wire::control::{Elicitation, ElicitationResponse, Request};

/// The host's answer to a control request, or why there is none.
pub type Said = Result<Value, String>;

/// The connection to the host. A server sees nothing else of a session.
#[async_trait]
pub trait Host: fmt::Debug + Send + Sync {
    /// Sends a control request, and gives what to wait for its answer with. Dropping that withdraws the request.
    /// Requests sent one after the other go out in that order.
    async fn request(&self, request: Request) -> Result<BoxFuture<'static, Said>, String>;

    /// A server sends an elicitation: the answer of an `Elicitation` hook, if there is one.
    async fn elicitation(&self, question: &Elicitation) -> Option<ElicitationResponse>;

    /// The person has answered an elicitation: another answer, if an `ElicitationResult` hook changes it.
    async fn elicitation_result(
        &self,
        question: &Elicitation,
        answer: &ElicitationResponse,
    ) -> Option<ElicitationResponse>;

    /// An elicitation by URL is complete.
    async fn elicitation_complete(&self, server: &str, elicitation_id: &str);

    /// A call of a server's tool makes progress.
    async fn tool_progress(&self, call_id: &str, tool: &str, elapsed: Duration);
}
