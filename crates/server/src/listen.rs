//! Listening addresses, ports and certificates.

mod accept;
mod bind;
mod holder;
mod inherit;
mod tls;
mod transport;

pub(crate) use accept::{Accepting, Surface, accept, accept_unix};
pub(crate) use bind::{Bound, bind, bind_unix};
pub use bind::{ListenError, ListenOptions, Port};
pub use holder::{Holder, who_listens};
pub use inherit::{Inheritance, Inherited};
pub(crate) use tls::{Tls, prepare};
pub use tls::{TlsError, TlsOptions};
