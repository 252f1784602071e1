//! `thinking_tokens`: the estimated number of thinking tokens.

use crate::record::wire_struct;

wire_struct! {
    /// The estimated number of thinking tokens so far, sent while the model thinks.
    pub struct ThinkingTokens ["type" = "system", "subtype" = "thinking_tokens"] {
        estimated_tokens: u64,
        estimated_tokens_delta: i64,
        user_message_uuid: Option<String>,
        session_id: String,
        uuid: String,
    }
}
