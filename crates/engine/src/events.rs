//! What may happen to a session, and what it then does. Nothing here waits for events: that
//! is for [`SessionLoop`](crate::session_loop::SessionLoop) alone, so no handler is entered while another one runs.

use std::io;
use std::path::PathBuf;

use sluice_call::CallEvent;
use sluice_checkpoints::Backup;
use sluice_tools::{Outcome, ToolEvent};
use tokio::time::Instant;

use crate::agents::Summed;
use crate::hooks::Hooked;
use crate::host_requests::Said;
use crate::messages;
use crate::port::{Input, Signal};
use crate::requests::Aside;
use crate::session::Session;
use crate::turn::Stop;

/// What the session waits for while something happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Awaited {
    /// Anything: no turn is open.
    Anything,
    /// The tool calls of the message.
    Calls,
    /// The model, a hook, a server or a file; calls may run beside it.
    Work,
}

/// One thing that happened.
#[derive(Debug)]
pub(crate) enum Event {
    /// The host said something, in this order; nothing more will come after `None`.
    Input(Option<Vec<Input>>),
    /// Tools that run tell of themselves.
    Tool(Option<Box<ToolEvent>>),
    /// A settings file has changed.
    Settings,
    /// MCP servers have news.
    Servers,
    /// The permission prompt tool answered the request of that id.
    Judged(String, Said),
    /// A control request that took a while is answered.
    Aside(Box<Aside>),
    /// Hooks have run beside the session.
    Hooked(Box<Hooked>),
    /// The file a call changes is kept as it was; the call may begin.
    Kept(Box<Kept>),
    /// A call has run.
    Ran(usize, Box<Outcome>),
    /// What the person may ask next.
    Suggested(Option<String>),
    /// A subagent's progress summary is due or made.
    Summed(Summed),
    /// Calls have waited long enough for the stream.
    LaunchDue,
    /// The turn has to stop by now.
    StopDue,
    /// Background work is waited for no longer.
    BackgroundDue,
    /// The process goes.
    Quit,
}

/// A file that was kept before the call at this index changes it.
#[derive(Debug)]
pub(crate) struct Kept {
    pub(crate) index: usize,
    pub(crate) path: PathBuf,
    pub(crate) backup: io::Result<Backup>,
}

impl Session {
    /// Handles one thing that happened.
    pub(crate) async fn on_event(&mut self, event: Event, awaited: Awaited) {
        match event {
            Event::Input(inputs) => {
                for input in inputs.into_iter().flatten() {
                    self.take(input).await;
                }
            }
            Event::Tool(event) => self.on_tool_event(event.map(|event| *event)).await,
            Event::Settings => self.settings_changed().await,
            Event::Servers => self.servers_changed().await,
            Event::Judged(id, said) => self.judged(&id, said).await,
            Event::Aside(aside) => self.tell_aside(*aside).await,
            Event::Hooked(hooked) => self.hooked(*hooked).await,
            Event::Kept(kept) => {
                let Kept { index, path, backup } = *kept;
                self.kept(&path, backup);
                self.advance(index, CallEvent::Kept).await;
            }
            Event::Ran(index, outcome) if awaited == Awaited::Calls => {
                self.drain_events().await;
                self.finish_run(index, *outcome).await;
                self.launch().await;
            }
            // Results are told when the message is whole, behind it.
            Event::Ran(index, outcome) => self.hold(index, *outcome),
            Event::Suggested(guess) => self.say_suggestion(guess).await,
            Event::Summed(summed) => self.sum_up(summed).await,
            Event::LaunchDue => self.launch().await,
            Event::StopDue => self.turn.stop_with(Stop::Interrupt),
            Event::BackgroundDue => self.background.give_up(),
            Event::Quit => {
                self.line.begin_leaving();
                if awaited != Awaited::Anything {
                    self.turn.stop_with(Stop::Leave);
                }
            }
        }
    }

    /// Handles one thing from outside.
    pub(crate) async fn take(&mut self, input: Input) {
        match input {
            Input::Message(message) if self.options.session.refusal.is_some() && !self.may_help(&message) => {
                self.refuse_to_begin().await;
            }
            Input::Message(message) => self.on_host_message(*message).await,
            Input::BadRequest {
                request_id,
                subtype,
                problem,
            } => {
                self.misread(&request_id, subtype.as_deref(), &problem).await;
            }
            Input::Bad(report) => self.say(messages::informational(&report, "warning")).await,
            // A subagent is told by everyone who is.
            Input::Eof if self.line.input_ended() => {}
            Input::Eof => {
                self.line.end_input();
                self.agents.tell_eof();
                self.background.begin_wait(self.options.limits.background_wait);
                self.line.requests().close();
                self.fail_open_asks().await;
            }
            Input::Signal(Signal::Interrupt) => {
                self.line.leave(0);
                if self.turn.is_open() {
                    self.withdraw_asks().await;
                    self.turn.stop_with(Stop::Interrupt);
                }
            }
            Input::Signal(Signal::Leave(code)) => {
                self.line.leave(code);
                self.turn.stop_with(Stop::Leave);
            }
        }
    }

    /// There is nothing to go on with: the host learns it from a result, once it listens.
    async fn refuse_to_begin(&mut self) {
        if let (None, Some(why)) = (self.line.leaving(), &self.options.session.refusal) {
            self.say(messages::refusal(why)).await;
            self.line.leave(1);
        }
    }

    /// Events a call sent before it returned are told before its result.
    pub(crate) async fn drain_events(&mut self) {
        while let Ok(event) = self.tooling.reported.try_recv() {
            self.on_tool_event(Some(event)).await;
        }
    }

    pub(crate) fn awaits_background(&self) -> bool {
        self.line.leaving().is_none() && self.background.awaited()
    }

    pub(crate) fn background_deadline(&self) -> Option<Instant> {
        if self.line.input_ended() {
            self.background.deadline()
        } else {
            None
        }
    }
}
