//! Tests of the door between a session and the standard streams, with a simulated session.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod rig;

mod formats;
mod hold;
mod lines;
mod serving;
