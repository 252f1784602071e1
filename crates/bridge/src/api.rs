//! The dialect of the WebSocket, level 1: what is said between the bridge and a client.
//!
//! `docs/bridge.md` is its description for builders of clients; `web/src/api/types.ts` is made from these types.
//! Level 0, the seed's dialect, is made from the same truth in [`crate::level0`].

mod answers;
mod client;
mod server;
mod state;
#[cfg(feature = "types")]
pub mod typescript;

pub use answers::*;
pub use client::*;
pub use server::*;
pub use state::*;

/// The version of the dialect.
pub const VERSION: u32 = 1;
