//! Files hooks are told of: instructions that were read, and files that are watched for them.

use std::collections::HashMap;
use std::path::PathBuf;

use sluice_settings::watch;
use tokio::sync::mpsc;

/// A file of instructions was read.
#[derive(Debug, Clone, Default)]
pub(crate) struct Instructions {
    pub(crate) path: PathBuf,
    /// Why.
    pub(crate) reason: &'static str,
    /// The file that imports it.
    pub(crate) parent: Option<PathBuf>,
    /// The patterns of a rule about certain files.
    pub(crate) globs: Option<Vec<String>>,
    /// The file that brought it.
    pub(crate) trigger: Option<PathBuf>,
}

/// Files that hooks want to hear of.
pub(crate) struct WatchedFiles {
    pub(crate) paths: Vec<PathBuf>,
    /// What was there, and when it was changed.
    known: HashMap<PathBuf, std::time::SystemTime>,
    changes: mpsc::Receiver<()>,
}

impl WatchedFiles {
    pub(crate) fn new(paths: Vec<PathBuf>) -> Self {
        Self {
            known: look(&paths),
            changes: watch::watch(paths.clone()),
            paths,
        }
    }

    /// The next burst of changes.
    pub(crate) async fn next(&mut self) -> Option<Vec<(PathBuf, &'static str)>> {
        self.changes.recv().await?;
        let now = look(&self.paths);
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

/// The next changes of watched files; nothing is ever heard where none are watched.
pub(crate) async fn changes(watched: &mut Option<WatchedFiles>) -> Vec<(PathBuf, &'static str)> {
    match watched {
        Some(files) => match files.next().await {
            Some(changed) => changed,
            None => std::future::pending().await,
        },
        None => std::future::pending().await,
    }
}

fn look(paths: &[PathBuf]) -> HashMap<PathBuf, std::time::SystemTime> {
    let each = paths.iter().filter_map(|path| {
        let changed = path.metadata().and_then(|metadata| metadata.modified()).ok()?;
        Some((path.clone(), changed))
    });
    each.collect()
}
