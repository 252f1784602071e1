//! `stream_event`: the answer as it grows.

use crate::record::wire_struct;
use crate::{Number, Raw};

wire_struct! {
    /// Blocks of an answer that was given up.
    pub struct AbandonedBlocks {
        api_message_id: String,
        from_block_index: u64,
    }
}

wire_struct! {
    /// One event of the Messages API, unread: most of a long answer is these.
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
