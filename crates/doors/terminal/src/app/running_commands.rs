//! Running commands: `!` commands of the user and Bash calls of the agent.

use std::time::Duration;

use super::{Act, App, Now};
use crate::text::{Role, Row, Style, clean};
use crate::view::{amount, card};

/// Interval between two requests for the output of running Bash calls, in milliseconds.
const LOOK_INTERVAL: Now = 1000;

/// A call that ends sooner shows only its result.
const MIN_TIME: Duration = Duration::from_millis(500);

/// Running commands.
#[derive(Debug, Default)]
pub(super) struct RunningCommands {
    shells: Vec<RunningShell>,
    /// Number of `!` commands started.
    started: usize,
    /// Time of the last request for output.
    looked: Now,
}

#[derive(Debug)]
struct RunningShell {
    id: usize,
    command: String,
    began: Now,
    tail: String,
    stopping: bool,
}

impl App {
    /// Starts a `!` command.
    pub(super) fn start_shell(&mut self, command: &str, now: Now) {
        self.running_commands.started += 1;
        let id = self.running_commands.started;
        self.running_commands.shells.push(RunningShell {
            id,
            command: command.to_owned(),
            began: now,
            tail: String::new(),
            stopping: false,
        });
        self.acts.push(Act::Shell {
            id,
            command: command.to_owned(),
            asks: self.facts.settings.shell_asks,
        });
    }

    /// Stops the running `!` commands. Returns false if none runs or all are already stopping.
    pub(super) fn stop_shells(&mut self) -> bool {
        let mut any = false;
        for shell in &mut self.running_commands.shells {
            any |= !std::mem::replace(&mut shell.stopping, true);
        }
        if any {
            self.acts.push(Act::StopShells);
        }
        any
    }

    /// True if a `!` command runs.
    pub(super) fn runs_shell(&self) -> bool {
        !self.running_commands.shells.is_empty()
    }

    /// Returns the number of `!` commands that have ended.
    pub(super) fn shells_ended(&self) -> usize {
        self.running_commands.started - self.running_commands.shells.len()
    }

    pub(super) fn shell_wrote(&mut self, id: usize, tail: String) {
        if let Some(shell) = self.running_commands.shells.iter_mut().find(|shell| shell.id == id) {
            shell.tail = tail;
        }
    }

    /// Handles the end of a `!` command. No exit code means it was stopped.
    pub(super) fn shell_ended(&mut self, id: usize, output: &str, code: Option<i32>) {
        let Some(at) = self.running_commands.shells.iter().position(|shell| shell.id == id) else {
            return;
        };
        let shell = self.running_commands.shells.remove(at);
        let mut rows = vec![
            Row::new()
                .add("! ", Role::Accent)
                .add(&shell.command, Style::TEXT.bold()),
        ];
        let lines = output.trim_end().lines();
        rows.extend(lines.map(|line| Row::plain(&format!("    {}", clean::output_line(line)))));
        match code {
            None => rows.push(Row::faint("    stopped")),
            Some(0) => {}
            Some(code) => rows.push(Row::faint(&format!("    exit {code}"))),
        }
        self.say(rows);
    }

    /// Returns the rows of running `!` commands, with the end of their output.
    pub(super) fn shell_rows(&self, now: Now, spinner: &str) -> Vec<Row> {
        let mut rows = Vec::new();
        for shell in &self.running_commands.shells {
            let time = amount::running(Duration::from_millis(now.saturating_sub(shell.began)));
            let stop = if shell.stopping { "stopping" } else { "esc stops" };
            let facts = [time, stop.to_owned()];
            rows.extend(card::head(
                spinner,
                Role::Accent,
                "!",
                &shell.command,
                &facts,
                self.columns,
            ));
            let lines: Vec<&str> = shell.tail.trim_end().lines().collect();
            let from = lines.len().saturating_sub(card::MAX_RESULT_ROWS);
            rows.extend(lines.iter().skip(from).map(|line| card::output(line).cut(self.columns)));
        }
        rows
    }

    /// Requests the output of running Bash calls at intervals.
    pub(super) fn look_at_calls(&mut self, now: Now) {
        if self.open_request.is_some() || now.saturating_sub(self.running_commands.looked) < LOOK_INTERVAL {
            return;
        }
        let calls = self.feed.running_commands().filter(|call| call.time >= MIN_TIME);
        let looks: Vec<Act> = calls
            .map(|call| Act::CallOutput {
                task: call
                    .call
                    .task
                    .as_ref()
                    .map_or(&call.call.id, |task| &task.id)
                    .to_string(),
                call: call.call.id.to_string(),
            })
            .collect();
        if !looks.is_empty() {
            self.running_commands.looked = now;
            self.acts.extend(looks);
        }
    }
}
