//! `auth_status`: a sign-in under way.

use crate::record::wire_struct;

wire_struct! {
    /// How a sign-in goes.
    pub struct AuthStatus ["type" = "auth_status"] {
        is_authenticating: bool as "isAuthenticating",
        output: Vec<String>,
        error: Option<String>,
        uuid: String,
        session_id: String,
    }
}
