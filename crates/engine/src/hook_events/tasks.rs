//! Hooks on the task list, which may reject the creation or completion of a task.

use serde_json::{Value, json};
use sluice_call::{Call, CallEvent};
use sluice_hooks::event::Event;
use sluice_hooks::merge::Merged;
use sluice_tools::Outcome;

use super::input::hook_input;
use crate::hooks::Purpose;
use crate::session::Session;

impl Session {
    /// Runs hooks on a task that a call created or completed. Returns false if there are none.
    pub(super) async fn hooks_of_tasks(&mut self, index: usize) -> bool {
        let Some((call, outcome)) = self.unsent_call(index) else {
            return false;
        };
        let call_id = call.id.clone();
        let Some((event, task_id)) = changed(&call.name, &outcome.result) else {
            return false;
        };
        let item = self
            .tooling
            .lists()
            .items()
            .into_iter()
            .find(|item| item.id.to_string() == task_id);
        let Some(item) = item.filter(|_| self.hooks.await_any(&[event])) else {
            return false;
        };
        let input = match event {
            Event::TaskCreated => hook_input!(self, Mode, TaskCreated(TaskCreatedInput) {
                task_id: task_id,
                task_subject: item.subject,
                task_description: Some(item.description),
            }),
            _ => hook_input!(self, Mode, TaskCompleted(TaskCompletedInput) {
                task_id: task_id,
                task_subject: item.subject,
                task_description: Some(item.description),
            }),
        };
        self.spawn_hooks(input, Purpose::Task(call_id)).await
    }

    /// Applies the result of hooks on a task.
    pub(super) async fn apply_task_hooks(&mut self, event: Event, call_id: &str, merged: Merged) {
        let Some(index) = self.unsent_call_index(call_id) else {
            return;
        };
        if let Some(why) = merged.block.map(|block| block.shown) {
            self.take_task_back(index, event, &why);
        }
        self.hooks.halt(merged.halt);
        if !self.hooks_after_call(index).await {
            self.advance(index, CallEvent::Settled(None)).await;
            self.launch().await;
        }
    }

    /// Reverts the creation or completion of a task and changes the outcome of the call.
    fn take_task_back(&mut self, index: usize, event: Event, why: &str) {
        let Some((call, outcome)) = self.unsent_call(index) else {
            return;
        };
        let task = changed(&call.name, &outcome.result).map(|(_, task)| task);
        if let Some(task) = &task {
            match event {
                Event::TaskCreated => self.tooling.lists().take_back(task),
                _ => self.tooling.lists().reopen(task),
            }
        }
        let text = format!("{} hook feedback:\n{why}", event.as_str());
        if let Some(end) = self.calls.get_mut(index).and_then(Call::untold_mut) {
            end.outcome = match (event, task) {
                // The call itself was valid; the task stays open.
                (Event::TaskCompleted, Some(task)) => Outcome::ok(
                    text.clone(),
                    json!({"success": false, "taskId": task, "updatedFields": [], "error": text}),
                ),
                _ => Outcome::failed(text),
            };
        }
    }
}

/// The task that a call created or completed.
fn changed(tool: &str, result: &Value) -> Option<(Event, String)> {
    let text = |pointer: &str| result.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    match tool {
        "TaskCreate" => Some((Event::TaskCreated, text("/task/id")?)),
        "TaskUpdate" if text("/statusChange/to")? == "completed" => Some((Event::TaskCompleted, text("/taskId")?)),
        _ => None,
    }
}
