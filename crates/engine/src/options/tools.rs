//! Options of tools.

use std::collections::BTreeMap;

use sluice_tools::Toolbox;

/// Options of tools.
#[derive(Debug, Clone, Default)]
pub struct ToolOptions {
    /// The available built-in tools. MCP servers, subagents and skills add theirs.
    pub toolbox: Toolbox,
    /// The offered tools; `None` offers all default tools.
    pub offered: Option<Vec<String>>,
    /// Offer the older `TodoWrite` tool instead of the task list.
    pub todo_list: bool,
    /// Alternative names of tools: the model may call the key, and the value is run.
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
