//! TaskCreate, TaskGet, TaskUpdate, TaskList: the session's task list, task by task.

mod create;
mod get;
mod list;
mod update;

pub(crate) use create::TaskCreate;
pub(crate) use get::TaskGet;
pub(crate) use list::TaskList;
pub(crate) use update::TaskUpdate;

/// Formats numbers for the wire.
fn names(ids: &[u64]) -> Vec<String> {
    ids.iter().map(u64::to_string).collect()
}

/// Formats numbers for text.
fn spelled(ids: &[u64]) -> String {
    let ids: Vec<String> = ids.iter().map(|id| format!("#{id}")).collect();
    ids.join(", ")
}
