//! Hooks around the task list: one may have a task not noted, or not be done yet.

use serde_json::{Value, json};
use sluice_tools::Outcome;

use super::event::Event;
use super::merge::Merged;
use super::run::Purpose;
use super::told::told;
use crate::session::Session;

impl Session {
    /// Shows a task that a call has noted or ended to hooks; gives the call back if none waits for it.
    pub(super) async fn hooks_of_tasks(
        &mut self,
        index: usize,
        outcome: Outcome,
        meta: Option<Value>,
    ) -> Option<(Outcome, Option<Value>)> {
        let call = self
            .calls
            .list
            .get(index)
            .map(|call| (call.id.clone(), call.name.clone()));
        let Some((call_id, name)) = call else {
            return Some((outcome, meta));
        };
        let Some((event, task_id)) = changed(&name, &outcome.result) else {
            return Some((outcome, meta));
        };
        let item = self
            .tooling
            .lists
            .items()
            .into_iter()
            .find(|item| item.id.to_string() == task_id);
        let Some(item) = item.filter(|_| self.hooks.await_any(&[event])) else {
            return Some((outcome, meta));
        };
        let input = match event {
            Event::TaskCreated => told!(self, Mode, TaskCreated(TaskCreatedInput) {
                task_id: task_id,
                task_subject: item.subject,
                task_description: Some(item.description),
            }),
            _ => told!(self, Mode, TaskCompleted(TaskCompletedInput) {
                task_id: task_id,
                task_subject: item.subject,
                task_description: Some(item.description),
            }),
        };
        if !self.spawn_hooks(input, Purpose::Task(call_id.clone())).await {
            return Some((outcome, meta));
        }
        self.hooks.after.insert(call_id, (outcome, meta));
        None
    }

    /// Hooks have looked at a task.
    pub(super) async fn task_hooked(&mut self, event: Event, call_id: &str, merged: Merged) {
        let Some((mut outcome, meta)) = self.hooks.after.remove(call_id) else {
            return;
        };
        let Some(index) = self.running_call(call_id) else {
            return;
        };
        if let Some(why) = merged.block.map(|block| block.shown) {
            let name = self
                .calls
                .list
                .get(index)
                .map(|call| call.name.clone())
                .unwrap_or_default();
            if let Some((_, task)) = changed(&name, &outcome.result) {
                match event {
                    Event::TaskCreated => self.tooling.lists.take_back(&task),
                    _ => self.tooling.lists.reopen(&task),
                }
            }
            let text = format!("{} hook feedback:\n{why}", event.as_str());
            outcome = match (event, changed(&name, &outcome.result)) {
                // The call itself was right; the task is just not done yet.
                (Event::TaskCompleted, Some((_, task))) => Outcome::ok(
                    text.clone(),
                    json!({"success": false, "taskId": task, "updatedFields": [], "error": text}),
                ),
                _ => Outcome::failed(text),
            };
        }
        if merged.halt.is_some() {
            self.hooks.halt = merged.halt;
        }
        if let Some((outcome, meta)) = self.hooks_after_call(index, outcome, meta).await {
            self.finish(index, outcome, meta).await;
            self.launch().await;
        }
    }
}

/// Which task a call has noted or ended.
fn changed(tool: &str, result: &Value) -> Option<(Event, String)> {
    let text = |pointer: &str| result.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    match tool {
        "TaskCreate" => Some((Event::TaskCreated, text("/task/id")?)),
        "TaskUpdate" if text("/statusChange/to")? == "completed" => Some((Event::TaskCompleted, text("/taskId")?)),
        _ => None,
    }
}
