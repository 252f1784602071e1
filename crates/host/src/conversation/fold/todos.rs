//! `tool_use_result`: todo and task lists, and commands left running in the background.

use serde::Deserialize;
use sluice_wire::stdout::system::{TaskOutcome, TaskStatus};

use super::Fold;
use crate::conversation::read::{self, Later, List, Obj, Word};
use crate::conversation::{Change, TaskState, Todo};

/// `tool_use_result` of the tools that keep lists or leave things running; each has some of these.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Outcome<'a> {
    #[serde(borrow, rename = "newTodos")]
    new_todos: Option<List<Obj<Item<'a>>>>,
    #[serde(borrow)]
    task: Obj<Item<'a>>,
    #[serde(borrow)]
    tasks: Option<List<Obj<Item<'a>>>>,
    #[serde(borrow, rename = "taskId")]
    task_id: Word<'a>,
    success: read::Flag,
    #[serde(borrow, rename = "backgroundTaskId")]
    background: Word<'a>,
}

/// One thing to do, in the words of whichever tool.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Item<'a> {
    #[serde(borrow)]
    id: Word<'a>,
    #[serde(borrow, rename = "taskId")]
    task_id: Word<'a>,
    #[serde(borrow)]
    task_type: Word<'a>,
    #[serde(borrow, rename = "task_id")]
    running: Word<'a>,
    #[serde(borrow)]
    subject: Word<'a>,
    #[serde(borrow)]
    content: Word<'a>,
    #[serde(borrow)]
    status: Word<'a>,
    #[serde(borrow, rename = "activeForm")]
    active: Word<'a>,
    #[serde(borrow, rename = "blockedBy")]
    after: List<Word<'a>>,
    #[serde(borrow, rename = "addBlockedBy")]
    more_after: List<Word<'a>>,
    #[serde(borrow, rename = "addBlocks")]
    before: List<Word<'a>>,
}

impl Fold<'_> {
    /// A call has its result: what else does that say?
    pub(super) fn outcome(&mut self, call: usize, result: Later<'_>) {
        let Some(name) = self.state.calls.get(call).map(|it| &*it.name) else {
            return;
        };
        match name {
            "TodoWrite" | "TaskList" => self.list(result),
            "TaskCreate" | "TaskUpdate" => self.item(call, result),
            "Bash" => self.left_running(call, result),
            "TaskOutput" => self.looked_after(result),
            _ => {}
        }
    }

    fn list(&mut self, result: Later<'_>) {
        let outcome = read::later::<Obj<Outcome<'_>>>(result).and_then(|it| it.0);
        let list = outcome.and_then(|it| it.new_todos.or(it.tasks));
        let Some(List(items)) = list else { return };
        let known = std::mem::take(&mut self.state.todos);
        let items = items.iter().filter_map(|it| it.0.as_ref());
        self.state.todos = items
            .map(|it| {
                let mut todo = it.todo();
                let before = known.iter().find(|known| known.id.is_some() && known.id == todo.id);
                todo.active = todo.active.or_else(|| before.and_then(|it| it.active.clone()));
                todo
            })
            .collect();
        self.change(Change::Todos);
    }

    fn item(&mut self, call: usize, result: Later<'_>) {
        let Some(outcome) = read::later::<Obj<Outcome<'_>>>(result).and_then(|it| it.0) else {
            return;
        };
        let record = self.state.items.call(call).and_then(|record| record.input.clone());
        let text = record
            .map(|input| self.state.leaf(&input).to_owned())
            .unwrap_or_default();
        let input: Item<'_> = serde_json::from_str(&text).unwrap_or_default();
        if let Some(task) = &outcome.task.0 {
            let mut todo = task.todo();
            todo.active = input.active.boxed();
            self.state.todos.retain(|it| it.id != todo.id);
            self.state.todos.push(todo);
        } else if outcome.success.0 {
            let id = outcome.task_id.get().or(input.task_id.get());
            if input.status.get() == Some("deleted") {
                self.state.todos.retain(|it| it.id.as_deref() != id);
            } else {
                let blocks =
                    |todo: &Todo| todo.id.is_some() && input.before.0.iter().any(|it| it.get() == todo.id.as_deref());
                for todo in &mut self.state.todos {
                    if todo.id.as_deref() == id {
                        todo.take_over(&input);
                    } else if let (true, Some(id)) = (blocks(todo), id) {
                        todo.add_after(id);
                    }
                }
            }
        } else {
            return;
        }
        self.change(Change::Todos);
    }

    /// A command went on in the background. Old agents say it here and nowhere else.
    fn left_running(&mut self, call: usize, result: Later<'_>) {
        let Some(outcome) = read::later::<Obj<Outcome<'_>>>(result).and_then(|it| it.0) else {
            return;
        };
        let Some(at) = self.task(&outcome.background) else {
            return;
        };
        let id = self.state.calls.get(call).map(|it| it.id.clone());
        if let Some(task) = self.state.tasks.get_mut(at) {
            task.background = true;
            task.call = task.call.take().or(id);
            if task.kind.is_empty() {
                task.kind = "local_bash".into();
            }
        }
        self.change(Change::Task(at));
    }

    /// The agent looked after a task and found how it stands.
    fn looked_after(&mut self, result: Later<'_>) {
        let Some(outcome) = read::later::<Obj<Outcome<'_>>>(result).and_then(|it| it.0) else {
            return;
        };
        let Some(found) = outcome.task.0 else { return };
        let Some(at) = self.task(&found.running) else { return };
        if let Some(task) = self.state.tasks.get_mut(at)
            && let Some(kind) = found.task_type.boxed()
        {
            task.kind = kind;
        }
        match found.status.get().map(TaskStatus::from) {
            Some(TaskStatus::Completed) => self.end_task(at, TaskState::Ended(TaskOutcome::Completed)),
            Some(TaskStatus::Failed) => self.end_task(at, TaskState::Ended(TaskOutcome::Failed)),
            Some(TaskStatus::Killed) => self.end_task(at, TaskState::Ended(TaskOutcome::Stopped)),
            _ => {}
        }
    }
}

impl Item<'_> {
    fn todo(&self) -> Todo {
        Todo {
            id: self.id.boxed(),
            subject: self
                .subject
                .boxed()
                .or_else(|| self.content.boxed())
                .unwrap_or_default(),
            active: self.active.boxed(),
            status: self.status.get().unwrap_or("pending").into(),
            after: self.after.0.iter().filter_map(Word::boxed).collect(),
        }
    }
}

impl Todo {
    fn take_over(&mut self, changed: &Item<'_>) {
        if let Some(subject) = changed.subject.boxed() {
            self.subject = subject;
        }
        if let Some(status) = changed.status.boxed() {
            self.status = status;
        }
        self.active = changed.active.boxed().or(self.active.take());
        for id in changed.more_after.0.iter().filter_map(Word::get) {
            self.add_after(id);
        }
    }

    /// Adds an item that has to be done before.
    fn add_after(&mut self, id: &str) {
        if !self.after.iter().any(|known| **known == *id) {
            self.after.push(id.into());
        }
    }
}
