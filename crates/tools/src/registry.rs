//! The table of tools.

use crate::bash::Bash;
use crate::edit::Edit;
use crate::read::Read;
use crate::tool::Tool;
use crate::write::Write;

/// Every built-in tool, in the order the model is told about them.
static TOOLS: &[&dyn Tool] = &[&Bash, &Read, &Write, &Edit];

/// Every built-in tool.
pub fn registry() -> &'static [&'static dyn Tool] {
    TOOLS
}

/// The tool of this name or alias.
pub fn find(name: &str) -> Option<&'static dyn Tool> {
    TOOLS.iter().copied().find(|tool| {
        let descriptor = tool.descriptor();
        descriptor.name == name || descriptor.aliases.contains(&name)
    })
}
