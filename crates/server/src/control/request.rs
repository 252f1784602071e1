//! Requests at the control socket.

use serde::{Deserialize, Serialize};

use crate::scope::Scope;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum BridgeRequest {
    Status,
    /// A pairing code: `{code, urls, expiresAt, scope, scan, qr}`.
    Pair {
        #[serde(default)]
        scope: Option<Scope>,
    },
    /// A bearer token: `{device, token}`.
    Token {
        name: String,
        scope: Scope,
    },
    /// `{devices}`.
    Devices,
    Revoke {
        device: String,
    },
    Stop,
    /// The running bridge becomes the program that lies at its path now.
    Upgrade,
}
