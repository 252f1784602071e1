//! `session_writes_lost`: files could not be written because the disk or quota is full.

use crate::record::wire_struct;

wire_struct! {
    /// Files could not be written.
    pub struct SessionWritesLost ["type" = "system", "subtype" = "session_writes_lost"] {
        /// `ENOSPC` or `EDQUOT`.
        error_code: String,
        /// The affected kinds of files: `transcript`, `global_config`.
        lost: Vec<String>,
        transcript_session_ids: Option<Vec<String>>,
        uuid: String,
        session_id: String,
    }
}
