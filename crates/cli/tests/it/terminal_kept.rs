//! State that survives a restart of the terminal, and the status before the first turn.

use std::fs;
use std::thread;
use std::time::Instant;

use crate::terminal::{PATIENCE, Terminal, answering};
use crate::terminal_asks::send;
use crate::terminal_journeys::{IDLE, leave, saying};

#[test]
fn a_killed_process_leaves_its_draft_to_the_next_start_in_the_folder() {
    let mut terminal = Terminal::open(answering("hello"), 80, 24, &[]);
    terminal.shows(IDLE);
    terminal.keys("half a thought");
    terminal.shows("› half a thought");
    let drafts = terminal.lab.home().join(".claude/drafts");
    let end = Instant::now() + PATIENCE;
    let is_saved = || {
        let files = fs::read_dir(&drafts).into_iter().flatten().flatten();
        files
            .filter_map(|file| fs::read_to_string(file.path()).ok())
            .any(|text| text.contains("half a thought"))
    };
    while !is_saved() {
        assert!(Instant::now() < end, "the draft was never written");
        thread::yield_now();
    }
    terminal.child.kill().unwrap();
    terminal.end();
    let terminal = Terminal::open(terminal.lab, 80, 24, &[]);
    terminal.shows("› half a thought");
    terminal.keys("\x15");
    terminal.shows(IDLE);
    leave(terminal);
}

#[test]
fn the_model_and_the_context_are_shown_before_the_first_turn() {
    let terminal = Terminal::open(answering("hello"), 80, 24, &[]);
    terminal.until("model, mode and context", |rows| {
        rows.iter().any(|row| {
            let parts: Vec<&str> = row.trim().split(" ∙ ").collect();
            matches!(parts.as_slice(), [model, "ask", context, ..] if !model.is_empty() && context.ends_with('%'))
        })
    });
    leave(terminal);
}

#[test]
fn the_pager_shows_a_fork_before_its_first_prompt() {
    let terminal = Terminal::open(saying(&["first answer", "second answer"]), 80, 24, &[]);
    terminal.shows(IDLE);
    for (prompt, answer) in [("one", "first answer"), ("two", "second answer")] {
        send(&terminal, prompt);
        terminal.shows(answer);
        terminal.shows(IDLE);
    }
    send(&terminal, "/fork");
    terminal.shows("resumed");
    terminal.shows(IDLE);
    terminal.keys("\x0f");
    let rows = terminal.shows("q back");
    assert!(rows.iter().any(|row| row == "second answer"), "{rows:?}");
    terminal.keys("q");
    terminal.shows(IDLE);
    leave(terminal);
}

#[test]
fn a_rewound_conversation_stays_rewound_after_resume() {
    let mut terminal = Terminal::open(saying(&["first answer", "second answer"]), 80, 24, &[]);
    terminal.shows(IDLE);
    for (prompt, answer) in [("one", "first answer"), ("two", "second answer")] {
        send(&terminal, prompt);
        terminal.shows(answer);
        terminal.shows(IDLE);
    }
    send(&terminal, "/rewind");
    terminal.shows("Rewind to before");
    terminal.keys("\x1b[A\r");
    terminal.shows("Conversation only");
    terminal.keys("\r");
    terminal.shows("resumed");
    terminal.shows("› two");
    // The pager opens at the end of the conversation.
    terminal.keys("\x0f");
    let rows = terminal.shows("q back");
    assert!(rows.iter().any(|row| row == "first answer"), "{rows:?}");
    assert!(!rows.iter().any(|row| row == "second answer"), "{rows:?}");
    terminal.keys("q");
    terminal.shows("› two");
    terminal.keys("\x15");
    terminal.shows(IDLE);
    terminal.keys("\x04\x04");
    assert_eq!(terminal.end().0, Some(0));
    let terminal = Terminal::start(terminal.lab, &["-c"], 80, 24, &[]);
    let rows = terminal.shows(IDLE);
    assert!(rows.iter().any(|row| row == "first answer"), "{rows:?}");
    assert!(!rows.iter().any(|row| row == "second answer"), "{rows:?}");
    leave(terminal);
}
