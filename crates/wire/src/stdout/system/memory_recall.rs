//! `memory_recall`: memories were added to the conversation.

use crate::record::wire_struct;

wire_struct! {
    /// A memory.
    pub struct Memory {
        path: String,
        scope: String,
        content: Option<String>,
    }
}

wire_struct! {
    /// Memories were added to the conversation.
    pub struct MemoryRecall ["type" = "system", "subtype" = "memory_recall"] {
        /// `select` or `synthesize`.
        mode: String,
        memories: Vec<Memory>,
        uuid: String,
        session_id: String,
    }
}
