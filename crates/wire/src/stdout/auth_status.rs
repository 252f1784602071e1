//! `auth_status`: the progress of a sign-in.

use crate::record::wire_struct;

wire_struct! {
    /// The progress of a sign-in.
    pub struct AuthStatus ["type" = "auth_status"] {
        is_authenticating: bool as "isAuthenticating",
        output: Vec<String>,
        error: Option<String>,
        uuid: String,
        session_id: String,
    }
}
