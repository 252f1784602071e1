//! Checks that every request has to pass before it is handled.
//!
//! Loopback is no boundary: any page in a browser on this machine can send requests here. So the name they come by,
//! the page they come from and the secret they carry are each looked at. All of it is pure.

mod credential;
mod host;
mod judge;
mod origin;
mod reason;

pub(crate) use credential::{Credential, clear_cookie, set_cookie};
pub use host::BadHost;
pub(crate) use host::{HostRules, without_port};
pub(crate) use judge::{Arrival, Need, Seen, admit, look};
pub(crate) use reason::Reason;
