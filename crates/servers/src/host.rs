//! The host, as servers reach it: through whoever owns the conversation.

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use futures_util::future::BoxFuture;
use serde_json::Value;
use sluice_wire::control::{Elicitation, Request};

/// What the host said, or why it said nothing of use.
pub type Said = Result<Value, String>;

/// The way to the host. A server sees nothing else of a session.
#[async_trait]
pub trait Host: fmt::Debug + Send + Sync {
    /// Sends a control request, and gives what to wait for its answer with. Dropping that withdraws the request.
    /// Requests sent one after the other go out in that order.
    async fn request(&self, request: Request) -> Result<BoxFuture<'static, Said>, String>;

    /// A server elicits something from the person: an answer in their place, if a hook has one.
    async fn elicitation(&self, question: &Elicitation) -> Option<Value>;

    /// The person has answered a server: what it is told instead, if a hook changes it.
    async fn elicitation_result(&self, question: &Elicitation, answer: &Value) -> Option<Value>;

    /// An elicitation by address is complete.
    async fn elicitation_complete(&self, server: &str, elicitation_id: &str);

    /// A call of a server's tool goes on.
    async fn tool_progress(&self, call_id: &str, tool: &str, elapsed: Duration);
}
