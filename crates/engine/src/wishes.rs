//! What a launch or a host wishes about a conversation, beyond its limits and its tools.

use sluice_wire::control::Initialize;

use crate::session::Session;

/// Wishes, each with its own place where it is heeded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wishes {
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
}

impl Session {
    /// Takes what `initialize` wishes about the conversation.
    pub(crate) fn take_wishes(&mut self, request: &Initialize) {
        if let Some(wanted) = request.prompt_suggestions {
            self.options.wishes.suggestions = wanted;
        }
    }
}
