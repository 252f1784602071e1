//! `TaskCompleted`: when a task of the task list is completed.

use super::base::hook_input;

hook_input! {
    /// Input of the `TaskCompleted` hook, which runs when a task of the task list is completed.
    pub struct TaskCompletedInput = "TaskCompleted" {
        task_id: String,
        task_subject: String,
        task_description: Option<String>,
        teammate_name: Option<String>,
        team_name: Option<String>,
    }
}
