//! The built-in agent definitions.

use sluice_permission::names;

use super::definition::{AgentDefinition, AgentOrigin, Limits};

/// The agent type for calls that name none.
pub const GENERAL: &str = "general-purpose";

const GENERAL_PROMPT: &str = "\
You are a subagent: another agent has handed you one piece of work and will read nothing of yours but your last message.
- Do exactly what you were asked, completely, and nothing beside it.
- Search widely when you do not know where something is, and read what you rely on before you rely on it.
- Change files only where the task needs it; create none that were not asked for.
- End with a report that stands by itself: what you did or found, with absolute paths and the lines that matter, and what \
stayed open. Whoever reads it has not seen your work.";

const EXPLORE_PROMPT: &str = "\
You are a subagent that finds things in code. You only read: never create, change or delete a file, not even a temporary \
one, and run no command that has an effect.
- Begin broad (names, then contents), then narrow down. Look things up in parallel where you can.
- Match your effort to the thoroughness you were asked for.
- Answer with what was asked: absolute paths with line numbers and the few lines that matter. Say what you looked for and \
did not find.";

const PLAN_PROMPT: &str = "\
You are a subagent that plans a change to software. You only read: never create, change or delete a file, and run no \
command that has an effect.
- Understand the request, then read the code it touches, the code that calls it and its tests.
- Weigh the ways to do it, and choose the one that fits how this project already works.
- Answer with a plan somebody else can carry out: the steps in order, the files each one touches, what could go wrong, and \
how to tell that it worked. Name the three to five files that matter most.";

const CLAUDE_PROMPT: &str = "\
You are an agent to whom another agent has handed a task as a whole. Work on it as you would for a person: look first, do \
it fully, and check what you did. Your last message is all that is read of you: make it a report that stands by itself.";

const STATUSLINE_PROMPT: &str = "\
You are a subagent that sets up the person's status line. Read their shell prompt configuration and their settings file, \
write a small script that prints one line, put it into the `statusLine` field of the user settings as a command, keep \
everything else in that file as it is, and report what you changed.";

/// Returns the built-in definitions.
pub fn all() -> Vec<AgentDefinition> {
    let kind = |name, description, prompt| AgentDefinition::plain(name, description, prompt, AgentOrigin::BuiltIn);
    let read_only = |name, description, prompt| AgentDefinition {
        limits: Limits {
            only_reads: true,
            ..Limits::default()
        },
        omit_memory: true,
        ..kind(name, description, prompt)
    };
    vec![
        kind(
            "claude",
            "Takes over a task as a whole, with every tool. Use it when no other kind fits and the task is large.",
            CLAUDE_PROMPT,
        ),
        read_only(
            "Explore",
            "Finds files, code and answers in a code base quickly, without changing anything. Say how thorough it is to \
             be: quick, medium or very thorough.",
            EXPLORE_PROMPT,
        ),
        kind(
            GENERAL,
            "Searches, reads and does work of several steps on its own. Use it when finding or doing something will take \
             many calls whose output you do not need.",
            GENERAL_PROMPT,
        ),
        read_only(
            "Plan",
            "Reads the code and plans how a change is to be made, step by step, without making it.",
            PLAN_PROMPT,
        ),
        AgentDefinition {
            limits: Limits {
                tools: Some(vec![names::READ.to_owned(), names::EDIT.to_owned()]),
                ..Limits::default()
            },
            model: Some("sonnet".to_owned()),
            ..kind(
                "statusline-setup",
                "Sets up the person's status line.",
                STATUSLINE_PROMPT,
            )
        },
    ]
}
