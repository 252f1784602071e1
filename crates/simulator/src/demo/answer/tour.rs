//! The tour: a list of tasks, a look around, a new file, a change to it, a question and a failure, each as it happens in
//! real work. Whatever a session does not offer is left out.

use serde_json::{Value, json};

use super::super::turn::{Call, Turn};
use super::super::{results, words};
use super::files::names;
use super::{call, shell};
use crate::script::Reply;

/// A file that is not there.
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

/// Whether a call of the tour was meant to fail.
pub(super) fn is_meant_to_fail(turn: &Turn, call: &Call) -> bool {
    let shells: Vec<&Call> = turn.calls.iter().filter(|call| call.name == "Bash").collect();
    shells.get(1).is_some_and(|second| second.id == call.id)
}

pub(super) fn tour(turn: &Turn) -> Reply {
    let calls = |name: &'static str| turn.calls.iter().filter(move |call| call.name == name);
    let next = |name: &'static str| turn.offers(name) && calls(name).next().is_none();
    let path = turn.path(words::TOUR_FILE);
    if turn.calls.is_empty() && (next("TaskCreate") || next("TodoWrite")) {
        return tasks(turn);
    }
    let Some(listing) = calls("Bash").next() else {
        let says = "**First stop:** I look around with a shell command. It only reads, so nobody is asked.";
        return shell(turn, says, "ls -Ap", "List the folder");
    };
    if next("Write") {
        let count = results::count(names(&listing.output).count(), "entry");
        let says =
            format!("I see {count} here. **Second stop:** I write a small file. You see it first, and may refuse.");
        return call(
            turn,
            &says,
            "Write",
            json!({"file_path": path, "content": words::TOUR_TEXT}),
        );
    }
    if next("Edit") {
        let (old, new) = ("after you allowed it", "because you allowed it");
        let input = json!({"file_path": path, "old_string": old, "new_string": new});
        return call(
            turn,
            "**Third stop:** I change a line of it. What changes is marked.",
            "Edit",
            input,
        );
    }
    if next("AskUserQuestion") {
        let options = ROUTES.map(|(label, description)| json!({"label": label, "description": description}));
        let question = json!({
            "question": "Which way shall we go on?", "header": "Tour", "multiSelect": false, "options": options,
        });
        let input = json!({"questions": [question]});
        return call(turn, "**Fourth stop:** I ask you something.", "AskUserQuestion", input);
    }
    if calls("Bash").count() < 2 {
        let says = "**Last stop:** not everything works. I open a file that is not there.";
        return shell(turn, says, &format!("cat {MISSING}"), "Open a file that is missing");
    }
    if let Some(reply) = finish(turn) {
        return reply;
    }
    let scenic = calls("AskUserQuestion").any(|call| call.output.contains("scenic"));
    let more = match scenic {
        true => {
            "\n\nThe failure was an ordinary one: the command ended with a code that is not zero, its words are in the card, and the turn went on."
        }
        false => "",
    };
    Reply::text(format!(
        "**That was the tour.** You saw a command, a question before a change, the change itself, a choice and a failure.{more}\n\n\
         Next, try `replace tour with trip in {file}`, `run rm {file}` to tidy up, or `help`.",
        file = words::TOUR_FILE
    ))
}

fn tasks(turn: &Turn) -> Reply {
    let says = "Welcome! I keep the stops of this tour in a list.";
    if !turn.offers("TaskCreate") {
        return call(turn, says, "TodoWrite", todos("pending"));
    }
    STEPS.iter().fold(Reply::text(says), |reply, (step, active)| {
        let input = json!({"subject": step, "description": format!("{step}, on the tour"), "activeForm": active});
        reply.and_tool("TaskCreate", input)
    })
}

fn todos(status: &str) -> Value {
    let todos = STEPS.map(|(step, active)| json!({"content": step, "status": status, "activeForm": active}));
    json!({"todos": todos})
}

/// Ticks the list off, once.
fn finish(turn: &Turn) -> Option<Reply> {
    let made = |name: &str| turn.calls.iter().filter(|call| call.name == name).count();
    let says = "That failed, as it should. I tick the list off.";
    if made("TodoWrite") == 1 {
        return Some(call(turn, says, "TodoWrite", todos("completed")));
    }
    if made("TaskUpdate") > 0 || !turn.offers("TaskUpdate") {
        return None;
    }
    let created = turn.calls.iter().filter(|call| call.name == "TaskCreate");
    let ids: Vec<String> = created.filter_map(|call| number(&call.output)).collect();
    let done = ids.iter().fold(Reply::text(says), |reply, id| {
        reply.and_tool("TaskUpdate", json!({"taskId": id, "status": "completed"}))
    });
    (!ids.is_empty()).then_some(done)
}

/// The number in `Task #7 created …`.
fn number(output: &str) -> Option<String> {
    let (_, rest) = output.split_once('#')?;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    (!digits.is_empty()).then_some(digits)
}
