//! `tool_use_result`: todo and task lists, and commands left running in the background.

use serde::Deserialize;
use serde_json::value::RawValue;
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
}

/// The line of a call, down to its inputs.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Calling<'a> {
    #[serde(borrow)]
    message: Obj<CallingMessage<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct CallingMessage<'a> {
    #[serde(borrow)]
    content: List<Obj<CallingBlock<'a>>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct CallingBlock<'a> {
    #[serde(borrow)]
    id: Word<'a>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
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
        let line = self.input_line(call);
        let input = line
            .as_deref()
            .and_then(|it| input(it, &self.state.calls.get(call)?.id));
        let input = input.unwrap_or_default();
        if let Some(task) = &outcome.task.0 {
            let mut todo = task.todo();
            todo.active = input.active.boxed();
            self.state.todos.retain(|it| it.id != todo.id);
            self.state.todos.push(todo);
        } else if outcome.success.0 {
            let id = outcome.task_id.get().or(input.task_id.get());
            if input.status.get() == Some("deleted") {
                self.state.todos.retain(|it| it.id.as_deref() != id);
            } else if let Some(todo) = self.state.todos.iter_mut().find(|it| it.id.as_deref() == id) {
                todo.take_over(&input);
            }
        } else {
            return;
        }
        self.change(Change::Todos);
    }

    fn input_line(&self, call: usize) -> Option<crate::conversation::Line> {
        let entry = self.state.calls.get(call)?.entry?;
        Some(self.state.entries.get(entry)?.line.clone())
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

fn input<'a>(line: &'a str, call: &str) -> Option<Item<'a>> {
    let calling: Calling<'a> = serde_json::from_str(line).ok()?;
    let blocks = calling.message.0?.content.0;
    let block = blocks
        .into_iter()
        .filter_map(|it| it.0)
        .find(|it| it.id.get() == Some(call))?;
    serde_json::from_str(block.input?.get()).ok()
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
    }
}
