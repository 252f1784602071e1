//! Answers requests of the agent with the callbacks of the host.

use serde_json::Value;
use sluice_wire::control::{McpMessageResponse, Request, RequestId};
use sluice_wire::{Raw, ToHost};

use crate::callbacks::{Callbacks, PermissionAsk, verdict};
use crate::conversation::{self, AskVerdict};
use crate::mcp::{self, McpServer};
use crate::transport::BoxFuture;

/// The handlers of the agent's requests.
#[derive(Debug, Default)]
pub(super) struct RequestHandlers {
    pub(super) callbacks: Callbacks,
    pub(super) servers: Vec<McpServer>,
}

impl RequestHandlers {
    /// Starts answering a request. Returns `None` if a person has to answer it, or this host must not.
    pub(super) fn start(&self, ask: &conversation::Ask) -> Option<BoxFuture<'static, AskVerdict>> {
        let line = ask.line.as_ref()?;
        let request = match line.to_host() {
            Ok(ToHost::ControlRequest(request)) => request.request,
            // A known request with an invalid field. It is answered with an error, so that the agent does not wait forever.
            Err(malformed) => return Some(reject(format!("the request is invalid: {malformed}"))),
            Ok(_) => return Some(reject("not a request".to_owned())),
        };
        self.answer(ask.id.clone(), request)
    }

    fn answer(&self, request_id: RequestId, request: Request) -> Option<BoxFuture<'static, AskVerdict>> {
        match request {
            Request::CanUseTool(call) => {
                let callback = self.callbacks.permission.clone()?;
                let call = *call;
                Some(Box::pin(async move {
                    let input = call.input.clone();
                    let answer = callback(PermissionAsk { request_id, call }).await;
                    verdict(&answer.for_call(&input))
                }))
            }
            Request::HookCallback(hook) => {
                let Some(registered) = self.callbacks.hook(&hook.callback_id) else {
                    return Some(reject(format!("no hook callback {}", hook.callback_id)));
                };
                let call = registered.call.clone();
                Some(Box::pin(
                    async move { AskVerdict::Give(Raw::of(&call(hook.input).await)) },
                ))
            }
            Request::McpMessage(message) => {
                let content = message.message.to_value();
                let server = self.servers.iter().find(|it| it.name() == message.server_name).cloned();
                Some(Box::pin(async move {
                    let answer = match server {
                        Some(server) => server.answer(&content).await,
                        None => mcp::no_such_server(&message.server_name, &content),
                    };
                    AskVerdict::Give(mcp_response(&answer))
                }))
            }
            Request::Elicitation(elicitation) => {
                let callback = self.callbacks.elicitation.clone();
                Some(Box::pin(async move {
                    let answer = match callback {
                        Some(callback) => callback(*elicitation).await,
                        // The default response declines.
                        None => sluice_wire::control::ElicitationResponse::default(),
                    };
                    AskVerdict::Give(Raw::of(&answer))
                }))
            }
            Request::RequestUserDialog(dialog) => {
                // A host that did not declare support for this kind of dialog must not answer.
                let callback = self.callbacks.dialog.clone()?;
                Some(Box::pin(
                    async move { AskVerdict::Give(Raw::of(&callback(*dialog).await)) },
                ))
            }
            other => Some(reject(format!("Unsupported control request subtype: {}", other.kind()))),
        }
    }
}

fn reject(reason: String) -> BoxFuture<'static, AskVerdict> {
    Box::pin(std::future::ready(AskVerdict::Refuse(reason.into())))
}

fn mcp_response(answer: &Value) -> Raw {
    Raw::of(&McpMessageResponse {
        mcp_response: Some(Raw::from(answer)),
        ..McpMessageResponse::default()
    })
}
