//! Lines instead of a region, for screen readers and for terminals that can do nothing else.
//!
//! One event, one line; each line's first word is its kind. Nothing moves a cursor, nothing is coloured, nothing is
//! written token by token.

mod answer;
mod lines;

use std::io::{self, BufRead as _, Write as _};
use std::thread;

use sluice_host::conversation::Time;
use sluice_host::{Answer, Client, Event, Options};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;

use crate::app::Next;
use crate::facts::Facts;
use crate::run::{Agent, Outcome, now};
use crate::view::picture::Picture;
use answer::Asked;
use lines::Lines;

/// Shows a session line by line until the person leaves.
///
/// # Errors
/// When signals cannot be waited for.
pub(crate) async fn run(facts: Facts, agent: Agent, options: Options) -> io::Result<Outcome> {
    say(&[format!(
        "sluice {}, folder {}, model {}, mode ask",
        facts.version,
        facts.folder_word(),
        if facts.is_demo() { "demo" } else { &facts.model }
    )]);
    let options = options.asks(true).include_partial_messages(false);
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
    let mut talk = Talk {
        client: client.clone(),
        lines: Lines::new(&facts.folder.display().to_string()),
        from: 0,
        asked: None,
        busy: false,
    };
    if let Some(prompt) = &facts.prompt {
        talk.send(prompt).await;
    }
    let outcome = talk.listen().await?;
    tokio::time::timeout(std::time::Duration::from_secs(3), client.close())
        .await
        .ok();
    Ok(outcome)
}

struct Talk {
    client: Client,
    lines: Lines,
    from: usize,
    asked: Option<Asked>,
    busy: bool,
}

impl Talk {
    async fn listen(&mut self) -> io::Result<Outcome> {
        let mut typed = typed();
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
                    }
                },
                _ = interrupts.recv() => {
                    if !self.busy {
                        return Ok(Outcome::Left(0));
                    }
                    let client = self.client.clone();
                    tokio::spawn(async move { client.interrupt().await });
                }
                _ = terminate.recv() => return Ok(Outcome::Left(143)),
                event = events.next() => match event {
                    None | Some(Event::Gone { .. } | Event::Unreachable { .. }) => {
                        say(&["error: the session's engine ended".to_owned()]);
                        return Ok(Outcome::Left(1));
                    }
                    Some(Event::Changed(_)) => self.look().await,
                    Some(_) => {}
                },
            }
        }
    }

    async fn look(&mut self) {
        let from = self.from;
        let time = Time(now());
        let Ok(picture) = self.client.look(move |state| Picture::of(state, from, time)).await else {
            return;
        };
        self.from = picture.next;
        self.busy = picture.is_busy();
        say(&self.lines.of(&picture));
        let open = |asked: &Asked| picture.asks.iter().any(|ask| ask.id == asked.id);
        if self.asked.as_ref().is_some_and(|asked| !open(asked)) {
            self.asked = None;
        }
        if self.asked.is_none()
            && let Some(ask) = picture.asks.first()
            && let Some(asked) = Asked::read(ask, picture.asks.len())
        {
            say(&asked.lines);
            // One bell when an answer is wanted.
            let mut out = io::stdout().lock();
            out.write_all(b"\x07").and_then(|()| out.flush()).ok();
            self.asked = Some(asked);
        }
    }

    async fn typed(&mut self, line: &str) -> Option<Outcome> {
        if let Some(asked) = &self.asked {
            match asked.answer(line) {
                Some((response, said)) => {
                    say(&[format!("you answered: {said}")]);
                    let id = asked.id.clone();
                    self.asked = None;
                    self.client.answer(id, Answer::from(response)).await.ok();
                }
                None => say(&[asked.hint()]),
            }
            return None;
        }
        match line {
            "" => {}
            "/exit" | "/quit" => return Some(Outcome::Left(0)),
            "/clear" => {
                return Some(Outcome::Again {
                    next: Next::Fresh { prompt: None },
                    draft: String::new(),
                });
            }
            line => {
                if self.busy {
                    say(&[format!("queued 1: {line}")]);
                }
                self.send(line).await;
            }
        }
        None
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

/// Lines as they are typed, by a thread that may wait for ever.
fn typed() -> mpsc::Receiver<String> {
    let (typed, lines) = mpsc::channel(16);
    thread::spawn(move || {
        for line in io::stdin().lock().lines() {
            let Ok(line) = line else { return };
            if typed.blocking_send(line).is_err() {
                return;
            }
        }
    });
    lines
}
