//! `TaskCompleted`: when a task is done.

use super::base::hook_input;

hook_input! {
    /// What a hook is told when a task is done.
    pub struct TaskCompletedInput = "TaskCompleted" {
        task_id: String,
        task_subject: String,
        task_description: Option<String>,
        teammate_name: Option<String>,
        team_name: Option<String>,
    }
}
