//! Watching settings files for changes.
//!
//! A kernel notification (`notices`) says that something happened; reading the files says what. So an idle session
//! does not wake up, and a superfluous notification does no harm. Where the kernel sends none (other systems, network
//! file systems, no watches left), the files are polled slowly.

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

/// How often to look where the kernel sends no notices.
pub const EVERY: Duration = Duration::from_secs(5);
/// How long a file has to be unchanged before its change is reported: editors write in steps.
pub const SETTLED: Duration = Duration::from_millis(250);
/// How many times to wait for that; then the change is reported anyway.
const PATIENCE: usize = 8;

/// What can be seen of a file without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Look {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

/// The known state of the files, and the notifications of changes.
struct Known {
    looks: Vec<Option<Look>>,
    notices: Notices,
}

/// Tells of changes to `paths`, whether they exist yet or not, once for each burst of them. Dropping the receiver ends it.
///
/// The first look is taken before this returns: who watches first and reads then misses nothing.
/// Has to be called on a runtime.
#[must_use]
pub fn watch(paths: Vec<PathBuf>) -> mpsc::Receiver<()> {
    let (tell, told) = mpsc::channel(1);
    let known = learn(&paths);
    tokio::spawn(watcher(paths, known, tell));
    told
}

async fn watcher(paths: Vec<PathBuf>, mut known: Known, tell: mpsc::Sender<()>) {
    loop {
        tokio::select! {
            () = tell.closed() => return,
            () = known.notices.heard() => {}
        }
        let Some(mut now) = apart(&paths, look_at_all).await else {
            return;
        };
        let is_changed = now != known.looks;
        // What happened may be somebody else's business: a busy folder is looked at no oftener than this.
        for _ in 0..PATIENCE {
            sleep(SETTLED).await;
            let Some(next) = apart(&paths, look_at_all).await else {
                return;
            };
            let rests = next == now;
            now = next;
            if rests {
                break;
            }
        }
        // Watched anew before it is told: what happens from here on is noticed, the rest is read by who is told.
        // A folder that was made, moved or replaced is watched from now on in the place of its parent.
        let Some(next) = apart(&paths, learn).await else { return };
        let is_changed = is_changed || next.looks != known.looks;
        known = next;
        if !is_changed {
            continue;
        }
        // Full means that one is waiting to be heard, which tells the same.
        if let Err(mpsc::error::TrySendError::Closed(())) = tell.try_send(()) {
            return;
        }
    }
}

/// Does `work` on a thread that may wait: a home can lie on a network. `None` when the runtime ends.
async fn apart<T: Send + 'static>(paths: &[PathBuf], work: fn(&[PathBuf]) -> T) -> Option<T> {
    let paths = paths.to_vec();
    tokio::task::spawn_blocking(move || work(&paths)).await.ok()
}

/// Watches, then looks: a change between the two is looked at, and noticed besides.
fn learn(paths: &[PathBuf]) -> Known {
    let notices = Notices::of(paths);
    Known {
        looks: look_at_all(paths),
        notices,
    }
}

fn look_at_all(paths: &[PathBuf]) -> Vec<Option<Look>> {
    paths.iter().map(|path| look_at(path)).collect()
}

fn look_at(path: &Path) -> Option<Look> {
    let metadata = path.metadata().ok()?;
    Some(Look {
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
