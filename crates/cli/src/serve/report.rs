//! Lines that the bridge prints itself: for a person at a terminal as text, in a JSON log as events.

use std::io;
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::{fail, say, warn};

/// Whether standard error is a log of JSON lines.
static JSON: AtomicBool = AtomicBool::new(false);

/// The log is JSON from here on: no plain line may come between.
pub(super) fn use_json() {
    JSON.store(true, Ordering::Relaxed);
}

fn is_json() -> bool {
    JSON.load(Ordering::Relaxed)
}

/// A notice for the person who runs the bridge.
pub(super) fn notice(text: &str) {
    match is_json() {
        true => tracing::warn!("{text}"),
        false => warn(text),
    }
}

/// Reports why the bridge ends, and returns the exit code.
pub(super) fn failure(text: &str) -> i32 {
    match is_json() {
        true => {
            tracing::error!("{text}");
            1
        }
        false => fail(text),
    }
}

/// The address of the bridge. The pairing code in it is for the person at the terminal: it is a password for ten minutes
/// and does not belong into a log.
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

/// The same address as a QR code, for a person at a terminal only.
pub(super) fn code(qr: &str) {
    if !is_json() && !is_journal(io::stderr()) {
        warn(qr);
    }
}

/// Whether this stream leads to the journal of systemd, which names it by device and inode.
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
