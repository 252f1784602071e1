//! `/login`: an API key or a custom server, tried before it is saved.

use std::fs;

use serde_json::{Value, json};

use crate::terminal::{Terminal, answering};
use crate::terminal_journeys::{IDLE, leave, saying};

#[test]
fn a_key_is_tried_before_it_is_saved() {
    let lab = saying(&["yes", "hello"]);
    let settings = lab.home().join(".claude/settings.json");
    let terminal = Terminal::open(lab, 80, 24, &[("ANTHROPIC_API_KEY", "")]);
    terminal.shows("/login   set up");
    terminal.keys("/login\r");
    terminal.shows("› 1  Paste a key");
    terminal.keys("1");
    terminal.shows("? A key");
    terminal.keys("sk-ant-secret");
    let rows = terminal.shows("› *************");
    assert!(!rows.iter().any(|row| row.contains("secret")), "{rows:?}");
    terminal.keys("\r");
    terminal.shows("✓ the key works");
    terminal.shows(IDLE);
    let kept: Value = serde_json::from_slice(&fs::read(&settings).unwrap()).unwrap();
    assert_eq!(kept, json!({"env": {"ANTHROPIC_API_KEY": "sk-ant-secret"}}));
    let mode = std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&settings).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
    terminal.keys("/logout\r");
    terminal.shows("signed out: ANTHROPIC_API_KEY removed");
    terminal.shows("a built-in demo model answers");
    let kept: Value = serde_json::from_slice(&fs::read(&settings).unwrap()).unwrap();
    assert_eq!(kept.pointer("/env/ANTHROPIC_API_KEY"), None);
    let bytes = leave(terminal);
    assert!(!bytes.contains("secret"), "the key was shown");
}

#[test]
fn a_key_that_does_not_work_is_not_saved() {
    let lab = answering("never asked");
    let settings = lab.home().join(".claude/settings.json");
    // No server is listening on this port.
    let nowhere = [("ANTHROPIC_API_KEY", ""), ("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")];
    let terminal = Terminal::open(lab, 80, 24, &nowhere);
    terminal.shows("/login   set up");
    terminal.keys("/login\r");
    terminal.shows("› 1  Paste a key");
    terminal.keys("1");
    terminal.shows("? A key");
    terminal.keys("wrong\r");
    terminal.shows("✗ not saved");
    assert!(!settings.exists());
    terminal.keys("\x1b");
    terminal.shows("what is in this folder?");
    leave(terminal);
}

#[test]
fn a_custom_server_is_tried_and_saved() {
    let lab = saying(&["yes", "hello from here"]);
    let settings = lab.home().join(".claude/settings.json");
    let address = lab.address().to_owned();
    let nowhere = [("ANTHROPIC_API_KEY", ""), ("ANTHROPIC_BASE_URL", "")];
    let terminal = Terminal::open(lab, 80, 24, &nowhere);
    terminal.shows("/login   set up");
    terminal.keys("/login\r");
    terminal.shows("› 1  Paste a key");
    terminal.keys("2");
    terminal.shows("Another address");
    // Servers found on this machine are listed above it.
    terminal.keys("\x1b[F");
    terminal.until("the last choice", |rows| {
        rows.iter()
            .any(|row| row.starts_with("› ") && row.contains("Another address"))
    });
    terminal.keys("\r");
    terminal.shows("? Address");
    terminal.keys(&address);
    terminal.shows(&address);
    terminal.keys("\r");
    terminal.shows("? Model");
    terminal.keys("qwen");
    terminal.shows("› qwen");
    terminal.keys("\r");
    terminal.shows("Does the server need a token?");
    terminal.keys("1");
    terminal.shows("✓ qwen answers");
    terminal.shows(IDLE);
    let kept: Value = serde_json::from_slice(&fs::read(&settings).unwrap()).unwrap();
    assert_eq!(kept["env"]["ANTHROPIC_BASE_URL"], address);
    assert_eq!(kept["model"], "qwen");
    terminal.keys("who?\r");
    terminal.shows("hello from here");
    terminal.shows(IDLE);
    leave(terminal);
}
