//! The door between a session and the standard streams, with a stand-in for the session.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod rig;

mod formats;
mod hold;
mod lines;
mod serving;
