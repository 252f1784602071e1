//! `read_file`: a file as the agent sees it.

use crate::record::wire_struct;

wire_struct! {
    /// Asks for a file as the agent sees it.
    pub struct ReadFile ["subtype" = "read_file"] {
        path: String,
        max_bytes: Option<u64>,
        /// `utf-8` or `base64`.
        encoding: Option<String>,
    }
}

wire_struct! {
    /// A file.
    pub struct ReadFileResponse {
        contents: String,
        abs_path: String as "absPath",
        truncated: Option<bool>,
        encoding: Option<String>,
        lossy: Option<bool>,
        requested_path: Option<String>,
    }
}
