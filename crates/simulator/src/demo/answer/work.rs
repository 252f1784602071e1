//! Replies to prompts that take several steps: commands, tests, plans, questions.

use serde_json::json;

use super::super::turn::Turn;
use super::super::{results, words};
use super::files::names;
use super::{call, shell};
use crate::script::Reply;

pub(super) fn run(turn: &Turn, command: &str) -> Reply {
    let Some(done) = turn.calls.first() else {
        return shell(
            turn,
            &format!("I will run `{}`.", results::first_line(command)),
            command,
            "Run what was asked for",
        );
    };
    let output = results::plain(&done.output);
    if output.is_empty() || output.starts_with('(') && output.lines().count() == 1 {
        return Reply::text("It ran and said nothing, which for most commands is good news.");
    }
    Reply::text(format!(
        "It ran. {} of output:\n\n{}",
        results::count(output.lines().count(), "line"),
        results::first_lines(&output, "text")
    ))
}

pub(super) fn tests(turn: &Turn) -> Reply {
    match turn.calls.as_slice() {
        [] => shell(
            turn,
            "First I will see what kind of project this is.",
            "ls -Ap",
            "List the folder",
        ),
        [listing] => {
            let has = |file: &str| names(&listing.output).any(|name| name == file);
            let kinds = [
                ("Cargo.toml", "cargo test"),
                ("package.json", "npm test"),
                ("go.mod", "go test ./..."),
                ("pyproject.toml", "python3 -m pytest -q"),
                ("setup.py", "python3 -m pytest -q"),
                ("Makefile", "make test"),
            ];
            match kinds.iter().find(|(file, _)| has(file)) {
                Some((file, command)) => shell(
                    turn,
                    &format!("There is a `{file}`, so I will run `{command}`."),
                    command,
                    "Run the tests",
                ),
                None => Reply::text(
                    "I see no project I know here (no `Cargo.toml`, `package.json`, `go.mod`, `pyproject.toml` or `Makefile`). \
                     Say `run COMMAND` with the command that runs your tests.",
                ),
            }
        }
        [_, done, ..] => Reply::text(format!(
            "The tests pass. The end of the output:\n\n{}",
            results::last_lines(&results::plain(&done.output))
        )),
    }
}

pub(super) fn plan(turn: &Turn, goal: &str) -> Reply {
    let goal = if goal.is_empty() { "the task" } else { goal };
    let steps = [
        ("Look at what is there", "Looking at what is there"),
        (
            "Make the smallest change that helps",
            "Making the smallest change that helps",
        ),
        ("Check that it works", "Checking that it works"),
        ("Tell others about it", "Telling others about it"),
    ];
    if turn.calls.is_empty() && turn.offers("TodoWrite") {
        let todos = steps.iter().enumerate().map(|(index, (content, active))| {
            let status = if index == 0 { "in_progress" } else { "pending" };
            json!({"content": content, "status": status, "activeForm": active})
        });
        return call(
            turn,
            "I keep the steps in a list.",
            "TodoWrite",
            json!({"todos": todos.collect::<Vec<_>>()}),
        );
    }
    if turn.calls.is_empty() && turn.offers("TaskCreate") {
        return steps
            .iter()
            .fold(Reply::text("I keep the steps in a list."), |reply, (step, active)| {
                let description = format!("{step}, for: {goal}");
                reply.and_tool(
                    "TaskCreate",
                    json!({"subject": step, "description": description, "activeForm": active}),
                )
            });
    }
    let mut said = format!("A plan for **{goal}**:\n");
    for (step, _) in steps {
        said += &format!("\n- [ ] {step}");
    }
    Reply::text(said + "\n\nIt is the plan I have for everything. A real model would look at your files first.")
}

const CHOICES: [(&str, &str); 3] = [
    ("Permissions", "What is asked about, and how rules work"),
    ("Sessions", "Where a conversation is kept, and how to go on"),
    ("The protocol", "How programs drive an agent"),
];

pub(super) fn ask(turn: &Turn) -> Reply {
    let Some(done) = turn.calls.first() else {
        let options = CHOICES.map(|(label, description)| json!({"label": label, "description": description}));
        let question = json!({
            "question": "What shall I tell you about?", "header": "Topic", "multiSelect": false, "options": options,
        });
        return call(
            turn,
            "I would like to know something.",
            "AskUserQuestion",
            json!({"questions": [question]}),
        );
    };
    let chosen = CHOICES.iter().find(|(label, _)| done.output.contains(label));
    Reply::text(match chosen {
        Some((label, _)) => words::topic(label),
        None => format!(
            "Thank you. You answered: {}",
            results::first_line(&results::plain(&done.output))
        ),
    })
}
