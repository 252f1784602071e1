//! Journeys 4, 17 to 24, 27, 28 and 31: turns that run, wait, fail, are stopped or rewound.

use std::fs;

use serde_json::{Value, json};

use crate::binary::{Lab, says};
use crate::terminal::{Terminal, is_clean};
use crate::terminal_asks::send;
use crate::terminal_journeys::{IDLE, leave, saying};

/// Creates a model whose first turn runs a command for a long time.
fn sleeping(more: &[Value]) -> Lab {
    let mut replies =
        vec![json!([{"type": "tool_use", "name": "Bash", "input": {"command": "sleep 60", "description": "sleep"}}])];
    replies.extend(more.iter().cloned());
    Lab::new(&Value::Array(replies))
}

fn running(lab: Lab) -> Terminal {
    let terminal = Terminal::start(lab, &["--allowedTools", "Bash"], 80, 24, &[]);
    terminal.shows(IDLE);
    send(&terminal, "go");
    terminal.shows("running Bash");
    terminal
}

/// The latency of a key (8 ms) is measured without other load: `make bench-terminal`.
#[test]
fn journey_04_an_answer_streams_while_one_types_and_every_row_is_there_once() {
    // Four hundred words, in paragraphs of four.
    let text: String = (0..100)
        .map(|number| format!("word{number} of the answer.\n\n"))
        .collect();
    let lab = Lab::new(&json!([{"delay": 0.003, "content": [{"type": "text", "text": text}]}]));
    let terminal = Terminal::open(lab, 80, 24, &[]);
    terminal.shows(IDLE);
    send(&terminal, "why");
    terminal.shows("writing ∙ ");
    for (letter, draft) in [("a", "› a"), ("b", "› ab"), ("c", "› abc")] {
        let before = terminal.bytes().len();
        terminal.keys(letter);
        terminal.until("the letter", |rows| rows.iter().any(|row| row == draft));
        let written = terminal.bytes().len() - before;
        assert!(written > 0, "nothing was written for {letter}");
    }
    let rows = terminal.until("what was typed meanwhile", |rows| {
        rows.iter().any(|row| row == "› abc") && rows.iter().any(|row| row.ends_with(" tokens ∙ esc stops"))
    });
    // Activity, composer and status are the last rows.
    let at = rows.iter().position(|row| row == "› abc").unwrap();
    let activity: Vec<&str> = rows[at - 1].split(" ∙ ").collect();
    assert_eq!(activity.len(), 4, "{rows:?}");
    assert!(
        activity[0].ends_with(" writing") && activity[1].ends_with('s'),
        "{activity:?}"
    );
    assert!(
        activity[2].ends_with(" tokens") && activity[3] == "esc stops",
        "{activity:?}"
    );
    assert_eq!(rows[at - 2], "", "a blank row before it: {rows:?}");
    assert!(rows[at + 1].contains(" ∙ ask"), "{rows:?}");
    assert!(rows[at + 2..].iter().all(String::is_empty), "{rows:?}");
    terminal.until("the end", |rows| {
        rows.iter().any(|row| row == "word99 of the answer.") && !rows.iter().any(|row| row.contains("esc stops"))
    });
    terminal.keys("\x15");
    terminal.shows(IDLE);
    let bytes = leave(terminal);
    for number in 0..100 {
        let row = format!("word{number} of the answer.\r\n");
        assert_eq!(bytes.matches(&row).count(), 1, "{row}");
    }
    for never in ["\x1b[r", "\x1b[1;", "\x1b[S", "\x1b[T", "\x1bM"] {
        assert!(!bytes.contains(never), "{never:?} was written");
    }
}

#[test]
fn journey_17_prompts_wait_below_and_escape_sends_them_as_one_turn() {
    let terminal = running(sleeping(&[says("both done"), says("one too many")]));
    send(&terminal, "a");
    terminal.shows("  next  a");
    send(&terminal, "b");
    let rows = terminal.shows("  next  b");
    assert!(
        rows.iter().any(|row| row.contains("esc stops and sends the 2 below")),
        "{rows:?}"
    );
    terminal.keys("\x1b");
    terminal.shows("stopped");
    terminal.shows("both done");
    let rows = terminal.shows(IDLE);
    assert!(
        rows.iter().any(|row| row == "› a") && rows.iter().any(|row| row == "› b"),
        "{rows:?}"
    );
    let bytes = leave(terminal);
    assert!(!bytes.contains("one too many"), "it was two turns");
}

#[test]
fn journey_18_up_takes_the_last_one_back_and_ctrl_c_all() {
    for (key, draft) in [("\x1b[A", "› b"), ("\x03", "  b")] {
        let terminal = running(sleeping(&[says("after it"), says("more")]));
        send(&terminal, "a");
        terminal.shows("  next  a");
        send(&terminal, "b");
        terminal.shows("  next  b");
        terminal.keys(key);
        terminal.until("it is back in the composer", |rows| {
            rows.iter().any(|row| row == draft) && !rows.iter().any(|row| row == "  next  b")
        });
        if key == "\x03" {
            terminal.until("both are back", |rows| rows.iter().any(|row| row == "› a"));
        } else {
            terminal.keys("\x15\x03");
        }
        terminal.shows("stopped");
        terminal.until("the end of the turn", |rows| {
            !rows.iter().any(|row| row.contains("esc stops"))
        });
        // The restored prompt is in the composer; ctrl+c moves it to the history.
        terminal.keys("\x03");
        terminal.shows(IDLE);
        leave(terminal);
    }
}

#[test]
fn journey_19_escape_right_after_enter_restores_the_prompt() {
    let lab = Lab::new(&json!([{"first_delay": 20.0, "content": [{"type": "text", "text": "late"}]}]));
    let terminal = Terminal::open(lab, 80, 24, &[]);
    terminal.shows(IDLE);
    terminal.keys("x");
    terminal.shows("› x");
    // Escape in kitty encoding takes effect immediately, without waiting for further bytes.
    terminal.keys("\r\x1b[27u");
    terminal.until("the prompt in the composer", |rows| {
        let last = rows.iter().rev().find(|row| row.starts_with('›'));
        last.is_some_and(|row| row == "› x") && !rows.iter().any(|row| row.contains("esc stops"))
    });
    terminal.keys("\x15");
    terminal.shows(IDLE);
    leave(terminal);
}

#[test]
fn journey_20_ctrl_c_clears_first_and_stops_second() {
    let terminal = running(sleeping(&[]));
    terminal.keys("abc");
    terminal.shows("› abc");
    terminal.keys("\x03");
    let rows = terminal.until("an empty composer", |rows| !rows.iter().any(|row| row == "› abc"));
    assert!(
        rows.iter().any(|row| row.contains("running Bash")),
        "the turn was stopped: {rows:?}"
    );
    terminal.keys("\x03");
    terminal.shows("stopped");
    terminal.shows(IDLE);
    leave(terminal);
}

#[test]
fn journey_21_two_presses_exit_and_ctrl_d_in_a_word_deletes_a_letter() {
    let mut terminal = Terminal::open(saying(&["one"]), 80, 24, &[]);
    terminal.shows(IDLE);
    send(&terminal, "first");
    terminal.shows("one");
    terminal.shows(IDLE);
    terminal.keys("word\x1b[D\x1b[D\x04");
    terminal.shows("› wod");
    terminal.keys("\x03");
    terminal.shows(IDLE);
    terminal.keys("\x03");
    terminal.shows("press ctrl+c again to exit");
    terminal.keys("\x03");
    let (code, bytes) = terminal.end();
    assert_eq!(code, Some(0));
    assert!(bytes.contains(" ∙ 1 turn") && bytes.contains("  sluice -r "), "{bytes}");
    is_clean(&bytes);
}

#[test]
fn journey_22_retries_of_an_overloaded_model_count_down_and_the_prompt_is_restored() {
    let busy = json!({"error": 529, "kind": "overloaded_error", "message": "Overloaded", "headers": {"retry-after": "4"}, "repeat": true});
    let lab = Lab::new(&json!([busy]));
    let terminal = Terminal::open(lab, 80, 24, &[("CLAUDE_CODE_MAX_RETRIES", "2")]);
    terminal.shows(IDLE);
    send(&terminal, "why");
    let rows = terminal.shows("(529) ∙ again in ");
    assert!(rows.iter().any(|row| row.contains(" of 2 ∙ esc stops")), "{rows:?}");
    let left = |rows: &[String]| {
        let row = rows.iter().find_map(|row| row.split_once("again in "));
        row.and_then(|(_, rest)| rest.split_once('s')?.0.parse::<u64>().ok())
    };
    let first = left(&rows).unwrap();
    terminal.until("fewer seconds", |rows| left(rows).is_some_and(|left| left < first));
    terminal.shows("Your prompt is saved: up restores it.");
    terminal.shows(IDLE);
    terminal.keys("\x1b[A");
    terminal.until("the prompt in the composer", |rows| {
        rows.iter()
            .rev()
            .find(|row| row.starts_with('›'))
            .is_some_and(|row| row == "› why")
    });
    terminal.keys("\x15");
    terminal.shows(IDLE);
    leave(terminal);
}

#[test]
fn journey_23_a_command_goes_to_the_background_and_is_stopped_there() {
    let terminal = running(sleeping(&[says("it runs"), says("it ended"), says("more")]));
    terminal.keys("\x02");
    terminal.shows("& Bash  sleep 60");
    terminal.shows("it runs");
    terminal.shows(" ∙ 1 job");
    terminal.keys("/tasks");
    terminal.shows("show background tasks");
    terminal.keys("\r");
    let rows = terminal.shows("Jobs  1 running");
    assert!(
        rows.iter().any(|row| row.starts_with("› ") && row.contains("Bash   ")),
        "{rows:?}"
    );
    terminal.keys("x");
    terminal.shows("is stopped");
    terminal.until("no job", |rows| !rows.iter().any(|row| row.contains(" ∙ 1 job")));
    terminal.signal(rustix::process::Signal::TERM);
}

#[test]
fn journey_24_rewind_highlights_the_choice_that_changes_nothing() {
    let terminal = Terminal::open(saying(&["one", "two"]), 80, 24, &[]);
    terminal.shows(IDLE);
    send(&terminal, "first");
    terminal.shows("one");
    terminal.shows(IDLE);
    // Kitty encoding: two separate escapes instead of alt+escape.
    terminal.keys("\x1b[27u\x1b[27u");
    terminal.shows("Rewind to before");
    let rows = terminal.shows("› now");
    let at = rows.iter().position(|row| row == "Rewind to before").unwrap();
    assert!(rows[at + 1].ends_with("  first"), "{rows:?}");
    assert_eq!(rows[at + 2], "› now", "{rows:?}");
    terminal.keys("\r");
    terminal.until("it is closed", |rows| {
        rows.iter().any(|row| row.contains(IDLE)) && !rows.iter().any(|row| row == "Rewind to before")
    });
    send(&terminal, "second");
    terminal.shows("two");
    terminal.shows(IDLE);
    leave(terminal);
}

#[test]
fn the_conversation_since_is_summarised_instead() {
    let lab = Lab::new(&json!([says("one"), says("a long answer"),
        {"when": "Summarise this conversation", "content": [{"type": "text", "text": "we talked at length"}]},
        {"when": "we talked at length", "content": [{"type": "text", "text": "I remember"}]}]));
    let terminal = Terminal::open(lab, 80, 24, &[]);
    terminal.shows(IDLE);
    for (prompt, answer) in [("first", "one"), ("second", "a long answer")] {
        send(&terminal, prompt);
        terminal.shows(answer);
        terminal.shows(IDLE);
    }
    terminal.keys("/rewind\r");
    terminal.shows("› now");
    terminal.keys("\x1b[A");
    terminal.until("the last prompt", |rows| {
        rows.iter().any(|row| row.starts_with("› ") && row.contains("second"))
    });
    terminal.keys("\r");
    let rows = terminal.shows("Summarise from there on instead");
    let number = rows
        .iter()
        .find(|row| row.contains("Summarise from"))
        .unwrap()
        .trim()
        .chars()
        .next()
        .unwrap();
    terminal.keys(&number.to_string());
    terminal.keys("\r");
    terminal.shows("was replaced by a summary");
    terminal.shows(IDLE);
    send(&terminal, "third");
    terminal.shows("I remember");
    terminal.shows(IDLE);
    leave(terminal);
}

#[test]
fn journey_27_shift_tab_goes_through_four_modes() {
    let terminal = Terminal::open(saying(&["one"]), 80, 24, &[]);
    terminal.shows(IDLE);
    send(&terminal, "first");
    terminal.shows("one");
    terminal.shows(" ∙ ask");
    for word in ["edits", "plan", "auto", "ask"] {
        terminal.keys("\x1b[Z");
        terminal.shows(&format!(" ∙ {word}"));
    }
    leave(terminal);
}

#[test]
fn journey_28_completion_is_below_and_the_composer_row_does_not_move() {
    let lab = saying(&["one"]);
    fs::write(lab.work().join("line.rs"), "").unwrap();
    let terminal = Terminal::open(lab, 80, 24, &[]);
    let before = terminal.shows(IDLE);
    let place = |rows: &[String], text: &str| rows.iter().position(|row| row.starts_with(text));
    let at = place(&before, "› ask for").unwrap();
    terminal.keys("/co");
    let rows = terminal.shows("  /config");
    assert_eq!(place(&rows, "› /co"), Some(at), "{rows:?}");
    let second = rows[at + 2].split_whitespace().next().unwrap().to_owned();
    terminal.keys("\x1b[B\t");
    let rows = terminal.shows(&format!("› {second}"));
    assert_eq!(place(&rows, "› /"), Some(at), "{rows:?}");
    terminal.keys("\x15");
    terminal.shows(IDLE);
    terminal.keys("see @li");
    let rows = terminal.shows("  line.rs");
    assert_eq!(place(&rows, "› see @li"), Some(at), "{rows:?}");
    terminal.keys("\t");
    terminal.shows("› see @line.rs");
    terminal.keys("\x15");
    terminal.shows(IDLE);
    leave(terminal);
}

#[test]
fn journey_31_in_vim_the_first_escape_is_vims_and_the_second_stops() {
    let lab = sleeping(&[]);
    fs::create_dir_all(lab.home().join(".claude")).unwrap();
    fs::write(lab.home().join(".claude/settings.json"), r#"{"editorMode": "vim"}"#).unwrap();
    let terminal = running(lab);
    terminal.keys("\x1b");
    let rows = terminal.shows("NORMAL");
    assert!(rows.iter().any(|row| row.contains("running Bash")), "{rows:?}");
    terminal.keys("\x1b");
    terminal.shows("stopped");
    terminal.shows(IDLE);
    terminal.keys("i");
    leave(terminal);
}
