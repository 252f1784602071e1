//! Messages about background tasks.

use sluice_tools::{TaskStatus, TaskView};
use sluice_wire::Number;
use sluice_wire::stdout::ToolProgress;
use sluice_wire::stdout::system::{
    self, BackgroundTask, BackgroundTasksChanged, TaskNotification, TaskOutcome, TaskPatch, TaskStarted, TaskUpdated,
    TaskUsage,
};

use super::fresh_id;

/// The maximum length of the summary of a subagent's last message, in characters.
const MAX_SUMMARY_CHARS: usize = 4000;

/// The id of one run of a task. A task that runs again keeps its id but has a new run id.
pub(crate) fn run_id(task: &TaskView) -> String {
    format!("{:x}-{}", task.started_at, task.id)
}

/// Heartbeat of a call that is still running.
pub(crate) fn progress(call_id: &str, tool: &str, elapsed_seconds: u64) -> ToolProgress {
    let beat = (elapsed_seconds / 30).saturating_sub(1);
    ToolProgress {
        tool_use_id: format!("{call_id}-heartbeat-{beat}"),
        tool_name: tool.to_owned(),
        parent_tool_use_id: Some(call_id.to_owned()),
        elapsed_time_seconds: seconds(elapsed_seconds),
        heartbeat: Some(true),
        uuid: fresh_id(),
        ..ToolProgress::default()
    }
}

/// Progress of a call.
pub(crate) fn call_progress(call_id: &str, tool: &str, elapsed_seconds: u64) -> ToolProgress {
    ToolProgress {
        tool_use_id: call_id.to_owned(),
        tool_name: tool.to_owned(),
        elapsed_time_seconds: seconds(elapsed_seconds),
        uuid: fresh_id(),
        ..ToolProgress::default()
    }
}

fn seconds(count: u64) -> Number {
    Number::from(u32::try_from(count).unwrap_or(u32::MAX))
}

/// The id of the call that started the task; `None` for commands that a person typed.
fn call_id(task: &TaskView) -> Option<String> {
    Some(task.call_id.clone()).filter(|id| !id.is_empty())
}

fn ambient(task: &TaskView) -> Option<bool> {
    task.agent.as_ref().filter(|agent| agent.ambient).map(|_| true)
}

/// A task has started.
pub(crate) fn task_started(task: &TaskView, is_backgrounded: bool) -> TaskStarted {
    let agent = task.agent.as_ref();
    TaskStarted {
        task_id: task.id.clone(),
        run_id: Some(run_id(task)),
        tool_use_id: call_id(task),
        description: task.description.clone(),
        is_backgrounded: Some(is_backgrounded),
        subagent_type: agent.map(|agent| agent.subagent_type.clone()),
        spawn_depth: agent.map(|agent| u64::from(agent.depth)),
        parent_task_id: task.parent.clone(),
        task_type: Some(task.kind().to_owned()),
        prompt: agent.map(|agent| agent.prompt.clone()),
        skip_transcript: ambient(task),
        ambient: ambient(task),
        uuid: fresh_id(),
        ..TaskStarted::default()
    }
}

/// A task was moved to the background.
pub(crate) fn task_backgrounded(task: &TaskView) -> TaskUpdated {
    updated(
        task,
        TaskPatch {
            is_backgrounded: Some(true),
            ..TaskPatch::default()
        },
    )
}

/// A task has ended.
pub(crate) fn task_updated(task: &TaskView, status: TaskStatus) -> TaskUpdated {
    let patch = TaskPatch {
        status: Some(system::TaskStatus::from(status.as_str())),
        // Timestamps in milliseconds are below 2^53.
        #[allow(clippy::cast_precision_loss)]
        end_time: task.ended_at.map(|at| Number(at as f64)),
        ..TaskPatch::default()
    };
    updated(task, patch)
}

fn updated(task: &TaskView, patch: TaskPatch) -> TaskUpdated {
    TaskUpdated {
        task_id: task.id.clone(),
        run_id: Some(run_id(task)),
        patch,
        uuid: fresh_id(),
        ..TaskUpdated::default()
    }
}

/// Notification that a task has ended.
pub(crate) fn task_notification(
    task: &TaskView,
    status: TaskStatus,
    output_file: &str,
    summary: &str,
) -> TaskNotification {
    TaskNotification {
        task_id: task.id.clone(),
        run_id: Some(run_id(task)),
        tool_use_id: call_id(task),
        status: TaskOutcome::from(status.as_notification()),
        output_file: output_file.to_owned(),
        summary: summary.to_owned(),
        skip_transcript: ambient(task),
        ambient: ambient(task),
        uuid: fresh_id(),
        ..TaskNotification::default()
    }
}

/// A subagent has ended.
pub(crate) fn agent_updated(task: &TaskView, status: TaskStatus, error: Option<String>) -> TaskUpdated {
    let mut message = task_updated(task, status);
    message.patch.error = error;
    message
}

/// Notification that a subagent has ended, with a shortened last message.
pub(crate) fn agent_notification(
    task: &TaskView,
    status: TaskStatus,
    output_file: &str,
    last_message: &str,
) -> TaskNotification {
    let mut message = task_notification(task, status, output_file, &clipped(last_message));
    let agent = task.agent.as_ref().filter(|_| status == TaskStatus::Completed);
    message.usage = agent.map(|agent| TaskUsage {
        total_tokens: agent.tokens,
        tool_uses: agent.tool_uses,
        duration_ms: task.ended_at.unwrap_or(task.started_at).saturating_sub(task.started_at),
        ..TaskUsage::default()
    });
    message
}

fn clipped(text: &str) -> String {
    match text.char_indices().nth(MAX_SUMMARY_CHARS) {
        Some((cut, _)) => format!("{}…", text.get(..cut).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// The list of background tasks.
pub(crate) fn background_tasks(tasks: &[TaskView]) -> BackgroundTasksChanged {
    let listed = tasks.iter().map(|task| BackgroundTask {
        task_id: task.id.clone(),
        run_id: Some(run_id(task)),
        task_type: task.kind().to_owned(),
        subagent_type: task.agent.as_ref().map(|agent| agent.subagent_type.clone()),
        parent_task_id: task.parent.clone(),
        description: task.description.clone(),
        ..BackgroundTask::default()
    });
    BackgroundTasksChanged {
        tasks: listed.collect(),
        uuid: fresh_id(),
        ..BackgroundTasksChanged::default()
    }
}
