//! `elicitation`: an MCP server wants something from the person.

use crate::Raw;
use crate::open::open_enum;
use crate::record::wire_struct;

wire_struct! {
    /// An MCP server wants something from the person.
    pub struct Elicitation ["subtype" = "elicitation"] {
        mcp_server_name: String,
        message: String,
        /// `form` or `url`.
        mode: Option<String>,
        url: Option<String>,
        elicitation_id: Option<String>,
        requested_schema: Option<Raw>,
        property_order: Option<Vec<String>>,
        title: Option<String>,
        display_name: Option<String>,
        description: Option<String>,
    }
}

open_enum! {
    /// What the person did.
    pub enum ElicitationAction {
        Decline = "decline",
        Accept = "accept",
        Cancel = "cancel",
    }
}

wire_struct! {
    /// What the person gave.
    pub struct ElicitationResponse {
        action: ElicitationAction,
        content: Option<Raw>,
    }
}
