//! Tests of the MCP door with an MCP client over a pair of pipes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod agent;
mod bad_input;
mod rig;
mod tools;
