//! The task of a session: it waits until something happens, plays turns while prompts wait, and leaves when the input
//! has ended and nothing is owed.
//!
//! A turn is written down as it goes, one step after the other, in methods of [`SessionLoop`]; wherever it has to wait
//! for something it calls [`SessionLoop::wait_for`], the one place where a turn waits. What happens meanwhile is
//! handled by [`Session::on_event`]. A handler is a method of [`Session`], which has neither the inbox nor a way to wait for
//! events: it cannot let another handler in.

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

/// How long an interrupted turn waits for what came with the interrupt.
const LINGER: std::time::Duration = std::time::Duration::from_millis(3);

/// A session, and what it waits on.
pub(crate) struct SessionLoop {
    pub(crate) session: Session,
    pub(crate) inbox: mpsc::Receiver<Vec<Input>>,
    /// What arrived and was not looked at yet.
    pub(crate) unread: VecDeque<Input>,
    /// Nobody is left who could say anything.
    pub(crate) deaf: bool,
    pub(crate) settings_changes: Option<mpsc::Receiver<()>>,
}

/// What comes next.
enum Next<T> {
    /// What was waited for.
    Ready(T),
    Event(Event),
}

/// What ended a wait.
pub(crate) enum Heard<T> {
    /// What was waited for.
    Ready(T),
    /// Every call has its result.
    CallsDone,
    /// The turn has to stop; [`Session::stop`] says why.
    Stopped,
}

impl SessionLoop {
    pub(crate) fn new(session: Session, inbox: mpsc::Receiver<Vec<Input>>) -> Self {
        Self {
            session,
            inbox,
            unread: VecDeque::new(),
            deaf: false,
            settings_changes: None,
        }
    }

    /// Lives until the host is done with it.
    pub(crate) async fn run(mut self) -> Exit {
        self.settings_changes = Some(sluice_settings::watch::watch(self.session.options.settings.paths()));
        if !self.session.options.session.parked {
            self.session.tooling.servers().start();
        }
        self.session.take_up().await;
        self.session.open_catalogue();
        self.session.be_led_from_the_start();
        self.session.tell_title().await;
        self.hook_begin().await;
        if !self.session.conversation.is_recalling() {
            self.session.tell_orphans().await;
        }
        self.session.resume_interrupted().await;
        let code = loop {
            if let Some(code) = self.session.line.leaving() {
                break code;
            }
            if let Some(opening) = self.next_turn().await {
                self.play(opening).await;
            } else if let Some(input) = self.unread.pop_front() {
                self.session.take(input).await;
            } else {
                if !self.session.background.has_agents() {
                    self.session.enter(messages::State::Idle).await;
                }
                if self.session.line.input_ended()
                    && self.session.requests.asides.is_empty()
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
        self.session.agents.shared().hush();
        self.session.tooling.tasks().kill_all().await;
        match self.session.line.leaving() {
            None => self.session.see_agents_off().await,
            Some(_) => self.session.see_commands_off().await,
        }
        Exit { code }
    }

    /// Waits between turns, for anything at all.
    pub(crate) async fn wait_idle(&mut self) {
        if let Next::Event(event) = self.next(&mut None::<Pin<&mut Ready<()>>>, Awaited::Anything).await {
            match event {
                // One after the other, since each may begin a turn.
                Event::Input(Some(inputs)) => self.unread.extend(inputs),
                event => self.handle(event, Awaited::Anything).await,
            }
        }
    }

    /// Waits for `work`, or for the calls when there is none, and handles all else.
    pub(crate) async fn wait_for<F: Future>(&mut self, mut work: Option<Pin<&mut F>>) -> Heard<F::Output> {
        let awaited = if work.is_some() { Awaited::Work } else { Awaited::Calls };
        // What came together with the prompt may be what is waited for.
        self.read().await;
        loop {
            // What a more urgent prompt finds running is left to end; nothing further begins.
            let supersedes = self.session.turn.stop() == Some(Stop::Supersede);
            let ends_by_itself = supersedes && awaited == Awaited::Calls && self.session.runs_commands();
            if self.session.turn.stop().is_some() && !ends_by_itself {
                self.linger().await;
                return Heard::Stopped;
            }
            if awaited == Awaited::Calls && self.session.turn.take_stop_by() {
                self.session.turn.stop_with(Stop::Interrupt);
                return Heard::Stopped;
            }
            if awaited == Awaited::Calls && self.session.calls.all_done() {
                return Heard::CallsDone;
            }
            match self.next(&mut work, awaited).await {
                Next::Ready(output) => return Heard::Ready(output),
                Next::Event(event) => self.handle(event, awaited).await,
            }
        }
    }

    /// The next thing that happens. Dropping the future loses nothing.
    async fn next<F: Future>(&mut self, work: &mut Option<Pin<&mut F>>, awaited: Awaited) -> Next<F::Output> {
        let session = &mut self.session;
        let idle = awaited == Awaited::Anything;
        let given_up_at = session.background_deadline().filter(|_| idle);
        let launch_at = session.calls.launch_at();
        let wakeup_at = session.tooling.wakeups().next_due();
        Next::Event(tokio::select! {
            biased;
            () = session.line.quit().cancelled() => Event::Quit,
            inputs = self.inbox.recv(), if !self.deaf => Event::Input(inputs),
            event = session.tooling.next() => Event::Tooling(event),
            () = changed(&mut self.settings_changes) => Event::Settings,
            Some(aside) = session.requests.asides.next() => Event::Aside(Box::new(aside)),
            Some(guess) = session.requests.suggestions.next() => Event::Suggested(guess),
            Some(hooked) = session.hooks.next() => Event::Hooked(Box::new(hooked)),
            Some(progress) = session.calls.next() => Event::Call(progress),
            output = poll_opt(work) => return Next::Ready(output),
            // What is due by the clock comes last: what has arrived by then was in time.
            summed = session.agents.next_summary(), if !idle => Event::Summed(summed),
            () = sleep_until(launch_at), if !idle => Event::LaunchDue,
            () = sleep_until(session.turn.stops_by()), if !idle => Event::StopDue,
            () = sleep_until(given_up_at) => Event::BackgroundDue,
            () = sleep_until(wakeup_at) => Event::WakeupDue,
        })
    }

    /// Handles one thing that happened. Handlers are large and seldom run long: in a box of their own they do not make
    /// every wait as large as the largest of them.
    async fn handle(&mut self, event: Event, awaited: Awaited) {
        match event {
            Event::Input(Some(inputs)) => {
                self.unread.extend(inputs);
                self.read().await;
            }
            // The end of the input alone is not the end of all that can be said: signals come behind it.
            Event::Input(None) => {
                self.deaf = true;
                if !self.session.line.input_ended() {
                    Box::pin(self.session.take(Input::Eof)).await;
                }
            }
            event => Box::pin(self.session.on_event(event, awaited)).await,
        }
    }

    /// What is written along with an interrupt belongs to the same turn, a second interrupt included: a
    /// moment is left for it to arrive.
    async fn linger(&mut self) {
        let until = Instant::now() + LINGER;
        while self.session.turn.stop() == Some(Stop::Interrupt)
            && !self.session.line.input_ended()
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

    async fn read(&mut self) {
        while let Some(input) = self.unread.pop_front() {
            Box::pin(self.session.take(input)).await;
        }
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
