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

type Look = Box<dyn FnOnce(&ConversationState) + Send>;

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
    Say {
        message: Box<ToAgent>,
        reply: oneshot::Sender<Result<(), Error>>,
    },
    Look(Look),
    LetGo(u64),
    Respawn {
        reply: oneshot::Sender<Result<(), Error>>,
    },
    Close {
        reply: oneshot::Sender<()>,
    },
}

/// How a turn was stopped.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Stopped {
    /// The highest rung that was needed; `None` when no turn was open.
    pub rung: Option<Rung>,
    /// Prompts that still wait and will run.
    pub still_queued: Vec<String>,
}

/// How the turn of a prompt ended.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Ended {
    /// The turn.
    pub turn: Turn,
    /// Its `result`; `None` when the agent died or never said.
    pub result: Option<TurnResult>,
    /// The number of the event after the last one of the turn.
    pub position: u64,
}

/// Whether the turn of this prompt has ended, and how.
pub(super) fn ended(state: &ConversationState, uuid: &str, position: u64) -> Option<Result<Ended, Error>> {
    let prompt = state.prompt(uuid)?;
    if let PromptState::Failed(failure) = prompt.state {
        let why = match failure {
            Failure::Withdrawn => "the prompt was taken back",
            Failure::Closed | Failure::Lost => "the session was closed before the prompt was read",
        };
        return Some(Err(Error::new(ErrorKind::Gone, why)));
    }
    if prompt.finished && prompt.turn.is_none() {
        let text = "the prompt was run before the agent was lost, and what came of it was lost with it";
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

/// Reads a `result`. Where an agent leaves something out, or says it some other way, that is as if it were nothing.
fn read_result(line: &conversation::Line) -> Option<TurnResult> {
    if let Ok(ToHost::Result(result)) = line.to_host() {
        return Some(*result);
    }
    let said: Map<String, Value> = serde_json::from_str(line).ok()?;
    let mut read = TurnResult::default();
    let Ok(Value::Object(mut whole)) = serde_json::to_value(&read) else {
        return None;
    };
    for (name, value) in said {
        let before = whole.insert(name.clone(), value);
        match serde_json::from_value(Value::Object(whole.clone())) {
            Ok(result) => read = result,
            Err(_) => {
                whole.remove(&name);
                whole.extend(before.map(|before| (name, before)));
            }
        }
    }
    Some(read)
}

impl Owner {
    pub(super) fn obey(&mut self, command: ClientCommand) {
        match command {
            ClientCommand::Send {
                uuid,
                prompt,
                reply,
                ended,
            } => {
                let submit = Submit::new(uuid.as_str(), *prompt);
                let checked = self.check_open(submit.line.len());
                if checked.is_ok() {
                    self.ends.extend(ended.map(|ended| (uuid, ended)));
                    self.step(What::Submit(submit));
                }
                reply.send(checked).ok();
            }
            ClientCommand::Request { request, within, reply } => match self.check_open(0) {
                Ok(()) => {
                    let id = self.fresh_id();
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
                let request = self.fresh_id();
                self.step(What::Withdraw {
                    prompt: uuid.into(),
                    request,
                });
            }
            ClientCommand::Interrupt { cancel_queued, reply } => self.interrupt(cancel_queued, reply),
            ClientCommand::Say { message, reply } => {
                let line = message.to_line();
                let checked = self.check_open(line.len());
                if checked.is_ok() && self.live.is_some() {
                    self.post(line.into());
                }
                reply.send(checked).ok();
            }
            ClientCommand::Look(look) => look(&self.state),
            ClientCommand::LetGo(revision) => self.state.let_go(revision),
            ClientCommand::Respawn { reply } => {
                if self.live.is_some() {
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
            return Err(Error::new(ErrorKind::NoSuchAsk, format!("no ask {id} is open")));
        };
        let verdict = match line.to_host() {
            Ok(ToHost::ControlRequest(request)) => match request.request {
                Request::CanUseTool(call) => verdict(&answer.for_call(&call.input)),
                other => {
                    let text = format!("{id} is no ask but {}", other.kind());
                    return Err(Error::new(ErrorKind::NoSuchAsk, text));
                }
            },
            _ => {
                return Err(Error::new(
                    ErrorKind::Unreadable,
                    format!("the ask {id} cannot be read"),
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
        let asked: Vec<RequestId> = for_people.map(|ask| ask.id.clone()).collect();
        let withdrawn: Vec<_> = asked.iter().filter_map(|id| self.answerer_of.remove(id)).collect();
        if !withdrawn.is_empty() {
            self.log
                .push(Event::Ladder(Step::AsksWithdrawn { count: withdrawn.len() }));
            withdrawn.iter().for_each(tokio::task::AbortHandle::abort);
        }
        let id = self.fresh_id();
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
