//! Plain mode: editing before approval, and starting new sessions, line by line.

use std::fs;

use serde_json::json;

use crate::binary::Lab;
use crate::terminal::Terminal;
use crate::terminal_asks::planning;

#[test]
fn the_text_of_a_file_is_changed_in_the_editor_before_it_is_written() {
    let lab = Lab::new(&json!([[{"type": "tool_use", "name": "Write", "input":
        {"file_path": "notes.md", "content": "hello"}}], [{"type": "text", "text": "It is written."}]]));
    let mut terminal = Terminal::start(
        lab,
        &["--ax-screen-reader"],
        80,
        40,
        &[("EDITOR", "sed -i s/hello/servus/")],
    );
    terminal.shows("mode ask");
    terminal.keys("write it\r");
    terminal.shows("  3 change it first");
    terminal.shows("answer 1 to 4");
    terminal.keys("3\r");
    terminal.shows("notice: opens in sed");
    terminal.shows("  line 1 added: servus");
    terminal.keys("1\r");
    terminal.shows("agent: It is written.");
    let text = fs::read_to_string(terminal.lab.work().join("notes.md")).unwrap();
    assert_eq!(text, "servus");
    terminal.keys("\x04");
    assert_eq!(terminal.end().0, Some(0));
}

#[test]
fn an_editor_that_fails_changes_nothing_and_it_is_asked_again() {
    let lab = Lab::new(&json!([[{"type": "tool_use", "name": "Write", "input":
        {"file_path": "notes.md", "content": "hello"}}], [{"type": "text", "text": "It is written."}]]));
    let terminal = Terminal::start(lab, &["--ax-screen-reader"], 80, 40, &[("EDITOR", "false")]);
    terminal.shows("mode ask");
    terminal.keys("write it\r");
    terminal.shows("answer 1 to 4");
    terminal.keys("3\r");
    terminal.shows("error: false ended with exit 1; nothing was changed");
    terminal.keys("1\r");
    terminal.shows("agent: It is written.");
    let text = fs::read_to_string(terminal.lab.work().join("notes.md")).unwrap();
    assert_eq!(text, "hello");
}

#[test]
fn a_plan_is_carried_out_in_a_new_session_line_by_line() {
    let lab = planning(
        "1. Read\n2. Write",
        &json!({"when": "Carry out this plan", "content": [{"type": "text", "text": "It is carried out."}]}),
    );
    let arguments = ["--ax-screen-reader", "--permission-mode", "plan"];
    let terminal = Terminal::start(lab, &arguments, 80, 40, &[]);
    terminal.shows("mode plan");
    terminal.keys("plan it\r");
    terminal.shows("  3 yes, in a fresh context");
    terminal.shows("answer 1 to 5");
    terminal.keys("3\r");
    terminal.shows("you answered: 3 yes, in a fresh context");
    terminal.shows("mode ask");
    terminal.shows("you: Carry out this plan:");
    terminal.shows("agent: It is carried out.");
}

#[test]
fn the_commands_of_the_screen_are_there_line_by_line() {
    let lab = Lab::new(&json!([
        [{"type": "text", "text": "First answer."}],
        [{"type": "text", "text": "Second answer."}],
    ]));
    let mut terminal = Terminal::start(lab, &["--ax-screen-reader"], 120, 100, &[]);
    terminal.shows("mode ask");
    for (typed, shown) in [
        ("/help", "help: /rewind goes back"),
        ("!echo one; echo two >&2", "command 1 ended, exit 0"),
        ("#tests need a clock", "report: # tests need a clock"),
        ("/permissions", "rule"),
        ("/statsu", "error: no command /statsu"),
        ("hello", "agent: First answer."),
        ("again", "agent: Second answer."),
        ("/export kept.md", "notice: written to kept.md"),
    ] {
        terminal.keys(&format!("{typed}\r"));
        terminal.shows(shown);
    }
    let rows = terminal.shows("written to kept.md");
    let at = |text: &str| rows.iter().position(|row| row == text);
    assert!(at("  one") < at("  two") && at("  one").is_some(), "{rows:?}");
    assert!(terminal.lab.has("kept.md"));
    let note = fs::read_to_string(terminal.lab.work().join("CLAUDE.md")).unwrap();
    assert_eq!(note, "- tests need a clock\n");
    terminal.keys("/login\r");
    terminal.shows("1 Paste a key");
    terminal.child.kill().unwrap();
    terminal.end();
}

#[test]
fn signing_out_before_the_first_prompt_continues_line_by_line() {
    let lab = Lab::new(&json!([[{"type": "text", "text": "First answer."}]]));
    let mut terminal = Terminal::start(lab, &["--ax-screen-reader"], 120, 100, &[]);
    terminal.shows("mode ask");
    terminal.keys("/logout\r");
    terminal.shows("not signed out");
    terminal.keys("hello\r");
    terminal.shows("agent: First answer.");
    terminal.child.kill().unwrap();
    terminal.end();
}

#[test]
fn commands_of_the_screen_are_available_line_by_line() {
    let lab = Lab::new(&json!([[{"type": "text", "text": "First answer."}]]));
    let mut terminal = Terminal::start(lab, &["--ax-screen-reader"], 120, 100, &[]);
    terminal.shows("mode ask");
    for (command, line) in [
        ("/status", "status: mode ask"),
        ("/tasks", "task: none"),
        ("/mcp", "server: none"),
        ("/agents", "agent 1 of"),
        ("/rename", "error: /rename needs an argument"),
        ("/plan", "notice: mode plan"),
    ] {
        terminal.keys(&format!("{command}\r"));
        terminal.shows(line);
    }
    terminal.keys("/status\r");
    terminal.shows("status: mode plan");
    terminal.child.kill().unwrap();
    terminal.end();
}
