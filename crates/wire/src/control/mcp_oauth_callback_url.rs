//! `mcp_oauth_callback_url`: finish a sign-in whose browser runs on another machine.

use crate::record::wire_struct;

wire_struct! {
    /// Sends the callback URL to which the browser was redirected after the sign-in.
    pub struct McpOauthCallbackUrl ["subtype" = "mcp_oauth_callback_url"] {
        server_name: String as "serverName",
        callback_url: String as "callbackUrl",
    }
}
