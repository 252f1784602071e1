//! The terminal: its modes, the region that is redrawn, and the bytes on their way.

mod able;
mod outlet;
pub mod tty;
mod writer;

#[cfg(test)]
mod tests;

pub use able::{Able, Mark, Named, Progress};
pub use outlet::Outlet;
pub use writer::{Frame, Writer};
