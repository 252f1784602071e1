//! Commands of clients to the driver.

use std::time::Duration;

use serde_json::{Map, Value};
use sluice_wire::control::{Interrupt, Request, RequestId, Success};
use sluice_wire::stdin::User;
use sluice_wire::stdout::TurnResult;
use sluice_wire::{ToAgent, ToHost};
use tokio::sync::oneshot;

use super::{Owner, Stop};
use crate::callbacks::{self, verdict};
use crate::conversation::{self, ConversationState, Failure, OwnRequest, PromptState, Rung, Submit, Turn, What};
use crate::error::{Error, ErrorKind};
use crate::event::{Event, Step};

type ReadState = Box<dyn FnOnce(&ConversationState) + Send>;

/// A command of a client to the driver.
pub(crate) enum ClientCommand {
    Send {
        uuid: String,
        prompt: Box<User>,
        reply: oneshot::Sender<Result<(), Error>>,
        ended: Option<oneshot::Sender<Result<Ended, Error>>>,
    },
    Request {
        request: Box<Request>,
        within: Option<Duration>,
        reply: oneshot::Sender<Result<Success, Error>>,
    },
    Answer {
        ask: RequestId,
        answer: callbacks::PermissionDecision,
        by: Option<Box<str>>,
        reply: oneshot::Sender<Result<(), Error>>,
    },
    Withdraw {
        uuid: String,
    },
    Interrupt {
        cancel_queued: bool,
        reply: oneshot::Sender<Result<Stopped, Error>>,
    },
    SendMessage {
        message: Box<ToAgent>,
        reply: oneshot::Sender<Result<(), Error>>,
    },
    ReadState(ReadState),
    ReleaseText(u64),
    Respawn {
        reply: oneshot::Sender<Result<(), Error>>,
    },
    Close {
        reply: oneshot::Sender<()>,
    },
}

/// The outcome of stopping a turn.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Stopped {
    /// The highest escalation step that was needed; `None` if no turn was running.
    pub rung: Option<Rung>,
    /// Prompts that are still queued and will run.
    pub still_queued: Vec<String>,
}

/// The outcome of a prompt's turn.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Ended {
    /// The turn.
    pub turn: Turn,
    /// The `result` of the turn; `None` if the agent exited or did not send one.
    pub result: Option<TurnResult>,
    /// The number of the event after the last one of the turn.
    pub position: u64,
}

/// Returns the outcome of a prompt's turn, or `None` if it has not ended.
pub(super) fn turn_outcome(state: &ConversationState, uuid: &str, position: u64) -> Option<Result<Ended, Error>> {
    let prompt = state.prompt(uuid)?;
    if let PromptState::Failed(failure) = prompt.state {
        let reason = match failure {
            Failure::Withdrawn => "the prompt was withdrawn",
            Failure::Closed | Failure::Lost => "the session was closed before the agent read the prompt",
        };
        return Some(Err(Error::new(ErrorKind::Gone, reason)));
    }
    if prompt.finished && prompt.turn.is_none() {
        let text = "the prompt ran before the connection to the agent was lost, and its result was lost with it";
        return Some(Err(Error::new(ErrorKind::Gone, text)));
    }
    let turn = state.turns().get(prompt.turn?)?;
    turn.end.as_ref()?;
    let line = turn
        .entry
        .and_then(|at| state.entries().get(at))
        .map(|entry| &entry.line);
    let result = line.and_then(read_result);
    Some(Ok(Ended {
        turn: turn.clone(),
        result,
        position,
    }))
}

/// Parses a `result`. Fields that are missing or invalid are replaced by defaults.
fn read_result(line: &conversation::Line) -> Option<TurnResult> {
    if let Ok(ToHost::Result(result)) = line.to_host() {
        return Some(*result);
    }
    let fields: Map<String, Value> = serde_json::from_str(line).ok()?;
    let mut parsed = TurnResult::default();
    let Ok(Value::Object(mut merged)) = serde_json::to_value(&parsed) else {
        return None;
    };
    for (name, value) in fields {
        let before = merged.insert(name.clone(), value);
        match serde_json::from_value(Value::Object(merged.clone())) {
            Ok(result) => parsed = result,
            Err(_) => {
                merged.remove(&name);
                merged.extend(before.map(|before| (name, before)));
            }
        }
    }
    Some(parsed)
}

impl Owner {
    pub(super) fn handle_command(&mut self, command: ClientCommand) {
        match command {
            ClientCommand::Send {
                uuid,
                prompt,
                reply,
                ended,
            } => {
                let submit = Submit::new(uuid.as_str(), *prompt);
                let result = self.check_open(submit.line.len());
                if result.is_ok() {
                    self.turn_waiters.extend(ended.map(|ended| (uuid, ended)));
                    self.step(What::Submit(submit));
                }
                reply.send(result).ok();
            }
            ClientCommand::Request { request, within, reply } => match self.check_open(0) {
                Ok(()) => {
                    let id = self.new_id();
                    self.waiters.insert(id.clone(), reply);
                    let own = OwnRequest {
                        within: Some(within.unwrap_or(self.deadlines.request)),
                        ..OwnRequest::new(id, *request)
                    };
                    self.step(What::Request(own));
                }
                Err(error) => {
                    reply.send(Err(error)).ok();
                }
            },
            ClientCommand::Answer { ask, answer, by, reply } => {
                reply.send(self.answer(ask, answer, by)).ok();
            }
            ClientCommand::Withdraw { uuid } => {
                let request = self.new_id();
                self.step(What::Withdraw {
                    prompt: uuid.into(),
                    request,
                });
            }
            ClientCommand::Interrupt { cancel_queued, reply } => self.interrupt(cancel_queued, reply),
            ClientCommand::SendMessage { message, reply } => {
                let line = message.to_line();
                let result = self.check_open(line.len());
                if result.is_ok() && self.connection.is_some() {
                    self.enqueue(line.into());
                }
                reply.send(result).ok();
            }
            ClientCommand::ReadState(read) => read(&self.state),
            ClientCommand::ReleaseText(revision) => self.state.let_go(revision),
            ClientCommand::Respawn { reply } => {
                if self.connection.is_some() {
                    reply.send(Ok(())).ok();
                } else if self.closing.is_some() {
                    reply.send(Err(Error::gone())).ok();
                } else {
                    self.respawns.push(reply);
                    self.respawn();
                }
            }
            ClientCommand::Close { reply } => self.close(Some(reply)),
        }
    }

    fn answer(
        &mut self,
        id: RequestId,
        answer: callbacks::PermissionDecision,
        by: Option<Box<str>>,
    ) -> Result<(), Error> {
        let open = self.state.ask(&id).filter(|ask| ask.is_pending());
        let Some(line) = open.and_then(|ask| ask.line.clone()) else {
            return Err(Error::new(
                ErrorKind::NoSuchAsk,
                format!("no permission request {id} is open"),
            ));
        };
        let verdict = match line.to_host() {
            Ok(ToHost::ControlRequest(request)) => match request.request {
                Request::CanUseTool(call) => verdict(&answer.for_call(&call.input)),
                other => {
                    let text = format!("{id} is not a permission request but {}", other.kind());
                    return Err(Error::new(ErrorKind::NoSuchAsk, text));
                }
            },
            _ => {
                return Err(Error::new(
                    ErrorKind::Unreadable,
                    format!("the permission request {id} cannot be parsed"),
                ));
            }
        };
        self.step(What::Answer(conversation::AskAnswer { ask: id, verdict, by }));
        Ok(())
    }

    fn interrupt(&mut self, cancel_queued: bool, reply: oneshot::Sender<Result<Stopped, Error>>) {
        if let Err(error) = self.check_open(0) {
            reply.send(Err(error)).ok();
            return;
        }
        let for_people = self.state.pending_asks().filter(|ask| ask.kind.is_for_a_person());
        let request_ids: Vec<RequestId> = for_people.map(|ask| ask.id.clone()).collect();
        let withdrawn: Vec<_> = request_ids
            .iter()
            .filter_map(|id| self.answer_handles.remove(id))
            .collect();
        if !withdrawn.is_empty() {
            self.log
                .push(Event::Ladder(Step::AsksWithdrawn { count: withdrawn.len() }));
            withdrawn.iter().for_each(tokio::task::AbortHandle::abort);
        }
        let id = self.new_id();
        self.stops.push(Stop {
            id: id.clone(),
            reply,
            answered: false,
            highest: None,
            still_queued: Vec::new(),
        });
        let interrupt = Interrupt {
            cancel_queued: cancel_queued.then_some(true),
            ..Interrupt::default()
        };
        self.step(What::Request(OwnRequest::new(id, interrupt)));
    }
}
