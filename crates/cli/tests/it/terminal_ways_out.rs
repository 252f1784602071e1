//! Journeys 33 and 34: the terminal is restored however the process ends or is suspended.

use std::fs;
use std::io::{PipeWriter, Read as _, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use pty_process::blocking::Command;
use rustix::process::Signal;
use rustix::termios::LocalModes;
use serde_json::{Value, json};

use crate::binary::{Lab, says};
use crate::launching::git;
use crate::terminal::{PATIENCE, Terminal, is_clean};
use crate::terminal_asks::send;
use crate::terminal_journeys::IDLE;

/// Name of a state, script of the model, and how to reach the state.
type State = (&'static str, Value, fn(&Terminal));

fn states() -> [State; 4] {
    let slow = json!({"delay": 0.05, "content": [{"type": "text", "text": "word ".repeat(4000)}]});
    let call = json!([{"type": "tool_use", "name": "Write", "input": {"file_path": "notes.md", "content": "hello"}}]);
    [
        ("streaming", json!([slow]), |terminal| {
            send(terminal, "go");
            terminal.shows("writing ∙ ");
        }),
        ("ask-edit", json!([call]), |terminal| {
            send(terminal, "go");
            terminal.shows("  4  No");
        }),
        ("resume", json!([says("one")]), |terminal| {
            send(terminal, "go");
            terminal.shows("one");
            terminal.shows(IDLE);
            terminal.keys("/resume\r");
            terminal.shows("1 of 1 here");
        }),
        ("pager", json!([says("one")]), |terminal| {
            send(terminal, "go");
            terminal.shows("one");
            terminal.shows(IDLE);
            terminal.keys("\x0f");
            terminal.shows("q back");
        }),
    ]
}

/// Checks that line editing and echo are enabled again.
fn is_given_back(terminal: &Terminal, name: &str) {
    let left = rustix::termios::tcgetattr(&*terminal.pty).unwrap();
    let wanted = LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG;
    assert!(
        left.local_modes.contains(wanted),
        "{name}: the line discipline is not what it was"
    );
}

fn is_taken(terminal: &Terminal) {
    let found = rustix::termios::tcgetattr(&*terminal.pty).unwrap();
    assert!(!found.local_modes.contains(LocalModes::ICANON), "it was never taken");
}

#[test]
fn journey_33_the_terminal_is_restored_however_the_process_ends() {
    for (name, replies, reach) in &states() {
        for (signal, expected) in [(Signal::TERM, 143), (Signal::HUP, 129)] {
            let mut terminal = Terminal::open(Lab::new(replies), 80, 24, &[]);
            terminal.shows(IDLE);
            is_taken(&terminal);
            reach(&terminal);
            terminal.signal(signal);
            let (code, bytes) = terminal.end();
            assert_eq!(code, Some(expected), "{name}");
            is_clean(&bytes);
            is_given_back(&terminal, name);
        }
    }
}

#[test]
fn journey_33_after_a_panic_the_terminal_is_restored_and_the_location_shown() {
    for (name, replies, reach) in &states() {
        let lab = Lab::new(replies);
        let reports = lab.home().display().to_string();
        let mut terminal = Terminal::open(lab, 80, 24, &[("TMPDIR", &reports)]);
        terminal.shows(IDLE);
        reach(&terminal);
        terminal.signal(Signal::USR2);
        let (code, bytes) = terminal.end();
        assert_eq!(code, Some(101), "{name}: {bytes}");
        is_clean(&bytes);
        is_given_back(&terminal, name);
        assert!(bytes.contains("  sluice -r "), "{name}: how to come back: {bytes}");
        let (_, said) = bytes
            .split_once("sluice: internal error at run.rs:")
            .unwrap_or_else(|| panic!("{name}: {bytes}"));
        let (_, file) = said.split_once("report: ").unwrap();
        let report = fs::read_to_string(file.trim()).unwrap();
        assert!(report.contains("asked to fail"), "{report}");
    }
}

/// A terminal whose output is a pipe, which can close while the keyboard is still connected.
struct Piped {
    terminal: Terminal,
    gone: Arc<AtomicBool>,
    poke: PipeWriter,
}

impl Piped {
    fn open(lab: Lab) -> Self {
        let (mut reading, writing) = std::io::pipe().unwrap();
        let command = Command::from(lab.command(&[]))
            .env("TERM", "xterm-256color")
            .env("LANG", "C.UTF-8")
            .env("SLUICE_TERMINAL", "1")
            .stdout(writing.try_clone().unwrap());
        let terminal = Terminal::of(lab, command, 80, 24);
        let gone = Arc::new(AtomicBool::new(false));
        let (seen, is_gone) = (Arc::clone(&terminal.seen), Arc::clone(&gone));
        std::thread::spawn(move || {
            let mut chunk = [0; 65536];
            while let Ok(count) = reading.read(&mut chunk) {
                if count == 0 || is_gone.load(Ordering::SeqCst) {
                    return;
                }
                seen.0.lock().unwrap().take(&chunk[..count]);
                seen.1.notify_all();
            }
        });
        Self {
            terminal,
            gone,
            poke: writing,
        }
    }

    /// Closes the read end of the output.
    fn lose_screen(mut self) -> Terminal {
        self.gone.store(true, Ordering::SeqCst);
        self.poke.write_all(b".").unwrap();
        self.terminal
    }
}

#[test]
fn journey_33_a_closed_screen_ends_the_process_and_restores_the_keyboard() {
    for (name, replies, reach) in &states() {
        let piped = Piped::open(Lab::new(replies));
        piped.terminal.shows(IDLE);
        is_taken(&piped.terminal);
        reach(&piped.terminal);
        let mut terminal = piped.lose_screen();
        let end = Instant::now() + PATIENCE;
        let code = loop {
            if let Some(status) = terminal.child.try_wait().unwrap() {
                break status.code();
            }
            assert!(Instant::now() < end, "{name}: it does not leave");
            // In an idle state a key triggers output.
            (&*terminal.pty).write_all(b"j").ok();
            std::thread::yield_now();
        };
        assert_eq!(code, Some(0), "{name}");
        is_given_back(&terminal, name);
    }
}

#[test]
fn journey_34_after_suspend_it_redraws_in_the_foreground_and_is_silent_in_the_background() {
    if std::process::Command::new("bash").arg("--version").output().is_err() {
        eprintln!("skipped: there is no bash");
        return;
    }
    let wait = json!({"command": "until [ -e go ]; do sleep 0.05; done", "description": "wait"});
    let lab = Lab::new(&json!([[{"type": "tool_use", "name": "Bash", "input": wait}], says("that was it")]));
    let mut shell = Command::new("bash").args(["--norc", "--noprofile", "-i"]).env_clear();
    for (name, value) in lab.command(&[]).get_envs() {
        shell = shell.env(name, value.unwrap_or_default());
    }
    let shell = shell
        .env("TERM", "xterm-256color")
        .env("LANG", "C.UTF-8")
        .env("PS1", "shell> ")
        .env("sluice", env!("CARGO_BIN_EXE_sluice"))
        .current_dir(lab.work());
    let mut terminal = Terminal::of(lab, shell, 80, 24);
    let prompts =
        |wanted: usize| move |rows: &[String]| rows.iter().filter(|row| row.starts_with("shell>")).count() >= wanted;
    terminal.shows("shell>");
    terminal.keys("$sluice --allowedTools Bash\r");
    terminal.shows(IDLE);
    send(&terminal, "go");
    terminal.shows("running Bash");
    terminal.keys("draft");
    terminal.shows("› draft");
    // After suspend and resume, the live region is restored with the draft.
    terminal.keys("\x1a");
    terminal.shows("Stopped");
    terminal.keys("fg\r");
    terminal.until("the region", |rows| {
        let last = rows.iter().rposition(|row| row.starts_with("shell> fg"));
        last.is_some_and(|at| rows[at..].iter().any(|row| row == "› draft"))
    });
    // Resumed in the background: the turn ends without output.
    terminal.keys("\x1a");
    terminal.until("the shell again", |rows| {
        rows.iter().filter(|row| row.contains("Stopped")).count() >= 2
    });
    terminal.keys("bg\r");
    terminal.until("it runs in the background", |rows| {
        rows.iter().any(|row| row.contains("$sluice --allowedTools Bash &"))
    });
    terminal.keys("echo in front\r");
    terminal.shows("in front");
    terminal.until("the prompt after it", prompts(5));
    let before = terminal.bytes().len();
    fs::write(terminal.lab.work().join("go"), "").unwrap();
    let end = Instant::now() + PATIENCE;
    while !transcripts(&terminal).contains("that was it") {
        assert!(Instant::now() < end, "the turn does not go on");
        std::thread::yield_now();
    }
    assert_eq!(
        &terminal.bytes()[before..],
        "",
        "something was written in the background"
    );
    terminal.keys("fg\r");
    terminal.shows("that was it");
    terminal.until("the draft", |rows| {
        rows.iter()
            .rfind(|row| row.starts_with("› "))
            .is_some_and(|row| row == "› draft")
    });
    terminal.keys("\x15\x04\x04");
    terminal.shows("  sluice -r ");
    // Keys typed before the shell is in the foreground again are read by the agent and lost.
    terminal.until("the shell in front", |rows| {
        let last = rows.iter().rfind(|row| !row.trim().is_empty());
        last.is_some_and(|row| row.trim() == "shell>")
    });
    terminal.keys("exit\r");
    let (_, bytes) = terminal.end();
    is_clean(&bytes);
}

/// Returns all saved transcripts.
fn transcripts(terminal: &Terminal) -> String {
    let projects = fs::read_dir(terminal.lab.home().join(".claude/projects"))
        .into_iter()
        .flatten()
        .flatten();
    let files = projects.flat_map(|project| fs::read_dir(project.path()).into_iter().flatten().flatten());
    files.filter_map(|file| fs::read_to_string(file.path()).ok()).collect()
}

#[test]
fn a_terminal_is_repaired_after_a_killed_process() {
    let mut terminal = Terminal::open(Lab::new(&json!([says("hello")])), 80, 24, &[]);
    terminal.shows(IDLE);
    // Kept open, as a shell does: a terminal that is closed by all processes loses its modes.
    let tty = fs::read_link(format!("/proc/{}/fd/0", terminal.child.id())).unwrap();
    let open = || fs::File::options().read(true).write(true).open(&tty).unwrap();
    let held = open();
    terminal.signal(Signal::KILL);
    terminal.child.wait().unwrap();
    let left = rustix::termios::tcgetattr(&held).unwrap();
    assert!(
        !left.local_modes.contains(LocalModes::ICANON),
        "it was killed before it could do anything"
    );
    let before = terminal.bytes().len();
    let mut repair = terminal.lab.command(&["doctor", "--terminal"]);
    let status = repair.stdin(open()).stdout(open()).stderr(open()).status().unwrap();
    assert!(status.success());
    is_given_back(&terminal, "repaired");
    terminal.writes(before, &["the terminal was reset"]);
    let bytes = terminal.bytes();
    let rest = bytes.get(before..).unwrap_or_default();
    for off in ["\x1b[?2004l", "\x1b[?1004l", "\x1b[?25h", "\x1b[0m", "\x1b[?1047l"] {
        assert!(rest.contains(off), "{off:?} in {rest:?}");
    }
}

#[test]
fn leaving_a_worktree_asks_whether_to_keep_it() {
    let replies = json!([[{"type": "tool_use", "name": "Bash", "input": {"command": "echo a > new"}}], says("done")]);
    for (keys, kept) in [("\r", true), ("2", false)] {
        let lab = Lab::new(&replies);
        git(&lab, &["init", "-q"]);
        git(&lab, &["commit", "-q", "--allow-empty", "-m", "x"]);
        let mut terminal = Terminal::start(lab, &["-w", "one", "--allowedTools", "Bash"], 80, 24, &[]);
        terminal.shows(IDLE);
        send(&terminal, "go");
        terminal.shows("done");
        terminal.shows(IDLE);
        terminal.keys("\x04\x04");
        terminal.shows("1 change uncommitted, 0 commits on no other branch");
        terminal.keys(keys);
        let (code, bytes) = terminal.end();
        assert_eq!(code, Some(0));
        is_clean(&bytes);
        assert_eq!(terminal.lab.has(".claude/worktrees/one/new"), kept);
        let branch = std::process::Command::new("git")
            .args(["rev-parse", "-q", "--verify", "refs/heads/worktree-one"])
            .current_dir(terminal.lab.work())
            .output();
        assert_eq!(branch.unwrap().status.success(), kept);
    }
}
