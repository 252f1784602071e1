//! `get_binary_version`: the version of the agent.

use crate::record::wire_struct;

wire_struct! {
    /// Requests the version of the agent program.
    pub struct GetBinaryVersion ["subtype" = "get_binary_version"] {}
}

wire_struct! {
    /// The version of the agent program.
    pub struct GetBinaryVersionResponse {
        version: String,
        build_time: Option<String> as "buildTime",
    }
}
