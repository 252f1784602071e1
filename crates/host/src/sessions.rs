//! Sessions on disk: listed, read, renamed, tagged, forked, deleted.
//!
//! The files are those of the reference CLI, so sessions of any agent that keeps its transcripts there are found.
//! Nothing here needs an agent to run. All of it is file work: from async code, call it in `spawn_blocking`.

mod browse;
mod edit;
mod entries;
mod fork;
mod info;
mod letters;
mod place;
mod scan;

use std::path::{Path, PathBuf};

pub use entries::{MessageKind, SessionMessage};
pub use fork::Fork;
pub use info::SessionInfo;

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
    root: PathBuf,
}

impl Sessions {
    /// Those under this configuration folder.
    pub fn under(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// The sessions of a folder and of the other worktrees of its repository, or of all folders; newest first.
    ///
    /// # Errors
    /// When a folder cannot be read. Files that are no session are passed over.
    pub fn list(&self, dir: Option<&Path>) -> Result<Vec<SessionInfo>, Error> {
        let mut found = Vec::new();
        for project in self.projects(dir)? {
            info::collect(&project, &mut found)?;
        }
        found.sort_by(|a, b| {
            b.last_modified
                .cmp(&a.last_modified)
                .then_with(|| a.session_id.cmp(&b.session_id))
        });
        // A session that lies in two folders is the newer one.
        let mut seen = std::collections::HashSet::new();
        found.retain(|session: &SessionInfo| seen.insert(session.session_id.clone()));
        Ok(found)
    }

    /// What is known of one session; `None` when there is none, or nothing to show.
    ///
    /// # Errors
    /// When its file cannot be read.
    pub fn info(&self, session_id: &str, dir: Option<&Path>) -> Result<Option<SessionInfo>, Error> {
        match self.find(session_id, dir) {
            Ok((project, file)) => info::of(&file, project.path.as_deref()),
            Err(error) if error.kind() == ErrorKind::Session => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The conversation of a session as it stands: the branch that was gone on with, since the last compaction.
    ///
    /// # Errors
    /// When there is no such session, or its file cannot be read.
    pub fn messages(&self, session_id: &str, dir: Option<&Path>) -> Result<Vec<SessionMessage>, Error> {
        let (_, file) = self.find(session_id, dir)?;
        let text = read(&file)?;
        Ok(entries::conversation(&text))
    }

    /// Gives a session a title.
    ///
    /// # Errors
    /// When there is no such session, the title is blank, or the file cannot be written.
    pub fn rename(&self, session_id: &str, title: &str, dir: Option<&Path>) -> Result<(), Error> {
        let (_, file) = self.find(session_id, dir)?;
        edit::rename(&file, session_id, title)
    }

    /// Tags a session; `None` takes the tag away.
    ///
    /// # Errors
    /// When there is no such session, the tag is blank, or the file cannot be written.
    pub fn tag(&self, session_id: &str, tag: Option<&str>, dir: Option<&Path>) -> Result<(), Error> {
        let (_, file) = self.find(session_id, dir)?;
        edit::tag(&file, session_id, tag)
    }

    /// Deletes a session and what lies beside it.
    ///
    /// # Errors
    /// When there is no such session, or it cannot be deleted.
    pub fn delete(&self, session_id: &str, dir: Option<&Path>) -> Result<(), Error> {
        let (_, file) = self.find(session_id, dir)?;
        edit::delete(&file)
    }

    /// Puts a session away, or takes it out again.
    ///
    /// # Errors
    /// When there is no such session, or the note cannot be written.
    pub fn archive(&self, session_id: &str, archived: bool, dir: Option<&Path>) -> Result<(), Error> {
        let (_, file) = self.find(session_id, dir)?;
        edit::archive(&file, archived)
    }

    /// Copies a session, or the beginning of it, under a new id; gives the id.
    ///
    /// # Errors
    /// When there is no such session or message, or the copy cannot be written.
    pub fn fork(&self, session_id: &str, fork: &Fork, dir: Option<&Path>) -> Result<String, Error> {
        let (_, file) = self.find(session_id, dir)?;
        fork::fork(&file, session_id, fork)
    }
}

/// The name of the folder the sessions of `dir` lie in; of this program's own folder without it.
pub(crate) fn project_key(dir: Option<&Path>) -> Result<String, Error> {
    let dir = dir.unwrap_or(Path::new("."));
    let whole = std::fs::canonicalize(dir).map_err(|error| Error::session(dir.display(), &error))?;
    Ok(sluice_wire::session_folder::session_folder(&whole.to_string_lossy()))
}

fn read(file: &Path) -> Result<String, Error> {
    let bytes = std::fs::read(file).map_err(|error| Error::session(file.display(), &error))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
