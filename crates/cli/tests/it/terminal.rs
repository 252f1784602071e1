//! The terminal interface: the whole binary in a pseudo-terminal, checked on an emulated screen.

use std::io::{Read as _, Write as _};
use std::process::Child;
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use pty_process::blocking::{Command, Pty};
use serde_json::json;

use crate::binary::Lab;

/// Output so far, and the emulated screen.
pub(crate) struct Seen {
    pub(crate) screen: vt100::Parser,
    pub(crate) bytes: Vec<u8>,
    pub(crate) ended: bool,
    /// True while a frame is incomplete, so that the screen shows a mix of two frames.
    drawing: bool,
}

impl Seen {
    pub(crate) fn take(&mut self, chunk: &[u8]) {
        let (begin, end) = (b"\x1b[?2026h", b"\x1b[?2026l");
        let before = self.bytes.len().saturating_sub(begin.len() - 1);
        self.screen.process(chunk);
        self.bytes.extend_from_slice(chunk);
        let last = |mark: &[u8]| {
            self.bytes[before..]
                .windows(mark.len())
                .rposition(|bytes| bytes == mark)
        };
        match (last(begin), last(end)) {
            (None, None) => {}
            (begun, ended) => self.drawing = begun > ended,
        }
    }
}

pub(crate) struct Terminal {
    pub(crate) pty: Arc<Pty>,
    pub(crate) seen: Arc<(Mutex<Seen>, Condvar)>,
    pub(crate) child: Child,
    /// Kept until the end for its folders and its model.
    pub(crate) lab: Lab,
}

/// Timeout for expected output; generous, because a busy machine is much slower.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

impl Terminal {
    pub(crate) fn open(lab: Lab, columns: u16, rows: u16, settings: &[(&str, &str)]) -> Self {
        Self::start(lab, &[], columns, rows, settings)
    }

    pub(crate) fn start(lab: Lab, args: &[&str], columns: u16, rows: u16, settings: &[(&str, &str)]) -> Self {
        let folder = lab.work().display().to_string();
        Self::start_in(lab, args, &folder, columns, rows, settings)
    }

    /// Starts in this folder.
    pub(crate) fn start_in(
        lab: Lab,
        args: &[&str],
        folder: &str,
        columns: u16,
        rows: u16,
        settings: &[(&str, &str)],
    ) -> Self {
        let mut command = Command::from(lab.command(args));
        command = command
            .env("TERM", "xterm-256color")
            .env("LANG", "C.UTF-8")
            .current_dir(folder);
        for (name, value) in settings {
            command = command.env(name, value);
        }
        Self::of(lab, command, columns, rows)
    }

    /// Starts a command in a pseudo-terminal. Streams that are already set are kept.
    pub(crate) fn of(lab: Lab, command: Command, columns: u16, rows: u16) -> Self {
        let (pty, pts) = pty_process::blocking::open().unwrap();
        pty.resize(pty_process::Size::new(rows, columns)).unwrap();
        let child = command.spawn(pts).unwrap();
        let pty = Arc::new(pty);
        let seen = Arc::new((
            Mutex::new(Seen {
                screen: vt100::Parser::new(rows.try_into().unwrap(), columns.try_into().unwrap(), 10_000),
                bytes: Vec::new(),
                ended: false,
                drawing: false,
            }),
            Condvar::new(),
        ));
        let (reader, told) = (Arc::clone(&pty), Arc::clone(&seen));
        thread::spawn(move || {
            let mut chunk = [0; 65536];
            loop {
                let count = (&*reader).read(&mut chunk).unwrap_or(0);
                let mut seen = told.0.lock().unwrap();
                seen.take(&chunk[..count]);
                seen.ended |= count == 0;
                told.1.notify_all();
                if count == 0 {
                    return;
                }
            }
        });
        Self { pty, seen, child, lab }
    }

    pub(crate) fn keys(&self, keys: &str) {
        (&*self.pty).write_all(keys.as_bytes()).unwrap();
    }

    pub(crate) fn rows(screen: &vt100::Screen) -> Vec<String> {
        let (_, columns) = screen.size();
        screen
            .rows(0, columns.get())
            .map(|row| row.trim_end().to_owned())
            .collect()
    }

    /// Waits until the screen satisfies a condition.
    pub(crate) fn until(&self, what: &str, wished: impl Fn(&[String]) -> bool) -> Vec<String> {
        let end = Instant::now() + PATIENCE;
        let mut seen = self.seen.0.lock().unwrap();
        loop {
            let rows = Self::rows(seen.screen.screen());
            if !seen.drawing && wished(&rows) {
                return rows;
            }
            let left = end.saturating_duration_since(Instant::now());
            assert!(
                !left.is_zero() && !seen.ended,
                "{what} never came:\n{}",
                rows.join("\n")
            );
            seen = self.seen.1.wait_timeout(seen, left).unwrap().0;
        }
    }

    /// Waits until these texts are written after the first `from` bytes.
    pub(crate) fn writes(&self, from: usize, wished: &[&str]) {
        let end = Instant::now() + PATIENCE;
        let mut seen = self.seen.0.lock().unwrap();
        loop {
            let written = String::from_utf8_lossy(seen.bytes.get(from..).unwrap_or_default()).into_owned();
            if wished.iter().any(|text| written.contains(text)) {
                return;
            }
            let left = end.saturating_duration_since(Instant::now());
            assert!(
                !left.is_zero() && !seen.ended,
                "{wished:?} was never written: {written:?}"
            );
            seen = self.seen.1.wait_timeout(seen, left).unwrap().0;
        }
    }

    /// Waits until the cursor is in this column, counted from zero.
    pub(crate) fn cursor_in(&self, column: u16) {
        let end = Instant::now() + PATIENCE;
        let mut seen = self.seen.0.lock().unwrap();
        while seen.screen.screen().cursor_position().1 != column {
            let left = end.saturating_duration_since(Instant::now());
            let at = seen.screen.screen().cursor_position();
            assert!(
                !left.is_zero() && !seen.ended,
                "the cursor is at {at:?}, not in column {column}"
            );
            seen = self.seen.1.wait_timeout(seen, left).unwrap().0;
        }
    }

    pub(crate) fn shows(&self, text: &str) -> Vec<String> {
        self.until(text, |rows| rows.iter().any(|row| row.contains(text)))
    }

    /// Changes the size of the screen and notifies the process.
    pub(crate) fn size(&self, columns: u16, rows: u16) {
        let mut seen = self.seen.0.lock().unwrap();
        seen.screen
            .screen_mut()
            .set_size(rows.try_into().unwrap(), columns.try_into().unwrap());
        self.pty.resize(pty_process::Size::new(rows, columns)).unwrap();
    }

    /// Returns all output so far.
    pub(crate) fn bytes(&self) -> String {
        String::from_utf8_lossy(&self.seen.0.lock().unwrap().bytes).into_owned()
    }

    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        let process = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(process, signal).unwrap();
    }

    /// Waits for the exit; returns the exit code and all output.
    pub(crate) fn end(&mut self) -> (Option<i32>, String) {
        let status = self.child.wait().unwrap();
        let seen = self.seen.0.lock().unwrap();
        let seen = self
            .seen
            .1
            .wait_timeout_while(seen, PATIENCE, |seen| !seen.ended)
            .unwrap()
            .0;
        (status.code(), String::from_utf8_lossy(&seen.bytes).into_owned())
    }
}

/// Checks that all modes that were enabled are disabled, and that nothing cleared the history.
pub(crate) fn is_clean(bytes: &str) {
    for (on, off) in [
        ("\x1b[?2004h", "\x1b[?2004l"),
        ("\x1b[?1004h", "\x1b[?1004l"),
        ("\x1b[22;0t", "\x1b[23;0t"),
    ] {
        assert!(bytes.rfind(off) > bytes.rfind(on), "{off:?} is missing");
    }
    assert!(
        bytes.rfind("\x1b[?1049l") >= bytes.rfind("\x1b[?1049h"),
        "the pager's screen is still there"
    );
    assert!(
        bytes.rfind("\x1b[?25h") >= bytes.rfind("\x1b[?25l"),
        "the cursor is hidden"
    );
    for never in ["\x1b[2J", "\x1b[3J", "\x1b[?1000h", "\x1b[?1002h", "\x1b[?1003h"] {
        assert!(!bytes.contains(never), "{never:?} was written");
    }
}

pub(crate) fn answering(text: &str) -> Lab {
    Lab::new(&json!([[{"type": "text", "text": text}]]))
}

#[test]
fn a_session_from_the_first_prompt_to_the_farewell() {
    let mut terminal = Terminal::open(answering("It is a shop."), 80, 24, &[]);
    terminal.shows("ask for something, or type / @ ! ?");
    terminal.keys("what is it?\r");
    terminal.shows("It is a shop.");
    let rows = terminal.shows("ask for something");
    assert!(rows.contains(&"› what is it?".to_owned()), "{rows:?}");
    terminal.keys("\x03");
    terminal.shows("press ctrl+c again to exit");
    terminal.keys("\x03");
    let (code, bytes) = terminal.end();
    assert_eq!(code, Some(0));
    assert!(bytes.contains("  sluice -r "), "leaving says how to come back");
    is_clean(&bytes);
}

#[test]
fn journey_07_a_call_is_asked_about_and_escape_stops_the_turn() {
    let lab = Lab::new(&json!([[{"type": "tool_use", "name": "Write", "input":
        {"file_path": "notes.md", "content": "hello"}}], [{"type": "text", "text": "done"}]]));
    let mut terminal = Terminal::open(lab, 80, 24, &[]);
    terminal.shows("ask for something");
    terminal.keys("write it\r");
    let rows = terminal.shows("  4  No");
    assert!(rows.iter().any(|row| row.starts_with("? Write  ")), "{rows:?}");
    assert!(rows.iter().any(|row| row.ends_with("+ hello")), "{rows:?}");
    terminal.shows("esc deny and stop");
    terminal.keys("\x1b");
    terminal.shows("you denied it");
    terminal.shows("ask for something");
    assert!(!terminal.lab.has("notes.md"));
    terminal.keys("\x04\x04");
    let (code, bytes) = terminal.end();
    assert_eq!(code, Some(0));
    is_clean(&bytes);
}

#[test]
fn the_terminal_is_restored_when_the_process_ends() {
    for (signal, expected) in [
        (rustix::process::Signal::TERM, 143),
        (rustix::process::Signal::HUP, 129),
    ] {
        let mut terminal = Terminal::open(answering("hello"), 80, 24, &[]);
        terminal.shows("ask for something");
        let process = rustix::process::Pid::from_child(&terminal.child);
        rustix::process::kill_process(process, signal).unwrap();
        let (code, bytes) = terminal.end();
        assert_eq!(code, Some(expected));
        is_clean(&bytes);
    }
}

#[test]
fn journey_38_replies_of_the_terminal_are_never_typed_however_they_are_split() {
    let terminal = Terminal::open(answering("hello"), 80, 24, &[]);
    terminal.shows("ask for something");
    for piece in [
        "\x1b[?6",
        "2;22c\x1bP>|XTe",
        "rm(390)\x1b\\",
        "\x1b]11;rgb:0000/0000/0000\x07",
        "\x1b[?1u",
    ] {
        terminal.keys(piece);
    }
    terminal.keys("ab");
    let rows = terminal.shows("› ab");
    assert!(
        rows.iter().filter(|row| row.starts_with("› ")).all(|row| row == "› ab"),
        "{rows:?}"
    );
}

#[test]
fn without_colour_output_is_plain_ascii() {
    let settings = [("NO_COLOR", "1"), ("LANG", "C"), ("LC_ALL", "C")];
    let mut terminal = Terminal::open(answering("plain words"), 40, 24, &settings);
    terminal.shows("ask for something");
    terminal.keys("go\r");
    terminal.shows("plain words");
    terminal.shows("ask for something");
    terminal.keys("\x04\x04");
    let (_, bytes) = terminal.end();
    assert!(bytes.is_ascii(), "{bytes}");
    for colour in 30..38 {
        assert!(!bytes.contains(&format!("\x1b[{colour}m")) && !bytes.contains(&format!(";{colour}m")));
    }
}

#[test]
fn journey_36_plain_mode_prints_lines_without_escape_sequences() {
    let lab = Lab::new(&json!([[{"type": "tool_use", "name": "Write", "input":
        {"file_path": "notes.md", "content": "hello"}}], [{"type": "text", "text": "It is written."}]]));
    let mut terminal = Terminal::start(lab, &["--ax-screen-reader"], 80, 24, &[]);
    terminal.shows("sluice 0.");
    terminal.keys("write it\r");
    terminal.shows("answer 1 to ");
    terminal.shows("  line 1 added: hello");
    terminal.keys("1\r");
    terminal.shows("agent: It is written.");
    let rows = terminal.until("the end of the turn", |rows| rows.iter().any(|row| row == "done"));
    for row in [
        "you: write it",
        "call 1: Write notes.md, 1 line added",
        "you answered: 1 yes",
        "call 1 done",
    ] {
        assert!(rows.iter().any(|it| it == row), "{row} in {rows:?}");
    }
    assert!(terminal.lab.has("notes.md"));
    terminal.keys("\x04");
    let (code, bytes) = terminal.end();
    assert_eq!(code, Some(0));
    assert!(!bytes.contains('\x1b'), "{bytes:?}");
}

#[test]
fn journey_36_plain_mode_queues_prompts_reports_edits_and_stops_on_escape() {
    let lab = Lab::new(&json!([
        [{"type": "tool_use", "name": "Bash", "input": {"command": "until [ -e go ]; do sleep 0.05; done", "description": "wait"}}],
        [{"type": "tool_use", "name": "Read", "input": {"file_path": "add.rs"}}],
        [{"type": "tool_use", "name": "Edit", "input": {"file_path": "add.rs", "old_string": "a - b", "new_string": "a + b"}}],
        [{"type": "text", "text": "never said"}]]));
    std::fs::write(lab.work().join("add.rs"), "fn add() {\n    a - b\n}\n").unwrap();
    let mut terminal = Terminal::start(lab, &["--ax-screen-reader", "--allowedTools", "Bash"], 80, 24, &[]);
    terminal.shows("mode ask");
    terminal.keys("fix it\r");
    terminal.shows("call 1: Bash until");
    terminal.keys("also run clippy\r");
    terminal.shows("queued 1: also run clippy");
    std::fs::write(terminal.lab.work().join("go"), "").unwrap();
    terminal.shows("  line 2 was:     a - b");
    terminal.shows("  line 2 becomes: a + b");
    terminal.shows("stop: Escape, Enter");
    // Escape followed by enter ends the line.
    terminal.keys("\x1b\r");
    terminal.shows("you answered: no, and stop");
    terminal.shows("stopped");
    let text = std::fs::read_to_string(terminal.lab.work().join("add.rs")).unwrap();
    assert!(text.contains("a - b"), "{text}");
    terminal.keys("\x04");
    let (_, bytes) = terminal.end();
    // The terminal echoes the escape as `^[`; our output contains none.
    assert!(!bytes.contains('\x1b'), "{bytes:?}");
}
