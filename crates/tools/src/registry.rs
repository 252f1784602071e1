//! The table of tools.

use crate::ask_user_question::AskUserQuestion;
use crate::bash::Bash;
use crate::edit::Edit;
use crate::glob::Glob;
use crate::grep::Grep;
use crate::notebook_edit::NotebookEdit;
use crate::plan_mode::{EnterPlanMode, ExitPlanMode};
use crate::read::Read;
use crate::task_list::{TaskCreate, TaskGet, TaskList, TaskUpdate};
use crate::task_output::TaskOutput;
use crate::task_stop::TaskStop;
use crate::todo_write::TodoWrite;
use crate::tool::Tool;
use crate::tool_search::ToolSearch;
use crate::web_fetch::WebFetch;
use crate::web_search::WebSearch;
use crate::write::Write;

/// Every built-in tool, in the order the model is told about them.
static TOOLS: &[&dyn Tool] = &[
    &Bash,
    &Read,
    &Write,
    &Edit,
    &NotebookEdit,
    &Glob,
    &Grep,
    &TaskOutput,
    &TaskStop,
    &TodoWrite,
    &TaskCreate,
    &TaskGet,
    &TaskUpdate,
    &TaskList,
    &AskUserQuestion,
    &EnterPlanMode,
    &ExitPlanMode,
    &ToolSearch,
    &WebFetch,
    &WebSearch,
];

/// Every built-in tool.
pub fn registry() -> &'static [&'static dyn Tool] {
    TOOLS
}

/// The tool of this name or alias.
pub fn find(name: &str) -> Option<&'static dyn Tool> {
    TOOLS.iter().copied().find(|tool| tool.descriptor().is_called(name))
}
