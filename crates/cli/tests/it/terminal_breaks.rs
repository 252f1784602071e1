//! Errors and delays: editors that fail, clipboards that are too small, files that cannot be read.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::time::Instant;

use serde_json::{Value, json};

use crate::binary::{Lab, says};
use crate::terminal::{PATIENCE, Terminal, answering};
use crate::terminal_asks::{answer_it, ask_for, send};
use crate::terminal_journeys::{IDLE, leave};

/// Starts an agent that performs these actions after the first prompt.
fn acting(steps: &[Value]) -> (Lab, String) {
    let lab = Lab::new(&json!([]));
    let script = lab.work().join("agent.json");
    let mut all = vec![json!({"expect": {"type": "user"}}), json!({"init": {}})];
    all.extend_from_slice(steps);
    let stopped = json!([{"text": "Never mind."}, {"result": {}}, {"expect": {"type": "user"}}]);
    fs::write(&script, json!({"steps": all, "on_interrupt": stopped}).to_string()).unwrap();
    let agent = format!("{} sim agent {} #", env!("CARGO_BIN_EXE_sluice"), script.display());
    (lab, agent)
}

#[test]
fn an_editor_that_fails_leaves_the_draft_as_it_was() {
    let lab = answering("never asked");
    let editor = lab.work().join("editor");
    fs::write(&editor, "#!/bin/sh\necho lost > \"$1\"\nexit 3\n").unwrap();
    fs::set_permissions(&editor, fs::Permissions::from_mode(0o755)).unwrap();
    let terminal = Terminal::open(lab, 200, 24, &[("EDITOR", editor.to_str().unwrap())]);
    terminal.shows(IDLE);
    terminal.keys("my draft");
    terminal.shows("› my draft");
    terminal.keys("\x07");
    // A notice disappears by itself, so its output is checked instead of the screen.
    terminal.writes(0, &["ended with exit 3; nothing was changed"]);
    terminal.shows("› my draft");
    assert!(!terminal.bytes().contains("lost"));
    terminal.keys("\x15");
    terminal.shows(IDLE);
    leave(terminal);
}

#[test]
fn text_too_long_for_the_clipboard_goes_to_a_private_file() {
    let text = format!("{}\n\n", "word ".repeat(20).trim_end()).repeat(1001);
    let lab = Lab::new(&json!([says(text.trim_end()), says("short")]));
    let folder = lab.work().join("tmp");
    fs::create_dir(&folder).unwrap();
    let terminal = Terminal::open(lab, 200, 24, &[("TMPDIR", folder.to_str().unwrap())]);
    terminal.shows(IDLE);
    send(&terminal, "much");
    terminal.shows("word word");
    terminal.until("the end of the turn", |rows| {
        rows.iter().any(|row| row.contains(IDLE)) && !rows.iter().any(|row| row.contains("esc stops"))
    });
    terminal.keys("\x1by");
    terminal.shows("too long for the clipboard; saved in ");
    let file = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.to_string_lossy().contains("sluice-copy-"))
        .unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap().trim(), text.trim());
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o077, 0);
    assert!(
        !terminal.bytes().contains("\x1b]52;"),
        "the clipboard was tried all the same"
    );
    send(&terminal, "little");
    terminal.shows("short");
    terminal.until("the end of the turn", |rows| {
        rows.iter().any(|row| row.contains(IDLE)) && !rows.iter().any(|row| row.contains("esc stops"))
    });
    let before = terminal.bytes().len();
    terminal.keys("\x1by");
    terminal.writes(before, &["\x1b]52;c;c2hvcnQ="]);
    leave(terminal);
}

#[test]
fn an_address_is_opened_by_the_program_for_it() {
    let page = json!({"type": "control_request", "request_id": "e1", "request": {"subtype": "elicitation",
        "mcp_server_name": "tracker", "message": "Sign in there", "mode": "url", "url": "https://tracker.test/in?a=1&b=2",
        "elicitation_id": "x"}});
    let (lab, agent) = acting(&[
        json!({ "say": page }),
        json!({"expect": {"type": "control_response"}}),
        json!({"text": "signed in"}),
        json!({"result": {}}),
    ]);
    let programs = lab.work().join("programs");
    fs::create_dir(&programs).unwrap();
    let opened = lab.work().join("opened");
    for name in ["xdg-open", "open"] {
        let program = programs.join(name);
        let text = format!(
            "#!/bin/sh\nprintf '%s\\n' \"$@\" > {0}.new && mv {0}.new {0}\n",
            opened.display()
        );
        fs::write(&program, text).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    let terminal = Terminal::start(lab, &["--agent-command", &agent], 80, 24, &[("PATH", &path)]);
    terminal.shows(IDLE);
    ask_for(&terminal, "sign in");
    terminal.shows("? tracker asks you to open  https://tracker.test/in?a=1&b=2");
    answer_it(&terminal);
    terminal.keys("1");
    terminal.shows("signed in");
    let end = Instant::now() + PATIENCE;
    while !opened.exists() {
        assert!(Instant::now() < end, "nothing was opened");
        std::thread::yield_now();
    }
    assert_eq!(
        fs::read_to_string(&opened).unwrap(),
        "https://tracker.test/in?a=1&b=2\n"
    );
}

#[test]
fn an_invalid_settings_file_is_reported_with_its_line_and_the_session_continues() {
    let lab = answering("here I am");
    let folder = lab.home().join(".claude");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("settings.json"), "{\n  \"theme\": ,\n}").unwrap();
    fs::write(folder.join("keybindings.json"), "{\n  \"bindings\": [,]}").unwrap();
    let terminal = Terminal::open(lab, 200, 24, &[]);
    terminal.shows("2  Start without it");
    terminal.keys("2");
    terminal.writes(0, &["keybindings.json:2:"]);
    terminal.shows(IDLE);
    send(&terminal, "are you there?");
    terminal.shows("settings.json:2:");
    terminal.shows("nothing in this file applies");
    terminal.shows("here I am");
    terminal.shows(IDLE);
    leave(terminal);
}

#[test]
fn a_cancelled_request_is_reported_line_by_line() {
    // The simulated agent cancels its request when it is interrupted.
    let (lab, agent) =
        acting(&[json!({"ask": {"tool_name": "Bash", "input": {"command": "make"}, "tool_use_id": "t1"}})]);
    let terminal = Terminal::start(lab, &["--ax-screen-reader", "--agent-command", &agent], 80, 40, &[]);
    terminal.shows("sluice 0.");
    terminal.keys("make it\r");
    terminal.shows("answer 1 to 3");
    terminal.signal(rustix::process::Signal::INT);
    terminal.shows("ask withdrawn: the turn was stopped");
    terminal.shows("agent: Never mind.");
}

#[test]
fn journey_38_a_reply_that_comes_long_after_its_escape_is_not_typed() {
    let terminal = Terminal::open(answering("hello"), 80, 24, &[]);
    terminal.shows(IDLE);
    terminal.keys("ab");
    terminal.shows("› ab");
    // After a delay that makes the escape count as a key.
    terminal.keys("\x1b");
    terminal.writes(0, &["esc again clears the draft"]);
    terminal.keys("[?62;22c");
    terminal.keys("\x1b]11;rgb:00");
    terminal.keys("00/0000/0000\x07cd");
    let rows = terminal.shows("› abcd");
    assert_eq!(rows.iter().filter(|row| row.starts_with("› ")).count(), 1, "{rows:?}");
}
