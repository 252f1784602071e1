//! The terminal: its modes, the live region, and the output thread.

mod capabilities;
mod outlet;
pub mod tty;
mod writer;

#[cfg(test)]
mod tests;

pub use capabilities::{Capabilities, Mark, Progress, TerminalVariables};
pub use outlet::Outlet;
pub use writer::{Frame, Writer};
