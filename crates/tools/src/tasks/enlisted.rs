//! Tasks that are not commands: subagents, which the session runs and which are listed, awaited and stopped like
//! commands.

use std::path::PathBuf;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::{Task, TaskStatus, TaskView, Tasks, lock, now};

/// What there is to know of a subagent besides what every task has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentTask {
    /// Its type.
    pub subagent_type: String,
    /// What it was asked to do.
    pub prompt: String,
    /// How many subagents stand above it, itself included.
    pub depth: u32,
    /// The subagent that started it.
    pub parent: Option<String>,
    /// It carries out a command or a skill, and is no work of its own to those who list work.
    pub ambient: bool,
    /// What it has used, once it has ended.
    pub tokens: u64,
    /// How many calls it has made, once it has ended.
    pub tool_uses: u64,
    /// How long it waited for the model, once it has ended.
    pub api_ms: u64,
}

/// A task that was taken on, as the one who runs it holds it.
#[derive(Debug, Clone)]
pub struct Enlisted(Arc<Task>);

impl Tasks {
    /// Takes on a task that somebody else runs. To end it, `kill` is cancelled; whoever runs it then calls
    /// [`Enlisted::end`] and [`Enlisted::announce_end`].
    pub fn enlist(&self, view: TaskView, kill: CancellationToken) -> Enlisted {
        Enlisted(self.adopt(view, kill))
    }

    /// The session has reported the start of the task (`task_started`).
    pub fn was_listed(&self, id: &str) {
        if let Some(task) = self.find(id) {
            task.listed();
        }
    }

    /// The session has reported the end of the task.
    pub fn was_told(&self, id: &str) {
        if let Some(task) = self.find(id) {
            task.told.send_replace(true);
        }
    }
}

impl Tasks {
    /// Resolves when the task has sent its first message; at once if there is no such task.
    pub async fn has_spoken(&self, id: &str) {
        if let Some(task) = self.find(id) {
            task.spoke.subscribe().wait_for(|spoke| *spoke).await.ok();
        }
    }
}

impl Enlisted {
    /// It has sent its first message.
    pub fn spoke(&self) {
        self.0.spoke.send_replace(true);
    }

    /// The task as others see it.
    #[must_use]
    pub fn view(&self) -> TaskView {
        self.0.view()
    }

    /// Resolves when its start was reported, or when it is to end.
    pub async fn listed(&self) {
        self.0.was_listed().await;
    }

    /// Resolves when its end was reported.
    pub async fn told(&self) {
        self.0.told.subscribe().wait_for(|told| *told).await.ok();
    }

    /// Resolves when it is to end.
    pub async fn killed(&self) {
        self.0.kill.cancelled().await;
    }

    /// Resolves when its call is to return without it.
    pub async fn asked_to_background(&self) {
        self.0.asked_to_background().await;
    }

    /// Its call returns now. `None`: it has already ended.
    #[must_use]
    pub fn moved_to_background(&self, output_file: PathBuf) -> Option<TaskView> {
        self.0.moved_to_background(output_file)
    }

    /// It has ended. Does not yet wake who waits for that: the event goes first.
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

    /// Wakes who waits for the end.
    pub fn announce_end(&self) {
        self.0.announce_end();
    }
}

/// A name for a subagent: `a` and sixteen hexadecimal digits.
#[must_use]
pub fn agent_id() -> String {
    format!("a{}", crate::ids::hex(16))
}
