//! Output of the bridge itself: text for a terminal, or events in a JSON log.

use std::io;
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::{fail, say, warn};

/// True if standard error is a JSON log.
static JSON: AtomicBool = AtomicBool::new(false);

/// Switches to JSON; plain lines are no longer printed.
pub(super) fn use_json() {
    JSON.store(true, Ordering::Relaxed);
}

fn is_json() -> bool {
    JSON.load(Ordering::Relaxed)
}

/// Prints a notice for the user who runs the bridge.
pub(super) fn notice(text: &str) {
    match is_json() {
        true => tracing::warn!("{text}"),
        false => warn(text),
    }
}

/// Prints why the bridge ends and returns the exit code.
pub(super) fn failure(text: &str) -> i32 {
    match is_json() {
        true => {
            tracing::error!("{text}");
            1
        }
        false => fail(text),
    }
}

/// Prints the URL of the bridge. Its pairing code is valid for ten minutes and works like a password, so it is only
/// printed to a terminal and never logged.
pub(super) fn address(with_code: &str, plain: &str) {
    match (is_json(), is_journal(io::stdout())) {
        (true, _) => tracing::info!(address = plain, "listening; `sluice serve pair` prints a pairing code"),
        (false, true) => {
            say(plain);
        }
        (false, false) => {
            say(with_code);
        }
    }
}

/// Prints the URL as a QR code, on a terminal only.
pub(super) fn code(qr: &str) {
    if !is_json() && !is_journal(io::stderr()) {
        warn(qr);
    }
}

/// True if this stream is connected to the systemd journal, which is identified by device and inode.
fn is_journal(stream: impl AsFd) -> bool {
    let named = std::env::var("JOURNAL_STREAM").unwrap_or_default();
    let Ok(about) = rustix::fs::fstat(stream) else {
        return false;
    };
    named == format!("{}:{}", about.st_dev, about.st_ino)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_that_the_journal_does_not_name_is_not_the_journal() {
        assert!(!is_journal(std::fs::File::open("/dev/null").unwrap()));
    }
}
