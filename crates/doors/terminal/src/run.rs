//! The loop: keys, the agent's events, signals and time come in; frames and wishes go out.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rustix::process::Signal as Os;
use sluice_host::conversation::Time;
use sluice_host::transport::Transport;
use sluice_host::{Client, Error, Event, Events, Options};
use tokio::io::unix::AsyncFd;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;

use crate::app::{Act, App, Next, Now, Told};
use crate::doing::{Doer, Forms, branch};
use crate::facts::Facts;
use crate::input::{Decoder, Input, Reply};
use crate::screen::{Outlet, Writer, tty};
use crate::view::picture::Picture;

/// The stream draws at most so often.
const FRAME: Duration = Duration::from_millis(33);
/// Sizes come in storms.
const QUIET: Duration = Duration::from_millis(50);
/// How many bytes of events are kept.
pub(crate) const LOG: usize = 256 * 1024;
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
    session.close(&outcome);
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
    /// The next entry to be looked at.
    from: usize,
    /// Something may have changed that is not drawn.
    dirty: bool,
    drawn: Instant,
    resized: Option<Instant>,
    /// When the screen changes by itself.
    tick: Option<Now>,
    escape: Option<Instant>,
    background: bool,
    shown_ask: Option<String>,
    /// The pager is on the screen.
    paging: bool,
    /// When the file of key bindings that is in use was written.
    bound: Option<SystemTime>,
    /// Whether the cursor is a block.
    block: bool,
    /// Prompts and other wishes from before the agent was there.
    waiting: Vec<Act>,
}

impl Session {
    fn open(facts: Facts) -> io::Result<Self> {
        let (columns, rows) = tty::size().unwrap_or((80, 24));
        tty::give_back_on_panic();
        let on = tty::take()?;
        let outlet = Outlet::stdout();
        let settings = &facts.settings;
        let writer = Writer::new(settings.theme, settings.glyphs, columns, rows);
        outlet.send(format!("\r{on}{}", tty::QUESTIONS));
        let app = App::new(facts.clone(), columns, rows, now());
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
            },
            client: None,
            from: 0,
            dirty: false,
            drawn: Instant::now(),
            resized: None,
            tick: None,
            escape: None,
            background: false,
            shown_ask: None,
            paging: false,
            bound: None,
            block: false,
            waiting: Vec::new(),
        })
    }

    async fn live(&mut self, mut connecting: tokio::task::JoinHandle<Result<Client, Error>>, forms: Forms) -> Outcome {
        let (told, mut heard) = mpsc::unbounded_channel::<Told>();
        let mut events: Option<Events> = None;
        let mut doer: Option<Doer> = None;
        self.read_bindings();
        told.send(Told::Branch(branch(&self.facts.folder))).ok();
        if self.facts.picks {
            self.waiting.push(Act::Sessions);
        }
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
            let wake = self.wake();
            let connected = doer.is_some();
            tokio::select! {
                biased;
                _ = self.signals.terminate.recv() => return self.ended(143),
                _ = self.signals.hangup.recv() => return self.ended(129),
                _ = self.signals.go_on.recv() => self.come_back(),
                _ = self.signals.resize.recv() => self.resized = Some(Instant::now()),
                read = read(&self.keyboard), if !self.background => match read {
                    Ok(bytes) if bytes.is_empty() => return self.ended(0),
                    Ok(bytes) => self.typed(&bytes),
                    Err(_) => return self.ended(0),
                },
                Some(news) = heard.recv() => {
                    self.app.told(news, now());
                    self.dirty = true;
                    self.draw(true);
                },
                client = &mut connecting, if !connected => match client {
                    Ok(Ok(client)) => {
                        events = Some(client.events_from(0));
                        doer = Some(Doer {
                            client: client.clone(),
                            told: told.clone(),
                            forms: forms.clone(),
                            facts: Arc::clone(&self.facts),
                        });
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
        [tick, frame, size, self.escape].into_iter().flatten().min()
    }

    fn passed(&mut self) {
        let moment = Instant::now();
        if self.escape.is_some_and(|at| at <= moment) {
            self.escape = None;
            for input in self.decoder.give_up_waiting() {
                self.app.input(input, now());
            }
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

    fn typed(&mut self, bytes: &[u8]) {
        for input in self.decoder.feed(bytes) {
            match input {
                Input::Reply(reply) => self.replied(&reply),
                Input::Focus(focused) => {
                    if focused {
                        self.read_bindings();
                    }
                    self.app.input(input, now());
                }
                input => self.app.input(input, now()),
            }
        }
        let wait = Duration::from_millis(self.facts.settings.escape_ms);
        self.escape = self.decoder.waits().then(|| Instant::now() + wait);
        self.draw(true);
    }

    fn replied(&mut self, reply: &Reply) {
        match reply {
            Reply::Kitty => self.outlet.send(tty::KITTY.to_owned()),
            Reply::Version(version) => {
                if version.starts_with("XTerm") {
                    self.writer.reflows(false);
                }
                if version.starts_with("XTerm") || version.starts_with("tmux") {
                    self.outlet.send(tty::OTHER_KEYS.to_owned());
                }
            }
            Reply::Background(red, green, blue) => {
                if let Some(theme) = self.app.lit(*red, *green, *blue) {
                    self.writer.dress(theme);
                }
            }
            Reply::Cursor { .. } | Reply::Attributes => {}
        }
    }

    /// While a person is asked, nothing is written but what their keys change.
    fn holds(&self) -> bool {
        let asked = self.app.asking_id();
        asked.is_some() && asked == self.shown_ask
    }

    async fn look(&mut self) {
        let Some(client) = &self.client else { return };
        let from = self.from;
        let time = Time(now());
        if let Ok(picture) = client.look(move |state| Picture::of(state, from, time)).await {
            self.from = picture.next;
            self.app.see(picture, now());
        }
    }

    async fn draw_what_changed(&mut self) {
        if !self.dirty || self.drawn.elapsed() < FRAME || self.background || self.resized.is_some() {
            return;
        }
        self.look().await;
        if self.holds() {
            self.dirty = false;
            self.drawn = Instant::now();
            return;
        }
        self.draw(false);
    }

    /// Draws a frame; `typed` when a key wants it at once.
    fn draw(&mut self, typed: bool) {
        if self.background || self.resized.is_some() || (self.outlet.is_full() && !typed) {
            return;
        }
        if self.page() {
            self.dirty &= typed;
            self.drawn = Instant::now();
            return;
        }
        let frame = self.app.frame(now());
        let mut bytes = self.writer.draw(frame);
        if let Some(title) = self.app.title() {
            bytes.push_str(&format!("\x1b]2;{title}\x07"));
        }
        let block = self.app.has_block_cursor();
        if block != std::mem::replace(&mut self.block, block) {
            bytes.push_str(if block { "\x1b[2 q" } else { "\x1b[5 q" });
        }
        self.outlet.send(bytes);
        self.shown_ask = self.app.asking_id();
        if !typed {
            self.dirty = false;
            self.drawn = Instant::now();
        }
    }

    /// Draws the pager, if it is open, or goes back to the screen it lay on.
    fn page(&mut self) -> bool {
        let Some((sheet, cursor)) = self.app.sheet() else {
            if std::mem::take(&mut self.paging) {
                self.outlet.send(tty::leave_sheet().to_owned());
            }
            return false;
        };
        let mut bytes = String::new();
        if !std::mem::replace(&mut self.paging, true) {
            bytes.push_str(tty::enter_sheet());
        }
        bytes.push_str(&self.writer.sheet(&sheet, cursor));
        self.outlet.send(bytes);
        true
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
                    // A theme that follows the background has to know it.
                    self.outlet.send("\x1b]11;?\x07".to_owned());
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

    /// To the clipboard of the terminal, wherever that is.
    fn copy(&self, text: &str) {
        use base64::Engine as _;
        let data = base64::engine::general_purpose::STANDARD.encode(text);
        let plain = format!("\x1b]52;c;{data}\x07");
        let bytes = if self.facts.multiplexer {
            format!("{plain}\x1bPtmux;\x1b{plain}\x1b\\")
        } else {
            plain
        };
        self.outlet.send(bytes);
    }

    /// Takes the region off and gives the terminal back.
    fn step_aside(&mut self) {
        self.leave_pager();
        let mut bytes = String::new();
        self.writer.erase(&mut bytes);
        self.outlet.send(bytes);
        self.outlet.flush(Duration::from_secs(1));
        tty::give_back();
    }

    fn leave_pager(&mut self) {
        if std::mem::take(&mut self.paging) {
            self.outlet.send(tty::leave_sheet().to_owned());
        }
    }

    fn step_in(&mut self) {
        if let Ok(on) = tty::take() {
            self.outlet.send(format!("\r{on}"));
            self.writer.forget();
            if let Some((columns, rows)) = tty::size() {
                self.writer.resize(columns, rows);
                self.app.resize(columns, rows);
            }
            self.draw(true);
        }
    }

    fn suspend(&mut self) {
        self.step_aside();
        rustix::process::kill_current_process_group(Os::TSTP).ok();
        // Here again, after the shell let us go on.
        self.background = true;
        self.come_back();
    }

    fn come_back(&mut self) {
        if self.background && tty::is_foreground() {
            self.background = false;
            self.step_in();
        }
    }

    /// Reads the keys of one's own, and says what of them is not understood.
    fn read_bindings(&mut self) {
        let file = self.facts.config_dir.join("keybindings.json");
        let changed = std::fs::metadata(&file).and_then(|data| data.modified()).ok();
        if changed == self.bound {
            return;
        }
        self.bound = changed;
        let text = std::fs::read_to_string(file).unwrap_or_else(|_| "{}".to_owned());
        self.app.bind(&text, now());
    }

    async fn edit_file(&mut self, file: &std::path::Path) -> bool {
        self.step_aside();
        let command = format!("{} \"$1\"", self.facts.editor);
        let mut child = tokio::process::Command::new("/bin/sh");
        child
            .arg("-c")
            .arg(command)
            .arg("sh")
            .arg(file)
            .current_dir(&self.facts.folder);
        let ended = child.status().await;
        self.step_in();
        ended.is_ok_and(|status| status.success())
    }

    async fn edit(&mut self, text: &str) -> Option<String> {
        let name = format!("sluice-{}.md", uuid::Uuid::new_v4().simple());
        let file = std::env::temp_dir().join(name);
        write_private(&file, text).ok()?;
        let edited = self
            .edit_file(&file)
            .await
            .then(|| std::fs::read_to_string(&file).ok())
            .flatten();
        std::fs::remove_file(&file).ok();
        edited
    }

    /// Nobody is there any more: the draft is one `up` away, next time.
    fn ended(&mut self, code: i32) -> Outcome {
        self.app.keep_draft(now());
        Outcome::Left(code)
    }

    fn broke(&mut self, why: &str) -> Outcome {
        self.app.keep_draft(now());
        self.app.broke(why);
        self.draw(true);
        Outcome::Left(1)
    }

    fn close(&mut self, outcome: &Outcome) {
        self.leave_pager();
        let mut bytes = String::new();
        self.writer.erase(&mut bytes);
        self.outlet.send(bytes);
        if let Outcome::Again { .. } = outcome {
            // What comes next begins apart from this.
            self.outlet.send("\r\n".to_owned());
        }
        if let Outcome::Left(_) = outcome {
            let frame = crate::screen::Frame {
                commit: self.app.farewell(now()),
                shows_cursor: true,
                ..crate::screen::Frame::default()
            };
            let bytes = self.writer.draw(frame);
            self.outlet.send(bytes);
        }
        self.outlet.flush(Duration::from_secs(1));
        tty::give_back();
    }
}

fn write_private(file: &std::path::Path, text: &str) -> io::Result<()> {
    use std::io::Write as _;
    use std::os::unix::fs::OpenOptionsExt as _;
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    options.open(file)?.write_all(text.as_bytes())
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
