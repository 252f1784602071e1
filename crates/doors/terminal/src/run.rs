//! The main loop: keys, the agent's events, signals and time come in; frames and acts go out.

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

use crate::app::{Act, App, Next, Now, Told};
use crate::doing::{Doer, Forms, Shells, branch};
use crate::facts::Facts;
use crate::input::Decoder;
use crate::screen::{Able, Outlet, Progress, Writer, tty};
use crate::text::width::Habits;
use crate::theme::Glyphs;
use closing::{Closing, Work};
use drafts::DraftFile;
pub(crate) use editor::edit_text;

/// The stream draws at most so often.
const FRAME: Duration = Duration::from_millis(33);
/// Sizes come in storms.
const QUIET: Duration = Duration::from_millis(50);
/// How many bytes of events are kept.
pub(crate) const LOG: usize = 32 * 1024;
/// The exit code after a fault of ours, as of any program in this language.
const FAULT: i32 = 101;
/// How often a process in the background looks whether it was brought back: a shell need not tell one that runs.
const BROUGHT_BACK: Duration = Duration::from_millis(500);
/// How long an agent may take to leave.
const FAREWELL: Duration = Duration::from_secs(3);

/// How the agent is reached.
#[derive(Debug)]
pub enum Agent {
    /// Some other way than by a process.
    Over(Box<dyn Transport>),
    /// As a process, as the options say.
    Child,
}

/// How a session at the terminal ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// With this exit code.
    Left(i32),
    /// To begin with something else, with this draft.
    Again { next: Next, draft: String },
}

pub(crate) fn now() -> Now {
    let passed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(passed.as_millis()).unwrap_or(u64::MAX)
}

/// Shows a session to a person until they leave.
///
/// # Errors
/// When standard input is no terminal.
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
        // Events only say that something is new: what it is, is looked up.
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
    if outcome != Outcome::Left(FAULT) {
        session.draft_file.remove();
        session.close(&outcome);
    }
    if let Some(client) = session.client.take() {
        tokio::time::timeout(FAREWELL, client.close()).await.ok();
    }
    Ok(outcome)
}

struct Signals {
    resize: Signal,
    terminate: Signal,
    hangup: Signal,
    go_on: Signal,
    /// In builds for tests: a fault of ours, wherever one is.
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
    /// The changes of items up to here have been looked at.
    from: ItemCursor,
    /// Something may have changed that is not drawn.
    dirty: bool,
    drawn: Instant,
    resized: Option<Instant>,
    /// When the screen changes by itself.
    tick: Option<Now>,
    escape: Option<Instant>,
    background: bool,
    /// Nobody can type any more.
    closing: Option<Closing>,
    shown_ask: Option<String>,
    /// The pager is on the screen.
    paging: bool,
    /// When the file of key bindings that is in use was written.
    bound: Option<SystemTime>,
    /// Whether the cursor is a block.
    block: bool,
    /// What the terminal said it can do.
    able: Able,
    /// How many answers about where the cursor is came, of those that show how wide letters are.
    probed: Option<usize>,
    habits: Habits,
    /// The terminal says what it is when it is asked.
    answers: bool,
    /// What the task bar shows.
    progress: Progress,
    /// The draft on disk.
    draft_file: DraftFile,
    /// The person's own commands that run.
    shells: Shells,
    /// Prompts and other wishes from before the agent was there.
    waiting: Vec<Act>,
    /// The session one is told how to come back to, should this process fail.
    told_back: Option<String>,
}

impl Session {
    fn open(mut facts: Facts) -> io::Result<Self> {
        let mut draft_file = DraftFile::default();
        // Where nothing of the session is written down, its draft is not either.
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
        let able = facts.able;
        let mut writer = Writer::new(settings.theme, settings.glyphs, columns, rows);
        writer.knows(able);
        // Where only ASCII is written there is nothing to find out.
        let probes = settings.glyphs == Glyphs::Full;
        let drawn = if probes { tty::probes() } else { String::new() };
        let schemes = if settings.auto_theme { tty::SCHEMES } else { "" };
        outlet.send(format!("\r{on}{schemes}{drawn}{}", tty::QUESTIONS));
        let app = App::new(facts.clone(), columns, rows, now());
        // What was said before is on the screen now, and on disk.
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
                go_on: signal(SignalKind::from_raw(Os::CONT.as_raw()))?,
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
            able,
            probed: probes.then_some(0),
            habits: Habits::default(),
            answers: false,
            progress: Progress::default(),
            draft_file,
            shells: Shells::default(),
            waiting: Vec::new(),
            told_back: None,
        })
    }

    async fn live(&mut self, mut connecting: tokio::task::JoinHandle<Result<Client, Error>>, forms: Forms) -> Outcome {
        let (told, mut heard) = mpsc::unbounded_channel::<Told>();
        let mut events: Option<Events> = None;
        let mut doer: Option<Doer> = None;
        self.read_bindings();
        told.send(Told::Branch(branch(&self.facts.folder))).ok();
        if self.facts.picks {
            self.waiting.push(Act::Sessions { everywhere: false });
        }
        self.waiting.extend(self.facts.told.iter().cloned().map(Act::Tell));
        if let Some(prompt) = self.facts.prompt.clone() {
            self.app.send_first(&prompt, now());
        }
        loop {
            if let Some(outcome) = self.carry_out(doer.as_ref(), &told).await {
                return outcome;
            }
            if self.outlet.is_gone() {
                return Outcome::Left(0);
            }
            let work = Work {
                busy: self.app.picture.is_busy(),
                asks: self.app.asking_id().is_some(),
            };
            if self
                .closing
                .is_some_and(|closing| closing.is_over(Instant::now(), work))
            {
                return self.ended(0);
            }
            let wake = self.wake();
            let connected = doer.is_some();
            tokio::select! {
                biased;
                _ = self.signals.terminate.recv() => return self.ended(143),
                _ = self.signals.hangup.recv() => return self.ended(129),
                _ = self.signals.go_on.recv() => self.come_back(),
                () = tty::fault() => return Outcome::Left(FAULT),
                () = wished_fault(&mut self.signals.fault) => fail(),
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
                    // The branch is looked at after each turn, as the last of what it brings.
                    let is_last = matches!(news, Told::Branch(_)) && connected && !self.app.picture.is_busy();
                    // A result is shown with the state that it belongs to, such as the commands of a new plugin.
                    self.look().await;
                    self.app.told(news, now());
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
                        doer = Some(Doer {
                            client: client.clone(),
                            told: told.clone(),
                            forms: forms.clone(),
                            facts: Arc::clone(&self.facts),
                            searches: Arc::default(),
                            shells: self.shells.clone(),
                        });
                        if !self.facts.is_demo()
                            && let Some(doer) = &doer
                        {
                            doer.begin(Act::Learn);
                        }
                        self.client = Some(client);
                        self.dirty = true;
                    }
                    Ok(Err(error)) => return self.broke(&error.to_string()),
                    Err(error) => return self.broke(&error.to_string()),
                },
                event = next(&mut events) => match event {
                    Some(Event::Gone { .. } | Event::Unreachable { .. }) | None => {
                        self.look().await;
                        return self.broke("the session's engine ended");
                    }
                    Some(_) => self.dirty = true,
                },
                () = tokio::time::sleep_until(wake.unwrap_or_else(Instant::now).into()), if wake.is_some() => self.passed(),
            }
            self.draw_what_changed().await;
        }
    }

    /// When something has to be done though nothing comes.
    fn wake(&mut self) -> Option<Instant> {
        let at = |time: Now| Instant::now() + Duration::from_millis(time.saturating_sub(now()));
        self.tick = self.app.next_tick(now()).filter(|_| !self.background);
        let tick = self.tick.map(at);
        let frame = self.dirty.then(|| self.drawn + FRAME);
        let size = self.resized.map(|resized| resized + QUIET);
        if self.background {
            return Some(Instant::now() + BROUGHT_BACK);
        }
        let closing = self.closing.map(Closing::until);
        [tick, frame, size, self.escape, closing, self.draft_file.due()]
            .into_iter()
            .flatten()
            .min()
    }

    /// Lets the file of the draft follow the composer.
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
        if self.resized.is_some_and(|at| at + QUIET <= moment) {
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
            // A notice that goes, or an ask that takes the keyboard, is drawn though a person is asked.
            if self.holds() {
                self.draw(true);
            }
        }
    }

    /// Does what the person wants; gives the outcome when that is to leave.
    async fn carry_out(&mut self, doer: Option<&Doer>, told: &mpsc::UnboundedSender<Told>) -> Option<Outcome> {
        let mut acts = self.app.take_acts();
        if doer.is_some() {
            acts.splice(0..0, std::mem::take(&mut self.waiting));
        }
        for act in acts {
            match act {
                Act::Leave(code) => return Some(Outcome::Left(code)),
                Act::Again(next) => {
                    let draft = self.app.take_draft();
                    return Some(Outcome::Again { next, draft });
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
                Act::Dress(theme) => {
                    self.writer.dress(theme);
                    if self.app.follows_background() {
                        self.outlet.send(format!("{}\x1b]11;?\x07", tty::SCHEMES));
                    }
                    self.draw(true);
                }
                Act::Copy(text) => self.copy(&text),
                Act::Edit { text, what } => {
                    let text = self.edit(&text).await;
                    told.send(Told::Edited { text, what }).ok();
                }
                act => match doer {
                    Some(doer) => doer.begin(act),
                    None => self.waiting.push(act),
                },
            }
            self.dirty = true;
        }
        None
    }
}

async fn wished_fault(signal: &mut Option<Signal>) {
    match signal {
        Some(signal) => {
            signal.recv().await;
        }
        None => std::future::pending().await,
    }
}

/// Fails as a fault of ours would.
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

/// Standard input, to be waited for. It is open as long as the process lives, which is all the newer function wants to
/// be promised.
#[allow(deprecated)]
pub(crate) fn keyboard() -> io::Result<AsyncFd<std::os::fd::BorrowedFd<'static>>> {
    AsyncFd::with_interest(rustix::stdio::stdin(), tokio::io::Interest::READABLE)
}

/// What was typed; nothing at the end of input.
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
