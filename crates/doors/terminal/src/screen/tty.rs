//! The terminal's modes: taken, and given back on every way out.

use std::io::Write as _;
use std::os::fd::BorrowedFd;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once, PoisonError};
use std::time::{Duration, Instant};

use rustix::termios::{self, LocalModes, OptionalActions, Termios};
use tokio::sync::Notify;

use super::able::Progress;
use super::outlet::write_now;

/// What was found at the start, for every way out, also that of a panic.
static FOUND: Mutex<Option<Termios>> = Mutex::new(None);

/// Asked with the first frame, never waited for; what it is comes last.
pub const QUESTIONS: &str = "\x1b[?u\x1b[>q\x1b]11;?\x07\x1b[c";
/// Draws letters terminals do not agree about, asks after each where the cursor is, and leaves nothing of them.
#[must_use]
pub fn probes() -> String {
    let drawn = crate::text::width::PROBES.map(|probe| format!("\r{probe}\x1b[6n"));
    format!("{}\r\x1b[K", drawn.concat())
}

/// Paste marks, focus events, a bar for a cursor.
const ON: &str = "\x1b[22;0t\x1b[?2004h\x1b[?1004h\x1b[5 q";
/// All of "off": no update open, keys as they were, no marks, no focus events, the cursor as it was, no colours.
const OFF: &str = "\x1b[?2026l\x1b[<u\x1b[>4;0m\x1b[?2004l\x1b[?1004l\x1b[?2031l\x1b[0 q\x1b[?25h\x1b[23;0t\x1b[0m";
/// Wants to be told when the person's colours change from dark to light or back.
pub const SCHEMES: &str = "\x1b[?2031h";
/// Keys told apart, in the two dialects there are.
pub const KITTY: &str = "\x1b[>1u";
/// The same for terminals of the older dialect.
pub const OTHER_KEYS: &str = "\x1b[>4;2m";

fn keyboard() -> BorrowedFd<'static> {
    rustix::stdio::stdin()
}

/// How wide and high the terminal is.
#[must_use]
pub fn size() -> Option<(usize, usize)> {
    let size = termios::tcgetwinsize(rustix::stdio::stdout()).ok()?;
    (size.ws_col > 0 && size.ws_row > 0).then(|| (size.ws_col.into(), size.ws_row.into()))
}

/// Takes the terminal: every key at once, nothing echoed. Gives the bytes that switch its modes on.
///
/// # Errors
/// When standard input is no terminal.
pub fn take() -> std::io::Result<&'static str> {
    let found = termios::tcgetattr(keyboard())?;
    let mut raw = found.clone();
    raw.make_raw();
    raw.local_modes.remove(LocalModes::ISIG);
    // Line feeds are written with their carriage return.
    termios::tcsetattr(keyboard(), OptionalActions::Now, &raw)?;
    FOUND
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .get_or_insert(found);
    Ok(ON)
}

/// Whether this process is the one its terminal talks to.
#[must_use]
pub fn is_foreground() -> bool {
    termios::tcgetpgrp(keyboard()).is_ok_and(|group| group == rustix::process::getpgrp())
}

/// Whether the pager's screen lies over the other.
static SHEET: AtomicBool = AtomicBool::new(false);

/// The bytes that lay a screen of its own over what is there.
pub fn enter_sheet() -> &'static str {
    SHEET.store(true, Ordering::Relaxed);
    "\x1b[?1049h"
}

/// The bytes that take it off again.
pub fn leave_sheet() -> &'static str {
    SHEET.store(false, Ordering::Relaxed);
    "\x1b[?1049l\x1b[?25h"
}

/// Whether the task bar shows something of ours.
static PROGRESS: AtomicBool = AtomicBool::new(false);

/// The bytes that show it in the task bar.
pub fn show_progress(progress: Progress) -> &'static str {
    PROGRESS.store(progress != Progress::Idle, Ordering::Relaxed);
    progress.bytes()
}

/// Gives the terminal back. Does nothing the second time.
pub fn give_back() {
    let found = FOUND.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(found) = found {
        if SHEET.load(Ordering::Relaxed) {
            write_now(leave_sheet().as_bytes());
        }
        if PROGRESS.swap(false, Ordering::Relaxed) {
            write_now(Progress::Idle.bytes().as_bytes());
        }
        write_now(OFF.as_bytes());
        termios::tcsetattr(keyboard(), OptionalActions::Flush, &found).ok();
    }
}

/// Puts a terminal right that a killed process left behind: its screen, its modes, its lines.
///
/// # Errors
/// When standard input is no terminal.
pub fn repair() -> std::io::Result<()> {
    use rustix::termios::{InputModes, OutputModes};
    let mut modes = termios::tcgetattr(keyboard())?;
    modes.local_modes |=
        LocalModes::ICANON | LocalModes::ECHO | LocalModes::ECHOE | LocalModes::ISIG | LocalModes::IEXTEN;
    modes.input_modes |= InputModes::ICRNL | InputModes::BRKINT;
    modes.output_modes |= OutputModes::OPOST | OutputModes::ONLCR;
    termios::tcsetattr(keyboard(), OptionalActions::Flush, &modes)?;
    write_now(format!("\x1b[?1047l{OFF}{}\r\n", Progress::Idle.bytes()).as_bytes());
    Ok(())
}

/// Asks what the terminal is once more and reads until its answer, but not for long: what it still had to say, and keys
/// that are let go, do not reach the shell.
pub fn hear_out() {
    write_now(b"\x1b[c");
    hear(keyboard(), Duration::from_millis(50));
}

/// Reads until the terminal said what it is, or for so long.
fn hear(keyboard: BorrowedFd<'_>, most: Duration) {
    let end = Instant::now() + most;
    let mut heard = Vec::new();
    loop {
        let left = end.saturating_duration_since(Instant::now());
        let mut ready = [rustix::event::PollFd::from_borrowed_fd(
            keyboard,
            rustix::event::PollFlags::IN,
        )];
        let wait = rustix::event::Timespec::try_from(left).ok();
        let mut bytes = [0; 256];
        match rustix::event::poll(&mut ready, wait.as_ref()) {
            Ok(1..) => match rustix::io::read(keyboard, &mut bytes) {
                Ok(count @ 1..) => heard.extend_from_slice(bytes.get(..count).unwrap_or_default()),
                _ => return,
            },
            _ => return,
        }
        let text = String::from_utf8_lossy(&heard);
        let answered = text
            .rfind("\x1b[?")
            .is_some_and(|at| text.get(at..).is_some_and(|it| it.contains('c')));
        if answered || left.is_zero() {
            return;
        }
    }
}

/// What to say on the way out after a fault of ours: how to come back.
static COMING_BACK: Mutex<String> = Mutex::new(String::new());
/// A fault of ours happened, somewhere.
static FAULT: Notify = Notify::const_new();

/// Remembers how to come back to the session that is shown.
pub fn remember(coming_back: &str) {
    let mut known = COMING_BACK.lock().unwrap_or_else(PoisonError::into_inner);
    coming_back.clone_into(&mut known);
}

/// Waits until a fault of ours happened, on whatever thread: nothing that is drawn after it would be right.
pub async fn fault() {
    FAULT.notified().await;
}

/// Lets a panic give the terminal back, and say where it happened and how to come back.
pub fn give_back_on_panic() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if FOUND.lock().unwrap_or_else(PoisonError::into_inner).is_none() {
                return before(panic);
            }
            if SHEET.load(Ordering::Relaxed) {
                write_now(leave_sheet().as_bytes());
            }
            // What is on the row of the cursor stays; the message begins on a row of its own.
            write_now(b"\x1b[?2026l\r\x1b[J\r\n");
            give_back();
            let back = COMING_BACK.lock().unwrap_or_else(PoisonError::into_inner);
            if !back.is_empty() {
                write_now(format!("  {back}\n").as_bytes());
            }
            let place = panic.location().map_or_else(String::new, |place| {
                let file = place.file().rsplit('/').next().unwrap_or_default();
                format!(" at {file}:{}", place.line())
            });
            let report = report(panic).map_or_else(String::new, |file| format!("; report: {}", file.display()));
            let said = format!("sluice: a fault of ours{place}{report}\n");
            std::io::stderr().write_all(said.as_bytes()).ok();
            FAULT.notify_one();
        }));
    });
}

/// Writes down what happened, for whoever is told of it.
fn report(panic: &std::panic::PanicHookInfo<'_>) -> Option<PathBuf> {
    let file = std::env::temp_dir().join(format!("sluice-fault-{}.txt", uuid::Uuid::new_v4().simple()));
    let trace = std::backtrace::Backtrace::force_capture();
    let text = format!("sluice {}\n{panic}\n\n{trace}\n", env!("CARGO_PKG_VERSION"));
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    options.open(&file).ok()?.write_all(text.as_bytes()).ok()?;
    Some(file)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::io::ErrorKind;
    use std::os::fd::AsFd as _;
    use std::os::unix::net::UnixDatagram;

    use super::*;

    /// Lets a terminal say these things, each in a piece of its own, and gives what is left for the shell.
    fn left_after(said: &[&str], most: Duration) -> Vec<String> {
        let (terminal, keyboard) = UnixDatagram::pair().unwrap();
        for piece in said {
            terminal.send(piece.as_bytes()).unwrap();
        }
        hear(keyboard.as_fd(), most);
        keyboard.set_nonblocking(true).unwrap();
        let mut left = Vec::new();
        let mut bytes = [0; 256];
        loop {
            match keyboard.recv(&mut bytes) {
                Ok(count) => left.push(String::from_utf8_lossy(&bytes[..count]).into_owned()),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return left,
                Err(error) => unreachable!("{error}"),
            }
        }
    }

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn late_replies_are_heard_out_and_what_is_typed_after_them_is_the_shell_s() {
        let late = [
            "\x1b]11;rgb:0000/0000/0000\x07",
            "\x1b[?1u",
            "\x1b[97;1:3u",
            "\x1b[?62;",
            "22c",
            "ls\r",
        ];
        assert_eq!(left_after(&late, LONG), ["ls\r"]);
    }

    #[test]
    fn a_terminal_that_does_not_answer_is_not_waited_for_longer() {
        assert!(left_after(&[], Duration::from_millis(1)).is_empty());
        // Reports that are no answer do not end it; what is there is taken.
        assert!(left_after(&["\x1b[?1u\x1b[I"], Duration::from_millis(50)).is_empty());
    }
}
