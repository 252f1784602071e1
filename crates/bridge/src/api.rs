//! Messages of the WebSocket, level 1, between the bridge and a client.
//!
//! `docs/bridge.md` is its description for builders of clients; `web/src/api/types.ts` is made from these types.
//! Level 0 is made from the same state in [`crate::level0`].

mod answers;
mod client;
mod reach;
mod requests;
mod server;
mod state;
#[cfg(feature = "types")]
pub mod typescript;
mod work;

pub use answers::*;
pub use client::*;
pub use reach::*;
pub use requests::*;
pub use server::*;
pub use state::*;
pub use work::*;

/// The version of the API.
pub const VERSION: u32 = 2;
