//! `compact_boundary`: the conversation before it was summarised.

use crate::Number;
use crate::record::wire_struct;

wire_struct! {
    /// The part that was kept, by its ends.
    pub struct PreservedSegment {
        head_uuid: String,
        anchor_uuid: String,
        tail_uuid: String,
    }
}

wire_struct! {
    /// The messages that were kept.
    pub struct PreservedMessages {
        anchor_uuid: String,
        uuids: Vec<String>,
        all_uuids: Option<Vec<String>>,
    }
}

wire_struct! {
    /// What a compaction did.
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
    /// A compaction ended here.
    pub struct CompactBoundary ["type" = "system", "subtype" = "compact_boundary"] {
        session_id: String,
        uuid: String,
        compact_metadata: CompactMetadata,
        logical_parent_uuid: Option<String>,
    }
}
