//! `TaskCreated`: when a task is added to the task list.

use super::base::hook_input;

hook_input! {
    /// Input of the `TaskCreated` hook, which runs when a task is added to the task list.
    pub struct TaskCreatedInput = "TaskCreated" {
        task_id: String,
        task_subject: String,
        task_description: Option<String>,
        teammate_name: Option<String>,
        team_name: Option<String>,
    }
}
