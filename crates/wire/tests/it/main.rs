//! Tests of the public API of the crate.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout
)]

mod answers;
mod corpus;
mod decode;
mod framing;
mod kinds;
mod malformed;
mod recordings;
#[cfg(feature = "schema")]
mod schema;
mod shared;
mod writing;
