//! `sluice serve status | pair | token | devices | stop | upgrade`: control of the bridge from the same machine.
//!
//! A Unix socket in the state folder; request and response are one line of JSON each.

mod client;
mod request;
mod serve;

pub use client::{ControlError, ask};
pub use request::BridgeRequest;
pub(crate) use serve::{Control, listen};
pub use serve::{Reply, Wanted, What};

/// Name of the socket in the state folder.
pub(crate) const SOCKET: &str = "control.sock";

/// Maximum length of a line in bytes.
pub(crate) const MAX_LINE: u64 = 4 * 1024 * 1024;
