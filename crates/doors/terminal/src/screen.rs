//! The terminal: its modes, the live region, and the output thread.

mod able;
mod outlet;
pub mod tty;
mod writer;

#[cfg(test)]
mod tests;

pub use able::{Able, Mark, Named, Progress};
pub use outlet::Outlet;
pub use writer::{Frame, Writer};
