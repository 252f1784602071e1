//! `TaskCreated`: when a task is noted.

use super::base::hook_input;

hook_input! {
    /// What a hook is told when a task is noted.
    pub struct TaskCreatedInput = "TaskCreated" {
        task_id: String,
        task_subject: String,
        task_description: Option<String>,
        teammate_name: Option<String>,
        team_name: Option<String>,
    }
}
