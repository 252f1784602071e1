//! The context of a tool call: what a tool is given.

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

/// Everything a call may use.
#[derive(Clone)]
pub struct Context {
    /// The `tool_use` id.
    pub call_id: String,
    /// The session's current directory.
    pub cwd: Arc<Cwd>,
    /// The directories the session works in; leaving them with `cd` does not persist. The starting directory
    /// counts as one.
    pub roots: Vec<PathBuf>,
    /// The environment of commands; nothing else is inherited.
    pub env: Arc<Vec<(OsString, OsString)>>,
    /// What was read and written, and how it looked.
    pub files: Arc<FileState>,
    /// Where large outputs and the outputs of background tasks go; made when first needed.
    pub output_dir: PathBuf,
    /// Ends this call.
    pub cancel: CancellationToken,
    /// Where events go. One sender per session: background tasks report after their call has ended.
    /// What a call sent is in the channel before `run` returns, so drain it before announcing the result.
    pub events: mpsc::Sender<ToolEvent>,
    /// The session's commands.
    pub tasks: Arc<Tasks>,
    /// Which files a search must not show, nor look into; `None` hides nothing. Asked for every file, from several
    /// threads at once, with absolute paths.
    pub hidden: Option<Hidden>,
    /// Where the paths of this call really led when the permission decision was made. A file tool touches nothing else:
    /// a link may have been planted since. `None`: nobody decided, so nothing is compared.
    pub pins: Option<Pins>,
    /// Whether a search takes in files that have a name outside of the roots, too.
    pub takes_shared: bool,
    /// What the session does for its tools.
    pub services: Arc<dyn Services>,
    /// The session's todo list and task list.
    pub lists: Arc<Lists>,
    /// Web access, with its cache.
    pub web: Arc<Web>,
    /// The permission policy of the session, whose deny rules a sandbox enforces; `None` enforces no rules.
    pub policy: Option<Arc<Policy>>,
    /// Where commands run; `None` is outside of any sandbox.
    pub sandbox: Option<Arc<Sandbox>>,
}

/// A rule about which files a search must not show.
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
    /// `path` against the current directory.
    pub fn absolute(&self, path: &str) -> PathBuf {
        paths::absolute(Path::new(path), &self.cwd.get())
    }

    /// Where `path` led when the call was decided about; none where nobody decided. One that the decision knows nothing
    /// of is refused.
    ///
    /// # Errors
    /// The outcome that says so.
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

/// What happens while a call runs, and after.
#[derive(Debug, Clone, PartialEq)]
pub enum ToolEvent {
    /// The call is still running; comes every 30 seconds.
    Progress {
        /// The `tool_use` id.
        call_id: String,
        /// How long it has been running.
        elapsed_seconds: u64,
    },
    /// A command is worth listing: it was started in the background, or has run in the foreground for 3 seconds.
    TaskStarted {
        /// The command.
        task: TaskView,
        /// `false` while the call still waits for it.
        is_backgrounded: bool,
    },
    /// A listed foreground command moved to the background; its call is about to return.
    TaskBackgrounded {
        /// The command.
        task: TaskView,
    },
    /// A listed command ended.
    TaskEnded {
        /// The command, with its final status and exit code.
        task: TaskView,
        /// Whether it ended in the background; a foreground one is only notified about.
        is_backgrounded: bool,
        /// How it ended.
        status: TaskStatus,
        /// One line about the end, for `task_notification.summary`.
        summary: String,
    },
    /// A monitored command has printed lines.
    TaskPrinted {
        /// The command.
        task: TaskView,
        /// The lines.
        text: String,
    },
    /// A subagent has begun or ceased to wait for a person.
    AgentWaits,
    /// A task that was stopped has wound up: nothing more will be heard of it.
    TaskGone {
        /// Its id.
        id: String,
    },
}

/// The current directory of a session.
#[derive(Debug)]
pub struct Cwd(Mutex<Directories>);

#[derive(Debug, Clone)]
struct Directories {
    start: PathBuf,
    current: PathBuf,
}

impl Cwd {
    /// Starts in `start`, which should be absolute.
    pub fn new(start: impl Into<PathBuf>) -> Self {
        let start = start.into();
        Self(Mutex::new(Directories {
            current: start.clone(),
            start,
        }))
    }

    /// The folder of the session, which a `cd` that leaves the roots returns to.
    pub fn start(&self) -> PathBuf {
        self.lock().start.clone()
    }

    /// The current directory.
    pub fn get(&self) -> PathBuf {
        self.lock().current.clone()
    }

    /// Changes the current directory.
    pub fn set(&self, path: impl Into<PathBuf>) {
        self.lock().current = path.into();
    }

    /// Makes another folder the folder of the session, and the current directory.
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
