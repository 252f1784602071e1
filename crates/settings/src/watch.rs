//! Watching settings files for changes.
//!
//! A kernel notification (`notices`) only triggers a comparison of the files with their last known state. So an idle
//! session does not wake up, and a superfluous notification is harmless. If the kernel sends no notifications (other
//! systems, network file systems, no watches left), the files are polled slowly.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::sleep;

#[cfg(target_os = "linux")]
mod notices;
#[cfg(not(target_os = "linux"))]
#[path = "watch/no_notices.rs"]
mod notices;

use notices::Notices;

/// Polling interval if the kernel sends no notifications.
pub const EVERY: Duration = Duration::from_secs(5);
/// How long a file must be unchanged before a change is reported, because editors write in several steps.
pub const SETTLED: Duration = Duration::from_millis(250);
/// Maximum number of [`SETTLED`] intervals to wait. After that the change is reported anyway.
const MAX_SETTLE_INTERVALS: usize = 8;

/// The metadata by which a change of a file is detected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FileState {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

/// The last known state of the files, and the source of notifications.
struct WatchState {
    states: Vec<Option<FileState>>,
    notices: Notices,
}

/// Watches `paths`, whether they exist or not. Sends one notification for each burst of changes. Watching ends when the
/// receiver is dropped.
///
/// The initial state is recorded before this function returns, so a caller that reads the files afterwards misses no
/// change. Must be called within a tokio runtime.
#[must_use]
pub fn watch(paths: Vec<PathBuf>) -> mpsc::Receiver<()> {
    let (sender, receiver) = mpsc::channel(1);
    let known = start_watching(&paths);
    tokio::spawn(watcher(paths, known, sender));
    receiver
}

async fn watcher(paths: Vec<PathBuf>, mut known: WatchState, sender: mpsc::Sender<()>) {
    loop {
        tokio::select! {
            () = sender.closed() => return,
            () = known.notices.changed() => {}
        }
        let Some(mut now) = run_blocking(&paths, states_of).await else {
            return;
        };
        let is_changed = now != known.states;
        // The notification may be about other files. This also limits how often a busy folder is checked.
        for _ in 0..MAX_SETTLE_INTERVALS {
            sleep(SETTLED).await;
            let Some(next) = run_blocking(&paths, states_of).await else {
                return;
            };
            let is_settled = next == now;
            now = next;
            if is_settled {
                break;
            }
        }
        // Renew the watches before the change is reported: later changes cause a notification, and the receiver reads
        // the rest. A folder that was created, moved or replaced is now watched instead of its parent.
        let Some(next) = run_blocking(&paths, start_watching).await else {
            return;
        };
        let is_changed = is_changed || next.states != known.states;
        known = next;
        if !is_changed {
            continue;
        }
        // If the channel is full, the receiver already has a notification to process.
        if let Err(mpsc::error::TrySendError::Closed(())) = sender.try_send(()) {
            return;
        }
    }
}

/// Runs `work` on a blocking thread, because the home folder may be on a network. `None` if the runtime shuts down.
async fn run_blocking<T: Send + 'static>(paths: &[PathBuf], work: fn(&[PathBuf]) -> T) -> Option<T> {
    let paths = paths.to_vec();
    tokio::task::spawn_blocking(move || work(&paths)).await.ok()
}

/// Adds the watches, then records the state, so that no change in between is missed.
fn start_watching(paths: &[PathBuf]) -> WatchState {
    let notices = Notices::of(paths);
    WatchState {
        states: states_of(paths),
        notices,
    }
}

fn states_of(paths: &[PathBuf]) -> Vec<Option<FileState>> {
    paths.iter().map(|path| state_of(path)).collect()
}

fn state_of(path: &Path) -> Option<FileState> {
    let metadata = path.metadata().ok()?;
    Some(FileState {
        device: metadata.dev(),
        inode: metadata.ino(),
        size: metadata.size(),
        modified: (metadata.mtime(), metadata.mtime_nsec()),
        changed: (metadata.ctime(), metadata.ctime_nsec()),
    })
}

#[cfg(test)]
#[path = "watch_tests.rs"]
mod tests;
