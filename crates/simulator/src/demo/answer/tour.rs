//! The tour: a task list that is kept up to date, a directory listing, a new file, a change or a bug fix, a question
//! and a failure. Steps whose tool the session does not offer are left out.

use serde_json::{Value, json};

use super::super::turn::{Call, Turn};
use super::super::{results, words};
use super::files::names;
use super::{call, shell};
use crate::script::Reply;

/// A file that does not exist.
const MISSING: &str = "sluice-tour-missing.md";

const STEPS: [(&str, &str); 3] = [
    ("Look around", "Looking around"),
    ("Write a file and change it", "Writing a file and changing it"),
    (
        "Ask a question and meet a failure",
        "Asking a question and meeting a failure",
    ),
];

const ROUTES: [(&str, &str); 2] = [
    ("The short way", "One failure, then the end"),
    ("The scenic way", "The same, with more words"),
];

/// The names of the tools for the task list.
const LIST_TOOLS: [&str; 3] = ["TaskCreate", "TaskUpdate", "TodoWrite"];

/// The stops of the tour, in the order of [`STEPS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stop {
    Look,
    Change,
    Ask,
    End,
}

/// Whether the tour continues after a failure of this call.
pub(super) fn is_expected_failure(turn: &Turn, call: &Call) -> bool {
    let mut shells = turn.calls.iter().filter(|call| call.name == "Bash");
    LIST_TOOLS.contains(&call.name.as_str()) || shells.nth(1).is_some_and(|second| second.id == call.id)
}

pub(super) fn tour(turn: &Turn) -> Reply {
    let calls = |name: &'static str| turn.calls.iter().filter(move |call| call.name == name);
    let next = |name: &'static str| turn.offers(name) && calls(name).next().is_none();
    if turn.calls.is_empty() && (next("TaskCreate") || next("TodoWrite")) {
        return tasks(turn);
    }
    let Some(listing) = calls("Bash").next() else {
        let says = "**First stop:** I look around with a shell command. It only reads, so nobody is asked.";
        return at(turn, Stop::Look, shell(turn, says, "ls -Ap", "List the folder"));
    };
    let count = results::count(names(&listing.output).count(), "entry");
    let is_here = names(&listing.output).any(|name| name == words::BUGGY_FILE);
    if is_here && turn.offers("Edit") && next("Read") {
        let says = format!("I see {count} here. `{}` is a program: I read it.", words::BUGGY_FILE);
        let input = json!({"file_path": turn.path(words::BUGGY_FILE)});
        return call(turn, &says, "Read", input);
    }
    let has_bug = calls("Read").any(|call| !call.is_error && call.output.contains(words::BUG));
    if next("Write") {
        let seen = match has_bug {
            true => format!(
                "I found a bug: `{}` joins two words without a space, so it prints `helloworld`.",
                words::BUGGY_FILE
            ),
            false => format!("I see {count} here."),
        };
        let says = format!("{seen} **Second stop:** I write a small file. You see it first, and may refuse.");
        let input = json!({"file_path": turn.path(words::TOUR_FILE), "content": words::TOUR_TEXT});
        return at(turn, Stop::Change, call(turn, &says, "Write", input));
    }
    if next("Edit") {
        return at(turn, Stop::Change, edit(turn, has_bug));
    }
    if next("AskUserQuestion") {
        let options = ROUTES.map(|(label, description)| json!({"label": label, "description": description}));
        let question = json!({
            "question": "Which way shall we go on?", "header": "Tour", "multiSelect": false, "options": options,
        });
        let input = json!({"questions": [question]});
        let says = "**Fourth stop:** I ask you something.";
        return at(turn, Stop::Ask, call(turn, says, "AskUserQuestion", input));
    }
    if calls("Bash").count() < 2 {
        let says = "**Last stop:** not everything works. I open a file that is not there.";
        let opens = shell(turn, says, &format!("cat {MISSING}"), "Open a file that is missing");
        return at(turn, Stop::Ask, opens);
    }
    let listed = turn
        .calls
        .last()
        .is_some_and(|call| LIST_TOOLS.contains(&call.name.as_str()));
    let updates = updates(turn, Stop::End);
    if !listed && !updates.is_empty() {
        let says = Reply::text("That failed, as it should. The last task is done.");
        return with(says, updates);
    }
    Reply::text(closing_text(turn, has_bug))
}

/// Returns the change of the third stop: the bug fix, if there is a bug.
fn edit(turn: &Turn, has_bug: bool) -> Reply {
    let (file, old, new, says) = match has_bug {
        true => (
            words::BUGGY_FILE,
            words::BUG,
            words::BUG_FIXED,
            "**Third stop:** I fix the bug. What changes is marked.",
        ),
        false => (
            words::TOUR_FILE,
            "after you allowed it",
            "because you allowed it",
            "**Third stop:** I change a line of it. What changes is marked.",
        ),
    };
    let input = json!({"file_path": turn.path(file), "old_string": old, "new_string": new});
    call(turn, says, "Edit", input)
}

fn closing_text(turn: &Turn, has_bug: bool) -> String {
    let scenic = turn
        .calls
        .iter()
        .any(|call| call.name == "AskUserQuestion" && call.output.contains("scenic"));
    let more = match scenic {
        true => {
            "\n\nThe failure was an ordinary one: the command ended with a code that is not zero, its words are in the card, and the turn went on."
        }
        false => "",
    };
    let try_it = match has_bug {
        true => format!("`run python3 {}` to see the fix, ", words::BUGGY_FILE),
        false => format!("`replace tour with trip in {}`, ", words::TOUR_FILE),
    };
    format!(
        "**That was the tour.** You saw a command, a question before a change, the change itself, a choice and a failure.{more}\n\n\
         Next, try {try_it}`run rm {file}` to tidy up, or `help`.",
        file = words::TOUR_FILE
    )
}

/// Returns a reply that also updates the task list, if it makes the first call of a stop.
fn at(turn: &Turn, stop: Stop, reply: Reply) -> Reply {
    if reached(turn) >= stop && !turn.calls.iter().all(|call| LIST_TOOLS.contains(&call.name.as_str())) {
        return reply;
    }
    let mut updated = Reply::default();
    let mut pieces = reply.content.into_iter();
    updated.content.extend(pieces.next());
    let mut updated = with(updated, updates(turn, stop));
    updated.content.extend(pieces);
    updated
}

fn with(reply: Reply, calls: Vec<(&'static str, Value)>) -> Reply {
    calls
        .into_iter()
        .fold(reply, |reply, (tool, input)| reply.and_tool(tool, input))
}

/// Returns the last stop at which a call was made.
fn reached(turn: &Turn) -> Stop {
    let made = |name: &str| turn.calls.iter().filter(|call| call.name == name).count();
    match (
        made("AskUserQuestion") > 0 || made("Bash") > 1,
        made("Write") + made("Edit") > 0,
    ) {
        (true, _) => Stop::Ask,
        (_, true) => Stop::Change,
        _ => Stop::Look,
    }
}

/// Returns the calls that mark the tasks before `stop` as completed and that of `stop` as in progress.
fn updates(turn: &Turn, stop: Stop) -> Vec<(&'static str, Value)> {
    let made = |name: &str| turn.calls.iter().any(|call| call.name == name);
    if made("TodoWrite") {
        return vec![("TodoWrite", todos(stop))];
    }
    if !turn.offers("TaskUpdate") {
        return Vec::new();
    }
    let created = turn.calls.iter().filter(|call| call.name == "TaskCreate");
    let before = reached(turn) as usize;
    created
        .filter_map(|call| number(&call.output))
        .enumerate()
        .filter(|(step, _)| (before..=stop as usize).contains(step))
        .map(|(step, id)| ("TaskUpdate", json!({"taskId": id, "status": status(step, stop)})))
        .collect()
}

fn status(step: usize, stop: Stop) -> &'static str {
    match step.cmp(&(stop as usize)) {
        std::cmp::Ordering::Less => "completed",
        std::cmp::Ordering::Equal => "in_progress",
        std::cmp::Ordering::Greater => "pending",
    }
}

fn tasks(turn: &Turn) -> Reply {
    let says = "Welcome! I keep the stops of this tour in a list.";
    if !turn.offers("TaskCreate") {
        return call(turn, says, "TodoWrite", todos(Stop::Look));
    }
    STEPS.iter().fold(Reply::text(says), |reply, (step, active)| {
        let input = json!({"subject": step, "description": format!("{step}, on the tour"), "activeForm": active});
        reply.and_tool("TaskCreate", input)
    })
}

fn todos(stop: Stop) -> Value {
    let todos: Vec<Value> = STEPS
        .iter()
        .enumerate()
        .map(
            |(step, (content, active))| json!({"content": content, "status": status(step, stop), "activeForm": active}),
        )
        .collect();
    json!({"todos": todos})
}

/// Returns the number in `Task #7 created …`.
fn number(output: &str) -> Option<String> {
    let (_, rest) = output.split_once('#')?;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    (!digits.is_empty()).then_some(digits)
}
