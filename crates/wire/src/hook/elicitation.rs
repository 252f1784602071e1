//! `Elicitation`: an MCP server asks the user for input.

use super::base::hook_input;
use crate::Raw;
use crate::control::ElicitationAction;
use crate::record::wire_struct;

hook_input! {
    /// Input of the `Elicitation` hook, which runs when an MCP server asks the user for input.
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
    /// Output of the `Elicitation` hook. With an `action` the user is not asked.
    pub struct ElicitationOutput ["hookEventName" = "Elicitation"] {
        action: Option<ElicitationAction>,
        content: Option<Raw>,
    }
}
