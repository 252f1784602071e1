//! The todo list and the task list of a session.

mod items;

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

pub use self::items::Item;
pub(crate) use self::items::{Change, ItemList, Refusal, Update};

/// One entry of the todo list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Todo {
    /// What is to be done.
    pub content: String,
    /// Its status.
    pub status: Progress,
    /// The same, as something being done.
    pub active_form: String,
}

/// The status of an entry of either list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Progress {
    /// Not started.
    Pending,
    /// Being done.
    InProgress,
    /// Done.
    Completed,
}

impl Progress {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
        }
    }
}

/// The lists of one session.
#[derive(Debug, Default)]
pub struct Lists {
    todos: Mutex<Vec<Todo>>,
    items: Mutex<ItemList>,
}

impl Lists {
    /// Empty lists.
    pub fn new() -> Self {
        Self::default()
    }

    /// The todo list.
    pub fn todos(&self) -> Vec<Todo> {
        lock(&self.todos).clone()
    }

    /// Replaces the todo list and returns the old one.
    pub fn replace_todos(&self, todos: Vec<Todo>) -> Vec<Todo> {
        std::mem::replace(&mut *lock(&self.todos), todos)
    }

    /// The task list, oldest first.
    pub fn items(&self) -> Vec<Item> {
        lock(&self.items).all()
    }

    /// Takes a task back that was noted and is not wanted.
    pub fn take_back(&self, id: &str) {
        lock(&self.items).remove(id);
    }

    /// Marks a completed task as not completed.
    pub fn reopen(&self, id: &str) {
        let update = Update {
            status: Some(Progress::InProgress),
            ..Update::default()
        };
        // One that is gone need not be opened.
        lock(&self.items).update(id, update).ok();
    }

    /// The task list, to change.
    pub(crate) fn items_mut(&self) -> MutexGuard<'_, ItemList> {
        lock(&self.items)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
