//! The task of a session: it waits for events, runs turns while prompts are queued, and ends when the input has ended
//! and no work is left.
//!
//! A turn is written as straight-line code in methods of [`SessionLoop`]. Where it has to wait, it calls
//! [`SessionLoop::wait_for`], and [`Session::on_event`] handles events meanwhile. A handler is a method of [`Session`],
//! which has neither the inbox nor a way to wait for events, so handlers cannot be nested.

use std::collections::VecDeque;
use std::future::Ready;
use std::pin::Pin;

use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::events::{Awaited, Event};
use crate::messages;
use crate::port::{Exit, Input};
use crate::session::Session;
use crate::turn::Stop;

/// How long an interrupted turn waits for further inputs that belong to the interrupt.
const INTERRUPT_GRACE: std::time::Duration = std::time::Duration::from_millis(3);

/// A session and its event sources.
pub(crate) struct SessionLoop {
    pub(crate) session: Session,
    pub(crate) inbox: mpsc::Receiver<Vec<Input>>,
    /// Inputs that have been received and not handled yet.
    pub(crate) unread: VecDeque<Input>,
    /// The input channel is closed.
    pub(crate) input_closed: bool,
    pub(crate) settings_changes: Option<mpsc::Receiver<()>>,
}

/// The result of waiting for an event.
enum Next<T> {
    /// The awaited future is ready.
    Ready(T),
    Event(Event),
}

/// The reason for the end of a wait.
pub(crate) enum WaitOutcome<T> {
    /// The awaited future is ready.
    Ready(T),
    /// Every call has its result.
    CallsDone,
    /// The turn has to stop; [`Session::stop`] contains the reason.
    Stopped,
}

impl SessionLoop {
    pub(crate) fn new(session: Session, inbox: mpsc::Receiver<Vec<Input>>) -> Self {
        Self {
            session,
            inbox,
            unread: VecDeque::new(),
            input_closed: false,
            settings_changes: None,
        }
    }

    /// Runs the session until it ends.
    pub(crate) async fn run(mut self) -> Exit {
        self.settings_changes = Some(sluice_settings::watch::watch(self.session.options.settings.paths()));
        if !self.session.options.session.parked {
            self.session.tooling.servers().start();
        }
        self.session.restore_session().await;
        self.session.open_catalogue();
        self.session.start_main_agent();
        self.session.emit_title().await;
        self.hook_begin().await;
        if !self.session.conversation.is_loading() {
            self.session.report_orphans().await;
        }
        self.session.resume_interrupted().await;
        let code = loop {
            if let Some(code) = self.session.line.leaving() {
                break code;
            }
            if let Some(opening) = self.next_turn().await {
                self.play(opening).await;
            } else if let Some(input) = self.unread.pop_front() {
                self.session.on_input(input).await;
            } else {
                if !self.session.background.has_agents() {
                    self.session.enter(messages::State::Idle).await;
                }
                if self.session.line.input_ended()
                    && self.session.requests.concurrent.is_empty()
                    && self.session.requests.suggestions.is_empty()
                    && !self.session.awaits_background()
                {
                    break i32::from(self.session.line.last_failed());
                }
                self.wait_idle().await;
            }
        };
        self.session.line.end_input();
        self.session.hook_session_end("other").await;
        self.session.line.requests().close();
        self.session.tooling.servers().shut_down().await;
        self.session.agents.shared().mute_all();
        self.session.tooling.tasks().kill_all().await;
        match self.session.line.leaving() {
            None => self.session.wait_for_agents_to_stop().await,
            Some(_) => self.session.report_killed_commands().await,
        }
        Exit { code }
    }

    /// Waits for any event between turns.
    pub(crate) async fn wait_idle(&mut self) {
        if let Next::Event(event) = self.next(&mut None::<Pin<&mut Ready<()>>>, Awaited::Anything).await {
            match event {
                // Inputs are handled one by one, because each may start a turn.
                Event::Input(Some(inputs)) => self.unread.extend(inputs),
                event => self.handle(event, Awaited::Anything).await,
            }
        }
    }

    /// Waits for `work`, or for the tool calls if it is `None`, and handles other events meanwhile.
    pub(crate) async fn wait_for<F: Future>(&mut self, mut work: Option<Pin<&mut F>>) -> WaitOutcome<F::Output> {
        let awaited = if work.is_some() { Awaited::Work } else { Awaited::Calls };
        // Inputs that arrived together with the prompt may complete the wait.
        self.read().await;
        loop {
            // After a more urgent prompt, running calls may finish, but nothing new starts.
            let supersedes = self.session.turn.stop() == Some(Stop::Supersede);
            let ends_by_itself = supersedes && awaited == Awaited::Calls && self.session.runs_commands();
            if self.session.turn.stop().is_some() && !ends_by_itself {
                self.await_interrupt_inputs().await;
                return WaitOutcome::Stopped;
            }
            if awaited == Awaited::Calls && self.session.turn.take_stop_by() {
                self.session.turn.stop_with(Stop::Interrupt);
                return WaitOutcome::Stopped;
            }
            if awaited == Awaited::Calls && self.session.calls.all_done() {
                return WaitOutcome::CallsDone;
            }
            match self.next(&mut work, awaited).await {
                Next::Ready(output) => return WaitOutcome::Ready(output),
                Next::Event(event) => self.handle(event, awaited).await,
            }
        }
    }

    /// Returns the next event. Cancel safe.
    async fn next<F: Future>(&mut self, work: &mut Option<Pin<&mut F>>, awaited: Awaited) -> Next<F::Output> {
        let session = &mut self.session;
        let idle = awaited == Awaited::Anything;
        let given_up_at = session.background_deadline().filter(|_| idle);
        let launch_at = session.calls.launch_at();
        let wakeup_at = session.tooling.wakeups().next_due();
        Next::Event(tokio::select! {
            biased;
            () = session.line.quit().cancelled() => Event::Quit,
            inputs = self.inbox.recv(), if !self.input_closed => Event::Input(inputs),
            event = session.tooling.next() => Event::Tooling(event),
            () = changed(&mut self.settings_changes) => Event::Settings,
            Some(aside) = session.requests.concurrent.next() => Event::Request(Box::new(aside)),
            Some(guess) = session.requests.suggestions.next() => Event::Suggested(guess),
            Some(hooked) = session.hooks.next() => Event::Hooks(Box::new(hooked)),
            Some(progress) = session.calls.next() => Event::Call(progress),
            output = poll_opt(work) => return Next::Ready(output),
            // Timers come last: an event that is already available was in time.
            summed = session.agents.next_summary(), if !idle => Event::Summary(summed),
            () = sleep_until(launch_at), if !idle => Event::LaunchDue,
            () = sleep_until(session.turn.stops_by()), if !idle => Event::StopDue,
            () = sleep_until(given_up_at) => Event::BackgroundDue,
            () = sleep_until(wakeup_at) => Event::WakeupDue,
        })
    }

    /// Handles one event. The handlers' futures are boxed, so that they do not increase the size of every wait.
    async fn handle(&mut self, event: Event, awaited: Awaited) {
        match event {
            Event::Input(Some(inputs)) => {
                self.unread.extend(inputs);
                self.read().await;
            }
            // Signals may still arrive after the end of the input, so the channel is not the only source.
            Event::Input(None) => {
                self.input_closed = true;
                if !self.session.line.input_ended() {
                    Box::pin(self.session.on_input(Input::Eof)).await;
                }
            }
            event => Box::pin(self.session.on_event(event, awaited)).await,
        }
    }

    /// Waits a moment for inputs that were written together with an interrupt: they belong to the same turn, also a
    /// second interrupt.
    async fn await_interrupt_inputs(&mut self) {
        let until = Instant::now() + INTERRUPT_GRACE;
        while self.session.turn.stop() == Some(Stop::Interrupt)
            && !self.session.line.input_ended()
            && let Ok(Some(inputs)) = tokio::time::timeout_at(until, self.inbox.recv()).await
        {
            self.unread.extend(inputs);
            self.read().await;
        }
    }

    /// Handles the inputs that have arrived, without waiting.
    pub(crate) async fn drain(&mut self) {
        tokio::task::yield_now().await;
        while let Ok(inputs) = self.inbox.try_recv() {
            self.unread.extend(inputs);
        }
        self.read().await;
    }

    async fn read(&mut self) {
        while let Some(input) = self.unread.pop_front() {
            Box::pin(self.session.on_input(input)).await;
        }
    }
}

/// Sleeps until the deadline. Never resolves if there is none.
async fn sleep_until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

/// Waits for a settings file to change.
async fn changed(changes: &mut Option<mpsc::Receiver<()>>) {
    let change = match changes {
        Some(changes) => changes.recv().await,
        None => std::future::pending().await,
    };
    if change.is_none() {
        // The watcher has ended.
        *changes = None;
    }
}

/// Awaits the future. Never resolves if there is none.
async fn poll_opt<F: Future>(awaited: &mut Option<Pin<&mut F>>) -> F::Output {
    match awaited {
        Some(future) => future.as_mut().await,
        None => std::future::pending().await,
    }
}
