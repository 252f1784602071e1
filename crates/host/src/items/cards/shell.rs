//! Commands: run, read, stopped.

use super::{Call, CardBody, Fields as _, Subject};
use crate::items::Text;
use crate::items::card::{Shell, ShellAction};

pub(super) fn run(call: &Call<'_>) -> (Subject, CardBody) {
    let command = call.word("command").trim().to_owned();
    let shell = Shell {
        command: command.clone(),
        about: call.optional("description"),
        ..finished(call, ShellAction::Run)
    };
    (Subject::Command(command), CardBody::Shell(shell))
}

pub(super) fn output(call: &Call<'_>) -> (Subject, CardBody) {
    (task(call), CardBody::Shell(finished(call, ShellAction::Output)))
}

pub(super) fn stop(call: &Call<'_>) -> (Subject, CardBody) {
    let mut shell = finished(call, ShellAction::Stop);
    shell.command = call
        .value()
        .and_then(|value| value.word("command"))
        .unwrap_or_default()
        .to_owned();
    (task(call), CardBody::Shell(shell))
}

fn task(call: &Call<'_>) -> Subject {
    let id = ["task_id", "bash_id", "shell_id"]
        .iter()
        .find_map(|name| call.optional(name));
    id.map_or(Subject::None, Subject::Task)
}

fn finished(call: &Call<'_>, action: ShellAction) -> Shell {
    let mut shell = Shell {
        action,
        ..Shell::default()
    };
    let Some(outcome) = call.outcome else { return shell };
    if outcome.failed {
        let text = outcome.text.strip_prefix("Error: ").unwrap_or(outcome.text);
        let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
        let code = first
            .strip_prefix("Exit code ")
            .and_then(|code| code.trim().parse().ok());
        shell.exit_code = code;
        shell.output = Some(match outcome.text {
            Text::Here(_) => Text::from(if code.is_some() { rest } else { text }),
            stored @ Text::Stored { .. } => stored.clone(),
        });
        return shell;
    }
    let value = outcome.value;
    shell.task = value.word("backgroundTaskId").map(str::to_owned);
    shell.moved = value.is("backgroundedByUser");
    // A task that is read has its output below it.
    let parts = value.get("task").filter(|task| task.is_object()).unwrap_or(value);
    let words = |names: &[&str]| {
        let mut texts = names.iter().filter_map(|name| parts.text(name));
        texts.find(|text| !text.is_empty())
    };
    shell.stderr = words(&["stderr"]);
    shell.output = Some(match words(&["stdout", "output", "result"]) {
        Some(output) => output,
        // The text says in words that there is no output.
        None if value.is_object() && action != ShellAction::Output => Text::default(),
        None => outcome.text.clone(),
    });
    shell
}
