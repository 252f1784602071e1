//! Plain mode: lines instead of a live region, for screen readers and terminals without cursor control.
//!
//! Each event is one line, whose first word names its kind. There are no cursor movements, colours or token-wise
//! updates.

mod answer;
mod call_request;
mod change;
mod commands;
mod lines;
mod list;
mod listing;
mod speech;

use std::io::{self, BufRead as _, Write as _};
use std::sync::mpsc as turns;
use std::thread;
use std::time::Duration;

use sluice_host::conversation::Time;
use sluice_host::items::ItemCursor;
use sluice_host::{Client, Event, Options, PermissionDecision};
use sluice_wire::control::ListModels;
use sluice_wire::control::SetPermissionMode;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;

use crate::app::Next;
use crate::executor::Forms;
use crate::facts::Facts;
use crate::run::{Agent, Outcome, now};
use crate::view::snapshot::Snapshot;
use crate::view::status::mode_word;
use answer::{PendingRequest, Step};
use commands::Commands;
use lines::Lines;
use list::{List, ListChoice};

/// Interval at which a running turn is checked for long-running calls to report.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// Input line of a user who pressed escape, then enter.
const ESCAPE: &str = "\x1b";

/// Runs a session in plain mode until the user exits.
///
/// # Errors
/// Signal handlers cannot be installed.
pub(crate) async fn run(facts: Facts, agent: Agent, options: Options) -> io::Result<Outcome> {
    let forms = Forms::default();
    let asked = forms.clone();
    let options = options
        .asks(true)
        .include_partial_messages(true)
        .on_elicitation(move |elicitation| asked.clone().ask(elicitation));
    let connected = match agent {
        Agent::Over(transport) => Client::over(transport, options).await,
        Agent::Child => Client::connect(options).await,
    };
    let client = match connected {
        Ok(client) => client,
        Err(error) => {
            say(&[format!("error: {error}")]);
            return Ok(Outcome::Left(1));
        }
    };
    let mode = client
        .greeting()
        .current_permission_mode
        .as_ref()
        .map_or("ask", mode_word);
    // The model is known before the first turn only if it was configured.
    let model = match facts.model.as_str() {
        "" => String::new(),
        model => format!(", model {model}"),
    };
    say(&[format!(
        "sluice {}, folder {}{model}, mode {mode}",
        facts.version,
        facts.folder_word()
    )]);
    let notices: Vec<String> = facts.said.iter().map(|line| format!("notice: {line}")).collect();
    say(&notices);
    let mut talk = PlainSession {
        client: client.clone(),
        commands: Commands::new((&client, &forms, &facts)),
        lines: Lines::new(&facts.folder.display().to_string(), facts.settings.verbose),
        from: ItemCursor::default(),
        asked: None,
        list: None,
        busy: false,
        waiting: 0,
        forms,
        edited: false,
        stopped: false,
        facts,
    };
    if let Some(prompt) = talk.facts.prompt.clone() {
        talk.send(&prompt).await;
    }
    if talk.facts.picks {
        talk.offer(List::sessions(&talk.facts, now()));
    }
    let outcome = talk.listen().await;
    talk.commands.end();
    let outcome = outcome?;
    tokio::time::timeout(Duration::from_secs(3), client.close()).await.ok();
    Ok(outcome)
}

struct PlainSession {
    client: Client,
    commands: Commands,
    facts: Facts,
    lines: Lines,
    from: ItemCursor,
    asked: Option<PendingRequest>,
    list: Option<List>,
    busy: bool,
    /// Number of queued prompts.
    waiting: usize,
    forms: Forms,
    /// True if the user stopped the turn.
    stopped: bool,
    /// True if an external editor had the terminal; an interrupt during that time was meant for it.
    edited: bool,
}

impl PlainSession {
    async fn listen(&mut self) -> io::Result<Outcome> {
        let (mut typed, next) = typed();
        let mut events = self.client.events_from(0);
        let mut interrupts = signal(SignalKind::interrupt())?;
        let mut terminate = signal(SignalKind::terminate())?;
        loop {
            tokio::select! {
                line = typed.recv() => match line {
                    None => return Ok(Outcome::Left(0)),
                    Some(line) => {
                        if let Some(outcome) = self.typed(line.trim()).await {
                            return Ok(outcome);
                        }
                        if std::mem::take(&mut self.edited) {
                            interrupts = signal(SignalKind::interrupt())?;
                        }
                        next.send(()).ok();
                    }
                },
                Some(told) = self.commands.next() => self.result(told),
                _ = interrupts.recv() => {
                    match (self.commands.stop(), self.busy) {
                        (true, _) => {}
                        (false, true) => self.stop(),
                        (false, false) => return Ok(Outcome::Left(0)),
                    }
                }
                _ = terminate.recv() => return Ok(Outcome::Left(143)),
                event = events.next() => match event {
                    None | Some(Event::Gone { .. } | Event::Unreachable { .. }) => {
                        // Prints pending output before the error.
                        self.look().await;
                        say(&["error: the session's engine ended".to_owned()]);
                        return Ok(Outcome::Left(1));
                    }
                    Some(Event::Changed(_)) => self.look().await,
                    Some(_) => {}
                },
                () = tokio::time::sleep(CHECK_INTERVAL), if self.busy && self.asked.is_none() => self.look().await,
            }
        }
    }

    fn stop(&mut self) {
        self.stopped = true;
        let client = self.client.clone();
        tokio::spawn(async move { client.interrupt().await });
    }

    async fn look(&mut self) {
        let from = self.from.clone();
        let time = Time(now());
        let Ok(snapshot) = self.client.look(move |state| Snapshot::of(state, from, time)).await else {
            return;
        };
        self.from = snapshot.cursor.clone();
        self.busy = snapshot.is_busy();
        self.waiting = snapshot.queue.len();
        say(&self.lines.of(&snapshot));
        let open = |asked: &PendingRequest| snapshot.asks.iter().any(|ask| ask.id == asked.id);
        if self.asked.as_ref().is_some_and(|asked| !open(asked)) {
            let gone = self.asked.take().map(|asked| asked.id);
            let settled = snapshot.settled.iter().find(|it| Some(&it.id) == gone.as_ref());
            // Not printed if the answer of another client was already reported.
            if let Some(settled) = settled.filter(|it| !self.lines.was_answered(it.call.as_deref())) {
                say(&[format!("ask withdrawn: {}", settled.why(self.stopped))]);
            }
        }
        self.stopped &= self.busy;
        if self.asked.is_none()
            && let Some(ask) = snapshot.asks.first()
            && let Some(asked) = PendingRequest::read(ask, snapshot.asks.len(), &self.facts, snapshot.mode.as_ref())
        {
            say(&asked.lines);
            // Rings the bell once per request.
            let mut out = io::stdout().lock();
            out.write_all(b"\x07").and_then(|()| out.flush()).ok();
            self.asked = Some(asked);
        }
    }

    async fn typed(&mut self, line: &str) -> Option<Outcome> {
        if let Some(asked) = &mut self.asked {
            let step = match line {
                ESCAPE => asked.stop(),
                line => asked.typed(line),
            };
            return self.answered(step).await;
        }
        if let Some(list) = &mut self.list {
            match list.typed(line) {
                Ok(chosen) => {
                    self.list = None;
                    return self.chose(chosen).await;
                }
                Err(said) => say(&said),
            }
            return None;
        }
        match line {
            "" => {}
            ESCAPE if self.commands.stop() => {}
            ESCAPE if self.busy => self.stop(),
            ESCAPE => {}
            "/exit" | "/quit" => return Some(Outcome::Left(0)),
            "/clear" | "/new" => {
                return Some(Outcome::StartNext {
                    next: Next::Fresh { prompt: None },
                    draft: String::new(),
                });
            }
            "/resume" | "/continue" => self.offer(List::sessions(&self.facts, now())),
            "/mode" => self.offer(List::modes()),
            "/model" => match self.client.request(ListModels::default()).await {
                Ok(answer) => self.offer(List::models(&answer.models)),
                Err(error) => say(&[format!("error: {error}")]),
            },
            line => {
                let line = match self.command(line).await {
                    Ok(outcome) => return outcome,
                    Err(line) => line,
                };
                if self.busy {
                    say(&[format!("queued {}: {line}", self.waiting + 1)]);
                    self.waiting += 1;
                }
                self.send(line).await;
            }
        }
        None
    }

    fn offer(&mut self, list: List) {
        say(&list.lines());
        self.list = (!list.is_empty()).then_some(list);
    }

    async fn chose(&mut self, chosen: ListChoice) -> Option<Outcome> {
        let done = match chosen {
            ListChoice::Nothing => return None,
            ListChoice::Session(session) => {
                let next = Next::Resume { session, fork: false };
                return Some(Outcome::StartNext {
                    next,
                    draft: String::new(),
                });
            }
            ListChoice::Plugin(act) => {
                self.plugin(act);
                return None;
            }
            ListChoice::Point(point) => return Some(self.go_back(&point).await),
            ListChoice::Model(model) => self
                .client
                .set_model(Some(&model))
                .await
                .map(|_| format!("model {model}")),
            ListChoice::Mode(mode) => {
                let word = mode_word(&mode);
                let request = SetPermissionMode {
                    mode,
                    ..SetPermissionMode::default()
                };
                self.client.request(request).await.map(|_| format!("mode {word}"))
            }
        };
        match done {
            Ok(said) => say(&[format!("notice: {said}")]),
            Err(error) => say(&[format!("error: {error}")]),
        }
        None
    }

    async fn answered(&mut self, step: Step) -> Option<Outcome> {
        match step {
            Step::Say(lines) => say(&lines),
            Step::Edit(text) => self.edit(&text).await,
            Step::NewSession { refusal, prompt, said } => {
                say(&[format!("you answered: {said}")]);
                if let Some(asked) = self.asked.take() {
                    self.client
                        .answer(asked.id, PermissionDecision::from(*refusal))
                        .await
                        .ok();
                }
                let next = Next::Fresh { prompt: Some(prompt) };
                return Some(Outcome::StartNext {
                    next,
                    draft: String::new(),
                });
            }
            Step::Answer(response, said) => {
                say(&[format!("you answered: {said}")]);
                if let Some(asked) = self.asked.take() {
                    self.client
                        .answer(asked.id, PermissionDecision::from(*response))
                        .await
                        .ok();
                }
            }
            Step::Fill(elicitation, response, said) => {
                say(&[format!("you answered: {said}")]);
                self.asked = None;
                self.forms.answer(&elicitation, response);
            }
        }
        None
    }

    /// Opens a text in the user's editor. The session continues; its output is held back until the editor closes.
    async fn edit(&mut self, text: &str) {
        say(&[format!("notice: opens in {}; the session continues", self.facts.editor)]);
        self.edited = true;
        let edited = crate::run::edit_text(&self.facts.editor, &self.facts.folder, text).await;
        let Some(asked) = &mut self.asked else { return };
        match edited {
            Ok(text) => say(&asked.edited(&text)),
            Err(why) => {
                say(&[format!("error: {why}")]);
                say(&asked.lines);
            }
        }
    }

    async fn send(&self, text: &str) {
        if let Err(error) = self.client.send(text).await {
            say(&[format!("error: {error}")]);
        }
    }
}

fn say(lines: &[String]) {
    let mut out = io::stdout().lock();
    for line in lines {
        writeln!(out, "{line}").ok();
    }
    out.flush().ok();
}

/// Reads input lines in a thread. It reads the next line only on demand, because the terminal may meanwhile belong to
/// an editor.
fn typed() -> (mpsc::Receiver<String>, turns::Sender<()>) {
    let (typed, lines) = mpsc::channel(16);
    let (next, turn) = turns::channel();
    thread::spawn(move || {
        for line in io::stdin().lock().lines() {
            let Ok(line) = line else { return };
            if typed.blocking_send(line).is_err() || turn.recv().is_err() {
                return;
            }
        }
    });
    (lines, next)
}
