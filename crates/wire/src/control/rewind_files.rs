//! `rewind_files`: restore files to their state before a prompt.

use crate::record::wire_struct;

wire_struct! {
    /// Restores files to their state before a prompt.
    pub struct RewindFiles ["subtype" = "rewind_files"] {
        user_message_id: String,
        dry_run: Option<bool>,
    }
}

wire_struct! {
    /// The files that were restored or, in a dry run, would be.
    pub struct RewindFilesResponse {
        can_rewind: bool as "canRewind",
        error: Option<String>,
        files_changed: Option<Vec<String>> as "filesChanged",
        insertions: Option<u64>,
        deletions: Option<u64>,
        skipped_links: Option<u64> as "skippedLinks",
    }
}
