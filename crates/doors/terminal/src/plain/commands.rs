//! Commands in plain mode: carried out as in screen mode, with results as lines.

use std::sync::Arc;

use sluice_wire::mode::PermissionMode;
use tokio::sync::mpsc;

use super::{List, Outcome, PlainSession, listing, say};
use crate::app::{Act, ActOutcome, Next, Point};
use crate::executor::{Executor, Shells};
use crate::plugins::PluginAct;
use crate::text::Row;
use crate::text::clean::one_line;
use crate::view::report;

/// Width used to lay out reports. Lines are read out, not drawn, so it is generous.
const COLUMNS: usize = 200;
/// Output of `/help`, one line per command.
const HELP: &[&str] = &[
    "help: /clear begins a new session, /resume continues another, /fork continues in a copy of this one",
    "help: /rewind goes back to before a prompt, /export writes the conversation to a file",
    "help: /model, /mode and /permissions show the model, the permission mode and the permission rules",
    "help: /context, /cost, /diff, /hooks, /skills, /status print a report",
    "help: /agents, /mcp and /tasks list subagents, MCP servers and what runs in the background",
    "help: /plan changes nothing from now on; /btw and a question asks beside the conversation",
    "help: /add-dir and a folder, /rename and a title change this session",
    "help: /plugin lists plugins; enable, disable, install or remove can follow, with a name or a path",
    "help: /login sets up an API key or a server, /logout removes it, /exit exits",
    "help: ! and a command runs it in your shell, # and a text saves a note in CLAUDE.md",
    "help: Escape and Enter stop a turn or a command of yours",
];

/// Carries out commands and receives their results.
pub(super) struct Commands {
    executor: Executor,
    results: mpsc::UnboundedReceiver<ActOutcome>,
    /// Number of `!` commands started, and number running.
    started: usize,
    running: usize,
}

impl Commands {
    pub(super) fn new(talk: (&sluice_host::Client, &super::Forms, &super::Facts)) -> Self {
        let (client, forms, facts) = talk;
        let (told, results) = mpsc::unbounded_channel();
        let executor = Executor {
            client: client.clone(),
            outcomes: told,
            forms: forms.clone(),
            facts: Arc::new(facts.clone()),
            shells: Shells::default(),
            searches: Arc::default(),
        };
        Self {
            executor,
            results,
            started: 0,
            running: 0,
        }
    }

    /// Receives the next result.
    pub(super) async fn next(&mut self) -> Option<ActOutcome> {
        self.results.recv().await
    }

    /// Kills the running `!` commands.
    pub(super) fn end(&self) {
        self.executor.shells.kill();
    }

    /// Stops the running `!` commands. Returns false if none runs.
    pub(super) fn stop(&self) -> bool {
        let any = self.running > 0;
        if any {
            self.executor.begin(Act::StopShells);
        }
        any
    }
}

impl PlainSession {
    /// Runs a line that is a command. Returns the line if it is a prompt.
    pub(super) async fn command<'a>(&mut self, line: &'a str) -> Result<Option<Outcome>, &'a str> {
        if let Some(command) = line.strip_prefix('!').map(str::trim).filter(|it| !it.is_empty()) {
            self.commands.started += 1;
            self.commands.running += 1;
            say(&[format!("command {} running: {command}", self.commands.started)]);
            self.commands.executor.begin(Act::Shell {
                id: self.commands.started,
                command: command.to_owned(),
                asks: self.facts.settings.shell_asks,
            });
            return Ok(None);
        }
        let note = line
            .strip_prefix('#')
            .filter(|_| !line.starts_with("##"))
            .map(str::trim);
        if let Some(text) = note.filter(|text| !text.is_empty()) {
            self.commands.executor.begin(Act::Note {
                file: self.facts.folder.join("CLAUDE.md"),
                text: text.to_owned(),
            });
            return Ok(None);
        }
        let Some((name, argument)) = line
            .strip_prefix('/')
            .map(|rest| rest.split_once(char::is_whitespace).unwrap_or((rest, "")))
        else {
            return Err(line);
        };
        let act = match name {
            "help" => {
                say(&HELP.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>());
                return Ok(None);
            }
            "login" => {
                let session = self.session().await;
                return Ok(Some(again(Next::Login { session })));
            }
            "logout" => {
                let session = self.session().await;
                return Ok(Some(again(Next::Logout { session })));
            }
            "fork" => match self.session().await {
                Some(session) => return Ok(Some(again(Next::Resume { session, fork: true }))),
                None => {
                    say(&["notice: there is nothing to fork yet".to_owned()]);
                    return Ok(None);
                }
            },
            "status" | "tasks" | "bashes" => {
                let (facts, wants_status) = (self.facts.clone(), name == "status");
                let lines = self.client.look(move |state| match wants_status {
                    true => listing::status(state, &facts),
                    false => listing::tasks(state),
                });
                say(&lines.await.unwrap_or_default());
                return Ok(None);
            }
            "add-dir" | "rename" | "btw" if argument.trim().is_empty() => {
                say(&[format!("error: /{name} needs an argument")]);
                return Ok(None);
            }
            "add-dir" => Act::AddFolder(crate::plugins::path(
                argument.trim(),
                &self.facts.folder,
                &self.facts.home,
            )),
            "rename" => Act::Rename(argument.trim().to_owned()),
            "btw" => Act::Aside(argument.trim().to_owned()),
            "agents" => Act::Agents,
            "mcp" => Act::Servers,
            "plan" if argument.trim().is_empty() => {
                say(&["notice: mode plan".to_owned()]);
                Act::SetMode(PermissionMode::Plan)
            }
            "permissions" | "allowed-tools" => Act::Rules,
            "rewind" | "checkpoint" => Act::Points,
            "export" if argument.trim().is_empty() => Act::Export("sluice-session.md".to_owned()),
            "export" => Act::Export(argument.trim().to_owned()),
            "plugin" | "plugins" => match PluginAct::parse(argument.trim(), &self.facts.folder, &self.facts.home) {
                Ok(act) => Act::Plugin(act),
                Err(why) => {
                    say(&[format!("error: {why}")]);
                    return Ok(None);
                }
            },
            "context" => Act::Context,
            "cost" | "usage" => Act::Cost,
            "diff" => Act::Diff,
            "hooks" => Act::Hooks,
            "skills" => Act::Skills,
            _ => return self.known(name, line).await.map(|()| None),
        };
        self.commands.executor.begin(act);
        Ok(None)
    }

    /// Carries out the chosen action on a plugin.
    pub(super) fn plugin(&self, act: PluginAct) {
        self.commands.executor.begin(Act::Plugin(act));
    }

    /// Returns the line if it is a command of the agent. An unknown command is an error.
    async fn known<'a>(&self, name: &str, line: &'a str) -> Result<(), &'a str> {
        let is_name = !name.is_empty() && name.chars().all(|it| it.is_alphanumeric() || "-_:".contains(it));
        let commands = self.client.look(|state| state.session().commands.clone()).await;
        let commands = commands.unwrap_or_default();
        if !is_name || commands.is_empty() || commands.iter().any(|command| &*command.name == name) {
            return Err(line);
        }
        say(&[format!("error: no command /{name}; /help lists the commands")]);
        Ok(())
    }

    async fn session(&self) -> Option<String> {
        let known = self.client.session_id().await.ok().flatten();
        let sessions = sluice_host::sessions::Sessions::under(&self.facts.config_dir);
        // A session without a prompt has no transcript yet, and cannot be resumed.
        known
            .or_else(|| self.facts.session.clone())
            .filter(|id| sessions.file(id, &self.facts.folder).exists())
    }

    /// Prints the outcome of a command.
    pub(super) fn result(&mut self, told: ActOutcome) {
        let rows = match told {
            ActOutcome::Notice(text) => return say(&[format!("notice: {}", one_line(&text))]),
            ActOutcome::Shell { id, output, code } => {
                self.commands.running = self.commands.running.saturating_sub(1);
                let lines = output.trim_end().lines();
                let mut lines: Vec<String> = lines
                    .map(|line| format!("  {}", one_line(&crate::text::clean::output_line(line))))
                    .collect();
                lines.push(match code {
                    Some(code) => format!("command {id} ended, exit {code}"),
                    None => format!("command {id} stopped"),
                });
                return say(&lines);
            }
            ActOutcome::Points(points) => return self.offer(List::points(&points)),
            ActOutcome::Rules(rules) => return say(&listing::rules(&rules)),
            ActOutcome::Plugins(plugins) => return say(&listing::plugins(&plugins)),
            ActOutcome::Agents(agents) => return say(&listing::agents(&agents)),
            ActOutcome::Servers(servers) => return say(&listing::servers(&servers)),
            ActOutcome::PluginOffer(offer) => {
                say(&[one_line(&offer.question())]);
                let lines = offer.lines();
                say(&lines
                    .iter()
                    .map(|line| format!("plugin contains: {}", one_line(line)))
                    .collect::<Vec<_>>());
                return self.offer(List::decision(
                    ["do not install it", "install and enable it"],
                    [PluginAct::Discard, PluginAct::Install(offer.id)],
                ));
            }
            ActOutcome::PluginRemoval(id) => {
                return self.offer(List::decision(
                    [format!("keep {id}"), format!("remove {id}")]
                        .each_ref()
                        .map(String::as_str),
                    [PluginAct::Discard, PluginAct::Remove(id)],
                ));
            }
            ActOutcome::Rows(rows) => rows,
            ActOutcome::Context(usage) => report::context(&usage, self.facts.is_demo(), COLUMNS),
            ActOutcome::Cost(usage) => report::cost(&usage, None, self.facts.is_demo(), COLUMNS),
            ActOutcome::Hooks(hooks) => report::hooks(&hooks, COLUMNS),
            ActOutcome::Skills(skills) => report::skills(&skills, COLUMNS),
            _ => return,
        };
        let lines = rows.iter().map(Row::text).filter(|line| !line.trim().is_empty());
        say(&lines.map(|line| format!("report: {}", line.trim())).collect::<Vec<_>>());
    }

    /// Rewinds the conversation to before a prompt. Files are not changed.
    pub(super) async fn go_back(&self, point: &Point) -> Outcome {
        say(&[format!("notice: back to before: {}", one_line(&point.text))]);
        again(match (self.session().await, &point.before) {
            (Some(session), Some(before)) => Next::Rewind {
                session,
                before: before.clone(),
                told: None,
            },
            _ => Next::Fresh { prompt: None },
        })
    }
}

fn again(next: Next) -> Outcome {
    Outcome::StartNext {
        next,
        draft: String::new(),
    }
}
