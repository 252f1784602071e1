//! Which tools there are.

use std::collections::BTreeMap;

use sluice_tools::Toolbox;

/// What a session is told about its tools.
#[derive(Debug, Clone, Default)]
pub struct ToolOptions {
    /// The tools there are; servers, subagents and skills bring theirs besides.
    pub toolbox: Toolbox,
    /// The tools offered; none means all.
    pub offered: Option<Vec<String>>,
    /// The older todo list in place of the task list.
    pub todo_list: bool,
    /// What is called when the model calls something else.
    pub aliases: BTreeMap<String, String>,
}

impl ToolOptions {
    /// Whether the default tools are offered: no tools are named, or `default` is among the names.
    #[must_use]
    pub fn has_default(&self) -> bool {
        let named = self.offered.as_ref();
        named.is_none_or(|tools| tools.iter().any(|name| name == "default"))
    }
}
