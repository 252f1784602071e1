//! Options of the conversation that are neither limits nor tools.

use sluice_tools::OutputSchema;

/// Options of the conversation, from the launch or from `initialize`.
#[derive(Debug, Clone, Default)]
pub struct ConversationOptions {
    /// Tokens the model is told it has for a task, so that it can pace itself.
    pub task_budget: Option<u64>,
    /// Most tokens of one answer, where that is less than the model may give.
    pub max_output: Option<u32>,
    /// What is shown of thinking: `summarized` or `omitted`.
    pub thinking_display: Option<String>,
    /// After a turn, say what the person may want to ask next.
    pub suggestions: bool,
    /// Whether the person switched such suggestions on or off for good; over what the settings say.
    pub suggestions_forced: Option<bool>,
    /// The shape the answer of every turn has to have.
    pub output_schema: Option<OutputSchema>,
}
