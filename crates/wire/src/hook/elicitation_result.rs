//! `ElicitationResult`: the user answered an MCP server.

use super::base::hook_input;
use crate::Raw;
use crate::control::ElicitationAction;
use crate::record::wire_struct;

hook_input! {
    /// Input of the `ElicitationResult` hook, which runs when the user has answered an MCP server.
    pub struct ElicitationResultInput = "ElicitationResult" {
        mcp_server_name: String,
        elicitation_id: Option<String>,
        mode: Option<String>,
        action: ElicitationAction,
        content: Option<Raw>,
    }
}

wire_struct! {
    /// Output of the `ElicitationResult` hook, which can replace the answer.
    pub struct ElicitationResultOutput ["hookEventName" = "ElicitationResult"] {
        action: Option<ElicitationAction>,
        content: Option<Raw>,
    }
}
