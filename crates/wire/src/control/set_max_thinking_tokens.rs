//! `set_max_thinking_tokens`: how much the model may think.

use crate::Number;
use crate::record::wire_struct;

wire_struct! {
    /// Limits thinking; without a number, back to the default.
    pub struct SetMaxThinkingTokens ["subtype" = "set_max_thinking_tokens"] {
        max_thinking_tokens: Option<Number>,
        thinking_display: Option<String>,
    }
}
