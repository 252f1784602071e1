//! Sessions on disk: listing, reading, renaming, tagging, forking and deleting them.
//!
//! The files are those of the reference CLI, so the sessions of any agent that saves its transcripts there are found. No
//! running agent is needed. All functions access files: from async code, call them in `spawn_blocking`.

use std::path::{Path, PathBuf};
use std::process::Command;

use sluice_transcript::{Folders, Projects};
pub use sluice_transcript::{Fork, MessageKind, SessionInfo, SessionMessage};

use crate::error::{Error, ErrorKind};

/// The sessions in a configuration folder, usually `~/.claude`.
///
/// ```
/// use sluice_host::sessions::Sessions;
/// # let home = tempfile::tempdir()?;
/// # let home = home.path();
/// # let project = home.join(".claude/projects/-srv-project");
/// # std::fs::create_dir_all(&project)?;
/// # let entry = r#"{"type":"user","uuid":"u","message":{"role":"user","content":"Build it"},"cwd":"/srv/project"}"#;
/// # std::fs::write(project.join("5c1d5a54-5d35-4d6f-9a3c-0d6a0a7f9a11.jsonl"), entry)?;
/// let sessions = Sessions::under(home.join(".claude"));
/// for session in sessions.list(None)? {
///     assert_eq!(session.summary, "Build it");
///     assert_eq!(sessions.messages(&session.session_id, None)?.len(), 1);
/// }
/// # assert_eq!(sessions.list(None)?.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sessions {
    projects: Projects,
}

impl Sessions {
    /// Returns the sessions in this configuration folder.
    pub fn under(root: impl Into<PathBuf>) -> Self {
        Self {
            projects: Projects::new(root.into().join("projects")),
        }
    }

    /// Lists the sessions of a folder and of the other worktrees of its repository, or of all folders; newest first.
    ///
    /// # Errors
    /// Returns an error if a folder cannot be read. Files that are not sessions are ignored.
    pub fn list(&self, dir: Option<&Path>) -> Result<Vec<SessionInfo>, Error> {
        Ok(self.folders(dir)?.list()?)
    }

    /// Passes the sessions of [`Sessions::list`], newest first, to `on_group` in groups as they are read, so that the first ones
    /// are available immediately even if there are very many. `on_group` returns whether to continue.
    ///
    /// # Errors
    /// Returns an error if a folder cannot be read.
    pub fn browse(&self, dir: Option<&Path>, on_group: impl FnMut(Vec<SessionInfo>) -> bool) -> Result<(), Error> {
        Ok(self.folders(dir)?.browse(on_group)?)
    }

    /// Finds the sessions whose messages contain a text, ignoring case; newest first. `on_match` receives the id of each
    /// match, and occasionally `None` during the search. It returns whether to continue.
    ///
    /// # Errors
    /// Returns an error if a folder cannot be read.
    pub fn search(
        &self,
        words: &str,
        dir: Option<&Path>,
        on_match: impl FnMut(Option<&str>) -> bool,
    ) -> Result<(), Error> {
        Ok(self.folders(dir)?.search(words, on_match)?)
    }

    /// Returns the details of one session, or `None` if it does not exist or has nothing to display.
    ///
    /// # Errors
    /// Returns an error if its file cannot be read.
    pub fn info(&self, session_id: &str, dir: Option<&Path>) -> Result<Option<SessionInfo>, Error> {
        Ok(self.folders(dir)?.info(session_id)?)
    }

    /// Returns the current conversation of a session: the active branch since the last compaction.
    ///
    /// # Errors
    /// Returns an error if the session does not exist or its file cannot be read.
    pub fn messages(&self, session_id: &str, dir: Option<&Path>) -> Result<Vec<SessionMessage>, Error> {
        Ok(self.folders(dir)?.messages(session_id)?)
    }

    /// Returns the file in which a session of the folder `dir` is saved, whether or not it exists.
    #[must_use]
    pub fn file(&self, session_id: &str, dir: &Path) -> PathBuf {
        let dir = std::fs::canonicalize(dir).unwrap_or_else(|_| dir.to_owned());
        self.projects.file(&dir, session_id)
    }

    /// Sets the title of a session.
    ///
    /// # Errors
    /// Returns an error if the session does not exist, the title is blank, or the file cannot be written.
    pub fn rename(&self, session_id: &str, title: &str, dir: Option<&Path>) -> Result<(), Error> {
        Ok(self.folders(dir)?.rename(session_id, title)?)
    }

    /// Rewinds a session: its conversation ends at the message `leaf`.
    ///
    /// # Errors
    /// Returns an error if the session does not exist or the file cannot be written.
    pub fn rewind(&self, session_id: &str, leaf: &str, dir: Option<&Path>) -> Result<(), Error> {
        Ok(self.folders(dir)?.rewind(session_id, leaf)?)
    }

    /// Sets the tag of a session; `None` removes it.
    ///
    /// # Errors
    /// Returns an error if the session does not exist, the tag is blank, or the file cannot be written.
    pub fn tag(&self, session_id: &str, tag: Option<&str>, dir: Option<&Path>) -> Result<(), Error> {
        Ok(self.folders(dir)?.tag(session_id, tag)?)
    }

    /// Deletes a session and its files.
    ///
    /// # Errors
    /// Returns an error if the session does not exist or cannot be deleted.
    pub fn delete(&self, session_id: &str, dir: Option<&Path>) -> Result<(), Error> {
        Ok(self.folders(dir)?.delete(session_id)?)
    }

    /// Archives a session, or restores it.
    ///
    /// # Errors
    /// Returns an error if the session does not exist or the file cannot be written.
    pub fn archive(&self, session_id: &str, archived: bool, dir: Option<&Path>) -> Result<(), Error> {
        Ok(self.folders(dir)?.archive(session_id, archived)?)
    }

    /// Copies a session, or the beginning of it, to a new session. Returns the new id.
    ///
    /// # Errors
    /// Returns an error if the session or message does not exist, or the copy cannot be written.
    pub fn fork(&self, session_id: &str, fork: &Fork, dir: Option<&Path>) -> Result<String, Error> {
        Ok(self.folders(dir)?.fork(session_id, fork)?)
    }

    /// Returns the project folders to search: those of `dir` and of the worktrees of its repository, or all.
    fn folders(&self, dir: Option<&Path>) -> Result<Folders, Error> {
        let Some(dir) = dir else {
            return Ok(self.projects.all()?);
        };
        let dir = std::fs::canonicalize(dir).unwrap_or_else(|_| dir.to_owned());
        let worktrees = worktrees(&dir);
        Ok(self.projects.about(std::iter::once(dir).chain(worktrees))?)
    }
}

impl From<sluice_transcript::Error> for Error {
    fn from(error: sluice_transcript::Error) -> Self {
        Self::new(ErrorKind::Session, error)
    }
}

/// Returns the other worktrees of the repository that contains `dir`.
fn worktrees(dir: &Path) -> Vec<PathBuf> {
    let listed = Command::new("git")
        .arg("-C")
        .arg(dir)
        .args(["worktree", "list", "--porcelain"])
        .output();
    let Ok(listed) = listed else { return Vec::new() };
    String::from_utf8_lossy(&listed.stdout)
        .lines()
        .filter_map(|line| line.strip_prefix("worktree "))
        .map(PathBuf::from)
        .filter(|path| path != dir)
        .collect()
}

/// Returns the name of the folder in which the sessions of `dir` (default: the current folder) are saved.
pub(crate) fn project_key(dir: Option<&Path>) -> Result<String, Error> {
    let dir = dir.unwrap_or(Path::new("."));
    let whole = std::fs::canonicalize(dir).map_err(|error| Error::session(dir.display(), &error))?;
    Ok(sluice_transcript::folder_name(&whole.to_string_lossy()))
}
