//! Tasks that are not commands: subagents, which the session runs. They are listed, awaited and stopped like commands.

use std::path::PathBuf;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::{Task, TaskStatus, TaskView, Tasks, lock, now};

/// Details of a subagent in addition to those of every task.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentTask {
    /// Agent type.
    pub subagent_type: String,
    /// Its prompt.
    pub prompt: String,
    /// Nesting depth, counting itself.
    pub depth: u32,
    /// The subagent that started it.
    pub parent: Option<String>,
    /// True if it carries out a command or a skill and is not listed as separate work.
    pub ambient: bool,
    /// Tokens used, set at its end.
    pub tokens: u64,
    /// Number of tool calls, set at its end.
    pub tool_uses: u64,
    /// Time spent in model requests in milliseconds, set at its end.
    pub api_ms: u64,
}

/// Handle of the runner of a task.
#[derive(Debug, Clone)]
pub struct Enlisted(Arc<Task>);

impl Tasks {
    /// Adds a task that the caller runs. A request to stop it cancels `kill`; the runner then calls [`Enlisted::end`]
    /// and [`Enlisted::announce_end`].
    pub fn enlist(&self, view: TaskView, kill: CancellationToken) -> Enlisted {
        Enlisted(self.adopt(view, kill))
    }

    /// Records that the session reported the start of the task (`task_started`).
    pub fn was_listed(&self, id: &str) {
        if let Some(task) = self.find(id) {
            task.listed();
        }
    }

    /// Records that the session reported the end of the task.
    pub fn was_told(&self, id: &str) {
        if let Some(task) = self.find(id) {
            task.told.send_replace(true);
        }
    }
}

impl Tasks {
    /// Waits for the first message of the task; returns immediately if there is no such task.
    pub async fn has_spoken(&self, id: &str) {
        if let Some(task) = self.find(id) {
            task.spoke.subscribe().wait_for(|spoke| *spoke).await.ok();
        }
    }
}

impl Enlisted {
    /// Records that it has sent its first message.
    pub fn spoke(&self) {
        self.0.spoke.send_replace(true);
    }

    /// Returns a snapshot of the task.
    #[must_use]
    pub fn view(&self) -> TaskView {
        self.0.view()
    }

    /// Waits until its start was reported or it is to stop.
    pub async fn listed(&self) {
        self.0.was_listed().await;
    }

    /// Waits until its end was reported.
    pub async fn told(&self) {
        self.0.told.subscribe().wait_for(|told| *told).await.ok();
    }

    /// Waits for the request to stop.
    pub async fn killed(&self) {
        self.0.kill.cancelled().await;
    }

    /// Waits for the request to continue in the background.
    pub async fn asked_to_background(&self) {
        self.0.asked_to_background().await;
    }

    /// Records that its call returns now. Returns `None` if it has already ended.
    #[must_use]
    pub fn moved_to_background(&self, output_file: PathBuf) -> Option<TaskView> {
        self.0.moved_to_background(output_file)
    }

    /// Records the end. Callers that wait for the end are not woken yet, because the event is sent first.
    #[must_use]
    pub fn end(&self, status: TaskStatus, used: impl FnOnce(&mut AgentTask)) -> TaskView {
        let mut view = lock(&self.0.view);
        if view.status == TaskStatus::Running {
            view.status = status;
            view.ended_at = Some(now());
            if let Some(agent) = &mut view.agent {
                used(agent);
            }
        }
        view.clone()
    }

    /// Wakes the callers that wait for the end.
    pub fn announce_end(&self) {
        self.0.announce_end();
    }
}

/// Returns an id for a subagent: `a` and sixteen hexadecimal digits.
#[must_use]
pub fn agent_id() -> String {
    format!("a{}", crate::ids::hex(16))
}
