//! The state folder: locked by one bridge at a time, whose addresses are in `bridge.json`.

use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::private;

/// Contents of `bridge.json` about the running bridge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BridgeNote {
    pub pid: u32,
    /// Milliseconds since 1970.
    pub started_at: i64,
    /// URLs for a browser, without a code.
    pub addresses: Vec<String>,
    pub version: String,
}

#[derive(Debug, thiserror::Error)]
pub enum StateError {
    #[error("a bridge{} is already running with the state folder {}\nhint: `sluice serve stop` ends it; --state names another folder", pid(.note.as_deref()), .path.display())]
    InUse {
        path: PathBuf,
        note: Option<Box<BridgeNote>>,
    },
    #[error("the state folder {} cannot be used: {error}\nhint: check its rights, or name another with --state", .path.display())]
    Io { path: PathBuf, error: io::Error },
    #[error(
        "the folder {} is open to other users and holds other things\nhint: name a folder of its own with --state, or close it with chmod 700", .path.display()
    )]
    Shared { path: PathBuf },
    #[error("the state folder {} belongs to another user\nhint: name another with --state", .path.display())]
    Foreign { path: PathBuf },
}

fn pid(note: Option<&BridgeNote>) -> String {
    note.map_or_else(String::new, |note| format!(" (pid {})", note.pid))
}

const LOCK: &str = "bridge.lock";

/// The locked folder: no other bridge uses it while this exists.
#[derive(Debug)]
pub struct StateFolder {
    path: PathBuf,
    _lock: File,
}

impl StateFolder {
    /// Creates the folder for this user only if it is missing, and locks it.
    ///
    /// # Errors
    /// Another bridge has locked it, or it cannot be written.
    pub fn take(path: &Path) -> Result<Self, StateError> {
        let problem = |error| StateError::Io {
            path: path.to_owned(),
            error,
        };
        private::create_folder(path).map_err(problem)?;
        let about = fs::metadata(path).map_err(problem)?;
        if std::os::unix::fs::MetadataExt::uid(&about) != rustix::process::geteuid().as_raw() {
            return Err(StateError::Foreign { path: path.to_owned() });
        }
        if about.permissions().mode() & 0o077 != 0 {
            // A home folder or /tmp given by mistake must not be closed to other users.
            let empty = fs::read_dir(path).map_err(problem)?.next().is_none();
            if !empty && !path.join(LOCK).exists() {
                return Err(StateError::Shared { path: path.to_owned() });
            }
            fs::set_permissions(path, fs::Permissions::from_mode(0o700)).map_err(problem)?;
        }
        let lock = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .mode(0o600)
            .open(path.join(LOCK));
        let lock = lock.map_err(problem)?;
        match lock.try_lock() {
            Ok(()) => Ok(Self {
                path: path.to_owned(),
                _lock: lock,
            }),
            Err(TryLockError::WouldBlock) => Err(StateError::InUse {
                path: path.to_owned(),
                note: read_note(path).map(Box::new),
            }),
            Err(TryLockError::Error(error)) => Err(problem(error)),
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn write_note(&self, note: &BridgeNote) -> io::Result<()> {
        let draft = self.path.join("bridge.json.new");
        private::write(&draft, format!("{}\n", serde_json::json!(note)).as_bytes())?;
        fs::rename(draft, self.path.join("bridge.json"))
    }

    pub(crate) fn remove_note(&self) {
        // If it remains, readers find that the folder is not locked.
        fs::remove_file(self.path.join("bridge.json")).ok();
    }
}

/// Waits until no bridge uses the folder. Returns false if one still does after `limit`.
pub async fn released(path: &Path, limit: Duration) -> bool {
    let Ok(lock) = File::open(path.join(LOCK)) else {
        return true;
    };
    let (done, ended) = oneshot::channel();
    // A thread that the runtime does not wait for. The shared lock is released before the result is sent.
    std::thread::spawn(move || {
        let free = lock.lock_shared().is_ok();
        drop(lock);
        done.send(free)
    });
    timeout(limit, ended).await.is_ok_and(|free| free.unwrap_or(false))
}

/// Returns the contents of `bridge.json`. The bridge may have ended since.
pub fn read_note(path: &Path) -> Option<BridgeNote> {
    serde_json::from_slice(&fs::read(path.join("bridge.json")).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_bridge_on_one_folder_is_told_the_first_one() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("state");
        let first = StateFolder::take(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
        let note = BridgeNote {
            pid: 4711,
            started_at: 1,
            addresses: vec!["http://127.0.0.1:4747".to_owned()],
            version: "1".to_owned(),
        };
        first.write_note(&note).unwrap();
        assert_eq!(read_note(&path), Some(note));
        let error = StateFolder::take(&path).unwrap_err().to_string();
        assert!(
            error.starts_with("a bridge (pid 4711) is already running with the state folder"),
            "{error}"
        );
        drop(first);
        assert!(StateFolder::take(&path).is_ok());
    }

    #[tokio::test]
    async fn a_folder_is_waited_for_until_its_bridge_has_ended() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("state");
        assert!(released(&path, Duration::ZERO).await, "there is no bridge");
        // In another folder, because the thread of a wait that timed out takes the lock later.
        let other = parent.path().join("other");
        let _running = StateFolder::take(&other).unwrap();
        assert!(!released(&other, Duration::from_millis(1)).await);
        let bridge = StateFolder::take(&path).unwrap();
        let limit = Duration::from_secs(60);
        let (waited, ()) = tokio::join!(released(&path, limit), async { drop(bridge) });
        assert!(waited && StateFolder::take(&path).is_ok());
    }

    #[test]
    fn a_state_folder_is_made_private() {
        let folder = tempfile::tempdir().unwrap();
        let open = || fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let mode = || fs::metadata(folder.path()).unwrap().permissions().mode() & 0o777;
        open();
        drop(StateFolder::take(folder.path()).unwrap());
        assert_eq!(mode(), 0o700);
        open();
        drop(StateFolder::take(folder.path()).unwrap());
        assert_eq!(mode(), 0o700, "it is a state folder by now");
    }

    #[test]
    fn a_folder_with_other_files_is_not_changed() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("letter"), "").unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        assert!(matches!(
            StateFolder::take(folder.path()),
            Err(StateError::Shared { .. })
        ));
        assert_eq!(fs::metadata(folder.path()).unwrap().permissions().mode() & 0o777, 0o755);
        assert!(!folder.path().join(LOCK).exists());
    }
}
