//! `stream_event`: an event of the model's response stream.

use crate::record::wire_struct;
use crate::{Number, Raw};

wire_struct! {
    /// The content blocks of a response that was abandoned.
    pub struct AbandonedBlocks {
        api_message_id: String,
        from_block_index: u64,
    }
}

wire_struct! {
    /// One streaming event of the Messages API. It is not parsed, because most messages of a long reply are of this
    /// type.
    pub struct StreamEvent ["type" = "stream_event"] {
        event: Raw,
        session_id: String,
        parent_tool_use_id: Option<String> = null,
        uuid: String,
        ttft_ms: Option<Number>,
        thinking_display: Option<String>,
        api_message_id: Option<String>,
        user_message_uuid: Option<String>,
        user_message_uuids: Option<Vec<String>>,
        resume_reason: Option<String>,
        owed_rows: Option<Raw>,
        abandoned_blocks: Option<AbandonedBlocks>,
    }
}
