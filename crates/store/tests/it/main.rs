//! The store by its public calls: what it keeps, what it refuses, what it survives.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    clippy::print_stdout
)]

mod fixture;

mod asks;
mod blobs;
mod devices;
mod prompts;
mod records;
mod salvage;
mod search;
mod segments;
mod sessions;
mod turns;

mod damage;
mod durability;
mod migrations;
mod opening;
mod snapshot;
mod space;
mod upkeep;
mod volume;
