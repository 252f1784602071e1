//! Implements the host interface of the MCP client for a session.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use sluice_hooks::HookClient;
use sluice_servers::{Host, Said};
use sluice_wire::control::{Elicitation, ElicitationResponse, Request};

use crate::host_requests::HostRequests;
use crate::messages;
use crate::out::Out;

/// Access to the host, and to hooks that answer elicitations.
#[derive(Debug)]
pub(crate) struct HostOfServers {
    pub(crate) host_requests: Arc<HostRequests>,
    pub(crate) out: Out,
    pub(crate) hook_client: HookClient,
}

#[async_trait]
impl Host for HostOfServers {
    async fn request(&self, request: Request) -> Result<BoxFuture<'static, Said>, String> {
        if !matches!(request, Request::Elicitation(_)) {
            return Ok(self.host_requests.send(request).await?.answer().boxed());
        }
        let form = self.host_requests.open_form().await;
        let question = self.host_requests.send(request).await?;
        Ok(async move {
            let response = question.answer().await;
            form.close().await;
            response
        }
        .boxed())
    }

    async fn elicitation(&self, question: &Elicitation) -> Option<ElicitationResponse> {
        self.hook_client.elicitation(question).await
    }

    async fn elicitation_result(
        &self,
        question: &Elicitation,
        answer: &ElicitationResponse,
    ) -> Option<ElicitationResponse> {
        self.hook_client.elicitation_result(question, answer).await
    }

    async fn elicitation_complete(&self, server: &str, elicitation_id: &str) {
        self.out
            .emit(messages::elicitation_complete(server, elicitation_id))
            .await;
    }

    async fn tool_progress(&self, call_id: &str, tool: &str, elapsed: Duration) {
        self.out
            .emit(messages::call_progress(call_id, tool, elapsed.as_secs()))
            .await;
    }
}
