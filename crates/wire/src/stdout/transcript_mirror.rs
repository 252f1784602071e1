//! `transcript_mirror`: what was just written to a transcript.

use crate::Raw;
use crate::record::wire_struct;

wire_struct! {
    /// Entries in the order they were appended; carries neither uuid nor session id.
    pub struct TranscriptMirror ["type" = "transcript_mirror"] {
        file_path: String as "filePath",
        entries: Vec<Raw>,
    }
}
