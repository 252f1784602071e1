//! The context of a tool call.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sluice_permission::Policy;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::file_state::FileState;
use crate::lists::Lists;
use crate::outcome::Outcome;
use crate::paths;
use crate::pins::{Pin, Pins};
use crate::sandbox::Sandbox;
use crate::services::Services;
use crate::tasks::{TaskStatus, TaskView, Tasks};
use crate::web::Web;

/// Everything a call may access.
#[derive(Clone)]
pub struct Context {
    /// The `tool_use` id.
    pub call_id: String,
    /// Current directory of the session.
    pub cwd: Arc<Cwd>,
    /// Working folders of the session, including the starting folder. A `cd` outside of them does not persist.
    pub roots: Vec<PathBuf>,
    /// Complete environment of commands; nothing else is inherited.
    pub env: Arc<Vec<(OsString, OsString)>>,
    /// State of the files that were read and written.
    pub files: Arc<FileState>,
    /// Folder for large outputs and the output of background tasks; created on first use.
    pub output_dir: PathBuf,
    /// Cancels this call.
    pub cancel: CancellationToken,
    /// Channel for events. There is one sender per session, because background tasks report after their call has ended.
    /// Events of a call are in the channel before `run` returns, so drain it before reporting the result.
    pub events: mpsc::Sender<ToolEvent>,
    /// Running commands of the session.
    pub tasks: Arc<Tasks>,
    /// Files that a search must neither show nor read; `None` hides nothing. Called for every file with an absolute
    /// path, from several threads.
    pub hidden: Option<Hidden>,
    /// Resolved paths of this call at the time of the permission decision. A file tool accesses nothing else, because a
    /// symlink may have been replaced since. `None`: there was no decision, so nothing is compared.
    pub pins: Option<Pins>,
    /// True if a search includes hard-linked files that also have a name outside of the roots.
    pub takes_shared: bool,
    /// Functions that the session provides to its tools.
    pub services: Arc<dyn Services>,
    /// The session's todo list and task list.
    pub lists: Arc<Lists>,
    /// Web access, with its cache.
    pub web: Arc<Web>,
    /// Permission policy of the session, whose deny rules a sandbox enforces; `None` enforces no rules.
    pub policy: Option<Arc<Policy>>,
    /// Sandbox for commands; `None` runs them without one.
    pub sandbox: Option<Arc<Sandbox>>,
}

/// Filter for files that a search must not show.
pub type Hidden = Arc<dyn Fn(&Path) -> bool + Send + Sync>;

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("call_id", &self.call_id)
            .field("cwd", &self.cwd)
            .field("roots", &self.roots)
            .field("output_dir", &self.output_dir)
            .field("pins", &self.pins)
            .finish_non_exhaustive()
    }
}

impl Context {
    /// Resolves `path` against the current directory.
    pub fn absolute(&self, path: &str) -> PathBuf {
        paths::absolute(Path::new(path), &self.cwd.get())
    }

    /// Returns the pin of `path` from the permission decision, or `None` if there was no decision.
    ///
    /// # Errors
    /// The outcome for a path that the decision did not cover.
    pub fn pin(&self, path: &Path) -> Result<Option<Pin>, Outcome> {
        match &self.pins {
            None => Ok(None),
            Some(pins) => match pins.find(path) {
                Some(pin) => Ok(Some(pin.clone())),
                None => Err(Outcome::refused(format!(
                    "{} is not what this call was allowed for. Nothing was done",
                    path.display()
                ))),
            },
        }
    }
}

/// Events during and after a call.
#[derive(Debug, Clone, PartialEq)]
pub enum ToolEvent {
    /// The call is still running; sent every 30 seconds.
    Progress {
        /// The `tool_use` id.
        call_id: String,
        /// Running time so far.
        elapsed_seconds: u64,
    },
    /// A command to list: started in the background, or running in the foreground for 3 seconds.
    TaskStarted {
        /// The command.
        task: TaskView,
        /// False while the call still waits for it.
        is_backgrounded: bool,
    },
    /// A listed foreground command moved to the background; its call returns next.
    TaskBackgrounded {
        /// The command.
        task: TaskView,
    },
    /// A listed command ended.
    TaskEnded {
        /// The command, with its final status and exit code.
        task: TaskView,
        /// True if it ended in the background; for a foreground command only a notification is sent.
        is_backgrounded: bool,
        /// Final status.
        status: TaskStatus,
        /// One line about the end, for `task_notification.summary`.
        summary: String,
        /// The last lines of a monitored command, which were not reported before.
        printed: Option<String>,
        /// True unless it was stopped on purpose: the model is notified of the end.
        notifies: bool,
    },
    /// A monitored command has printed lines.
    TaskPrinted {
        /// The command.
        task: TaskView,
        /// The lines.
        text: String,
    },
    /// A subagent started or stopped waiting for a person.
    AgentWaits,
    /// A stopped task has ended completely and sends no more events.
    TaskGone {
        /// Its id.
        id: String,
    },
}

/// Current directory of a session.
#[derive(Debug)]
pub struct Cwd(Mutex<Directories>);

#[derive(Debug, Clone)]
struct Directories {
    start: PathBuf,
    current: PathBuf,
}

impl Cwd {
    /// Creates the state with an absolute starting folder.
    pub fn new(start: impl Into<PathBuf>) -> Self {
        let start = start.into();
        Self(Mutex::new(Directories {
            current: start.clone(),
            start,
        }))
    }

    /// Returns the folder of the session, to which a `cd` outside of the roots returns.
    pub fn start(&self) -> PathBuf {
        self.lock().start.clone()
    }

    /// Returns the current directory.
    pub fn get(&self) -> PathBuf {
        self.lock().current.clone()
    }

    /// Changes the current directory.
    pub fn set(&self, path: impl Into<PathBuf>) {
        self.lock().current = path.into();
    }

    /// Makes another folder the folder of the session and the current directory.
    pub fn restart(&self, path: impl Into<PathBuf>) {
        let start = path.into();
        *self.lock() = Directories {
            current: start.clone(),
            start,
        };
    }

    fn lock(&self) -> MutexGuard<'_, Directories> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
