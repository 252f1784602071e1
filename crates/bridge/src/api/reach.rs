//! How other devices reach the bridge.

use serde::Serialize;

/// How other devices reach the bridge, and what makes it reachable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Reach {
    /// Whether only this machine reaches the addresses of the bridge.
    pub local_only: bool,
    /// SHA-256 of the certificate, in pairs of digits, if the bridge uses TLS.
    pub fingerprint: Option<String>,
    /// Ways to make it reachable; empty if it is.
    pub ways: Vec<ReachWay>,
}

/// One way to make the bridge reachable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ReachWay {
    /// `network`: an address of this machine, with TLS and a certificate made here. `tailscale`: an address with a
    /// certificate that browsers trust.
    pub kind: String,
    /// The address or name that a phone opens.
    pub address: String,
    /// The command that restarts the bridge so.
    pub command: String,
}
