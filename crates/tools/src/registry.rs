//! The table of tools.

use std::fmt;
use std::sync::Arc;

use crate::ask_user_question::AskUserQuestion;
use crate::bash::{Bash, Monitor};
use crate::edit::Edit;
use crate::glob::Glob;
use crate::grep::Grep;
use crate::notebook_edit::NotebookEdit;
use crate::plan_mode::{EnterPlanMode, ExitPlanMode};
use crate::read::Read;
use crate::set_goal::SetGoal;
use crate::task_list::{TaskCreate, TaskGet, TaskList, TaskUpdate};
use crate::task_output::TaskOutput;
use crate::task_stop::TaskStop;
use crate::todo_write::TodoWrite;
use crate::tool::Tool;
use crate::tool_search::ToolSearch;
use crate::web_fetch::WebFetch;
use crate::web_search::WebSearch;
use crate::write::Write;

/// All built-in tools, in the order in which they are shown to the model.
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
    &Monitor,
    &TodoWrite,
    &TaskCreate,
    &TaskGet,
    &TaskUpdate,
    &TaskList,
    &AskUserQuestion,
    &EnterPlanMode,
    &ExitPlanMode,
    &SetGoal,
    &ToolSearch,
    &WebFetch,
    &WebSearch,
];

/// Returns all built-in tools.
pub fn registry() -> &'static [&'static dyn Tool] {
    TOOLS
}

/// Finds a tool by name or alias.
pub fn find(name: &str) -> Option<&'static dyn Tool> {
    named(TOOLS, name)
}

fn named(tools: &[&'static dyn Tool], name: &str) -> Option<&'static dyn Tool> {
    tools.iter().copied().find(|tool| tool.descriptor().is_called(name))
}

/// Tools of a session: the built-in ones and those added by its creator.
#[derive(Clone)]
pub struct Toolbox(Arc<[&'static dyn Tool]>);

impl Default for Toolbox {
    fn default() -> Self {
        Self(TOOLS.into())
    }
}

impl Toolbox {
    /// Appends a tool.
    #[must_use]
    pub fn with(self, tool: &'static dyn Tool) -> Self {
        Self(self.iter().chain([tool]).collect())
    }

    /// Returns all tools in the order in which they are shown to the model.
    pub fn iter(&self) -> impl Iterator<Item = &'static dyn Tool> {
        self.0.iter().copied()
    }

    /// Finds a tool by name or alias.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&'static dyn Tool> {
        named(&self.0, name)
    }
}

impl fmt::Debug for Toolbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
