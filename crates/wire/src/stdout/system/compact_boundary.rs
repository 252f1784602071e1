//! `compact_boundary`: the conversation before this point was replaced by a summary.

use crate::Number;
use crate::record::wire_struct;

wire_struct! {
    /// The preserved part of the conversation, given by its first and last message.
    pub struct PreservedSegment {
        head_uuid: String,
        anchor_uuid: String,
        tail_uuid: String,
    }
}

wire_struct! {
    /// The preserved messages.
    pub struct PreservedMessages {
        anchor_uuid: String,
        uuids: Vec<String>,
        all_uuids: Option<Vec<String>>,
    }
}

wire_struct! {
    /// Details of a compaction.
    pub struct CompactMetadata {
        /// `manual` or `auto`.
        trigger: String,
        pre_tokens: u64,
        post_tokens: Option<u64>,
        duration_ms: Option<Number>,
        cumulative_dropped_tokens: Option<Number>,
        preserved_segment: Option<PreservedSegment>,
        preserved_messages: Option<PreservedMessages>,
    }
}

wire_struct! {
    /// The point in the conversation where a compaction took place.
    pub struct CompactBoundary ["type" = "system", "subtype" = "compact_boundary"] {
        session_id: String,
        uuid: String,
        compact_metadata: CompactMetadata,
        logical_parent_uuid: Option<String>,
    }
}
