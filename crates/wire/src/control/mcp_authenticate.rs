//! `mcp_authenticate`: start signing in to an MCP server.

use crate::record::wire_struct;

wire_struct! {
    /// Starts the sign-in to an MCP server.
    pub struct McpAuthenticate ["subtype" = "mcp_authenticate"] {
        server_name: String as "serverName",
    }
}

wire_struct! {
    /// The address where the user signs in, and how the redirect returns.
    pub struct McpAuthenticateResponse {
        auth_url: Option<String> as "authUrl",
        requires_user_action: Option<bool> as "requiresUserAction",
        callback_expected: Option<bool> as "callbackExpected",
        redirect_scheme: Option<String> as "redirectScheme",
        state: Option<String>,
        callback_port: Option<u64> as "callbackPort",
    }
}
