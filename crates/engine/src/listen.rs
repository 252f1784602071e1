//! Where the session waits. [`Session::wait_idle`] between turns, [`Session::wait_for`] during one: whatever may happen
//! meanwhile is handled there and nowhere else.

use std::pin::Pin;

use sluice_tools::{Outcome, ToolEvent};
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::agents::{self, Summed};
use crate::call::CallEvent;
use crate::control::aside::Aside;
use crate::hooks::Hooked;
use crate::host_requests::Said;
use crate::messages;
use crate::port::{Input, Signal};
use crate::session::Session;
use crate::turn::Stop;

/// How long an interrupted turn waits for what came with the interrupt.
const LINGER: std::time::Duration = std::time::Duration::from_millis(3);

/// What ended a wait.
pub(crate) enum Heard<T> {
    /// What was waited for.
    Ready(T),
    /// Every call has its result.
    CallsDone,
    /// The turn has to stop; [`Session::stop`] says why.
    Stopped,
}

/// What may happen while waiting.
enum Happening<T> {
    Ready(T),
    Heard(Option<Vec<Input>>),
    Ran(usize, Outcome),
    Tool(Option<ToolEvent>),
    Settings,
    Servers,
    Judged(String, Said),
    Aside(Box<Aside>),
    Hooked(Box<Hooked>),
    Summed(Summed),
    Launch,
    Enough,
    Quit,
}

impl Session {
    /// Waits between turns, for anything at all.
    pub(crate) async fn wait_idle(&mut self) {
        let deadline = self.background_deadline();
        tokio::select! {
            biased;
            () = self.quit.cancelled() => self.leave = Some(self.leave.unwrap_or(0)),
            event = self.events.recv() => self.on_tool_event(event).await,
            () = changed(&mut self.settings_changes) => self.settings_changed().await,
            () = self.servers.news() => self.servers_changed().await,
            Some(aside) = self.asides.next() => self.tell_aside(aside).await,
            Some(guess) = self.suggestions.next() => self.say_suggestion(guess).await,
            Some(hooked) = self.hooks.next() => self.hooked(hooked).await,
            inputs = self.inbox.recv(), if !self.deaf => match inputs {
                Some(inputs) => self.unread.extend(inputs),
                None => self.hear_no_more().await,
            },
            () = sleep_until(deadline) => self.background.give_up(),
        }
    }

    /// Waits for `awaited`, or for the calls when there is none, and handles all else.
    pub(crate) async fn wait_for<F: Future>(&mut self, mut awaited: Option<Pin<&mut F>>) -> Heard<F::Output> {
        // What came together with the prompt may be what is waited for.
        self.read().await;
        loop {
            // What a more urgent prompt finds running is left to end; nothing further begins.
            let ends_by_itself = self.stop == Some(Stop::Supersede) && awaited.is_none() && self.runs_commands();
            if self.stop.is_some() && !ends_by_itself {
                self.linger().await;
                return Heard::Stopped;
            }
            if awaited.is_none() && self.stop_by.take().is_some() {
                self.stop = Some(Stop::Interrupt);
                return Heard::Stopped;
            }
            if awaited.is_none() && self.calls.all_done() {
                return Heard::CallsDone;
            }
            let (launch_at, stop_by) = (self.calls.launch_at, self.stop_by);
            let happening = tokio::select! {
                biased;
                () = self.quit.cancelled() => Happening::Quit,
                inputs = self.inbox.recv(), if !self.deaf => Happening::Heard(inputs),
                event = self.events.recv() => Happening::Tool(event),
                () = changed(&mut self.settings_changes) => Happening::Settings,
                () = self.servers.news() => Happening::Servers,
                Some(Ok((id, said))) = self.verdicts.join_next() => Happening::Judged(id, said),
                Some(aside) = self.asides.next() => Happening::Aside(Box::new(aside)),
                Some(hooked) = self.hooks.next() => Happening::Hooked(Box::new(hooked)),
                Some(Ok((index, path, backup))) = self.calls.keeping.join_next() => {
                    self.kept(&path, backup);
                    self.advance(index, CallEvent::Kept).await;
                    continue;
                }
                Some(done) = self.calls.running.join_next() => match done {
                    Ok((index, outcome)) => Happening::Ran(index, outcome),
                    Err(_) => continue,
                },
                output = poll_opt(&mut awaited) => Happening::Ready(output),
                summed = agents::next_summary(&mut self.agents.summaries) => Happening::Summed(summed),
                () = sleep_until(launch_at) => Happening::Launch,
                () = sleep_until(stop_by) => Happening::Enough,
            };
            match happening {
                Happening::Ready(output) => return Heard::Ready(output),
                Happening::Heard(Some(inputs)) => {
                    self.unread.extend(inputs);
                    self.read().await;
                }
                Happening::Heard(None) => self.hear_no_more().await,
                Happening::Tool(event) => self.on_tool_event(event).await,
                Happening::Settings => self.settings_changed().await,
                Happening::Servers => self.servers_changed().await,
                Happening::Judged(id, said) => self.judged(&id, said).await,
                Happening::Aside(aside) => self.tell_aside(*aside).await,
                Happening::Hooked(hooked) => self.hooked(*hooked).await,
                Happening::Ran(index, outcome) if awaited.is_some() => self.hold(index, outcome),
                Happening::Ran(index, outcome) => {
                    self.drain_events().await;
                    self.finish_run(index, outcome).await;
                    self.launch().await;
                }
                Happening::Summed(summed) => Box::pin(self.sum_up(summed)).await,
                Happening::Launch => self.launch().await,
                Happening::Enough => self.stop = Some(Stop::Interrupt),
                Happening::Quit => {
                    self.leave = Some(self.leave.unwrap_or(0));
                    self.stop = Some(Stop::Leave);
                }
            }
        }
    }

    /// Nobody will say anything any more. The end of the input alone is not that: signals come behind it.
    async fn hear_no_more(&mut self) {
        self.deaf = true;
        if !self.eof {
            self.take(Input::Eof).await;
        }
    }

    /// What is written along with an interrupt belongs to the same turn, a second interrupt included: a
    /// moment is left for it to arrive.
    async fn linger(&mut self) {
        let until = Instant::now() + LINGER;
        while self.stop == Some(Stop::Interrupt)
            && !self.eof
            && let Ok(Some(inputs)) = tokio::time::timeout_at(until, self.inbox.recv()).await
        {
            self.unread.extend(inputs);
            self.read().await;
        }
    }

    /// Reads what has arrived without waiting for more.
    pub(crate) async fn drain(&mut self) {
        tokio::task::yield_now().await;
        while let Ok(inputs) = self.inbox.try_recv() {
            self.unread.extend(inputs);
        }
        self.read().await;
    }

    /// Events a call sent before it returned are told before its result.
    pub(crate) async fn drain_events(&mut self) {
        while let Ok(event) = self.events.try_recv() {
            self.on_tool_event(Some(event)).await;
        }
    }

    async fn read(&mut self) {
        while let Some(input) = self.unread.pop_front() {
            self.take(input).await;
        }
    }

    /// Handles one thing from outside.
    pub(crate) async fn take(&mut self, input: Input) {
        match input {
            Input::Message(message) if self.options.refusal.is_some() && !self.may_help(&message) => {
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
            Input::Eof if self.eof => {}
            Input::Eof => {
                self.eof = true;
                self.agents.tell_eof();
                self.background.begin_wait(self.options.background_wait);
                self.host_requests.close();
                self.fail_open_asks().await;
            }
            Input::Signal(Signal::Interrupt) => {
                self.leave = Some(0);
                if self.turn.open {
                    self.withdraw_asks().await;
                    self.stop = Some(Stop::Interrupt);
                }
            }
            Input::Signal(Signal::Leave(code)) => {
                self.leave = Some(code);
                self.stop = Some(Stop::Leave);
            }
        }
    }

    /// There is nothing to go on with: the host learns it from a result, once it listens.
    async fn refuse_to_begin(&mut self) {
        if let (None, Some(why)) = (self.leave, &self.options.refusal) {
            self.say(messages::refusal(why)).await;
            self.leave = Some(1);
        }
    }

    pub(crate) fn awaits_background(&self) -> bool {
        self.leave.is_none() && self.background.awaited()
    }

    fn background_deadline(&self) -> Option<Instant> {
        if self.eof { self.background.deadline() } else { None }
    }
}

/// Sleeps until then, or for ever.
async fn sleep_until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

/// Waits for a settings file to change.
async fn changed(changes: &mut Option<mpsc::Receiver<()>>) {
    let told = match changes {
        Some(changes) => changes.recv().await,
        None => std::future::pending().await,
    };
    if told.is_none() {
        // The watcher is gone: nothing more will be told.
        *changes = None;
    }
}

/// Awaits what there is to await, or for ever.
async fn poll_opt<F: Future>(awaited: &mut Option<Pin<&mut F>>) -> F::Output {
    match awaited {
        Some(future) => future.as_mut().await,
        None => std::future::pending().await,
    }
}
