//! Tests of the client against a scripted server on loopback, with real sockets.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod attempt;
mod bounds;
mod helper;
mod prefix;
mod proxy;
mod secure;
mod server;
mod streaming;
