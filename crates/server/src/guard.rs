//! Checks that every request must pass before it is handled.
//!
//! Loopback is no boundary: any web page in a browser on this machine can send requests here. So the host name, the
//! origin and the credential of each request are checked. All of it is pure.

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
