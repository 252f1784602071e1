//! The draft of the composer on disk: it survives a crash and is restored at the next start.
//!
//! Each process has a separate file. The next start in the same session or folder takes over the draft of an ended
//! process.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Delay between a change and saving it.
const SAVE_DELAY: Duration = Duration::from_millis(300);

/// The file of this process's draft.
#[derive(Debug, Default)]
pub(super) struct DraftFile {
    path: Option<PathBuf>,
    folder: PathBuf,
    /// The text in the file.
    saved: String,
    due: Option<Instant>,
}

impl DraftFile {
    /// Creates the draft file of a session in `folder` below `config_dir`.
    pub(super) fn new(config_dir: &Path, folder: &Path) -> Self {
        Self {
            path: Some(drafts(config_dir).join(format!("{}.json", std::process::id()))),
            folder: folder.to_owned(),
            ..Self::default()
        }
    }

    /// Schedules saving of the draft. An empty draft takes effect immediately: it was sent or cleared.
    pub(super) fn note(&mut self, text: &str, now: Instant) {
        if text == self.saved {
            self.due = None;
        } else if text.is_empty() {
            self.remove();
        } else {
            self.due.get_or_insert(now + SAVE_DELAY);
        }
    }

    /// Returns when the draft must be saved.
    pub(super) fn due(&self) -> Option<Instant> {
        self.due.filter(|_| self.path.is_some())
    }

    /// Saves the draft. A write error matters only if the process also dies.
    pub(super) fn save(&mut self, text: &str, session: Option<&str>) {
        self.due = None;
        let Some(path) = &self.path else { return };
        let line = json!({
            "pid": std::process::id(), "folder": self.folder, "session": session, "text": text,
        });
        if write(path, &line.to_string()).is_ok() {
            text.clone_into(&mut self.saved);
        }
    }

    /// Removes the file: the draft was sent or is saved elsewhere.
    pub(super) fn remove(&mut self) {
        self.due = None;
        if !std::mem::take(&mut self.saved).is_empty()
            && let Some(path) = &self.path
        {
            fs::remove_file(path).ok();
        }
    }
}

fn drafts(config_dir: &Path) -> PathBuf {
    config_dir.join("drafts")
}

/// Writes a file atomically, readable only by its owner.
fn write(path: &Path, text: &str) -> io::Result<()> {
    let fresh = path.with_extension("new");
    sluice_host::private::write(&fresh, text)?;
    fs::rename(&fresh, path)
}

/// Takes over the newest draft of an ended process: of this session, otherwise of this folder.
pub(super) fn take(config_dir: &Path, folder: &Path, session: Option<&str>) -> Option<String> {
    let entries = fs::read_dir(drafts(config_dir)).ok()?;
    let mut found: Vec<(bool, std::time::SystemTime, PathBuf, String)> = Vec::new();
    for entry in entries.flatten() {
        let path = entry.path();
        let Some(draft) = fs::read(&path)
            .ok()
            .and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok())
        else {
            continue;
        };
        let text = |name: &str| draft.get(name).and_then(Value::as_str);
        let same_session = session.is_some() && text("session") == session;
        let same_folder = text("folder").map(Path::new) == Some(folder);
        if (same_session || same_folder) && !lives(&draft) {
            let changed = entry.metadata().and_then(|data| data.modified()).ok()?;
            found.push((same_session, changed, path, text("text")?.to_owned()));
        }
    }
    let (.., path, text) = found.into_iter().max_by_key(|(same, changed, ..)| (*same, *changed))?;
    fs::remove_file(path).ok();
    Some(text)
}

/// True if the process that wrote a draft is still running.
fn lives(draft: &Value) -> bool {
    let pid = draft
        .get("pid")
        .and_then(Value::as_i64)
        .and_then(|pid| i32::try_from(pid).ok());
    let pid = pid.and_then(rustix::process::Pid::from_raw);
    pid.is_some_and(|pid| rustix::process::test_kill_process(pid) != Err(rustix::io::Errno::SRCH))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    /// Creates the draft of an ended process.
    fn left(config_dir: &Path, name: &str, folder: &str, session: Option<&str>, text: &str) {
        let draft = json!({"pid": i32::MAX, "folder": folder, "session": session, "text": text});
        write(&drafts(config_dir).join(name), &draft.to_string()).unwrap();
    }

    #[test]
    fn a_draft_is_restored_once_by_session_then_by_folder() {
        let dir = tempfile::tempdir().unwrap();
        left(dir.path(), "1.json", "/w", Some("s1"), "of the session");
        left(dir.path(), "2.json", "/w", None, "of the folder");
        left(dir.path(), "3.json", "/elsewhere", None, "of another folder");
        let taken = || take(dir.path(), Path::new("/w"), Some("s1"));
        assert_eq!(taken().as_deref(), Some("of the session"));
        assert_eq!(taken().as_deref(), Some("of the folder"));
        assert_eq!(taken(), None);
    }

    #[test]
    fn a_draft_is_private_and_not_taken_from_a_running_process() {
        let dir = tempfile::tempdir().unwrap();
        let now = Instant::now();
        let mut file = DraftFile::new(dir.path(), Path::new("/w"));
        file.note("half a thought", now);
        assert_eq!(file.due(), Some(now + SAVE_DELAY));
        file.save("half a thought", None);
        let path = file.path.clone().unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
        assert_eq!(take(dir.path(), Path::new("/w"), None), None, "this process lives");
        file.note("", now);
        assert!(!path.exists() && file.due().is_none(), "it was sent");
    }
}
