//! Files reported to hooks: memory files that were read, and watched files.

use std::collections::HashMap;
use std::path::PathBuf;

use sluice_settings::watch;
use tokio::sync::mpsc;

/// A memory file that was read.
#[derive(Debug, Clone, Default)]
pub(crate) struct Instructions {
    pub(crate) path: PathBuf,
    /// The `load_reason` of the event.
    pub(crate) reason: &'static str,
    /// The file that imports this one.
    pub(crate) parent: Option<PathBuf>,
    /// Path patterns of a rule file.
    pub(crate) globs: Option<Vec<String>>,
    /// The accessed file that caused loading.
    pub(crate) trigger: Option<PathBuf>,
}

/// Files that are watched for `FileChanged` hooks.
pub(crate) struct WatchedFiles {
    pub(crate) paths: Vec<PathBuf>,
    /// Existing files and their modification times.
    known: HashMap<PathBuf, std::time::SystemTime>,
    changes: mpsc::Receiver<()>,
}

impl WatchedFiles {
    pub(crate) fn new(paths: Vec<PathBuf>) -> Self {
        Self {
            known: modification_times(&paths),
            changes: watch::watch(paths.clone()),
            paths,
        }
    }

    /// Waits for the next changes.
    pub(crate) async fn next(&mut self) -> Option<Vec<(PathBuf, &'static str)>> {
        self.changes.recv().await?;
        let now = modification_times(&self.paths);
        let before = std::mem::replace(&mut self.known, now);
        let changes = self.paths.iter().filter_map(|path| {
            let what = match (before.get(path), self.known.get(path)) {
                (None, Some(_)) => "add",
                (Some(_), None) => "unlink",
                (Some(then), Some(now)) if then != now => "change",
                _ => return None,
            };
            Some((path.clone(), what))
        });
        Some(changes.collect())
    }
}

/// Waits for the next changes. Never resolves if no files are watched.
pub(crate) async fn changes(watched: &mut Option<WatchedFiles>) -> Vec<(PathBuf, &'static str)> {
    match watched {
        Some(files) => match files.next().await {
            Some(changed) => changed,
            None => std::future::pending().await,
        },
        None => std::future::pending().await,
    }
}

fn modification_times(paths: &[PathBuf]) -> HashMap<PathBuf, std::time::SystemTime> {
    let each = paths.iter().filter_map(|path| {
        let changed = path.metadata().and_then(|metadata| metadata.modified()).ok()?;
        Some((path.clone(), changed))
    });
    each.collect()
}
