//! Tests of the simulator over HTTP and over pipes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod client;

mod agent;
mod demo;
mod examples;
mod model_faults;
mod model_script;
mod model_stream;
mod recordings;
mod scenarios;
