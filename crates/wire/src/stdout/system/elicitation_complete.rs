//! `elicitation_complete`: an elicitation was completed outside the session.

use crate::record::wire_struct;

wire_struct! {
    /// An MCP server received the answer to its elicitation outside the session, for example on a web page.
    pub struct ElicitationComplete ["type" = "system", "subtype" = "elicitation_complete"] {
        mcp_server_name: String,
        elicitation_id: String,
        uuid: String,
        session_id: String,
    }
}
