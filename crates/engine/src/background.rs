//! Work that goes on after its call has returned: what hosts are told of it, and the turn the
//! session starts by itself when it ends.

use std::collections::VecDeque;
use std::time::Duration;

use serde_json::{Value, json};
use sluice_tools::{TaskStatus, TaskView, ToolEvent};
use tokio::time::Instant;

use crate::say;
use crate::session::Session;

/// What the model is to be told in a turn of its own.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Note {
    pub(crate) text: String,
    pub(crate) origin: Value,
}

/// The session's background work.
#[derive(Debug, Default)]
pub(crate) struct Background {
    running: Vec<TaskView>,
    owed: VecDeque<Note>,
    deadline: Option<Instant>,
    given_up: bool,
}

impl Background {
    /// The next turn the session owes itself.
    pub(crate) fn owed(&mut self) -> Option<Note> {
        self.owed.pop_front()
    }

    /// Whether there is something worth staying for after the input has ended.
    pub(crate) fn awaited(&self) -> bool {
        !self.given_up && (!self.running.is_empty() || !self.owed.is_empty())
    }

    /// The input has ended: wait no longer than this.
    pub(crate) fn begin_wait(&mut self, ceiling: Option<Duration>) {
        self.deadline = ceiling.map(|ceiling| Instant::now() + ceiling);
    }

    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Enough waited.
    pub(crate) fn give_up(&mut self) {
        self.given_up = true;
    }

    /// The tasks that run, as `background_tasks_changed` lists them.
    pub(crate) fn list(&self) -> &[TaskView] {
        &self.running
    }
}

impl Session {
    /// Tells of what a tool reports.
    pub(crate) async fn heed(&mut self, event: Option<ToolEvent>) {
        match event {
            None => {}
            Some(ToolEvent::Progress {
                call_id,
                elapsed_seconds,
            }) => {
                let name = self
                    .calls
                    .list
                    .iter()
                    .find(|call| call.id == call_id)
                    .map(|call| call.name.clone());
                self.say(say::progress(&call_id, &name.unwrap_or_default(), elapsed_seconds))
                    .await;
            }
            Some(ToolEvent::TaskStarted { task, is_backgrounded }) => {
                if is_backgrounded {
                    self.background.running.push(task.clone());
                    self.say_background().await;
                }
                self.say(say::task_started(&task, is_backgrounded)).await;
            }
            Some(ToolEvent::TaskBackgrounded { task }) => {
                self.background.running.push(task.clone());
                self.say_background().await;
                self.say(say::task_backgrounded(&task)).await;
            }
            Some(ToolEvent::TaskEnded {
                task,
                is_backgrounded: false,
                status,
                ..
            }) => {
                self.say(say::task_notification(&task, status, "", &task.description))
                    .await;
            }
            Some(ToolEvent::TaskEnded {
                task,
                is_backgrounded: true,
                status,
                summary,
            }) => {
                self.task_ended(&task, status, &summary).await;
            }
        }
    }

    async fn task_ended(&mut self, task: &TaskView, status: TaskStatus, summary: &str) {
        self.background.running.retain(|running| running.id != task.id);
        let output_file = task
            .output_file
            .as_ref()
            .map(|path| path.display().to_string())
            .unwrap_or_default();
        self.say(say::task_updated(task, status)).await;
        // A task that somebody stopped is no news to anybody: no turn follows, and its own
        // description is all there is to say.
        let stopped = status == TaskStatus::Killed;
        let told = if stopped { task.description.as_str() } else { summary };
        self.say(say::task_notification(task, status, &output_file, told)).await;
        self.say_background().await;
        if !stopped {
            self.background.owed.push_back(Note {
                text: format!(
                    "<task-notification>\nBackground task {} has ended. {summary}\nIts output is in {output_file}.\n\
                     </task-notification>",
                    task.id
                ),
                origin: json!({"kind": "task-notification", "producer": "session-task", "runId": say::run_id(task)}),
            });
        }
    }

    pub(crate) async fn say_background(&self) {
        self.say(say::background_tasks(self.background.list())).await;
    }

    /// Stops a task; a task that is not there needs no stopping.
    pub(crate) async fn stop_task(&mut self, id: &str) {
        self.tasks.kill(id).await;
        self.drain_events().await;
    }
}
