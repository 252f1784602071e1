//! Answers to asks of the agent, by the callbacks of the host.

use serde_json::Value;
use sluice_wire::control::{McpMessageResponse, Request, RequestId};
use sluice_wire::{Raw, ToHost};

use crate::callbacks::{Callbacks, PermissionAsk, verdict};
use crate::conversation::{self, AskVerdict};
use crate::mcp::{self, McpServer};
use crate::transport::BoxFuture;

/// Who can answer what.
#[derive(Debug, Default)]
pub(super) struct Answerers {
    pub(super) callbacks: Callbacks,
    pub(super) servers: Vec<McpServer>,
}

impl Answerers {
    /// Begins to answer; `None` when a person has to, or nobody may.
    pub(super) fn begin(&self, ask: &conversation::Ask) -> Option<BoxFuture<'static, AskVerdict>> {
        let line = ask.line.as_ref()?;
        let request = match line.to_host() {
            Ok(ToHost::ControlRequest(request)) => request.request,
            // A known kind with a bad field, which is answered: nobody waits for ever.
            Err(malformed) => return Some(refuse(format!("cannot be read: {malformed}"))),
            Ok(_) => return Some(refuse("not a request".to_owned())),
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
                let Some(known) = self.callbacks.hook(&hook.callback_id) else {
                    return Some(refuse(format!("no hook callback {}", hook.callback_id)));
                };
                let call = known.call.clone();
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
                        // The default declines.
                        None => sluice_wire::control::ElicitationResponse::default(),
                    };
                    AskVerdict::Give(Raw::of(&answer))
                }))
            }
            Request::RequestUserDialog(dialog) => {
                // Who did not say that it shows this kind must not answer.
                let callback = self.callbacks.dialog.clone()?;
                Some(Box::pin(
                    async move { AskVerdict::Give(Raw::of(&callback(*dialog).await)) },
                ))
            }
            other => Some(refuse(format!("Unsupported control request subtype: {}", other.kind()))),
        }
    }
}

fn refuse(why: String) -> BoxFuture<'static, AskVerdict> {
    Box::pin(std::future::ready(AskVerdict::Refuse(why.into())))
}

fn mcp_response(answer: &Value) -> Raw {
    Raw::of(&McpMessageResponse {
        mcp_response: Some(Raw::from(answer)),
        ..McpMessageResponse::default()
    })
}
