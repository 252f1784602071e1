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
    /// Description of the work.
    pub content: String,
    /// Its status.
    pub status: Progress,
    /// Description in the present continuous.
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
    /// Returns the wire name.
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
    /// Creates empty lists.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the todo list.
    pub fn todos(&self) -> Vec<Todo> {
        lock(&self.todos).clone()
    }

    /// Replaces the todo list and returns the old one.
    pub fn replace_todos(&self, todos: Vec<Todo>) -> Vec<Todo> {
        std::mem::replace(&mut *lock(&self.todos), todos)
    }

    /// Returns the task list, oldest first.
    pub fn items(&self) -> Vec<Item> {
        lock(&self.items).all()
    }

    /// Removes a task that was created in vain.
    pub fn take_back(&self, id: &str) {
        lock(&self.items).remove(id);
    }

    /// Marks a completed task as not completed.
    pub fn reopen(&self, id: &str) {
        let update = Update {
            status: Some(Progress::InProgress),
            ..Update::default()
        };
        // Fails if the task was deleted, which needs no handling.
        lock(&self.items).update(id, update).ok();
    }

    /// Returns the task list for modification.
    pub(crate) fn items_mut(&self) -> MutexGuard<'_, ItemList> {
        lock(&self.items)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
