//! `elicitation`: an MCP server asks the user for input.

use crate::Raw;
use crate::open::open_enum;
use crate::record::wire_struct;

wire_struct! {
    /// Forwards a request of an MCP server for user input: a form, or a URL to open.
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
    /// The user's response to an elicitation.
    pub enum ElicitationAction {
        Decline = "decline",
        Accept = "accept",
        Cancel = "cancel",
    }
}

wire_struct! {
    /// The response to an elicitation: the action and, if accepted, the content of the form.
    pub struct ElicitationResponse {
        action: ElicitationAction,
        content: Option<Raw>,
    }
}
