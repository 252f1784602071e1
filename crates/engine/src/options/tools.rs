//! Which tools there are.

use std::collections::BTreeMap;

/// What a session is told about its tools.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolOptions {
    /// The tools offered; none means all.
    pub offered: Option<Vec<String>>,
    /// The older todo list in place of the task list.
    pub todo_list: bool,
    /// What is called when the model calls something else.
    pub aliases: BTreeMap<String, String>,
}
