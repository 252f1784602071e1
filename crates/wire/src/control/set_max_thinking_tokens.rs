//! `set_max_thinking_tokens`: limit the thinking of the model.

use crate::Number;
use crate::record::wire_struct;

wire_struct! {
    /// Limits the thinking of the model, in tokens. Without a number the default applies again.
    pub struct SetMaxThinkingTokens ["subtype" = "set_max_thinking_tokens"] {
        max_thinking_tokens: Option<Number>,
        thinking_display: Option<String>,
    }
}
