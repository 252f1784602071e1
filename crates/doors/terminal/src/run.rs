//! The main loop: handles keys, agent events, signals and timers; draws frames and carries out acts.

mod aside;
mod closing;
mod dialogue;
mod drafts;
mod drawing;
mod editor;

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rustix::process::Signal as Os;
use sluice_host::items::ItemCursor;
use sluice_host::transport::Transport;
use sluice_host::{Client, Error, Event, Events, Options};
use tokio::io::unix::AsyncFd;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;

use crate::app::{Act, ActOutcome, App, Next, Now};
use crate::executor::{Executor, Forms, Shells, branch};
use crate::facts::Facts;
use crate::input::Decoder;
use crate::screen::{Capabilities, Outlet, Progress, Writer, tty};
use crate::text::width::Habits;
use crate::theme::Glyphs;
use closing::{Closing, Work};
use drafts::DraftFile;
pub(crate) use editor::edit_text;

/// Minimum interval between two frames of streamed output.
const MIN_FRAME_INTERVAL: Duration = Duration::from_millis(33);
/// Delay after the last size change before redrawing; size changes arrive in bursts.
const RESIZE_DELAY: Duration = Duration::from_millis(50);
/// Maximum size of buffered events, in bytes.
pub(crate) const LOG: usize = 32 * 1024;
/// Exit code after a panic, as for any Rust program.
const PANIC_EXIT_CODE: i32 = 101;
/// Interval at which a background process checks whether it is in the foreground again: not every shell sends `SIGCONT`
/// to a running process.
const FOREGROUND_CHECK_INTERVAL: Duration = Duration::from_millis(500);
/// Time the agent has to exit.
const EXIT_TIMEOUT: Duration = Duration::from_secs(3);

/// Connection to the agent.
#[derive(Debug)]
pub enum Agent {
    /// A custom transport.
    Over(Box<dyn Transport>),
    /// A child process, as configured in the options.
    Child,
}

/// Result of a terminal session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The user exited with this code.
    Left(i32),
    /// Another session starts, with this draft.
    StartNext { next: Next, draft: String },
}

pub(crate) fn now() -> Now {
    let passed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(passed.as_millis()).unwrap_or(u64::MAX)
}

/// Runs a session in the terminal until the user exits.
///
/// # Errors
/// Standard input is not a terminal.
pub async fn run(facts: Facts, agent: Agent, options: Options) -> io::Result<Outcome> {
    if facts.settings.plain {
        return crate::plain::run(facts, agent, options).await;
    }
    let mut session = Session::open(facts)?;
    session.draw(true);
    let forms = Forms::default();
    let asked = forms.clone();
    let options = options
        .asks(true)
        .include_partial_messages(true)
        // Events only indicate that something changed; the state is then read from the client.
        .log_cap(LOG)
        .on_elicitation(move |elicitation| asked.clone().ask(elicitation));
    let connecting = tokio::spawn(async move {
        match agent {
            Agent::Over(transport) => Client::over(transport, options).await,
            Agent::Child => Client::connect(options).await,
        }
    });
    let outcome = session.live(connecting, forms).await;
    session.shells.kill();
    if outcome != Outcome::Left(PANIC_EXIT_CODE) {
        session.draft_file.remove();
        session.close(&outcome);
    }
    if let Some(client) = session.client.take() {
        tokio::time::timeout(EXIT_TIMEOUT, client.close()).await.ok();
    }
    Ok(outcome)
}

struct Signals {
    resize: Signal,
    terminate: Signal,
    hangup: Signal,
    resumed_signal: Signal,
    /// In test builds: simulates a panic.
    fault: Option<Signal>,
}

struct Session {
    facts: Arc<Facts>,
    app: App,
    writer: Writer,
    outlet: Outlet,
    keyboard: AsyncFd<std::os::fd::BorrowedFd<'static>>,
    decoder: Decoder,
    signals: Signals,
    client: Option<Client>,
    /// Item changes up to this cursor have been processed.
    from: ItemCursor,
    /// True if a change may not be drawn yet.
    dirty: bool,
    drawn: Instant,
    resized: Option<Instant>,
    /// Time of the next change without input.
    tick: Option<Now>,
    escape: Option<Instant>,
    background: bool,
    /// Set when standard input was closed.
    closing: Option<Closing>,
    shown_ask: Option<String>,
    /// True if the pager is displayed.
    paging: bool,
    /// Modification time of the loaded key binding file.
    bound: Option<SystemTime>,
    /// True if the cursor is a block.
    block: bool,
    /// Capabilities reported by the terminal.
    capabilities: Capabilities,
    /// Number of received replies to the character width probes.
    probed: Option<usize>,
    habits: Habits,
    /// True if the terminal replies to queries.
    answers: bool,
    /// Progress shown in the task bar.
    progress: Progress,
    /// The draft file.
    draft_file: DraftFile,
    /// Running `!` commands.
    shells: Shells,
    /// Acts requested before the agent was connected.
    waiting: Vec<Act>,
    /// Id of the session for the resume hint that is printed after a panic.
    resume_hint: Option<String>,
}

impl Session {
    fn open(mut facts: Facts) -> io::Result<Self> {
        let mut draft_file = DraftFile::default();
        // If the session is not saved, the draft is not saved either.
        if facts.kept || facts.served.is_some() || facts.agent.is_some() {
            draft_file = DraftFile::new(&facts.config_dir, &facts.folder);
            if facts.draft.is_empty() && facts.prompt.is_none() {
                let lost = drafts::take(&facts.config_dir, &facts.folder, facts.session.as_deref());
                facts.draft = lost.unwrap_or_default();
            }
        }
        let (columns, rows) = tty::size().unwrap_or((80, 24));
        tty::give_back_on_panic();
        let on = tty::take()?;
        let outlet = Outlet::stdout();
        let settings = &facts.settings;
        let capabilities = facts.capabilities;
        let mut writer = Writer::new(settings.theme, settings.glyphs, columns, rows);
        writer.set_capabilities(capabilities);
        // With ASCII output there are no ambiguous widths to probe.
        let probes = settings.glyphs == Glyphs::Full;
        let drawn = if probes { tty::probes() } else { String::new() };
        let schemes = if settings.auto_theme { tty::SCHEMES } else { "" };
        outlet.send(format!("\r{on}{schemes}{drawn}{}", tty::QUESTIONS));
        let app = App::new(facts.clone(), columns, rows, now());
        // The earlier conversation is now displayed and stored; frees the memory.
        let facts = Facts {
            earlier: Vec::new(),
            ..facts
        };
        Ok(Self {
            facts: Arc::new(facts),
            app,
            writer,
            outlet,
            keyboard: keyboard()?,
            decoder: Decoder::default(),
            signals: Signals {
                resize: signal(SignalKind::window_change())?,
                terminate: signal(SignalKind::terminate())?,
                hangup: signal(SignalKind::hangup())?,
                resumed_signal: signal(SignalKind::from_raw(Os::CONT.as_raw()))?,
                fault: match cfg!(debug_assertions) {
                    true => Some(signal(SignalKind::user_defined2())?),
                    false => None,
                },
            },
            client: None,
            from: ItemCursor::default(),
            dirty: false,
            drawn: Instant::now(),
            resized: None,
            tick: None,
            escape: None,
            background: false,
            closing: None,
            shown_ask: None,
            paging: false,
            bound: None,
            block: false,
            capabilities,
            probed: probes.then_some(0),
            habits: Habits::default(),
            answers: false,
            progress: Progress::default(),
            draft_file,
            shells: Shells::default(),
            waiting: Vec::new(),
            resume_hint: None,
        })
    }

    async fn live(&mut self, mut connecting: tokio::task::JoinHandle<Result<Client, Error>>, forms: Forms) -> Outcome {
        let (told, mut heard) = mpsc::unbounded_channel::<ActOutcome>();
        let mut events: Option<Events> = None;
        let mut executor: Option<Executor> = None;
        self.read_bindings();
        told.send(ActOutcome::Branch(branch(&self.facts.folder))).ok();
        if self.facts.picks {
            self.waiting.push(Act::Sessions { everywhere: false });
        }
        self.waiting.extend(self.facts.told.iter().cloned().map(Act::Tell));
        if let Some(prompt) = self.facts.prompt.clone() {
            self.app.send_first(&prompt, now());
        }
        loop {
            if let Some(outcome) = self.carry_out(executor.as_ref(), &told).await {
                return outcome;
            }
            if self.outlet.is_gone() {
                return Outcome::Left(0);
            }
            let work = Work {
                busy: self.app.snapshot.is_busy(),
                asks: self.app.asking_id().is_some(),
            };
            if self
                .closing
                .is_some_and(|closing| closing.is_over(Instant::now(), work))
            {
                return self.ended(0);
            }
            let wake = self.wake();
            let connected = executor.is_some();
            tokio::select! {
                biased;
                _ = self.signals.terminate.recv() => return self.ended(143),
                _ = self.signals.hangup.recv() => return self.ended(129),
                _ = self.signals.resumed_signal.recv() => self.come_back(),
                () = tty::fault() => return Outcome::Left(PANIC_EXIT_CODE),
                () = test_panic(&mut self.signals.fault) => fail(),
                () = self.outlet.lost() => return self.ended(0),
                _ = self.signals.resize.recv() => self.resized = Some(Instant::now()),
                read = read(&self.keyboard), if !self.background && self.closing.is_none() => match read {
                    Ok(bytes) if bytes.is_empty() => {
                        self.closing = Closing::begin(Instant::now(), work);
                        if self.closing.is_none() {
                            return self.ended(0);
                        }
                    }
                    Ok(bytes) => self.typed(&bytes),
                    Err(_) => return self.ended(0),
                },
                Some(news) = heard.recv() => {
                    // The branch is read after each turn and is the last outcome of it.
                    let is_last = matches!(news, ActOutcome::Branch(_)) && connected && !self.app.snapshot.is_busy();
                    // Applies the current state first, such as the commands of a newly enabled plugin.
                    self.look().await;
                    self.app.apply_outcome(news, now());
                    self.note_draft();
                    self.dirty = true;
                    self.draw(true);
                    if let Some(rest) = self.facts.rests.filter(|_| is_last) {
                        rest();
                    }
                },
                client = &mut connecting, if !connected => match client {
                    Ok(Ok(client)) => {
                        events = Some(client.events_from(0));
                        executor = Some(Executor {
                            client: client.clone(),
                            outcomes: told.clone(),
                            forms: forms.clone(),
                            facts: Arc::clone(&self.facts),
                            searches: Arc::default(),
                            shells: self.shells.clone(),
                        });
                        if !self.facts.is_demo()
                            && let Some(executor) = &executor
                        {
                            executor.begin(Act::Learn);
                        }
                        self.client = Some(client);
                        self.dirty = true;
                    }
                    Ok(Err(error)) => return self.end_with_error(&error.to_string()),
                    Err(error) => return self.end_with_error(&error.to_string()),
                },
                event = next(&mut events) => match event {
                    Some(Event::Gone { .. } | Event::Unreachable { .. }) | None => {
                        self.look().await;
                        return self.end_with_error("the session's engine ended");
                    }
                    Some(_) => self.dirty = true,
                },
                () = tokio::time::sleep_until(wake.unwrap_or_else(Instant::now).into()), if wake.is_some() => self.passed(),
            }
            self.draw_what_changed().await;
        }
    }

    /// Returns when the loop must wake up without input.
    fn wake(&mut self) -> Option<Instant> {
        let at = |time: Now| Instant::now() + Duration::from_millis(time.saturating_sub(now()));
        self.tick = self.app.next_tick(now()).filter(|_| !self.background);
        let tick = self.tick.map(at);
        let frame = self.dirty.then(|| self.drawn + MIN_FRAME_INTERVAL);
        let size = self.resized.map(|resized| resized + RESIZE_DELAY);
        if self.background {
            return Some(Instant::now() + FOREGROUND_CHECK_INTERVAL);
        }
        let closing = self.closing.map(Closing::until);
        [tick, frame, size, self.escape, closing, self.draft_file.due()]
            .into_iter()
            .flatten()
            .min()
    }

    /// Schedules saving of the draft.
    fn note_draft(&mut self) {
        self.draft_file.note(&self.app.draft(), Instant::now());
    }

    fn passed(&mut self) {
        if self.background {
            return self.come_back();
        }
        let moment = Instant::now();
        if self.draft_file.due().is_some_and(|at| at <= moment) {
            let session = self.app.begun();
            self.draft_file.save(&self.app.draft(), session.as_deref());
        }
        if self.escape.is_some_and(|at| at <= moment) {
            self.escape = None;
            for input in self.decoder.give_up_waiting() {
                self.app.input(input, now());
            }
            self.note_draft();
            self.dirty = true;
            self.draw(true);
        }
        if self.resized.is_some_and(|at| at + RESIZE_DELAY <= moment) {
            self.resized = None;
            if let Some((columns, rows)) = tty::size() {
                self.writer.resize(columns, rows);
                self.app.resize(columns, rows);
            }
            self.draw(true);
        }
        if self.tick.is_some_and(|at| at <= now()) {
            self.tick = None;
            self.dirty = true;
            // An expired notice, or a request that takes the keyboard, is drawn even while an answer is pending.
            if self.is_held() {
                self.draw(true);
            }
        }
    }

    /// Carries out the acts of the user. Returns the outcome if one of them exits.
    async fn carry_out(
        &mut self,
        executor: Option<&Executor>,
        told: &mpsc::UnboundedSender<ActOutcome>,
    ) -> Option<Outcome> {
        let mut acts = self.app.take_acts();
        if executor.is_some() {
            acts.splice(0..0, std::mem::take(&mut self.waiting));
        }
        for act in acts {
            match act {
                Act::Leave(code) => return Some(Outcome::Left(code)),
                Act::StartNext(next) => {
                    let draft = self.app.take_draft();
                    return Some(Outcome::StartNext { next, draft });
                }
                Act::Suspend => self.suspend(),
                Act::Ring(what) => {
                    let title = self.facts.folder_word();
                    self.outlet.send(self.facts.settings.notify.bytes(&title, &what));
                }
                Act::EditFile(path) => {
                    self.edit_file(&path).await;
                    self.read_bindings();
                }
                Act::Redraw => {
                    let mut bytes = String::new();
                    self.writer.scroll_away(&mut bytes);
                    self.outlet.send(bytes);
                    self.draw(true);
                }
                Act::SetTheme(theme) => {
                    self.writer.set_theme(theme);
                    if self.app.follows_background() {
                        self.outlet.send(format!("{}\x1b]11;?\x07", tty::SCHEMES));
                    }
                    self.draw(true);
                }
                Act::Copy(text) => self.copy(&text),
                Act::Edit { text, what } => {
                    let text = self.edit(&text).await;
                    told.send(ActOutcome::Edited { text, what }).ok();
                }
                act => match executor {
                    Some(executor) => executor.begin(act),
                    None => self.waiting.push(act),
                },
            }
            self.dirty = true;
        }
        None
    }
}

async fn test_panic(signal: &mut Option<Signal>) {
    match signal {
        Some(signal) => {
            signal.recv().await;
        }
        None => std::future::pending().await,
    }
}

/// Panics, to test the handling of panics.
#[allow(clippy::panic)]
fn fail() {
    panic!("asked to fail");
}

async fn next(events: &mut Option<Events>) -> Option<Event> {
    match events {
        Some(events) => events.next().await,
        None => std::future::pending().await,
    }
}

/// Wraps standard input for async reads. It stays open as long as the process lives, which is all that the newer
/// function requires.
#[allow(deprecated)]
pub(crate) fn keyboard() -> io::Result<AsyncFd<std::os::fd::BorrowedFd<'static>>> {
    AsyncFd::with_interest(rustix::stdio::stdin(), tokio::io::Interest::READABLE)
}

/// Reads input bytes; empty at the end of input.
pub(crate) async fn read(keyboard: &AsyncFd<std::os::fd::BorrowedFd<'static>>) -> io::Result<Vec<u8>> {
    let mut ready = keyboard.readable().await?;
    let mut bytes = vec![0; 64 * 1024];
    let count = rustix::io::read(keyboard.get_ref(), &mut bytes)?;
    if count < bytes.len() {
        ready.clear_ready();
    }
    bytes.truncate(count);
    Ok(bytes)
}
