//! Background tasks: `task_started`, `task_progress`, `task_updated`, `task_notification`.

use sluice_wire::stdout::system::{TaskOutcome, TaskStatus};

use super::Fold;
use crate::conversation::read::{Listed, Obj, System, Word};
use crate::conversation::{CallState, Change, Task, TaskState};

impl Fold<'_> {
    pub(super) fn task_started(&mut self, it: &System<'_>) {
        let Some(at) = self.task(&it.task_id) else { return };
        if let Some(task) = self.state.tasks.get_mut(at) {
            task.describe(&it.task_type, &it.description, &it.subagent_type);
            task.call = it.tool_use_id.boxed().or(task.call.take());
            task.background = it.is_backgrounded.0.unwrap_or(task.background);
        }
        self.change(Change::Task(at));
        self.sign();
    }

    pub(super) fn task_progress(&mut self, it: &System<'_>) {
        let Some(at) = self.task(&it.task_id) else { return };
        if let Some(task) = self.state.tasks.get_mut(at) {
            task.describe(&it.task_type, &it.description, &it.subagent_type);
            task.last_tool = it.last_tool_name.boxed().or(task.last_tool.take());
        }
        self.used(at, it);
        self.sign();
    }

    pub(super) fn task_updated(&mut self, it: &System<'_>) {
        let Some(at) = self.task(&it.task_id) else { return };
        let Some(patch) = &it.patch.0 else { return };
        if let Some(task) = self.state.tasks.get_mut(at) {
            if let Some(text) = patch.description.boxed() {
                task.description = text;
            }
            task.background |= patch.background.0;
        }
        match patch.status.get().map(TaskStatus::from) {
            Some(TaskStatus::Completed) => self.end_task(at, TaskState::Ended(TaskOutcome::Completed)),
            Some(TaskStatus::Failed) => self.end_task(at, TaskState::Ended(TaskOutcome::Failed)),
            Some(TaskStatus::Killed) => self.end_task(at, TaskState::Ended(TaskOutcome::Stopped)),
            Some(open) => {
                if let Some(task) = self.state.tasks.get_mut(at).filter(|it| it.is_open()) {
                    task.state = TaskState::Open(open);
                }
            }
            None => {}
        }
        self.change(Change::Task(at));
    }

    pub(super) fn task_ended(&mut self, it: &System<'_>) {
        let Some(at) = self.task(&it.task_id) else { return };
        if let Some(task) = self.state.tasks.get_mut(at) {
            task.summary = it.summary.boxed().or(task.summary.take());
            task.output = it.output_file.boxed().or(task.output.take());
            task.call = it.tool_use_id.boxed().or(task.call.take());
        }
        self.used(at, it);
        self.end_task(at, TaskState::Ended(TaskOutcome::from(it.status.text())));
    }

    /// `background_tasks_changed`: the list is whole, so what is not in it no longer runs in the background.
    pub(super) fn tasks_listed(&mut self, listed: &[Obj<Listed<'_>>]) {
        let mut running = Vec::new();
        for it in listed.iter().filter_map(|it| it.0.as_ref()) {
            let Some(at) = self.task(&it.task_id) else { continue };
            running.push(at);
            if let Some(task) = self.state.tasks.get_mut(at) {
                task.describe(&it.task_type, &it.description, &it.subagent_type);
            }
            // The list also contains commands that the turn waits for.
            let waits = self.is_waited_for(at);
            if let Some(task) = self.state.tasks.get_mut(at) {
                task.background |= !waits;
            }
            self.change(Change::Task(at));
        }
        for at in 0..self.state.tasks.len() {
            let over = |it: &&Task| it.is_open() && it.background && !running.contains(&at);
            if self.state.tasks.get(at).filter(over).is_some() {
                self.end_task(at, TaskState::Gone);
            }
        }
    }

    /// Whether a call waits for the end of a task.
    fn is_waited_for(&self, at: usize) -> bool {
        let call = self.state.tasks.get(at).and_then(|task| task.call.as_deref());
        let call = call.and_then(|call| self.state.call(call));
        call.is_some_and(|call| call.state == CallState::Running)
    }

    /// The task with this id, which is noted here if it is new.
    pub(super) fn task(&mut self, id: &Word<'_>) -> Option<usize> {
        let id = id.get()?;
        if let Some(at) = self.state.find_task(id) {
            return Some(at);
        }
        let at = self.state.tasks.len();
        self.state.index.tasks.insert(id, at);
        self.state.tasks.push(Task {
            id: id.into(),
            kind: "".into(),
            description: "".into(),
            call: None,
            agent: None,
            background: false,
            state: TaskState::Open(TaskStatus::Running),
            began: self.state.now,
            ended: None,
            tokens: 0,
            calls: 0,
            last_tool: None,
            summary: None,
            output: None,
        });
        self.change(Change::Task(at));
        Some(at)
    }

    /// A task ends once; that it ended somehow gives way to how it ended.
    pub(super) fn end_task(&mut self, at: usize, state: TaskState) {
        let now = self.state.now;
        let Some(task) = self.state.tasks.get_mut(at) else {
            return;
        };
        if task.is_open() || task.state == TaskState::Gone {
            task.state = state;
            task.ended = task.ended.or(Some(now));
            self.change(Change::Task(at));
        }
    }

    fn used(&mut self, at: usize, it: &System<'_>) {
        if let (Some(task), Some(usage)) = (self.state.tasks.get_mut(at), &it.usage.0) {
            task.tokens = usage.total_tokens.count();
            task.calls = usage.tool_uses.count();
        }
        self.change(Change::Task(at));
    }
}

impl Task {
    fn describe(&mut self, kind: &Word<'_>, description: &Word<'_>, agent: &Word<'_>) {
        if let Some(kind) = kind.boxed() {
            self.kind = kind;
        }
        if let Some(description) = description.boxed() {
            self.description = description;
        }
        self.agent = agent.boxed().or(self.agent.take());
    }
}
