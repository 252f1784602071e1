//! `sluice serve status | pair | token | devices | stop | upgrade`: how the bridge is spoken to from its own machine.
//!
//! A Unix socket in the state folder; one line of JSON asks, one answers.

mod client;
mod request;
mod serve;

pub use client::{ControlError, ask};
pub use request::BridgeRequest;
pub(crate) use serve::{Control, listen};
pub use serve::{Reply, Wanted, What};

/// In the state folder.
pub(crate) const SOCKET: &str = "control.sock";

/// Longest line.
pub(crate) const LONGEST: u64 = 4 * 1024 * 1024;
