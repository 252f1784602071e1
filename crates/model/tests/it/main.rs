//! The client against a server of our own on loopback: real sockets, scripted bytes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod attempt;
mod bounds;
mod helper;
mod prefix;
mod proxy;
mod secure;
mod server;
mod streaming;
