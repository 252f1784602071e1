//! Terminal modes: entered at the start, restored on every exit.

use std::io::Write as _;
use std::os::fd::BorrowedFd;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once, PoisonError};
use std::time::{Duration, Instant};

use rustix::termios::{self, LocalModes, OptionalActions, Termios};
use tokio::sync::Notify;

use super::capabilities::Progress;
use super::outlet::write_now;

/// Original modes of the terminal, for every kind of exit including a panic.
static ORIGINAL_MODES: Mutex<Option<Termios>> = Mutex::new(None);

/// Queries sent with the first frame; replies are not awaited. The device attributes are last.
pub const QUESTIONS: &str = "\x1b[?u\x1b[>q\x1b]11;?\x07\x1b[c";
/// Draws characters whose width differs between terminals, queries the cursor position after each, and erases them.
#[must_use]
pub fn probes() -> String {
    let drawn = crate::text::width::PROBES.map(|probe| format!("\r{probe}\x1b[6n"));
    format!("{}\r\x1b[K", drawn.concat())
}

/// Enables bracketed paste and focus events, and selects the bar cursor.
const ON: &str = "\x1b[22;0t\x1b[?2004h\x1b[?1004h\x1b[5 q";
/// Ends a synchronized update, and restores key encoding, paste, focus events, cursor and colours.
const OFF: &str = "\x1b[?2026l\x1b[<u\x1b[>4;0m\x1b[?2004l\x1b[?1004l\x1b[?2031l\x1b[0 q\x1b[?25h\x1b[23;0t\x1b[0m";
/// Enables reports of changes between dark and light colour schemes.
pub const SCHEMES: &str = "\x1b[?2031h";
/// Enables unambiguous key encoding (kitty protocol).
pub const KITTY: &str = "\x1b[>1u";
/// Enables unambiguous key encoding (xterm `modifyOtherKeys`).
pub const OTHER_KEYS: &str = "\x1b[>4;2m";

fn keyboard() -> BorrowedFd<'static> {
    rustix::stdio::stdin()
}

/// Returns the size of the terminal in columns and rows.
#[must_use]
pub fn size() -> Option<(usize, usize)> {
    let size = termios::tcgetwinsize(rustix::stdio::stdout()).ok()?;
    (size.ws_col > 0 && size.ws_row > 0).then(|| (size.ws_col.into(), size.ws_row.into()))
}

/// Enters raw mode. Returns the bytes that enable the other modes.
///
/// # Errors
/// Standard input is not a terminal.
pub fn take() -> std::io::Result<&'static str> {
    let found = termios::tcgetattr(keyboard())?;
    let mut raw = found.clone();
    raw.make_raw();
    raw.local_modes.remove(LocalModes::ISIG);
    // Output processing is off, so line feeds are written together with a carriage return.
    termios::tcsetattr(keyboard(), OptionalActions::Now, &raw)?;
    ORIGINAL_MODES
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .get_or_insert(found);
    Ok(ON)
}

/// True if this process is in the foreground process group of its terminal.
#[must_use]
pub fn is_foreground() -> bool {
    termios::tcgetpgrp(keyboard()).is_ok_and(|group| group == rustix::process::getpgrp())
}

/// True while the alternate screen is displayed.
static ALTERNATE_SCREEN: AtomicBool = AtomicBool::new(false);

/// Returns the bytes that switch to the alternate screen.
pub fn enter_alternate_screen() -> &'static str {
    ALTERNATE_SCREEN.store(true, Ordering::Relaxed);
    "\x1b[?1049h"
}

/// Returns the bytes that switch back to the normal screen.
pub fn leave_alternate_screen() -> &'static str {
    ALTERNATE_SCREEN.store(false, Ordering::Relaxed);
    "\x1b[?1049l\x1b[?25h"
}

/// True while the task bar shows our progress.
static PROGRESS: AtomicBool = AtomicBool::new(false);

/// Returns the bytes that show progress in the task bar.
pub fn show_progress(progress: Progress) -> &'static str {
    PROGRESS.store(progress != Progress::Idle, Ordering::Relaxed);
    progress.bytes()
}

/// Restores the terminal. A second call has no effect.
pub fn give_back() {
    let found = ORIGINAL_MODES.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(found) = found {
        if ALTERNATE_SCREEN.load(Ordering::Relaxed) {
            write_now(leave_alternate_screen().as_bytes());
        }
        if PROGRESS.swap(false, Ordering::Relaxed) {
            write_now(Progress::Idle.bytes().as_bytes());
        }
        write_now(OFF.as_bytes());
        termios::tcsetattr(keyboard(), OptionalActions::Flush, &found).ok();
    }
}

/// Repairs a terminal after a process was killed: screen, modes and line discipline.
///
/// # Errors
/// Standard input is not a terminal.
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

/// Queries the device attributes once more and reads until the reply, with a short timeout, so that late replies and
/// key releases do not reach the shell.
pub fn drain_replies() {
    write_now(b"\x1b[c");
    read_replies(keyboard(), Duration::from_millis(50));
}

/// Reads until the device attributes reply or the timeout.
fn read_replies(keyboard: BorrowedFd<'_>, most: Duration) {
    let end = Instant::now() + most;
    let mut replies = Vec::new();
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
                Ok(count @ 1..) => replies.extend_from_slice(bytes.get(..count).unwrap_or_default()),
                _ => return,
            },
            _ => return,
        }
        let text = String::from_utf8_lossy(&replies);
        let answered = text
            .rfind("\x1b[?")
            .is_some_and(|at| text.get(at..).is_some_and(|it| it.contains('c')));
        if answered || left.is_zero() {
            return;
        }
    }
}

/// Resume hint printed after a panic.
static RESUME_HINT: Mutex<String> = Mutex::new(String::new());
/// Notified after a panic on any thread.
static PANICKED: Notify = Notify::const_new();

/// Sets the resume hint for the current session.
pub fn remember(resume_command: &str) {
    let mut known = RESUME_HINT.lock().unwrap_or_else(PoisonError::into_inner);
    resume_command.clone_into(&mut known);
}

/// Waits until any thread panics; the screen contents are unreliable afterwards.
pub async fn fault() {
    PANICKED.notified().await;
}

/// Installs a panic hook that restores the terminal and prints the location of the panic and the resume hint.
pub fn give_back_on_panic() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if ORIGINAL_MODES.lock().unwrap_or_else(PoisonError::into_inner).is_none() {
                return before(panic);
            }
            if ALTERNATE_SCREEN.load(Ordering::Relaxed) {
                write_now(leave_alternate_screen().as_bytes());
            }
            // Keeps the cursor row; the message starts on a new row.
            write_now(b"\x1b[?2026l\r\x1b[J\r\n");
            give_back();
            let back = RESUME_HINT.lock().unwrap_or_else(PoisonError::into_inner);
            if !back.is_empty() {
                write_now(format!("  {back}\n").as_bytes());
            }
            let place = panic.location().map_or_else(String::new, |place| {
                let file = place.file().rsplit('/').next().unwrap_or_default();
                format!(" at {file}:{}", place.line())
            });
            let report = report(panic).map_or_else(String::new, |file| format!("; report: {}", file.display()));
            let said = format!("sluice: internal error{place}{report}\n");
            std::io::stderr().write_all(said.as_bytes()).ok();
            PANICKED.notify_one();
        }));
    });
}

/// Writes a report file for the panic.
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

    /// Sends replies of a terminal in separate pieces, and returns the input left for the shell.
    fn left_after(said: &[&str], most: Duration) -> Vec<String> {
        let (terminal, keyboard) = UnixDatagram::pair().unwrap();
        for piece in said {
            terminal.send(piece.as_bytes()).unwrap();
        }
        read_replies(keyboard.as_fd(), most);
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
    fn late_replies_are_drained_and_later_keys_are_left_for_the_shell() {
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
    fn draining_replies_times_out() {
        assert!(left_after(&[], Duration::from_millis(1)).is_empty());
        // Other reports do not end the wait but are consumed.
        assert!(left_after(&["\x1b[?1u\x1b[I"], Duration::from_millis(50)).is_empty());
    }
}
