//! When a settings file changed.
//!
//! A look at the files every second, not the operating system's notices: they are a handful of paths of
//! which most do not exist, some are links, and some lie on file systems that send no notices.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::{MissedTickBehavior, interval, sleep};

/// How often to look.
pub const EVERY: Duration = Duration::from_secs(1);
/// How long a file has to be left alone before its change is told: editors write in steps.
pub const SETTLED: Duration = Duration::from_millis(250);
/// How many times to wait for that; a file that never rests is told of too.
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

/// Tells of changes to `paths`, whether they exist yet or not, once for each burst of them. Dropping the receiver ends it.
///
/// The first look is taken before this returns: who watches first and reads then misses nothing.
/// Has to be called on a runtime.
#[must_use]
pub fn watch(paths: Vec<PathBuf>) -> mpsc::Receiver<()> {
    let (tell, told) = mpsc::channel(1);
    let first = look_at_all(&paths);
    tokio::spawn(watcher(paths, first, tell));
    told
}

async fn watcher(paths: Vec<PathBuf>, mut known: Vec<Option<Look>>, tell: mpsc::Sender<()>) {
    let mut ticks = interval(EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = tell.closed() => return,
            _ = ticks.tick() => {}
        }
        let Some(mut now) = look(&paths).await else { return };
        if now == known {
            continue;
        }
        for _ in 0..PATIENCE {
            sleep(SETTLED).await;
            let Some(next) = look(&paths).await else { return };
            let rests = next == now;
            now = next;
            if rests {
                break;
            }
        }
        known = now;
        // Full means that one is waiting to be heard, which tells the same.
        if let Err(mpsc::error::TrySendError::Closed(())) = tell.try_send(()) {
            return;
        }
    }
}

/// Looks on a thread that may wait: a home can lie on a network. `None` when the runtime ends.
async fn look(paths: &[PathBuf]) -> Option<Vec<Option<Look>>> {
    let paths = paths.to_vec();
    tokio::task::spawn_blocking(move || look_at_all(&paths)).await.ok()
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
