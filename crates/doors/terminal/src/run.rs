//! The loop: what is typed goes to the agent, what is heard goes to the screen.

use std::collections::{HashSet, VecDeque};
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::PathBuf;
use std::thread;

use sluice_wire::control::{CanUseTool, ControlRequest, Interrupt, Request, RequestId};
use sluice_wire::stdout::CommandState;
use sluice_wire::{ToAgent, ToHost, stdin};
use tokio::sync::mpsc;

use crate::answer;
use crate::show::{Paint, Show};

/// An agent, whatever is behind it.
#[derive(Debug)]
pub struct Agent {
    /// What is said to it.
    pub say: mpsc::Sender<ToAgent>,
    /// What it says.
    pub hear: mpsc::Receiver<ToHost>,
}

/// What stands at the top.
#[derive(Debug, Clone)]
pub struct Heading {
    /// Our version.
    pub version: String,
    /// Where the session works.
    pub folder: PathBuf,
    /// Who answers.
    pub model: String,
}

/// What a person does.
enum Act {
    Line(String),
    Leave,
    Interrupt,
}

/// Talks with a person until they leave; gives the exit code.
pub async fn run(mut agent: Agent, heading: Heading, first: Option<String>) -> i32 {
    let paint = Paint(io::stdout().is_terminal());
    let mut table = Table {
        show: Show::new(paint),
        paint,
        say: agent.say,
        busy: false,
        open: HashSet::new(),
        leaving: false,
        asks: VecDeque::new(),
        requests: 0,
    };
    table.print(&format!(
        "{} {}\n{}\n\n",
        paint.bold("Sluice"),
        paint.faint(&heading.version),
        paint.faint(&format!("{} · {}", heading.folder.display(), heading.model)),
    ));
    table.print(&paint.faint("Type a message. Ctrl-C interrupts, Ctrl-D or /exit leaves.\n\n"));
    let mut acts = listen();
    match first {
        Some(prompt) => table.prompt(prompt).await,
        None => table.invite(),
    }
    loop {
        tokio::select! {
            act = acts.recv() => match act {
                Some(Act::Line(line)) => {
                    if table.typed(line).await {
                        return 0;
                    }
                }
                Some(Act::Interrupt) if table.busy => table.interrupt().await,
                // What was typed before the end is still answered, as long as nobody has to be asked.
                Some(Act::Leave) if table.busy && table.asks.is_empty() => table.leaving = true,
                Some(Act::Interrupt | Act::Leave) | None => {
                    table.print("\n");
                    return 0;
                }
            },
            heard = agent.hear.recv() => match heard {
                Some(message) => {
                    table.heard(&message);
                    if table.leaving && (!table.busy || !table.asks.is_empty()) {
                        table.print("\n");
                        return 0;
                    }
                }
                None => return 1,
            },
        }
    }
}

/// Lines and Ctrl-C as they come.
fn listen() -> mpsc::Receiver<Act> {
    let (typed, acts) = mpsc::channel(16);
    let pressed = typed.clone();
    tokio::spawn(async move {
        while tokio::signal::ctrl_c().await.is_ok() {
            if pressed.send(Act::Interrupt).await.is_err() {
                return;
            }
        }
    });
    thread::spawn(move || {
        for line in io::stdin().lock().lines() {
            let Ok(line) = line else { break };
            if typed.blocking_send(Act::Line(line)).is_err() {
                return;
            }
        }
        // Nobody waits any more when the session has ended by itself.
        let _gone = typed.blocking_send(Act::Leave);
    });
    acts
}

/// What lies between the person and the agent.
struct Table {
    show: Show,
    paint: Paint,
    say: mpsc::Sender<ToAgent>,
    /// A prompt is not done with yet.
    busy: bool,
    /// The prompts that are not done with.
    open: HashSet<String>,
    /// Nothing more will be typed.
    leaving: bool,
    asks: VecDeque<(RequestId, CanUseTool)>,
    requests: u64,
}

impl Table {
    /// A line was typed; true if it means good-bye.
    async fn typed(&mut self, line: String) -> bool {
        if let Some((id, ask)) = self.asks.front() {
            let typed = answer::read(&line);
            match answer::response(id, ask, &typed) {
                None => self.question(),
                Some(response) => {
                    self.asks.pop_front();
                    self.tell(response).await;
                    self.ask_next();
                }
            }
            return false;
        }
        match line.trim() {
            "/exit" | "/quit" => return true,
            "" if self.busy => {}
            "" => self.invite(),
            _ => self.prompt(line).await,
        }
        false
    }

    async fn prompt(&mut self, text: String) {
        self.busy = true;
        let uuid = uuid::Uuid::new_v4().to_string();
        let mut prompt = stdin::User::new(text);
        prompt.uuid = Some(uuid.clone());
        self.open.insert(uuid);
        self.tell(prompt).await;
    }

    async fn interrupt(&mut self) {
        self.requests += 1;
        let id = format!("terminal-{}", self.requests);
        self.tell(ControlRequest::new(id, Interrupt::default())).await;
    }

    fn heard(&mut self, message: &ToHost) {
        match message {
            ToHost::ControlRequest(request) => {
                if let Request::CanUseTool(ask) = &request.request {
                    self.asks.push_back((request.request_id.clone(), (**ask).clone()));
                    if self.asks.len() == 1 {
                        self.ask_next();
                    }
                }
            }
            ToHost::ControlCancelRequest(cancel) => {
                let first = self.asks.front().is_some_and(|(id, _)| *id == cancel.request_id);
                self.asks.retain(|(id, _)| *id != cancel.request_id);
                if first {
                    self.print("\n");
                    self.ask_next();
                }
            }
            ToHost::CommandLifecycle(lifecycle) => {
                if matches!(lifecycle.state, CommandState::Completed | CommandState::Cancelled) {
                    self.open.remove(&lifecycle.command_uuid);
                }
                if self.busy && self.open.is_empty() {
                    self.busy = false;
                    self.print("\n");
                    if !self.leaving {
                        self.invite();
                    }
                }
            }
            other => {
                let text = self.show.message(other);
                self.print(&text);
                // A turn nobody asked for has ended while nothing was waited for.
                if matches!(other, ToHost::Result(_)) && !self.busy {
                    self.print("\n");
                    self.invite();
                }
            }
        }
    }

    /// Shows the ask that is next in line.
    fn ask_next(&mut self) {
        let Some((_, ask)) = self.asks.front() else { return };
        let text = self.show.ask(ask);
        self.print(&text);
        self.question();
    }

    fn question(&self) {
        let offers = self.asks.front().is_some_and(|(_, ask)| {
            ask.permission_suggestions
                .as_ref()
                .is_some_and(|suggestions| !suggestions.is_empty())
        });
        let always = if offers { ", a(lways)" } else { "" };
        self.print(&self.paint.ask(&format!("  y(es){always}, n(o) and why: ")));
    }

    fn invite(&self) {
        self.print(&self.paint.bold("› "));
    }

    /// A terminal that is gone is noticed when its input ends.
    fn print(&self, text: &str) {
        let mut out = io::stdout().lock();
        let _gone = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    }

    async fn tell(&self, message: impl Into<ToAgent>) {
        // An agent that is gone is noticed when nothing more is heard of it.
        let _gone = self.say.send(message.into()).await;
    }
}
