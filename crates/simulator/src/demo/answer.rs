//! Chooses the reply to a prompt: the next tool call, or the final text.

mod files;
mod tour;
mod work;

use serde_json::{Value, json};

use super::intent::{self, Intent};
use super::results::{self, Problem};
use super::turn::{Call, Turn};
use super::words;
use crate::script::Reply;

/// Returns the reply for the current state of the turn.
pub(super) fn to(turn: &Turn) -> Reply {
    let intent_of_prompt = intent::of(&turn.prompt);
    let expected_failure = |call: &Call| intent_of_prompt == Intent::Tour && tour::is_expected_failure(turn, call);
    let mut calls = turn.calls.iter().filter(|call| !expected_failure(call));
    if let Some((call, problem)) = calls.find_map(|call| Some((call, results::problem(call)?))) {
        return Reply::text(explain_failure(&intent_of_prompt, call, &problem));
    }
    match &intent_of_prompt {
        Intent::Hello => Reply::text(words::HELLO),
        Intent::Help => Reply::text(words::HELP),
        Intent::Thanks => Reply::text(words::THANKS),
        Intent::Show => Reply::text(words::SHOW),
        Intent::Other => Reply::text(words::LOST),
        Intent::Explain { topic } => Reply::text(words::topic(topic)),
        Intent::Summary => Reply::text(summary(turn)),
        Intent::Think { about } => think(turn, about),
        Intent::Tour => tour::tour(turn),
        Intent::List { folder } => files::list(turn, folder.as_deref()),
        Intent::Read { file } => files::read(turn, file),
        Intent::ExplainFile { file } => files::explain(turn, file),
        Intent::Search { text } => files::search(turn, text),
        Intent::Note { text } => files::note(turn, text),
        Intent::Create { file, text } => files::create(turn, file, text.as_deref()),
        Intent::Edit { file, old, new } => files::edit(turn, file, old, new),
        Intent::Run { command } => work::run(turn, command),
        Intent::Git { command } => work::run(turn, command),
        Intent::Tests => work::tests(turn),
        Intent::Plan { goal } => work::plan(turn, goal),
        Intent::AskMe => work::ask(turn),
    }
}

/// Returns a reply with a text and a tool call, or a text that explains that the tool is missing.
fn call(turn: &Turn, says: &str, tool: &str, input: Value) -> Reply {
    if turn.offers(tool) {
        return Reply::text(says).and_tool(tool, input);
    }
    Reply::text(format!(
        "For that I need the `{tool}` tool, and it is not offered in this session. \
         Start without limits on tools, or ask me something else: `help` shows what I know."
    ))
}

fn shell(turn: &Turn, says: &str, command: &str, description: &str) -> Reply {
    call(
        turn,
        says,
        "Bash",
        json!({"command": command, "description": description}),
    )
}

fn explain_failure(intent_of_prompt: &Intent, call: &Call, problem: &Problem) -> String {
    match problem {
        Problem::Declined(reason) => format!(
            "All right, I leave it. `{}` did not run{}.\n\nNothing was changed by it. Tell me what you would like instead; `help` shows what I know.",
            call.name,
            if reason.is_empty() {
                String::new()
            } else {
                format!(" (*{reason}*)")
            },
        ),
        Problem::Failed(output) => {
            let hint = match intent_of_prompt {
                Intent::Read { .. } | Intent::ExplainFile { .. } | Intent::Edit { .. } => {
                    "\n\nMaybe the name is different: say `list files` to see what is here."
                }
                Intent::Tests => "\n\nSo the tests do not pass, or could not be started.",
                _ => "",
            };
            format!(
                "That did not work. `{}` said:\n\n{}{hint}",
                call.name,
                results::last_lines(output)
            )
        }
    }
}

fn think(turn: &Turn, about: &str) -> Reply {
    let about = if about.is_empty() {
        "nothing in particular"
    } else {
        about
    };
    let said = format!(
        "I thought about *{about}* for a moment. As a demo model I come to the same end every time: \
         look first, change little, and ask before anything that cannot be undone."
    );
    let thought = format!(
        "The person wants me to think about {about}. I have no opinions, only a script. \
         But thinking is shown apart from the answer, and that is what they want to see."
    );
    if turn.thinks {
        Reply::thinking(thought).and_text(said)
    } else {
        Reply::text(said)
    }
}

fn summary(turn: &Turn) -> String {
    let mut said = "<summary>\nA conversation with the demo model. The person asked, in this order:\n".to_owned();
    for prompt in &turn.earlier {
        said += &format!("\n- {}", results::first_line(prompt));
    }
    said + "\n</summary>"
}
