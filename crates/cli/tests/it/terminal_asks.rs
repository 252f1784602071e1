//! Journeys 5 to 16: permission requests, questions and forms, and the keys that answer them.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::binary::{Lab, says};
use crate::terminal::Terminal;
use crate::terminal_journeys::{IDLE, leave};

/// Types a prompt and sends it in a separate write, because a single one may count as a paste.
pub(crate) fn send(terminal: &Terminal, text: &str) {
    terminal.keys(text);
    terminal.shows(&format!("› {text}"));
    terminal.keys("\r");
}

/// Sends a prompt and starts typing the next one, so that the request does not take the keyboard.
pub(crate) fn ask_for(terminal: &Terminal, text: &str) {
    terminal.keys(text);
    terminal.shows(&format!("› {text}"));
    // In a single write: otherwise the request may take the keyboard in between on a slow machine.
    terminal.keys("\rx");
    terminal.shows("tab answers");
}

/// Gives the keyboard to the request. The letter of the next prompt stays in the composer.
pub(crate) fn answer_it(terminal: &Terminal) {
    terminal.shows("tab answers");
    terminal.keys("\t");
    terminal.until("the ask has the keyboard", |rows| {
        !rows.iter().any(|row| row.contains("tab answers"))
    });
}

/// Removes the letter of `ask_for` from the composer and waits for the end of the turn.
fn done(terminal: Terminal) -> String {
    terminal.until("the end of the turn", |rows| {
        rows.iter().any(|row| row.starts_with("› x")) && !rows.iter().any(|row| row.contains("esc stops"))
    });
    terminal.keys("\x15");
    terminal.shows(IDLE);
    leave(terminal)
}

fn calls(calls: &Value) -> Lab {
    let mut replies = vec![calls.clone()];
    replies.push(says("that was it"));
    Lab::new(&Value::Array(replies))
}

fn editing() -> Lab {
    let read = json!([{"type": "tool_use", "name": "Read", "input": {"file_path": "src/add.rs"}}]);
    let edit = json!([{"type": "tool_use", "name": "Edit", "input": {"file_path": "src/add.rs", "old_string": "a - b", "new_string": "a + b"}}]);
    let lab = Lab::new(&json!([read, edit, says("that was it")]));
    fs::create_dir(lab.work().join("src")).unwrap();
    let text = "1\n2\n3\n4\n5\nfn add(a: i32, b: i32) -> i32 {\n    a - b\n}\n";
    fs::write(lab.work().join("src/add.rs"), text).unwrap();
    lab
}

#[test]
fn journey_05_an_edit_is_shown_and_enter_allows_it() {
    let terminal = Terminal::open(editing(), 80, 24, &[]);
    terminal.shows(IDLE);
    ask_for(&terminal, "fix it");
    let rows = terminal.shows("  4  No");
    let at = rows.iter().position(|row| row == "? Edit  src/add.rs  +1 -1").unwrap();
    assert_eq!(rows[at + 2], "    7 -     a - b", "{rows:?}");
    assert_eq!(rows[at + 3], "    7 +     a + b", "{rows:?}");
    assert!(rows[at + 5].starts_with("  why: "), "{rows:?}");
    assert_eq!(rows[at + 7], "› 1  Yes", "{rows:?}");
    answer_it(&terminal);
    terminal.keys("\r");
    terminal.shows("✓ Edit  src/add.rs  +1 -1");
    terminal.shows("that was it");
    let changed = fs::read_to_string(terminal.lab.work().join("src/add.rs")).unwrap();
    assert!(changed.contains("a + b"), "{changed}");
    done(terminal);
}

#[test]
fn journey_06_a_no_takes_words_along() {
    let terminal = Terminal::open(editing(), 80, 24, &[]);
    terminal.shows(IDLE);
    ask_for(&terminal, "fix it");
    terminal.shows("  4  No");
    answer_it(&terminal);
    terminal.keys("\x1b[B\x1b[B\x1b[B");
    terminal.shows("› 4  No");
    terminal.keys("\t");
    terminal.shows("No, with a note");
    terminal.keys("use wrapping_add");
    terminal.shows("use wrapping_add");
    terminal.keys("\r");
    terminal.shows("⊘ Edit  src/add.rs  you denied it: use wrapping_add");
    terminal.shows("that was it");
    done(terminal);
}

#[test]
fn journey_08_a_rule_is_kept_where_right_turns_it() {
    let lab = calls(
        &json!([{"type": "tool_use", "name": "Bash", "input": {"command": "touch one", "description": "touch it"}}]),
    );
    let terminal = Terminal::open(lab, 80, 24, &[]);
    terminal.shows(IDLE);
    ask_for(&terminal, "touch it");
    terminal.shows("No");
    answer_it(&terminal);
    terminal.keys("\x1b[B");
    terminal.shows("› 2  Yes, and ");
    terminal.keys("\x1b[D\x1b[D\x1b[D\x1b[C");
    terminal.shows("only you, this project");
    terminal.keys("\x1b[C");
    terminal.shows("everyone, this project");
    terminal.keys("\r");
    terminal.shows("rule kept: everyone, this project");
    terminal.shows("that was it");
    let kept = fs::read_to_string(terminal.lab.work().join(".claude/settings.json")).unwrap();
    let kept: Value = serde_json::from_str(&kept).unwrap();
    assert!(
        kept["permissions"]["allow"][0].as_str().unwrap().starts_with("Bash("),
        "{kept}"
    );
    done(terminal);
}

#[test]
fn journey_09_a_command_is_changed_before_it_runs() {
    let lab = calls(
        &json!([{"type": "tool_use", "name": "Bash", "input": {"command": "touch one", "description": "touch it"}}]),
    );
    let terminal = Terminal::open(lab, 80, 24, &[]);
    terminal.shows(IDLE);
    ask_for(&terminal, "touch it");
    terminal.shows("Change it first");
    answer_it(&terminal);
    terminal.keys("e");
    terminal.shows("? Bash  change it, then enter");
    terminal.shows("! touch one");
    terminal.keys("\x17two");
    terminal.shows("! touch two");
    terminal.keys("\r");
    terminal.shows("that was it");
    assert!(terminal.lab.has("two") && !terminal.lab.has("one"));
    done(terminal);
}

#[test]
fn journey_10_an_ask_never_takes_the_keyboard_from_a_hand_that_types() {
    let slow = json!({"first_delay": 0.5, "content": [{"type": "tool_use", "name": "Bash", "input": {"command": "touch one", "description": "touch it"}}]});
    let lab = Lab::new(&json!([slow, says("that was it")]));
    let terminal = Terminal::open(lab, 80, 24, &[]);
    terminal.shows(IDLE);
    terminal.keys("go");
    terminal.shows("› go");
    terminal.keys("\rplease rm");
    terminal.shows("tab answers");
    terminal.keys("\r");
    terminal.shows("  next  please rm");
    assert!(!terminal.lab.has("one"), "something was approved");
    terminal.keys("x");
    answer_it(&terminal);
    terminal.keys("n");
    terminal.shows("you denied it");
    terminal.shows("that was it");
    assert!(!terminal.lab.has("one"));
    done(terminal);
}

#[test]
fn journey_11_a_digit_right_after_an_ask_appears_is_typed() {
    for _ in 0..10 {
        if digit_in_time() {
            return;
        }
    }
    eprintln!("skipped: no key reaches the terminal within a second of another on this machine");
}

/// Answers a new request with a digit immediately. Returns false if this machine was too slow.
fn digit_in_time() -> bool {
    let lab = calls(
        &json!([{"type": "tool_use", "name": "Bash", "input": {"command": "touch one", "description": "touch it"}}]),
    );
    let terminal = Terminal::open(lab, 80, 24, &[]);
    terminal.shows(IDLE);
    terminal.keys("go");
    terminal.shows("› go");
    let began = Instant::now();
    terminal.keys("\r");
    terminal.shows("? Bash");
    terminal.keys("1");
    // The digit is either typed or an answer.
    terminal.until("the digit", |rows| {
        rows.iter()
            .any(|row| row == "› 1" || row.contains("that was it") || row.contains("running Bash"))
    });
    // A request takes the keyboard after 0.8 seconds without a key, and accepts keys 0.4 seconds later.
    if began.elapsed() > Duration::from_secs(1) {
        return false;
    }
    terminal.shows("› 1");
    terminal.shows("tab answers");
    assert!(!terminal.lab.has("one"), "something was approved");
    terminal.keys("\x15\x1b");
    terminal.shows("stopped by you");
    terminal.shows(IDLE);
    assert!(!terminal.lab.has("one"), "something was approved");
    leave(terminal);
    true
}

#[test]
fn journey_12_a_long_change_is_in_the_history_whole_and_nothing_is_written_while_it_waits() {
    let text: String = (0..300).map(|number| format!("row {number}\n")).collect();
    let lab =
        calls(&json!([{"type": "tool_use", "name": "Write", "input": {"file_path": "long.txt", "content": text}}]));
    let terminal = Terminal::open(lab, 80, 24, &[]);
    terminal.shows(IDLE);
    ask_for(&terminal, "write it");
    terminal.shows("the 300 rows above");
    terminal.shows("  4  No");
    answer_it(&terminal);
    let bytes = terminal.bytes();
    for number in 0..300 {
        assert_eq!(bytes.matches(&format!("+ row {number}\x1b")).count(), 1, "row {number}");
    }
    // Nothing is animated while a request is open: waits two seconds, which is sixteen steps of a spinner.
    let (before, waited) = (bytes.len(), std::time::Duration::from_secs(2));
    let seen = terminal.seen.0.lock().unwrap();
    let (seen, _) = terminal
        .seen
        .1
        .wait_timeout_while(seen, waited, |seen| seen.bytes.len() == before)
        .unwrap();
    assert_eq!(seen.bytes.len(), before, "something was written");
    drop(seen);
    terminal.keys("\r");
    terminal.shows("✓ Write  long.txt");
    done(terminal);
}

#[test]
fn journey_13_each_of_two_asks_has_its_own_answer() {
    let lab = calls(
        &json!([{"type": "tool_use", "name": "Read", "input": {"file_path": "../one.txt"}},
        {"type": "tool_use", "name": "Read", "input": {"file_path": "../two.txt"}}]),
    );
    for name in ["one", "two"] {
        fs::write(lab.work().join(format!("../{name}.txt")), format!("inside {name}\n")).unwrap();
    }
    let terminal = Terminal::open(lab, 80, 24, &[]);
    terminal.shows(IDLE);
    ask_for(&terminal, "read them");
    // Nothing is drawn while a request is open; the second one is shown with the next key.
    let counted = |rows: &[String]| rows.iter().any(|row| row.contains("ask 1 of 2"));
    for letter in std::iter::repeat_n(["y", "\x7f"], 200).flatten() {
        terminal.keys(letter);
        let rows = terminal.until("the letter", |rows| rows.iter().any(|row| row.starts_with("› x")));
        if counted(&rows) && letter == "\x7f" {
            break;
        }
        let seen = terminal.seen.0.lock().unwrap();
        drop(
            terminal
                .seen
                .1
                .wait_timeout(seen, std::time::Duration::from_millis(50))
                .unwrap(),
        );
    }
    terminal.until("both of them", counted);
    answer_it(&terminal);
    terminal.keys("\x1b[6~");
    let rows = terminal.shows("ask 2 of 2");
    assert!(rows.iter().any(|row| row.contains("two.txt")), "{rows:?}");
    terminal.keys("\r");
    terminal.until("the other one", |rows| {
        rows.iter()
            .any(|row| row.starts_with("? Read") && row.contains("one.txt"))
    });
    answer_it(&terminal);
    terminal.keys("n");
    terminal.shows("that was it");
    let rows = terminal.shows("⊘ Read");
    assert!(
        rows.iter()
            .any(|row| row.starts_with("⊘ Read") && row.contains("one.txt")),
        "{rows:?}"
    );
    terminal.keys("\x15");
    terminal.shows(IDLE);
    leave(terminal);
}

#[test]
fn journey_14_questions_are_answered_one_by_one_and_then_sent() {
    let questions = json!({"questions": [
        {"question": "Which language?", "header": "Language", "multiSelect": false, "options": [{"label": "Rust", "description": "x"}, {"label": "Go", "description": "y"}]},
        {"question": "Which stores?", "header": "Stores", "multiSelect": true, "options": [{"label": "SQLite", "description": "x"}, {"label": "Postgres", "description": "y"}]}]});
    let lab = calls(&json!([{"type": "tool_use", "name": "AskUserQuestion", "input": questions}]));
    let terminal = Terminal::open(lab, 80, 24, &[]);
    terminal.shows(IDLE);
    ask_for(&terminal, "ask me");
    terminal.shows("? Which language?  (1 of 2)");
    answer_it(&terminal);
    terminal.keys("\r");
    terminal.shows("? Which stores?  (2 of 2)");
    terminal.keys(" ");
    terminal.shows("[x] 1  SQLite");
    terminal.keys("\r");
    terminal.shows("1  Send");
    terminal.keys("\r");
    terminal.shows("that was it");
    let projects = fs::read_dir(terminal.lab.home().join(".claude/projects"))
        .unwrap()
        .flatten();
    let files = projects.flat_map(|project| fs::read_dir(project.path()).unwrap().flatten());
    let written: String = files.filter_map(|file| fs::read_to_string(file.path()).ok()).collect();
    assert!(
        written.contains("SQLite") && written.contains("\"Which language?\":\"Rust\""),
        "{written}"
    );
    done(terminal);
}

/// Creates a model that writes this plan to the file named in its prompt and presents it.
pub(crate) fn planning(plan: &str, then: &Value) -> Lab {
    let file = "$REQ{(/[^ ]*/plans/[^ ]*[.]md)}";
    let write = json!([{"type": "tool_use", "name": "Write", "input": {"file_path": file, "content": plan}}]);
    let exit = json!([{"type": "tool_use", "name": "ExitPlanMode", "input": {}}]);
    Lab::new(&json!([write, exit, then]))
}

#[test]
fn journey_15_a_plan_is_read_whole_and_sets_the_mode() {
    let plan: String = (0..200).map(|number| format!("{number}. step\n")).collect();
    let lab = planning(&plan, &says("that was it"));
    let terminal = Terminal::start(lab, &["--permission-mode", "plan"], 80, 24, &[]);
    terminal.shows(IDLE);
    ask_for(&terminal, "plan it");
    terminal.shows("? Carry out the plan above?");
    answer_it(&terminal);
    terminal.keys("2");
    terminal.shows("that was it");
    terminal.shows(" ∙ edits");
    let bytes = terminal.bytes();
    for number in 0..200 {
        assert_eq!(
            bytes.matches(&format!("\r\n{number}. step\r\n")).count(),
            1,
            "step {number}"
        );
    }
    done(terminal);
}

#[test]
fn a_plan_is_carried_out_in_a_new_session() {
    let lab = planning(
        "1. Read\n2. Write",
        &json!({"when": "Carry out this plan", "content": [{"type": "text", "text": "carried out"}]}),
    );
    let terminal = Terminal::start(lab, &["--permission-mode", "plan"], 80, 24, &[]);
    terminal.shows(IDLE);
    ask_for(&terminal, "plan it");
    terminal.shows("? Carry out the plan above?");
    answer_it(&terminal);
    terminal.keys("3");
    terminal.shows("carried out");
    terminal.shows(" ∙ ask");
    done(terminal);
}

#[test]
fn journey_16_a_form_says_which_field_is_wrong_and_sends_nothing() {
    let lab = Lab::new(&json!([]));
    let script = lab.work().join("agent.json");
    let form = json!({"type": "control_request", "request_id": "e1", "request": {"subtype": "elicitation",
        "mcp_server_name": "tracker", "message": "Which project gets the issue?", "mode": "form", "requested_schema":
        {"type": "object", "required": ["project"], "properties": {"project": {"type": "string", "minLength": 3, "maxLength": 40}}}}});
    let steps = json!({"steps": [{"expect": {"type": "user"}}, {"init": {}}, {"say": form},
        {"expect": {"type": "control_response"}, "as": "filled"},
        {"when": {"response": {"response": {"action": "accept", "content": {"project": "shop"}}}}, "of": "filled",
            "then": [{"text": "filed"}], "else": [{"text": "refused"}]}, {"result": {}}]});
    fs::write(&script, steps.to_string()).unwrap();
    let agent = format!("{} sim agent {} #", env!("CARGO_BIN_EXE_sluice"), script.display());
    let terminal = Terminal::start(lab, &["--agent-command", &agent], 80, 24, &[]);
    terminal.shows(IDLE);
    ask_for(&terminal, "file it");
    terminal.shows("Which project gets the issue?");
    answer_it(&terminal);
    terminal.keys("ab");
    terminal.keys("\x1b[13;5u");
    terminal.shows("✗ text, 3 to 40");
    assert!(!terminal.bytes().contains("refused"), "something was sent");
    terminal.keys("\x15shop");
    terminal.keys("\x1b[13;5u");
    terminal.shows("filed");
    done(terminal);
}
