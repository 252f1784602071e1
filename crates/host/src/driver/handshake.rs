//! The handshake: an agent that is connected and has not answered `initialize` may still reject its options.

use std::sync::Arc;

use sluice_wire::control::RequestId;
use sluice_wire::{MessageType, ToHost};

use super::Owner;
use crate::error::{Error, ErrorKind};
use crate::event::Event;
use crate::message::Message;
use crate::transport::Start;

/// The start of the error of an agent that does not know a session.
const NO_CONVERSATION: &str = "No conversation found";

/// The state of a handshake.
pub(super) struct Handshake {
    request: RequestId,
    /// The session that the restarted agent is to resume.
    resumed: Option<Arc<str>>,
    /// The error with which the agent rejected to start.
    refusal: Option<Arc<str>>,
}

impl Handshake {
    pub(super) fn new(request: RequestId, resumed: Option<Arc<str>>) -> Self {
        Self {
            request,
            resumed,
            refusal: None,
        }
    }

    pub(super) fn is(&self, request: &RequestId) -> bool {
        self.request == *request
    }

    /// Processes a message. A `result` before any prompt contains the reason why the agent is about to exit.
    pub(super) fn on_message(&mut self, message: &Message) {
        if message.frame().message_type() != MessageType::Result {
            return;
        }
        if let Some(ToHost::Result(result)) = message.to_host()
            && result.is_error
        {
            let errors = result.errors.as_deref().unwrap_or_default();
            self.refusal = Some(errors.join("; ").into()).filter(|text: &Arc<str>| !text.is_empty());
        }
    }

    /// Returns the error to report when the agent exits during the handshake.
    pub(super) fn exit_error(&self) -> Option<Error> {
        let refusal = self.refusal.as_ref()?;
        Some(if refusal.contains(NO_CONVERSATION) {
            let text = format!(
                "{refusal}; start a new session, or use the folder and configuration in which the session was saved"
            );
            Error::new(ErrorKind::Session, text)
        } else {
            Error::new(ErrorKind::Start, format!("the agent rejected to start: {refusal}"))
        })
    }

    /// Returns the session that the agent was to resume and does not know, with its error.
    fn unknown_session(self) -> Option<(Arc<str>, Arc<str>)> {
        let error = self.refusal.filter(|text| text.contains(NO_CONVERSATION))?;
        Some((self.resumed?, error))
    }
}

impl Owner {
    /// Handles the end of the handshake: a response, or an error if there will be none.
    pub(super) fn on_handshake_done(&mut self, error: Option<&Error>) {
        let handshake = self.handshake.take();
        match error {
            // Any response means that the agent runs. An agent without a response may be an old version that still works.
            None => self.on_ready(),
            Some(error) if error.kind() != ErrorKind::Gone && self.connection.is_some() => self.on_ready(),
            Some(error) => match handshake.and_then(Handshake::unknown_session) {
                Some((session, error)) if self.closing.is_none() => {
                    self.starting_over = true;
                    self.start_new_session(session, error);
                }
                _ => self.on_connect_failed(error),
            },
        }
    }

    /// Restarts the agent with a new session, and notifies subscribers.
    pub(super) fn start_new_session(&mut self, session: Arc<str>, error: Arc<str>) {
        self.log.push(Event::Forgotten { session, error });
        self.connect(Start::new_session());
    }

    fn on_ready(&mut self) {
        for reply in std::mem::take(&mut self.respawns) {
            reply.send(Ok(())).ok();
        }
        self.update_interrupts();
    }

    /// Handles a failed attempt to connect to the agent.
    pub(super) fn on_connect_failed(&mut self, error: &Error) {
        self.log.push(Event::Unreachable {
            error: error.to_string().into(),
        });
        for reply in std::mem::take(&mut self.respawns) {
            reply.send(Err(error.clone())).ok();
        }
        for stop in std::mem::take(&mut self.stops) {
            stop.reply.send(Err(error.clone())).ok();
        }
    }
}
