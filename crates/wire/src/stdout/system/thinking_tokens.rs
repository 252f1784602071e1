//! `thinking_tokens`: how long the model has been thinking.

use crate::record::wire_struct;

wire_struct! {
    /// An estimate that grows while the model thinks.
    pub struct ThinkingTokens ["type" = "system", "subtype" = "thinking_tokens"] {
        estimated_tokens: u64,
        estimated_tokens_delta: i64,
        user_message_uuid: Option<String>,
        session_id: String,
        uuid: String,
    }
}
