//! `elicitation_complete`: an MCP server got its answer.

use crate::record::wire_struct;

wire_struct! {
    /// An MCP server got its answer elsewhere.
    pub struct ElicitationComplete ["type" = "system", "subtype" = "elicitation_complete"] {
        mcp_server_name: String,
        elicitation_id: String,
        uuid: String,
        session_id: String,
    }
}
