//! Running commands of a session, in the foreground and background.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;

use crate::capture::Printing;
use crate::process::{self, Exit};
use crate::supervisor::Supervisor;

pub use enlisted::{AgentTask, Enlisted, agent_id};

mod enlisted;

/// Number of ended tasks that can still be queried.
const MAX_ENDED: usize = 200;

/// Status of a command, as in `task_updated.patch.status`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskStatus {
    /// Running.
    Running,
    /// Ended with exit code 0.
    Completed,
    /// Ended with another exit code.
    Failed,
    /// Killed by us.
    Killed,
}

impl TaskStatus {
    /// Returns the word in `task_updated.patch.status`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Killed => "killed",
        }
    }

    /// Returns the word in `task_notification.status`, which is `stopped` for a killed task.
    pub fn as_notification(self) -> &'static str {
        match self {
            Self::Killed => "stopped",
            other => other.as_str(),
        }
    }
}

/// A snapshot of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskView {
    /// `b` and eight base-36 digits.
    pub id: String,
    /// The `tool_use` id of the call that started it.
    pub call_id: String,
    /// The command line.
    pub command: String,
    /// Description by the model; otherwise the command.
    pub description: String,
    /// Its status.
    pub status: TaskStatus,
    /// True if its call returned without waiting for it.
    pub is_backgrounded: bool,
    /// Exit code after the end; 128 plus the signal number if a signal killed it.
    pub exit_code: Option<i32>,
    /// Output file of a background task.
    pub output_file: Option<PathBuf>,
    /// Start time in milliseconds since 1970.
    pub started_at: u64,
    /// End time.
    pub ended_at: Option<u64>,
    /// The subagent whose call started it, if reported by the session.
    pub parent: Option<String>,
    /// Details of a subagent; `None` for a command.
    pub agent: Option<Box<AgentTask>>,
}

impl TaskView {
    /// Returns the type of the task on the wire.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        if self.agent.is_some() {
            "local_agent"
        } else {
            "local_bash"
        }
    }
}

/// Tasks of one session. Dropping it kills them all.
#[derive(Debug, Default)]
pub struct Tasks {
    table: Mutex<BTreeMap<u64, Arc<Task>>>,
    next: AtomicU64,
    leftovers: Mutex<Vec<process::Leftover>>,
    supervisor: Supervisor,
}

impl Tasks {
    /// Creates an empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the running background tasks, oldest first, as in `background_tasks_changed`.
    pub fn list(&self) -> Vec<TaskView> {
        self.views(|view| view.is_backgrounded && view.status == TaskStatus::Running)
    }

    /// Returns all running tasks including foreground commands, oldest first.
    pub fn running(&self) -> Vec<TaskView> {
        self.views(|view| view.status == TaskStatus::Running)
    }

    /// Returns a task, running or recently ended.
    pub fn get(&self, id: &str) -> Option<TaskView> {
        self.find(id).map(|task| task.view())
    }

    /// Returns the running command that this call started.
    pub fn of_call(&self, call_id: &str) -> Option<TaskView> {
        let mut running = self.views(|view| view.call_id == call_id && view.status == TaskStatus::Running);
        running.pop()
    }

    /// Returns the output of a running command.
    pub fn printing(&self, id: &str) -> Option<Printing> {
        self.find(id)?.printing.get().cloned()
    }

    /// Waits for the end of a task.
    pub async fn wait(&self, id: &str) -> Option<TaskView> {
        let task = self.find(id)?;
        task.ended().await;
        Some(task.view())
    }

    /// Kills a task with its descendants and waits for its end. Returns `None` for an unknown task. The `TaskEnded`
    /// event is in the channel when this returns, unless the channel was full.
    pub async fn kill(&self, id: &str) -> Option<TaskView> {
        let task = self.find(id)?;
        task.kill.cancel();
        task.ended().await;
        Some(task.view())
    }

    /// Kills all commands, foreground and background, and processes that earlier ones left in their groups.
    pub async fn kill_all(&self) {
        let tasks: Vec<_> = lock(&self.table).values().cloned().collect();
        for task in &tasks {
            task.kill.cancel();
        }
        for task in &tasks {
            task.ended().await;
        }
        let leftovers = std::mem::take(&mut *lock(&self.leftovers));
        for leftover in leftovers {
            self.supervisor.gone(leftover.group());
            leftover.kill().await;
        }
    }

    /// Requests running foreground commands (of this call, or all) to continue in the background. Returns their number.
    pub fn background(&self, call_id: Option<&str>) -> usize {
        let table = lock(&self.table);
        let asked = table.values().filter(|task| {
            let view = task.view();
            view.status == TaskStatus::Running && !view.is_backgrounded && call_id.is_none_or(|id| id == view.call_id)
        });
        asked.map(|task| task.to_background.notify_one()).count()
    }

    /// Adds a command that has just started.
    pub(crate) fn adopt(&self, view: TaskView, kill: CancellationToken) -> Arc<Task> {
        let (ended, _) = watch::channel(false);
        let (listed, _) = watch::channel(false);
        let (told, _) = watch::channel(false);
        let (spoke, _) = watch::channel(false);
        let task = Arc::new(Task {
            view: Mutex::new(view),
            kill,
            to_background: Notify::new(),
            ended,
            listed,
            told,
            spoke,
            printing: OnceLock::new(),
        });
        let mut table = lock(&self.table);
        table.insert(self.next.fetch_add(1, Ordering::Relaxed), Arc::clone(&task));
        let old: Vec<_> = table
            .iter()
            .filter(|(_, task)| task.view().status != TaskStatus::Running)
            .map(|(key, _)| *key)
            .collect();
        for key in old.iter().take(old.len().saturating_sub(MAX_ENDED)) {
            table.remove(key);
        }
        task
    }

    /// Adds processes that outlived their shell.
    pub(crate) fn keep_leftover(&self, leftover: process::Leftover) {
        let mut leftovers = lock(&self.leftovers);
        leftovers.retain(|earlier| {
            let there = earlier.is_there();
            if !there {
                self.supervisor.gone(earlier.group());
            }
            there
        });
        leftovers.push(leftover);
    }

    /// Returns the process that kills our commands if this process dies.
    pub(crate) fn supervisor(&self) -> &Supervisor {
        &self.supervisor
    }

    fn find(&self, id: &str) -> Option<Arc<Task>> {
        // A resumed subagent has one id and several runs, of which the last one counts.
        let table = lock(&self.table);
        table.values().rev().find(|task| task.view().id == id).cloned()
    }

    fn views(&self, wanted: impl Fn(&TaskView) -> bool) -> Vec<TaskView> {
        lock(&self.table)
            .values()
            .map(|task| task.view())
            .filter(wanted)
            .collect()
    }
}

impl Drop for Tasks {
    fn drop(&mut self) {
        for task in lock(&self.table).values() {
            task.kill.cancel();
        }
    }
}

/// A task.
#[derive(Debug)]
pub(crate) struct Task {
    view: Mutex<TaskView>,
    kill: CancellationToken,
    to_background: Notify,
    ended: watch::Sender<bool>,
    listed: watch::Sender<bool>,
    told: watch::Sender<bool>,
    spoke: watch::Sender<bool>,
    printing: OnceLock<Printing>,
}

impl Task {
    pub(crate) fn view(&self) -> TaskView {
        lock(&self.view).clone()
    }

    /// Sets the handle to the output of the command.
    pub(crate) fn prints(&self, printing: Printing) {
        self.printing.set(printing).ok();
    }

    /// Waits for the request to continue in the background.
    pub(crate) async fn asked_to_background(&self) {
        self.to_background.notified().await;
    }

    /// Records that its call returns now while output continues in `output_file`. Returns `None` if it has already
    /// ended.
    pub(crate) fn moved_to_background(&self, output_file: PathBuf) -> Option<TaskView> {
        let mut view = lock(&self.view);
        if view.status != TaskStatus::Running && !view.is_backgrounded {
            return None;
        }
        view.is_backgrounded = true;
        view.output_file = Some(output_file);
        Some(view.clone())
    }

    /// Records that it cannot move to the background after all.
    pub(crate) fn stays_in_the_foreground(&self) {
        lock(&self.view).is_backgrounded = false;
    }

    /// Records that its start in the background was reported.
    pub(crate) fn listed(&self) {
        self.listed.send_replace(true);
    }

    /// Waits until its start was reported or cannot be reported.
    pub(crate) async fn was_listed(&self) {
        tokio::select! {
            _ = async { self.listed.subscribe().wait_for(|listed| *listed).await.is_ok() } => {}
            () = self.kill.cancelled() => {}
        }
    }

    /// Records the end. Callers that wait for the end are not woken yet, because the event is sent first.
    pub(crate) fn exited(&self, exit: Exit) -> TaskView {
        let mut view = lock(&self.view);
        if view.status != TaskStatus::Running {
            return view.clone();
        }
        view.status = match exit.code() {
            _ if self.kill.is_cancelled() => TaskStatus::Killed,
            0 => TaskStatus::Completed,
            _ => TaskStatus::Failed,
        };
        view.exit_code = Some(exit.code());
        view.ended_at = Some(now());
        view.clone()
    }

    /// Wakes the callers that wait for the end.
    pub(crate) fn announce_end(&self) {
        self.ended.send_replace(true);
    }

    async fn ended(&self) {
        // cannot fail, because `self` holds the sender
        self.ended.subscribe().wait_for(|ended| *ended).await.ok();
    }
}

/// Returns the current time in milliseconds since 1970.
pub(crate) fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |age| u64::try_from(age.as_millis()).unwrap_or(u64::MAX))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
