//! Journey 39: in multiplexers every row occurs once in history and screen together.

use std::fs;
use std::process::Command;
use std::time::Instant;

use serde_json::json;

use crate::binary::Lab;
use crate::terminal::{PATIENCE, Terminal};
use crate::terminal_asks::send;
use crate::terminal_journeys::{IDLE, leave};

const ITEMS: usize = 200;

fn listing() -> Lab {
    let text: String = (0..ITEMS).map(|number| format!("- item {number}\n")).collect();
    Lab::new(&json!([{"delay": 0.002, "content": [{"type": "text", "text": text}]}]))
}

/// True if the program is installed; otherwise prints a message.
#[allow(clippy::print_stderr)]
fn is_there(program: &str, version: &str) -> bool {
    let there = Command::new(program).arg(version).output().is_ok();
    if !there {
        eprintln!("skipped: there is no {program}");
    }
    there
}

/// Waits until the output of the multiplexer contains this text.
fn until(hold: impl Fn() -> String, wanted: &str) -> String {
    let end = Instant::now() + PATIENCE;
    loop {
        let held = hold();
        if held.contains(wanted) {
            return held;
        }
        assert!(Instant::now() < end, "{wanted} never came:\n{held}");
        std::thread::yield_now();
    }
}

fn holds_every_row_once(held: &str) {
    for number in 0..ITEMS {
        let row = format!("- item {number}");
        let count = held.lines().filter(|line| line.trim_end() == row).count();
        assert_eq!(count, 1, "{row} in {held}");
    }
}

#[test]
fn journey_39_tmux_holds_every_row_once() {
    if !is_there("tmux", "-V") {
        return;
    }
    let lab = listing();
    let socket = lab.home().join("tmux");
    let tmux = |args: &[&str]| {
        let output = Command::new("tmux").arg("-S").arg(&socket).args(args).output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let program = lab.command(&[]);
    let mut start = vec!["-f".to_owned(), "/dev/null".to_owned()];
    start.extend(["new-session", "-d", "-x", "80", "-y", "24", "-s", "one"].map(str::to_owned));
    for (name, value) in program.get_envs() {
        let value = value
            .map(|value| value.to_string_lossy().into_owned())
            .unwrap_or_default();
        start.extend(["-e".to_owned(), format!("{}={value}", name.to_string_lossy())]);
    }
    start.extend([
        "-e".to_owned(),
        "LANG=C.UTF-8".to_owned(),
        "-c".to_owned(),
        lab.work().display().to_string(),
    ]);
    start.push(format!("'{}'", env!("CARGO_BIN_EXE_sluice")));
    let start: Vec<&str> = start.iter().map(String::as_str).collect();
    tmux(&start);
    let hold = || tmux(&["capture-pane", "-p", "-S", "-", "-t", "one"]);
    until(hold, IDLE);
    tmux(&["send-keys", "-t", "one", "list"]);
    until(hold, "› list");
    tmux(&["send-keys", "-t", "one", "Enter"]);
    until(hold, &format!("- item {}", ITEMS - 1));
    holds_every_row_once(&until(hold, IDLE));
    tmux(&["kill-server"]);
}

#[test]
fn journey_39_screen_holds_every_row_once() {
    if !is_there("screen", "-v") {
        return;
    }
    let lab = listing();
    // screen requires a private folder for its sockets.
    let sockets = lab.home().join("screens");
    fs::create_dir(&sockets).unwrap();
    fs::set_permissions(&sockets, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    let copy = lab.home().join("copy");
    let screen = |args: &[&str]| {
        let command = lab.command(&[]);
        let mut screen = Command::new("screen");
        for (name, value) in command.get_envs() {
            screen.env(name, value.unwrap_or_default());
        }
        screen
            .env("SCREENDIR", &sockets)
            .env("LANG", "C.UTF-8")
            .env("TERM", "xterm-256color")
            .env_remove("STY")
            .current_dir(lab.work())
            .args(args);
        screen.output().unwrap()
    };
    let started = screen(&["-U", "-h", "1000", "-dmS", "one", env!("CARGO_BIN_EXE_sluice")]);
    assert!(started.status.success(), "{started:?}");
    let hold = || {
        fs::remove_file(&copy).ok();
        screen(&[
            "-S",
            "one",
            "-p",
            "0",
            "-X",
            "hardcopy",
            "-h",
            &copy.display().to_string(),
        ]);
        // The file is written asynchronously and may not exist yet.
        fs::read(&copy)
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .unwrap_or_default()
    };
    until(hold, IDLE);
    screen(&["-S", "one", "-p", "0", "-X", "stuff", "list"]);
    // Its hardcopy encodes characters other than ASCII unpredictably.
    until(hold, " list");
    screen(&["-S", "one", "-p", "0", "-X", "stuff", "\r"]);
    until(hold, &format!("- item {}", ITEMS - 1));
    holds_every_row_once(&until(hold, IDLE));
    screen(&["-S", "one", "-X", "quit"]);
}

/// zellij is not packaged by distributions, so it is emulated here: it replies to queries for attributes and cursor
/// position, supports neither the kitty protocol nor background colour queries nor synchronized updates, and sends
/// escape, alt and shift in legacy encoding.
#[test]
fn journey_39_a_multiplexer_with_few_replies_shows_everything() {
    let terminal = Terminal::open(listing(), 80, 24, &[("ZELLIJ", "0"), ("TERM_PROGRAM", "zellij")]);
    terminal.shows(IDLE);
    terminal.writes(0, &["\x1b[c"]);
    // No replies to `CSI ? u`, OSC 11 and `CSI > q`; cursor positions as in every terminal, and attributes last.
    terminal.keys("\x1b[1;2R\x1b[1;3R\x1b[1;3R\x1b[?65;4c");
    send(&terminal, "list");
    terminal.shows(&format!("- item {}", ITEMS - 1));
    terminal.shows(IDLE);
    // Legacy encoding: escape and enter for a new line, escape alone, a letter with alt.
    terminal.keys("one\x1b\r");
    terminal.keys("two");
    let rows = terminal.until("two lines", |rows| rows.iter().any(|row| row == "  two"));
    assert!(rows.iter().any(|row| row == "› one"), "{rows:?}");
    terminal.keys("\x15\x15\x15");
    terminal.shows(IDLE);
    let bytes = terminal.bytes();
    for never in ["\x1b[>1u", "\x1b[>4;2m", "\x1b]8;", "\x1b]133;", "\x1b]9;4"] {
        assert!(!bytes.contains(never), "{never:?} was not answered for");
    }
    // Without synchronized updates partial frames are visible, so nothing may be erased that is not rewritten in the
    // same write.
    let plain = bytes.replace("\x1b[?2026h", "").replace("\x1b[?2026l", "");
    let mut screen = vt100::Parser::new(24.try_into().unwrap(), 80.try_into().unwrap(), 1000);
    screen.process(plain.as_bytes());
    screen.screen_mut().set_scrollback(usize::MAX);
    let depth = screen.screen().scrollback();
    let mut held = Vec::new();
    for from in (0..=depth).rev() {
        screen.screen_mut().set_scrollback(from);
        let mut rows = screen.screen().rows(0, 80);
        held.push(rows.next().unwrap_or_default());
        if from == 0 {
            held.extend(rows);
        }
    }
    holds_every_row_once(&held.join("\n"));
    leave(terminal);
}
