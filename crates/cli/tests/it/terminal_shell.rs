//! Running commands in the whole program: `!` commands and Bash calls.

use std::fs;
use std::thread;
use std::time::Instant;

use serde_json::json;

use crate::binary::{Lab, says};
use crate::launching::git;
use crate::terminal::{PATIENCE, Terminal, answering};
use crate::terminal_asks::send;
use crate::terminal_journeys::{IDLE, leave};

/// Prints to both streams, then waits for a long time.
const SLOW: &str = "echo $$ > pid; echo one; echo two >&2; echo three; sleep 600";

/// Starts a terminal whose folder contains this script as `slow.sh`.
fn opened(lab: Lab, args: &[&str]) -> Terminal {
    fs::write(lab.work().join("slow.sh"), SLOW).unwrap();
    let terminal = Terminal::start(lab, args, 80, 24, &[]);
    terminal.shows(IDLE);
    terminal
}

/// Waits until the process with this id has ended.
fn is_gone(pid: &str) {
    let end = Instant::now() + PATIENCE;
    while fs::exists(format!("/proc/{pid}")).unwrap() {
        assert!(Instant::now() < end, "process {pid} still runs");
        thread::yield_now();
    }
}

fn started(terminal: &Terminal) -> String {
    let rows = terminal.until("three lines in their order", |rows| {
        let at = |text: &str| rows.iter().position(|row| row.trim() == text);
        matches!((at("one"), at("two"), at("three")), (Some(a), Some(b), Some(c)) if a < b && b < c)
    });
    assert!(rows.iter().any(|row| row.contains("esc stops")), "{rows:?}");
    let pid = fs::read_to_string(terminal.lab.work().join("pid")).unwrap();
    pid.trim().to_owned()
}

#[test]
fn a_shell_command_is_shown_while_it_runs_and_escape_stops_it() {
    let terminal = opened(answering("hello"), &[]);
    send(&terminal, "!sh slow.sh");
    let pid = started(&terminal);
    terminal.keys("\x1b");
    terminal.shows("    stopped");
    is_gone(&pid);
    terminal.shows(IDLE);
    leave(terminal);
}

#[test]
fn leaving_ends_a_shell_command() {
    let mut terminal = opened(answering("hello"), &[]);
    send(&terminal, "!sh slow.sh");
    let pid = started(&terminal);
    terminal.signal(rustix::process::Signal::TERM);
    assert_eq!(terminal.end().0, Some(143));
    is_gone(&pid);
}

#[test]
fn a_bash_call_shows_what_it_prints_while_it_runs() {
    let lab = Lab::new(&json!([
        [{"type": "tool_use", "name": "Bash", "input": {"command": "sh slow.sh"}}],
        says("never asked"),
    ]));
    let terminal = opened(lab, &["--allowedTools", "Bash"]);
    send(&terminal, "go");
    let pid = started(&terminal);
    terminal.keys("\x1b");
    terminal.shows("stopped");
    is_gone(&pid);
    terminal.shows(IDLE);
    leave(terminal);
}

#[test]
fn a_command_that_ignores_the_request_to_end_is_killed() {
    let terminal = opened(answering("hello"), &[]);
    send(&terminal, "!trap '' TERM; sh slow.sh");
    let pid = started(&terminal);
    terminal.keys("\x1b");
    terminal.shows("    stopped");
    is_gone(&pid);
    leave(terminal);
}

#[test]
fn diff_contains_untracked_files_and_runs_no_program_of_the_repository() {
    let lab = answering("hello");
    let ran = lab.work().join("ran");
    git(&lab, &["init", "-q"]);
    std::fs::write(lab.work().join("old.txt"), "one\n").unwrap();
    git(&lab, &["add", "."]);
    git(&lab, &["commit", "-q", "-m", "x"]);
    git(
        &lab,
        &["config", "core.fsmonitor", &format!("touch '{}'", ran.display())],
    );
    std::fs::write(lab.work().join("old.txt"), "two\n").unwrap();
    std::fs::write(lab.work().join("new.txt"), "fresh\n").unwrap();
    let terminal = Terminal::open(lab, 80, 24, &[]);
    terminal.shows("ask for something");
    terminal.keys("/diff\r");
    terminal.shows("+fresh");
    let rows = terminal.shows("new.txt  +1  untracked");
    for row in ["old.txt  +1 -1  modified", "-one", "+two"] {
        assert!(rows.iter().any(|it| it.contains(row)), "{row} in {rows:?}");
    }
    assert!(!ran.exists());
}
