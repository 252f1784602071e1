//! `read_file`: read a file on the agent's machine.

use crate::record::wire_struct;

wire_struct! {
    /// Requests a file on the agent's machine.
    pub struct ReadFile ["subtype" = "read_file"] {
        path: String,
        max_bytes: Option<u64>,
        /// `utf-8` or `base64`.
        encoding: Option<String>,
    }
}

wire_struct! {
    /// The content of the file.
    pub struct ReadFileResponse {
        contents: String,
        abs_path: String as "absPath",
        truncated: Option<bool>,
        encoding: Option<String>,
        lossy: Option<bool>,
        requested_path: Option<String>,
    }
}
