//! One turn of an agent, from the prompt of a call to its result.

use std::collections::VecDeque;
use std::pin::Pin;
use std::time::Duration;

use rmcp::model::{CallToolResult, ContentBlock};
use rmcp::service::{Peer, RequestContext, RoleServer};
use serde_json::{Value, json};
use sluice_wire::content::Block;
use sluice_wire::control::{Allow, CanUseTool, ControlResponse, Deny, Request, RequestId};
use sluice_wire::stdout::{Assistant, CommandState, TurnResult};
use sluice_wire::{ToHost, stdin};
use tokio::time::{Instant, interval_at};
use tokio_util::sync::CancellationToken;

use super::crew::Agent;
use crate::allowing;
use crate::progress::Progress;
use crate::question::{self, Ask, NoAnswer, PersonAnswer};

/// Interval of progress notifications while an agent sends no messages.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(15);
/// The maximum length of a progress message, in characters.
const MAX_PROGRESS_CHARS: usize = 200;

type Answer = Pin<Box<dyn Future<Output = Result<PersonAnswer, NoAnswer>> + Send>>;

/// The permission request that has been sent to the client.
struct OpenRequest {
    id: RequestId,
    ask: Box<CanUseTool>,
    withdraw: CancellationToken,
    answer: Answer,
}

/// A running turn.
struct Turn<'a> {
    agent: &'a Agent,
    peer: &'a Peer<RoleServer>,
    progress: Progress,
    /// Permission requests that wait until the current one is answered: people answer one at a time.
    waiting: VecDeque<(RequestId, Box<CanUseTool>)>,
    asked: Option<OpenRequest>,
    /// The UUID of the prompt.
    prompt: String,
    /// Whether the turn of the prompt has started.
    begun: bool,
}

impl Agent {
    /// Sends a prompt and waits for its result.
    pub(super) async fn turn(
        &self,
        prompt: String,
        context: &RequestContext<RoleServer>,
        disconnected: &CancellationToken,
        progress: Progress,
    ) -> Result<CallToolResult, String> {
        let Ok(mut output) = self.output.try_lock() else {
            return Err(format!(
                "session {} is still working: wait for it, or cancel it first",
                self.id
            ));
        };
        let mut message = stdin::User::new(prompt);
        let uuid = uuid::Uuid::new_v4().to_string();
        message.uuid = Some(uuid.clone());
        let mut turn = Turn {
            agent: self,
            peer: &context.peer,
            progress,
            waiting: VecDeque::new(),
            asked: None,
            prompt: uuid,
            begun: false,
        };
        self.send(message).await;
        let mut interrupted = false;
        let began = Instant::now();
        let mut still = interval_at(began + PROGRESS_INTERVAL, PROGRESS_INTERVAL);
        loop {
            turn.ask_next();
            tokio::select! {
                biased;
                () = disconnected.cancelled(), if turn.asked.is_some() => turn.on_answer(Err(NoAnswer::Withdrawn)).await,
                () = context.ct.cancelled(), if !interrupted => {
                    interrupted = true;
                    self.interrupt().await;
                }
                answer = answer(&mut turn.asked) => turn.on_answer(answer).await,
                message = output.recv() => match message {
                    None => return Err(format!("session {} has ended", self.id)),
                    Some(message) => {
                        still.reset();
                        if let Some(result) = turn.on_message(message).await {
                            return Ok(to_call_result(&result));
                        }
                    }
                },
                now = still.tick() => {
                    turn.progress.notify(format!("working for {} s", (now - began).as_secs())).await;
                }
            }
        }
    }
}

impl Turn<'_> {
    /// Handles a message of the agent. Returns the result if it ends this turn.
    async fn on_message(&mut self, message: ToHost) -> Option<Box<TurnResult>> {
        match message {
            ToHost::Result(result) if self.begun => return Some(result),
            ToHost::CommandLifecycle(life) if life.command_uuid == self.prompt => {
                self.begun |= life.state == CommandState::Started;
            }
            ToHost::ControlRequest(request) => match request.request {
                Request::CanUseTool(ask) => self.waiting.push_back((request.request_id, ask)),
                _ => {
                    let why = "this host answers nothing but can_use_tool";
                    self.agent.send(ControlResponse::error(request.request_id, why)).await;
                }
            },
            ToHost::ControlCancelRequest(cancel) => {
                self.waiting.retain(|(id, _)| *id != cancel.request_id);
                if let Some(asked) = self.asked.take_if(|asked| asked.id == cancel.request_id) {
                    asked.withdraw.cancel();
                    // The future withdraws the elicitation; its outcome is ignored.
                    let _withdrawn = asked.answer.await;
                }
            }
            ToHost::Assistant(message) => {
                if let Some(text) = describe(&message) {
                    self.progress.notify(text).await;
                }
            }
            _ => {}
        }
        None
    }

    /// Sends the next permission request to the client, if none is open.
    fn ask_next(&mut self) {
        if self.asked.is_some() {
            return;
        }
        let Some((id, ask)) = self.waiting.pop_front() else {
            return;
        };
        let withdraw = CancellationToken::new();
        self.asked = Some(OpenRequest {
            id,
            answer: Box::pin(put(self.peer.clone(), question(&ask), withdraw.clone())),
            ask,
            withdraw,
        });
    }

    /// Sends the answer of a permission request to the agent.
    async fn on_answer(&mut self, answer: Result<PersonAnswer, NoAnswer>) {
        let Some(OpenRequest { id, ask, .. }) = self.asked.take() else {
            return;
        };
        let allow = |updates| {
            ControlResponse::success(
                id.clone(),
                &Allow {
                    updated_input: Some(ask.input.clone()),
                    updated_permissions: updates,
                    ..Allow::default()
                },
            )
        };
        let deny = |message: String| {
            ControlResponse::success(
                id.clone(),
                &Deny {
                    message,
                    ..Deny::default()
                },
            )
        };
        let response = match answer {
            Ok(PersonAnswer::Once) => allow(None),
            Ok(PersonAnswer::FromNowOn) => {
                let suggestions = ask.permission_suggestions.clone().unwrap_or_default();
                allow(Some(suggestions.into_iter().map(allowing::for_now).collect()))
            }
            Ok(PersonAnswer::No) => deny("The user denied this call.".to_owned()),
            Err(no_answer) => {
                let suggestions = ask.permission_suggestions.as_deref().unwrap_or_default();
                deny(format!(
                    "This call needs permission, but {no_answer}. Go on without it, or end and say what would be \
                     needed. {}",
                    allowing::allowing_flags(&ask.tool_name, suggestions)
                ))
            }
        };
        self.agent.send(response).await;
    }
}

async fn put(peer: Peer<RoleServer>, ask: Ask, withdraw: CancellationToken) -> Result<PersonAnswer, NoAnswer> {
    question::ask(&peer, &ask, &withdraw).await
}

async fn answer(asked: &mut Option<OpenRequest>) -> Result<PersonAnswer, NoAnswer> {
    match asked {
        Some(asked) => asked.answer.as_mut().await,
        None => std::future::pending().await,
    }
}

fn question(ask: &CanUseTool) -> Ask {
    let input = serde_json::to_value(&ask.input).unwrap_or(Value::Null);
    let mut question = Ask::about(
        &ask.tool_name,
        &input,
        ask.decision_reason.as_deref().unwrap_or_default(),
    );
    question.from_now_on = allowing::offered(ask.permission_suggestions.as_deref().unwrap_or_default());
    question
}

/// Describes a message in one line.
fn describe(message: &Assistant) -> Option<String> {
    let block = message.message.content.last()?;
    let text = match block {
        Block::Text(text) => text.text.clone(),
        Block::ToolUse(call) => {
            let input = serde_json::to_value(&call.input).unwrap_or(Value::Null);
            let about = [
                "command",
                "file_path",
                "notebook_path",
                "pattern",
                "url",
                "query",
                "description",
            ];
            let about = about.iter().find_map(|key| input.get(key)?.as_str());
            match about {
                Some(about) => format!("{}: {about}", call.name),
                None => call.name.clone(),
            }
        }
        _ => return None,
    };
    Some(text.chars().take(MAX_PROGRESS_CHARS).collect())
}

/// Converts the result of a turn to the result of the call.
fn to_call_result(result: &TurnResult) -> CallToolResult {
    let errors = result.errors.as_deref().unwrap_or_default().join("\n");
    let text = match &result.result {
        Some(text) => text.clone(),
        None if errors.is_empty() => format!("The turn ended without an answer ({}).", result.subtype.as_str()),
        None => errors,
    };
    let denials = result
        .permission_denials
        .iter()
        .map(|denial| json!({"tool_name": denial.tool_name, "tool_input": denial.tool_input}));
    let structured = json!({
        "session_id": result.session_id,
        "result": text,
        "subtype": result.subtype.as_str(),
        "is_error": result.is_error,
        "num_turns": result.num_turns,
        "duration_ms": result.duration_ms,
        "total_cost_usd": result.total_cost_usd,
        "permission_denials": denials.collect::<Vec<_>>(),
    });
    let mut shaped = CallToolResult::success(vec![ContentBlock::text(text)]);
    shaped.is_error = Some(result.is_error);
    shaped.structured_content = Some(structured);
    shaped
}
