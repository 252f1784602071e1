//! Sessions on disk: listed, read, renamed, tagged, forked, deleted.
//!
//! The files are those of the reference CLI, so sessions of any agent that keeps its transcripts there are found.
//! Nothing here needs an agent to run. All of it is file work: from async code, call it in `spawn_blocking`.

use std::path::{Path, PathBuf};
use std::process::Command;

use sluice_transcript::{Folders, Projects};
pub use sluice_transcript::{Fork, MessageKind, SessionInfo, SessionMessage};

use crate::error::{Error, ErrorKind};

/// The sessions under one configuration folder, `~/.claude` for most.
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
    /// Those under this configuration folder.
    pub fn under(root: impl Into<PathBuf>) -> Self {
        Self {
            projects: Projects::new(root.into().join("projects")),
        }
    }

    /// The sessions of a folder and of the other worktrees of its repository, or of all folders; newest first.
    ///
    /// # Errors
    /// When a folder cannot be read. Files that are no session are passed over.
    pub fn list(&self, dir: Option<&Path>) -> Result<Vec<SessionInfo>, Error> {
        Ok(self.folders(dir)?.list()?)
    }

    /// The same sessions as [`Sessions::list`], newest first, handed over in groups as they are read: with very many of
    /// them the first screenful is there at once. `told` says whether to go on.
    ///
    /// # Errors
    /// When a folder cannot be read.
    pub fn browse(&self, dir: Option<&Path>, told: impl FnMut(Vec<SessionInfo>) -> bool) -> Result<(), Error> {
        Ok(self.folders(dir)?.browse(told)?)
    }

    /// Finds the sessions whose messages contain this text, ignoring case; newest first. `told` gets each
    /// id, and nothing now and then, and says whether to go on.
    ///
    /// # Errors
    /// When a folder cannot be read.
    pub fn search(&self, words: &str, dir: Option<&Path>, told: impl FnMut(Option<&str>) -> bool) -> Result<(), Error> {
        Ok(self.folders(dir)?.search(words, told)?)
    }

    /// What is known of one session; `None` when there is none, or nothing to show.
    ///
    /// # Errors
    /// When its file cannot be read.
    pub fn info(&self, session_id: &str, dir: Option<&Path>) -> Result<Option<SessionInfo>, Error> {
        Ok(self.folders(dir)?.info(session_id)?)
    }

    /// The conversation of a session as it stands: the branch that was gone on with, since the last compaction.
    ///
    /// # Errors
    /// When there is no such session, or its file cannot be read.
    pub fn messages(&self, session_id: &str, dir: Option<&Path>) -> Result<Vec<SessionMessage>, Error> {
        Ok(self.folders(dir)?.messages(session_id)?)
    }

    /// The file that a session of the folder `dir` is saved in, whether or not it exists.
    #[must_use]
    pub fn file(&self, session_id: &str, dir: &Path) -> PathBuf {
        let dir = std::fs::canonicalize(dir).unwrap_or_else(|_| dir.to_owned());
        self.projects.file(&dir, session_id)
    }

    /// Gives a session a title.
    ///
    /// # Errors
    /// When there is no such session, the title is blank, or the file cannot be written.
    pub fn rename(&self, session_id: &str, title: &str, dir: Option<&Path>) -> Result<(), Error> {
        Ok(self.folders(dir)?.rename(session_id, title)?)
    }

    /// Rewinds a session: its conversation ends at the message `leaf` again, until something else is said.
    ///
    /// # Errors
    /// When there is no such session, or the file cannot be written.
    pub fn rewind(&self, session_id: &str, leaf: &str, dir: Option<&Path>) -> Result<(), Error> {
        Ok(self.folders(dir)?.rewind(session_id, leaf)?)
    }

    /// Tags a session; `None` takes the tag away.
    ///
    /// # Errors
    /// When there is no such session, the tag is blank, or the file cannot be written.
    pub fn tag(&self, session_id: &str, tag: Option<&str>, dir: Option<&Path>) -> Result<(), Error> {
        Ok(self.folders(dir)?.tag(session_id, tag)?)
    }

    /// Deletes a session and its files.
    ///
    /// # Errors
    /// When there is no such session, or it cannot be deleted.
    pub fn delete(&self, session_id: &str, dir: Option<&Path>) -> Result<(), Error> {
        Ok(self.folders(dir)?.delete(session_id)?)
    }

    /// Archives a session, or restores it.
    ///
    /// # Errors
    /// When there is no such session, or the note cannot be written.
    pub fn archive(&self, session_id: &str, archived: bool, dir: Option<&Path>) -> Result<(), Error> {
        Ok(self.folders(dir)?.archive(session_id, archived)?)
    }

    /// Copies a session, or the beginning of it, under a new id; gives the id.
    ///
    /// # Errors
    /// When there is no such session or message, or the copy cannot be written.
    pub fn fork(&self, session_id: &str, fork: &Fork, dir: Option<&Path>) -> Result<String, Error> {
        Ok(self.folders(dir)?.fork(session_id, fork)?)
    }

    /// The folders to look in: of `dir` and the worktrees beside it, or all.
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

/// The other worktrees of the repository `dir` is in.
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

/// The name of the folder the sessions of `dir` lie in; of this program's own folder without it.
pub(crate) fn project_key(dir: Option<&Path>) -> Result<String, Error> {
    let dir = dir.unwrap_or(Path::new("."));
    let whole = std::fs::canonicalize(dir).map_err(|error| Error::session(dir.display(), &error))?;
    Ok(sluice_transcript::folder_name(&whole.to_string_lossy()))
}
