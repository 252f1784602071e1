//! `transcript_mirror`: a copy of the entries appended to a transcript.

use crate::Raw;
use crate::record::wire_struct;

wire_struct! {
    /// Entries in the order in which they were appended. The message has neither a uuid nor a session id.
    pub struct TranscriptMirror ["type" = "transcript_mirror"] {
        file_path: String as "filePath",
        entries: Vec<Raw>,
    }
}
