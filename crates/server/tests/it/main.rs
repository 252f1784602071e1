//! Tests of the server over real connections, from legitimate and malicious clients.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    clippy::print_stdout
)]

// Test support.
mod house;
mod raw;

mod access;
mod build_script;
mod control;
mod files;
mod handover;
mod headers;
mod health;
mod hostile;
mod limits;
mod listen;
mod logs;
mod pairing;
mod sockets;
mod tls;
