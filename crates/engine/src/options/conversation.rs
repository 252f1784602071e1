//! Options of the conversation other than limits and tools.

use sluice_tools::OutputSchema;

/// Options of the conversation, from the launch or from `initialize`.
#[derive(Debug, Clone, Default)]
pub struct ConversationOptions {
    /// Token budget for a task that the model is informed of, so that it can pace itself.
    pub task_budget: Option<u64>,
    /// The maximum number of tokens of one response, if below the limit of the model.
    pub max_output: Option<u32>,
    /// How thinking is displayed: `summarized` or `omitted`.
    pub thinking_display: Option<String>,
    /// Whether to suggest a next prompt after each turn.
    pub suggestions: bool,
    /// Whether the user enabled or disabled suggestions permanently; overrides the settings.
    pub suggestions_forced: Option<bool>,
    /// The JSON schema that the final response of every turn must match.
    pub output_schema: Option<OutputSchema>,
}
