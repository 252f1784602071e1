//! `mcp_oauth_callback_url`: the address a person's browser ended at after signing in elsewhere.

use crate::record::wire_struct;

wire_struct! {
    /// The address a person's browser ended at.
    pub struct McpOauthCallbackUrl ["subtype" = "mcp_oauth_callback_url"] {
        server_name: String as "serverName",
        callback_url: String as "callbackUrl",
    }
}
