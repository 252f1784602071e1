//! An agent that is connected and has not answered `initialize`: it may yet refuse its options.

use std::sync::Arc;

use sluice_wire::control::RequestId;
use sluice_wire::{MessageType, ToHost};

use super::Owner;
use crate::error::{Error, ErrorKind};
use crate::event::Event;
use crate::message::Message;
use crate::transport::Start;

/// How agents say that they do not know a session.
const NO_CONVERSATION: &str = "No conversation found";

/// An agent that was greeted.
pub(super) struct Arriving {
    greeting: RequestId,
    /// The session it was told to go on with, after it had been lost.
    resumed: Option<Arc<str>>,
    /// Why it will not start, in its own words.
    refusal: Option<Arc<str>>,
}

impl Arriving {
    pub(super) fn new(greeting: RequestId, resumed: Option<Arc<str>>) -> Self {
        Self {
            greeting,
            resumed,
            refusal: None,
        }
    }

    pub(super) fn is(&self, request: &RequestId) -> bool {
        self.greeting == *request
    }

    /// A `result` before any prompt says why the agent is about to leave.
    pub(super) fn hear(&mut self, message: &Message) {
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

    /// What is to be said of it when it leaves.
    pub(super) fn refused(&self) -> Option<Error> {
        let refusal = self.refusal.as_ref()?;
        Some(if refusal.contains(NO_CONVERSATION) {
            let text = format!(
                "{refusal}; start without it, or in the folder and with the configuration the session was kept under"
            );
            Error::new(ErrorKind::Session, text)
        } else {
            Error::new(ErrorKind::Start, format!("the agent will not start: {refusal}"))
        })
    }

    /// The session it was to go on with and does not know, and what it said.
    fn forgotten(self) -> Option<(Arc<str>, Arc<str>)> {
        let error = self.refusal.filter(|text| text.contains(NO_CONVERSATION))?;
        Some((self.resumed?, error))
    }
}

impl Owner {
    /// The agent has greeted back, or never will.
    pub(super) fn arrived(&mut self, error: Option<&Error>) {
        let arriving = self.arriving.take();
        match error {
            // One that answers is there, whatever it answers; one that is silent may be old, and still work.
            None => self.there(),
            Some(error) if error.kind() != ErrorKind::Gone && self.live.is_some() => self.there(),
            Some(error) => match arriving.and_then(Arriving::forgotten) {
                Some((session, error)) if self.closing.is_none() => {
                    self.anew = true;
                    self.begin_anew(session, error);
                }
                _ => self.unreachable(error),
            },
        }
    }

    /// Starts the agent without the session there was, and says so.
    pub(super) fn begin_anew(&mut self, session: Arc<str>, error: Arc<str>) {
        self.log.push(Event::Forgotten { session, error });
        self.reach(Start::anew());
    }

    fn there(&mut self) {
        for reply in std::mem::take(&mut self.respawns) {
            reply.send(Ok(())).ok();
        }
        self.watch_ladder();
    }

    /// The agent cannot be had.
    pub(super) fn unreachable(&mut self, error: &Error) {
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
