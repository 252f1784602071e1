//! `Elicitation`: when an MCP server wants something from the person.

use super::base::hook_input;
use crate::Raw;
use crate::control::ElicitationAction;
use crate::record::wire_struct;

hook_input! {
    /// What a hook is told when an MCP server wants something from the person.
    pub struct ElicitationInput = "Elicitation" {
        mcp_server_name: String,
        message: String,
        mode: Option<String>,
        url: Option<String>,
        elicitation_id: Option<String>,
        requested_schema: Option<Raw>,
    }
}

wire_struct! {
    /// What a hook may answer when an MCP server wants something from the person.
    pub struct ElicitationOutput ["hookEventName" = "Elicitation"] {
        action: Option<ElicitationAction>,
        content: Option<Raw>,
    }
}
