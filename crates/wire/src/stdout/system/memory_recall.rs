//! `memory_recall`: memories came into the conversation.

use crate::record::wire_struct;

wire_struct! {
    /// One memory.
    pub struct Memory {
        path: String,
        scope: String,
        content: Option<String>,
    }
}

wire_struct! {
    /// Memories came into the conversation.
    pub struct MemoryRecall ["type" = "system", "subtype" = "memory_recall"] {
        /// `select` or `synthesize`.
        mode: String,
        memories: Vec<Memory>,
        uuid: String,
        session_id: String,
    }
}
