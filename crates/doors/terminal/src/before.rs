//! Questions before the session starts, such as folder trust or the API key. No agent runs yet.

mod dialog;

use std::io::{self, BufRead as _, Write as _};
use std::time::{Duration, Instant};

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::facts::Facts;
use crate::input::{Code, Decoder, Input, Key};
use crate::run::{keyboard, read};
use crate::screen::{Frame, Outlet, Writer, tty};
use crate::text::{Role, Row, Style, wrap};

use dialog::Dialog;

/// A question with choices.
#[derive(Debug, Clone, Default)]
pub struct StartQuestion {
    /// Question and its subject.
    pub title: (String, String),
    /// Lines below the title, already formatted.
    pub body: Vec<String>,
    /// Label and description of each choice.
    pub choices: Vec<(String, String)>,
    /// Index of the highlighted choice.
    pub selected: usize,
    /// The full text, line by line; `v` writes it to the history.
    pub whole: Vec<String>,
}

/// Access to the terminal for questions; restores the terminal when dropped.
#[derive(Debug)]
pub struct Questioner<'a> {
    facts: &'a Facts,
    /// `None` in plain mode.
    screen: Option<Screen>,
}

#[derive(Debug)]
struct Screen {
    writer: Writer,
    outlet: Outlet,
    keyboard: tokio::io::unix::AsyncFd<std::os::fd::BorrowedFd<'static>>,
    decoder: Decoder,
    ended: [Signal; 2],
    resize: Signal,
    size: (usize, usize),
    kitty: bool,
}

impl Drop for Screen {
    fn drop(&mut self) {
        let mut bytes = String::new();
        self.writer.erase(&mut bytes);
        self.outlet.send(bytes);
        self.outlet.flush(Duration::from_secs(1));
        tty::give_back();
    }
}

impl<'a> Questioner<'a> {
    /// Opens the terminal.
    ///
    /// # Errors
    /// Standard input is not a terminal.
    pub fn open(facts: &'a Facts) -> io::Result<Self> {
        let screen = match facts.settings.plain {
            true => None,
            false => Some(Screen::open(facts)?),
        };
        Ok(Self { facts, screen })
    }

    /// Asks a question. Returns the index of the choice, or `None` if the user cancels.
    ///
    /// # Errors
    /// The terminal was closed, or a signal ended the process.
    pub async fn choose(&mut self, question: &StartQuestion) -> io::Result<Option<usize>> {
        let Some(screen) = &mut self.screen else {
            return choose_in_lines(question);
        };
        let mut dialog = Dialog::new(question);
        screen.draw(dialog.frame(screen.size));
        loop {
            for key in screen.keys(self.facts).await? {
                match dialog.key(key) {
                    dialog::DialogStep::Not => {}
                    dialog::DialogStep::Whole => {
                        let rows = question.whole.iter().map(|line| Row::plain(line)).collect();
                        screen.draw(Frame {
                            commit: rows,
                            ..dialog.frame(screen.size)
                        });
                    }
                    dialog::DialogStep::Left => return Ok(None),
                    dialog::DialogStep::Chose(at) => return Ok(Some(at)),
                }
            }
            screen.draw(dialog.frame(screen.size));
        }
    }

    /// Prompts for a line; a secret is masked. Returns `None` if the user cancels.
    ///
    /// # Errors
    /// The terminal was closed, or a signal ended the process.
    pub async fn write(&mut self, title: &str, about: &str, secret: bool) -> io::Result<Option<String>> {
        let Some(screen) = &mut self.screen else {
            say_line(&format!("{title}: {about}"))?;
            return read_line();
        };
        let mut line = dialog::LineInput::new(title, about, secret);
        loop {
            screen.draw(line.frame(screen.size));
            for input in screen.inputs(self.facts).await? {
                match input {
                    Input::Paste(text) => line.insert(&text),
                    Input::Key(key) if key.is(Code::Escape) || key == Key::ctrl('c') => return Ok(None),
                    Input::Key(key) if key.is(Code::Enter) => {
                        let text = line.text().trim().to_owned();
                        return Ok((!text.is_empty()).then_some(text));
                    }
                    Input::Key(key) => line.key(key),
                    _ => {}
                }
            }
        }
    }

    /// Prints a permanent row.
    ///
    /// # Errors
    /// The terminal was closed.
    pub fn say(&mut self, mark: &str, text: &str) -> io::Result<()> {
        let Some(screen) = &mut self.screen else {
            return say_line(text);
        };
        let role = match mark {
            "✓" => Role::Good,
            "✗" => Role::Bad,
            _ => Role::Note,
        };
        let row = Row::new().add(mark, role).add(" ", Style::TEXT).add(text, Style::TEXT);
        screen.draw(Frame {
            commit: wrap::words(&row, screen.size.0, 2),
            shows_cursor: true,
            ..Frame::default()
        });
        Ok(())
    }

    /// Shows a message while `work` runs. Returns `None` if the user cancels with `escape`.
    ///
    /// # Errors
    /// The terminal was closed, or a signal ended the process.
    pub async fn wait<T>(&mut self, what: &str, work: impl Future<Output = T>) -> io::Result<Option<T>> {
        let Some(screen) = &mut self.screen else {
            say_line(what)?;
            return Ok(Some(work.await));
        };
        let row = Row::faint(&format!("  {what} ∙ esc stops")).cut(screen.size.0);
        screen.draw(Frame {
            region: vec![row],
            ..Frame::default()
        });
        tokio::pin!(work);
        loop {
            tokio::select! {
                done = &mut work => return Ok(Some(done)),
                keys = screen.keys(self.facts) => {
                    if keys?.iter().any(|key| key.is(Code::Escape) || *key == Key::ctrl('c')) {
                        return Ok(None);
                    }
                }
            }
        }
    }
}

impl Screen {
    fn open(facts: &Facts) -> io::Result<Self> {
        let size = tty::size().unwrap_or((80, 24));
        tty::give_back_on_panic();
        let on = tty::take()?;
        let outlet = Outlet::stdout();
        outlet.send(format!("\r{on}{}", tty::QUESTIONS));
        Ok(Self {
            writer: Writer::new(facts.settings.theme, facts.settings.glyphs, size.0, size.1),
            outlet,
            keyboard: keyboard()?,
            decoder: Decoder::default(),
            ended: [signal(SignalKind::terminate())?, signal(SignalKind::hangup())?],
            resize: signal(SignalKind::window_change())?,
            size,
            kitty: false,
        })
    }

    fn draw(&mut self, frame: Frame) {
        let bytes = self.writer.draw(frame);
        self.outlet.send(bytes);
    }

    async fn keys(&mut self, facts: &Facts) -> io::Result<Vec<Key>> {
        let inputs = self.inputs(facts).await?;
        let key = |input| match input {
            Input::Key(key) => Some(key),
            _ => None,
        };
        Ok(inputs.into_iter().filter_map(key).collect())
    }

    /// Returns the next inputs; empty if only the size changed.
    async fn inputs(&mut self, facts: &Facts) -> io::Result<Vec<Input>> {
        let gone = || io::Error::from(io::ErrorKind::Interrupted);
        let wait = Duration::from_millis(facts.settings.escape_ms.max(10));
        loop {
            let escape = self.decoder.patience(wait).map(|wait| Instant::now() + wait);
            let [terminate, hang_up] = &mut self.ended;
            let mut inputs = tokio::select! {
                _ = terminate.recv() => return Err(gone()),
                _ = hang_up.recv() => return Err(gone()),
                _ = self.resize.recv() => {
                    self.size = tty::size().unwrap_or(self.size);
                    self.writer.resize(self.size.0, self.size.1);
                    return Ok(Vec::new());
                }
                bytes = read(&self.keyboard) => {
                    let bytes = bytes?;
                    if bytes.is_empty() {
                        return Err(gone());
                    }
                    self.decoder.feed(&bytes)
                }
                () = tokio::time::sleep_until(escape.unwrap_or_else(Instant::now).into()), if escape.is_some() => {
                    self.decoder.give_up_waiting()
                }
            };
            inputs.retain(|input| match input {
                Input::Reply(crate::input::Reply::Kitty) => {
                    self.kitty = true;
                    false
                }
                Input::Reply(_) | Input::Focus(_) => false,
                _ => true,
            });
            if std::mem::take(&mut self.kitty) {
                self.outlet.send(tty::KITTY.to_owned());
            }
            if !inputs.is_empty() {
                return Ok(inputs);
            }
        }
    }
}

fn say_line(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{}", crate::text::clean::one_line(text))?;
    out.flush()
}

fn read_line() -> io::Result<Option<String>> {
    let mut answer = String::new();
    if io::stdin().lock().read_line(&mut answer)? == 0 {
        return Ok(None);
    }
    let answer = answer.trim().to_owned();
    Ok((!answer.is_empty()).then_some(answer))
}

fn choose_in_lines(question: &StartQuestion) -> io::Result<Option<usize>> {
    let (word, of) = &question.title;
    say_line(&format!("ask: {word} {of}"))?;
    for line in question.body.iter().chain(&question.whole) {
        say_line(&format!("  {}", line.trim()))?;
    }
    for (at, (label, about)) in question.choices.iter().enumerate() {
        say_line(&format!("  {} {label} {about}", at + 1))?;
    }
    loop {
        say_line(&format!("answer 1 to {}, then Enter", question.choices.len()))?;
        let Some(answer) = read_line()? else { return Ok(None) };
        let at = answer.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        if let Some(at) = at.filter(|at| *at < question.choices.len()) {
            return Ok(Some(at));
        }
    }
}
