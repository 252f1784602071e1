//! `session_writes_lost`: the disk is full.

use crate::record::wire_struct;

wire_struct! {
    /// Something could not be written.
    pub struct SessionWritesLost ["type" = "system", "subtype" = "session_writes_lost"] {
        /// `ENOSPC` or `EDQUOT`.
        error_code: String,
        /// `transcript`, `global_config`.
        lost: Vec<String>,
        transcript_session_ids: Option<Vec<String>>,
        uuid: String,
        session_id: String,
    }
}
