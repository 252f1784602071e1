//! Events of a session and their handlers. The handlers do not wait for events; only
//! [`SessionLoop`](crate::session_loop::SessionLoop) does, so no handler is entered while another one runs.

use sluice_call::CallEvent;
use tokio::time::Instant;

use crate::agents::SummaryEvent;
use crate::calls::{CopiedFile, Progress};
use crate::hooks::HookOutcome;
use crate::messages;
use crate::port::{Input, Signal};
use crate::requests::RequestOutcome;
use crate::session::Session;
use crate::tooling::ToolingEvent;
use crate::turn::Stop;

/// What the session is waiting for when an event occurs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Awaited {
    /// No turn is open.
    Anything,
    /// The tool calls of the current message.
    Calls,
    /// The model, a hook, an MCP server or a file. Calls may run concurrently.
    Work,
}

/// An event of a session.
#[derive(Debug)]
pub(crate) enum Event {
    /// Inputs of the host, in order. `None`: the channel is closed.
    Input(Option<Vec<Input>>),
    /// A report of a running tool or a change of MCP servers.
    Tooling(ToolingEvent),
    /// A settings file has changed.
    Settings,
    /// A control request that ran concurrently is done.
    Request(Box<RequestOutcome>),
    /// Hooks that ran concurrently are done.
    Hooks(Box<HookOutcome>),
    /// A tool call has advanced.
    Call(Progress),
    /// A suggested next prompt.
    Suggested(Option<String>),
    /// The progress summary of a subagent is due or was written.
    Summary(SummaryEvent),
    /// Calls have waited long enough for the model's stream.
    LaunchDue,
    /// The turn exceeded its time limit.
    StopDue,
    /// A scheduled prompt is due.
    WakeupDue,
    /// The wait for background tasks is over.
    BackgroundDue,
    /// The process should exit.
    Quit,
}

impl Session {
    /// Handles one event.
    pub(crate) async fn on_event(&mut self, event: Event, awaited: Awaited) {
        match event {
            Event::Input(inputs) => {
                for input in inputs.into_iter().flatten() {
                    self.on_input(input).await;
                }
            }
            Event::Tooling(ToolingEvent::Reported(event)) => self.on_tool_event(event.map(|event| *event)).await,
            Event::Tooling(ToolingEvent::Servers) => self.servers_changed().await,
            Event::Settings => self.settings_changed().await,
            Event::Call(progress) => self.call_progressed(progress, awaited).await,
            Event::Request(aside) => self.handle_outcome(*aside).await,
            Event::Hooks(hooked) => self.on_hook_outcome(*hooked).await,
            Event::Suggested(guess) => self.emit_suggestion(guess).await,
            Event::Summary(summed) => self.on_summary_event(summed).await,
            Event::LaunchDue => self.launch().await,
            Event::StopDue => self.turn.stop_with(Stop::Interrupt),
            Event::WakeupDue => self.wake_up(),
            Event::BackgroundDue => self.background.give_up(),
            Event::Quit => {
                self.line.begin_leaving();
                if awaited != Awaited::Anything {
                    self.turn.stop_with(Stop::Leave);
                }
            }
        }
    }

    async fn call_progressed(&mut self, progress: Progress, awaited: Awaited) {
        match progress {
            Progress::PermissionToolAnswered(id, response) => self.on_permission_tool_answer(&id, response).await,
            Progress::FileCopied(copied) => {
                let CopiedFile { index, path, backup } = *copied;
                self.file_copied(&path, backup);
                self.advance(index, CallEvent::Kept).await;
            }
            Progress::Ran(index, outcome) if awaited == Awaited::Calls => {
                self.drain_events().await;
                self.finish_run(index, *outcome).await;
                self.launch().await;
            }
            // Hosts expect results after the complete message that contains the calls.
            Progress::Ran(index, outcome) => self.calls.hold_result(index, *outcome),
        }
    }

    /// Handles one input.
    pub(crate) async fn on_input(&mut self, input: Input) {
        match input {
            Input::Message(message)
                if self.options.session.refusal.is_some() && !self.may_define_main_agent(&message) =>
            {
                self.refuse_to_begin().await;
            }
            Input::Message(message) => self.on_host_message(*message).await,
            Input::BadRequest {
                request_id,
                subtype,
                problem,
            } => {
                self.reject_invalid(&request_id, subtype.as_deref(), &problem).await;
            }
            Input::Bad(report) => self.emit(messages::informational(&report, "warning")).await,
            // A subagent can receive the end of input from several senders.
            Input::Eof if self.line.input_ended() => {}
            Input::Eof => {
                self.line.end_input();
                self.agents.send_eof();
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

    /// The session cannot start: sends the reason as a result, and exits.
    async fn refuse_to_begin(&mut self) {
        if let (None, Some(why)) = (self.line.leaving(), &self.options.session.refusal) {
            self.emit(messages::refusal(why)).await;
            self.line.leave(1);
        }
    }

    /// Handles reports that a call sent before it returned, so that they precede its result.
    pub(crate) async fn drain_events(&mut self) {
        while let Some(event) = self.tooling.try_next_report() {
            self.on_tool_event(Some(event)).await;
        }
    }

    pub(crate) fn awaits_background(&self) -> bool {
        self.line.leaving().is_none() && self.background.keeps_session_open()
    }

    pub(crate) fn background_deadline(&self) -> Option<Instant> {
        if self.line.input_ended() {
            self.background.deadline()
        } else {
            None
        }
    }
}
