//! Tests of the conversation state machine, and of the host against scripted agents in memory and as processes.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    clippy::print_stdout
)]

mod conversation;

mod asks;
mod back_pressure;
mod faults;
mod items;
mod ladder;
mod lifecycle;
mod minimal;
mod options;
mod processes;
mod readme;
mod requests;
mod sessions;
mod stage;
mod store;
mod transports;
mod turns;
