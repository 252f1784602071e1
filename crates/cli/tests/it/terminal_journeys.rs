//! User journeys in the terminal, from the first key to the files on disk.

use std::fs;
use std::io::{BufRead as _, BufReader};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::binary::{Lab, says};
use crate::terminal::{Terminal, answering, is_clean};
use crate::terminal_asks::{answer_it, ask_for};

pub(crate) const IDLE: &str = "ask for something";

pub(crate) fn leave(mut terminal: Terminal) -> String {
    terminal.keys("\x04\x04");
    let (code, bytes) = terminal.end();
    assert_eq!(code, Some(0), "{bytes}");
    is_clean(&bytes);
    bytes
}

/// Creates a model that answers with these texts in turn.
pub(crate) fn saying(texts: &[&str]) -> Lab {
    Lab::new(&texts.iter().map(|text| says(text)).collect::<Value>())
}

#[test]
fn journey_01_without_a_key_the_demo_answers_and_its_tools_are_real() {
    let lab = answering("never asked");
    fs::write(lab.work().join("main.rs"), "fn main() {}").unwrap();
    let terminal = Terminal::open(lab, 80, 24, &[("ANTHROPIC_API_KEY", ""), ("ANTHROPIC_BASE_URL", "")]);
    let rows = terminal.shows("  /login   set up an API key");
    assert!(rows.iter().any(|row| row.contains("demo model")), "{rows:?}");
    terminal.keys("\t\r");
    terminal.shows("✓ Bash  ls");
    terminal.shows("main.rs");
    terminal.shows(IDLE);
    leave(terminal);
}

fn hooked() -> (Lab, std::path::PathBuf) {
    let lab = Lab::new(
        &json!([[{"type": "tool_use", "name": "Bash", "input": {"command": "echo hi", "description": "say hi"}}], says("done")]),
    );
    let mark = lab.home().join("hooked");
    let hook = json!({"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": format!("touch {}", mark.display())}]}]},
        "permissions": {"allow": ["Bash(echo:*)"]}});
    fs::create_dir(lab.work().join(".claude")).unwrap();
    fs::write(lab.work().join(".claude/settings.json"), hook.to_string()).unwrap();
    (lab, mark)
}

#[test]
fn journey_02_nothing_of_a_new_folder_runs_until_it_is_trusted() {
    let (lab, mark) = hooked();
    let terminal = Terminal::open(lab, 80, 24, &[]);
    let rows = terminal.shows("? New folder");
    let brings: Vec<&String> = rows
        .iter()
        .filter(|row| row.contains(".claude/settings.json"))
        .collect();
    assert_eq!(brings.len(), 2, "{rows:?}");
    assert!(
        brings[0].contains("1 hook") && brings[0].ends_with("PreToolUse"),
        "{brings:?}"
    );
    assert!(
        rows.iter().any(|row| row.starts_with("› 1  Work here without them")),
        "{rows:?}"
    );
    terminal.keys("v");
    terminal.shows("\"Bash(echo:*)\"");
    terminal.keys("\r");
    terminal.shows(IDLE);
    ask_for(&terminal, "go");
    // The hook might have denied the call, so an allow rule in the folder is not sufficient.
    terminal.shows("a PreToolUse hook of the project");
    answer_it(&terminal);
    terminal.keys("1");
    terminal.shows("done");
    assert!(!mark.exists(), "the hook ran though nobody trusted the folder");
    // Removes the letter of the next prompt.
    terminal.keys("\x15");
    leave(terminal);
}

#[test]
fn journey_03_a_trusted_folder_is_trusted_the_next_time_too() {
    let (lab, mark) = hooked();
    let terminal = Terminal::open(lab, 80, 24, &[]);
    terminal.shows("? New folder");
    terminal.keys("2");
    terminal.shows(IDLE);
    terminal.keys("go\r");
    terminal.shows("done");
    assert!(mark.exists(), "the hook did not run");
    let global = fs::read_to_string(terminal.lab.home().join(".claude.json")).unwrap();
    assert!(global.contains("hasTrustDialogAccepted"), "{global}");
    leave(terminal);
}

#[test]
fn the_pager_shows_all_of_it_and_gives_the_screen_back() {
    let lab = Lab::new(
        &json!([[{"type": "tool_use", "name": "Bash", "input": {"command": "seq 100", "description": "count"}}], says("counted")]),
    );
    let terminal = Terminal::start(lab, &["--allowedTools", "Bash"], 80, 24, &[]);
    terminal.shows(IDLE);
    terminal.keys("count\r");
    terminal.shows("⋯ 95 lines (ctrl+o)");
    let before = terminal.until("the end of the turn", |rows| {
        rows.iter().any(|row| row.contains(IDLE)) && rows.iter().any(|row| row.contains(" ∙ ask"))
    });
    terminal.keys("\x0f");
    terminal.shows("[ ] prompts  c copy");
    terminal.keys("g");
    terminal.until("the prompt on top", |rows| rows[0] == "› count");
    terminal.keys("/50\r");
    terminal.until("what was looked for", |rows| rows[0].trim() == "50");
    terminal.keys("q");
    let after = terminal.until("the screen as it was", |rows| {
        rows.iter().any(|row| row.starts_with("› ask"))
    });
    assert_eq!(before, after);
    leave(terminal);
}

#[test]
fn the_screen_is_restored_when_the_process_ends_in_the_pager() {
    let mut terminal = Terminal::open(answering("hello"), 80, 24, &[]);
    terminal.shows(IDLE);
    terminal.keys("hi\r");
    terminal.shows("hello");
    terminal.shows(IDLE);
    terminal.keys("\x0f");
    terminal.shows("q back");
    terminal.signal(Signal::TERM);
    let (code, bytes) = terminal.end();
    assert_eq!(code, Some(143));
    is_clean(&bytes);
}

#[test]
fn journey_25_rewind_restores_files_and_puts_the_prompt_into_the_composer() {
    let lab = Lab::new(
        &json!([says("first"), [{"type": "tool_use", "name": "Write", "input": {"file_path": "notes.md", "content": "hello"}}],
        says("written"), says("third")]),
    );
    let terminal = Terminal::start(lab, &["--permission-mode", "acceptEdits"], 80, 24, &[]);
    terminal.shows(IDLE);
    terminal.keys("begin\r");
    terminal.shows("first");
    terminal.shows(IDLE);
    terminal.keys("write it\r");
    terminal.shows("written");
    terminal.shows(IDLE);
    assert!(terminal.lab.has("notes.md"));
    terminal.keys("\x1b[27u\x1b[27u");
    terminal.shows("› now");
    // The files to restore are shown once they are known.
    terminal.shows("1 file");
    terminal.keys("\x1b[A\r");
    terminal.shows("  2  Conversation and files");
    terminal.keys("2\r");
    terminal.shows("~ restored 1 file");
    terminal.until("the prompt in the composer", |rows| {
        let last = rows.iter().rev().find(|row| row.starts_with('›'));
        rows.iter().any(|row| row.contains("resumed \"")) && last.is_some_and(|row| row == "› write it")
    });
    assert!(!terminal.lab.has("notes.md"), "the file is still there");
    terminal.keys("\x15again\r");
    terminal.shows("third");
    leave(terminal);
}

#[test]
fn journey_30_shell_lines_notes_and_the_editor() {
    let lab = answering("fine");
    let editor = lab.home().join("editor.sh");
    fs::write(&editor, "#!/bin/sh\necho 'from the editor' > \"$1\"\n").unwrap();
    fs::set_permissions(&editor, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let path = editor.display().to_string();
    let terminal = Terminal::open(lab, 80, 24, &[("EDITOR", &path)]);
    terminal.shows(IDLE);
    terminal.keys("!echo one two\r");
    terminal.shows("    one two");
    // Separate writes, because a single one may count as a paste.
    terminal.keys("# tests need the paused clock");
    terminal.shows("› # tests need the paused clock");
    terminal.keys("\r");
    terminal.shows("› 1  CLAUDE.md");
    terminal.keys("\r");
    terminal.shows("kept in CLAUDE.md");
    let memory = fs::read_to_string(terminal.lab.work().join("CLAUDE.md")).unwrap();
    assert_eq!(memory, "- tests need the paused clock\n");
    terminal.keys("draft\x07");
    terminal.shows("› from the editor");
    terminal.keys("\x15");
    leave(terminal);
}

#[test]
fn keys_of_ones_own_and_vim() {
    let lab = answering("fine");
    fs::create_dir_all(lab.home().join(".claude")).unwrap();
    let keys = json!({"bindings": [{"context": "Chat", "bindings": {"ctrl+e": "chat:cycleMode"}}]});
    fs::write(lab.home().join(".claude/keybindings.json"), keys.to_string()).unwrap();
    fs::write(lab.home().join(".claude/settings.json"), r#"{"editorMode": "vim"}"#).unwrap();
    let terminal = Terminal::open(lab, 80, 24, &[]);
    terminal.shows(IDLE);
    terminal.keys("\x05");
    terminal.shows("∙ edits ∙");
    terminal.keys("one two\x1b");
    terminal.shows("NORMAL");
    terminal.keys("0dwA three");
    terminal.shows("› two three");
    terminal.keys("\r");
    terminal.shows("fine");
    leave(terminal);
}

#[test]
fn a_custom_status_line() {
    let lab = answering("fine");
    fs::create_dir_all(lab.home().join(".claude")).unwrap();
    let settings =
        json!({"statusLine": {"type": "command", "command": "read line; printf 'my \\033[32mstatus\\033[m line'"}});
    fs::write(lab.home().join(".claude/settings.json"), settings.to_string()).unwrap();
    let terminal = Terminal::open(lab, 80, 24, &[]);
    terminal.shows("  my status line");
    leave(terminal);
}

#[test]
fn journey_29_a_paste_of_thousands_of_lines_is_a_chip_and_costs_one_frame() {
    let terminal = Terminal::open(answering("read"), 80, 24, &[]);
    terminal.shows(IDLE);
    let before = terminal.bytes().len();
    let text: String = (0..5000).map(|number| format!("line {number}\r\n")).collect();
    terminal.keys(&format!("\x1b[200~{text}\x1b[201~"));
    terminal.shows("[paste 1: 5000 lines");
    let written = terminal.bytes().len() - before;
    assert!(written < 2000, "{written} bytes for a paste");
    terminal.keys("\r");
    terminal.shows("read");
    leave(terminal);
}

#[test]
fn another_agent_is_shown_as_ours_is() {
    let lab = answering("I am another.");
    let program = env!("CARGO_BIN_EXE_sluice").to_owned();
    let terminal = Terminal::start(lab, &["--agent-command", &program], 80, 24, &[]);
    terminal.shows(IDLE);
    terminal.keys("who?\r");
    terminal.shows("I am another.");
    terminal.shows(IDLE);
    leave(terminal);
}

#[test]
fn a_session_that_the_bridge_refuses_continues_in_the_terminal() {
    let lab = saying(&["one", "two", "three", "four", "five"]);
    let state = lab.home().join("state");
    let place = state.display().to_string();
    let terminal = Terminal::open(lab, 100, 24, &[("XDG_STATE_HOME", &place)]);
    // The bridge starts sessions only below the home folder.
    terminal.shows(IDLE);
    terminal.keys("first\r");
    terminal.shows("one");
    terminal.shows(IDLE);
    terminal.keys("/serve\r");
    let outside = terminal.until("served, or why not", |rows| {
        rows.iter()
            .any(|row| row.contains("served at http://") || row.contains("not served:"))
    });
    assert!(
        outside.iter().any(|row| row.contains("not served:")),
        "the work folder is outside of home: {outside:?}"
    );
    terminal.shows(IDLE);
    terminal.keys("second\r");
    terminal.shows("two");
    assert!(
        !state.join("sluice/bridge.json").exists(),
        "the bridge was stopped again"
    );
    leave(terminal);
}

pub(crate) fn stop_bridge(home: &std::path::Path, state: &std::path::Path) {
    let stopped = std::process::Command::new(env!("CARGO_BIN_EXE_sluice"))
        .args(["serve", "stop"])
        .env("HOME", home)
        .env("XDG_STATE_HOME", state)
        .output()
        .unwrap();
    assert!(stopped.status.success(), "{stopped:?}");
}

#[test]
fn journey_40_a_session_moves_to_the_bridge_and_back_with_every_prompt_once() {
    let lab = saying(&["one", "two", "three", "four", "five"]);
    let state = lab.home().join("state");
    let home = lab.home();
    // Below the home folder, where the bridge may start sessions.
    fs::create_dir(home.join("shop")).unwrap();
    let place = state.display().to_string();
    let folder = home.join("shop").display().to_string();
    let terminal = Terminal::start_in(lab, &[], &folder, 100, 24, &[("XDG_STATE_HOME", &place)]);
    terminal.shows(IDLE);
    terminal.keys("first\r");
    terminal.shows("one");
    terminal.shows(IDLE);
    terminal.keys("/serve\r");
    terminal.shows("served at http://");
    terminal.shows("pair another device");
    terminal.shows(IDLE);
    terminal.keys("second\r");
    terminal.shows("two");
    terminal.shows(IDLE);
    let devices = std::process::Command::new(env!("CARGO_BIN_EXE_sluice"))
        .args(["serve", "devices"])
        .env("HOME", &home)
        .env("XDG_STATE_HOME", &state)
        .output()
        .unwrap();
    let devices = String::from_utf8(devices.stdout).unwrap();
    assert!(devices.contains("terminal (pts/"), "{devices}");
    terminal.keys("/take\r");
    terminal.shows("resumed \"");
    terminal.shows("the bridge keeps running: http://");
    terminal.shows(IDLE);
    terminal.keys("third\r");
    terminal.shows("three");
    terminal.shows(IDLE);
    stop_bridge(&home, &state);
    let projects = fs::read_dir(home.join(".claude/projects")).unwrap().flatten();
    let files = projects.flat_map(|project| fs::read_dir(project.path()).unwrap().flatten());
    let all: Vec<String> = files
        .filter(|file| file.path().extension().is_some_and(|end| end == "jsonl"))
        .map(|file| fs::read_to_string(file.path()).unwrap())
        .collect();
    assert_eq!(all.len(), 1, "one session, one transcript");
    for prompt in ["first", "second", "third"] {
        let said = all[0].lines().filter(|line| {
            let line: Value = serde_json::from_str(line).unwrap();
            line["type"] == "user" && line["message"]["content"] == prompt
        });
        assert_eq!(said.count(), 1, "{prompt}");
    }
    leave(terminal);
}

#[test]
fn a_session_taken_back_immediately_is_the_one_handed_over() {
    let lab = saying(&["one", "two"]);
    let (home, state) = (lab.home(), lab.home().join("state"));
    fs::create_dir(home.join("shop")).unwrap();
    let place = state.display().to_string();
    let folder = home.join("shop").display().to_string();
    let terminal = Terminal::start_in(lab, &[], &folder, 100, 24, &[("XDG_STATE_HOME", &place)]);
    terminal.shows(IDLE);
    terminal.keys("first\r");
    terminal.shows("one");
    terminal.shows(IDLE);
    terminal.keys("/serve\r");
    terminal.shows("served at http://");
    // The earlier conversation is shown and nothing new: the bridge does not know the agent's session id yet.
    terminal.until("the conversation so far", |rows| {
        rows.iter().any(|row| row.contains("The conversation so far")) && rows.iter().any(|row| row.contains(IDLE))
    });
    terminal.keys("/take\r");
    terminal.shows("resumed \"");
    terminal.shows(IDLE);
    terminal.keys("second\r");
    terminal.shows("two");
    terminal.shows(IDLE);
    stop_bridge(&home, &state);
    leave(terminal);
}

#[test]
fn a_bridge_that_speaks_tls_carries_a_session_too() {
    let lab = saying(&["one", "two", "three"]);
    let (home, state) = (lab.home(), lab.home().join("state"));
    fs::create_dir(home.join("shop")).unwrap();
    let place = state.display().to_string();
    let mut bridge = lab.command(&["serve", "--tls"]);
    bridge.env("XDG_STATE_HOME", &state).stderr(std::process::Stdio::null());
    let mut bridge = bridge.spawn().unwrap();
    // It prints its URL when it is ready.
    let mut address = String::new();
    let mut said = BufReader::new(bridge.stdout.take().unwrap());
    said.read_line(&mut address).unwrap();
    assert!(
        address.starts_with("https://"),
        "the bridge does not start: {address:?}"
    );
    let folder = home.join("shop").display().to_string();
    let terminal = Terminal::start_in(lab, &[], &folder, 100, 24, &[("XDG_STATE_HOME", &place)]);
    terminal.shows(IDLE);
    terminal.keys("first\r");
    terminal.shows("one");
    terminal.shows(IDLE);
    terminal.keys("/serve\r");
    terminal.shows("served at https://");
    terminal.shows(IDLE);
    terminal.keys("second\r");
    terminal.shows("two");
    terminal.shows(IDLE);
    terminal.keys("/take\r");
    terminal.shows("resumed \"");
    stop_bridge(&home, &state);
    bridge.wait().unwrap();
    terminal.shows(IDLE);
    leave(terminal);
}
