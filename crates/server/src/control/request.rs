//! Requests on the control socket.

use serde::{Deserialize, Serialize};

use crate::scope::Scope;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum BridgeRequest {
    Status,
    /// Creates a pairing code; returns `{code, urls, expiresAt, scope, scan, qr}`.
    Pair {
        #[serde(default)]
        scope: Option<Scope>,
    },
    /// Creates a bearer token; returns `{device, token}`.
    Token {
        name: String,
        scope: Scope,
    },
    /// Returns `{devices}`.
    Devices,
    Revoke {
        device: String,
    },
    Stop,
    /// Replaces the running bridge with the program that is now at its path.
    Upgrade,
}
