//! `get_binary_version`: what program this is.

use crate::record::wire_struct;

wire_struct! {
    /// Asks what program this is.
    pub struct GetBinaryVersion ["subtype" = "get_binary_version"] {}
}

wire_struct! {
    /// The program's version.
    pub struct GetBinaryVersionResponse {
        version: String,
        build_time: Option<String> as "buildTime",
    }
}
