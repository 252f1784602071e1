//! Tests of the parts, and of complete runners with small shell scripts as agents.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    clippy::print_stdout
)]

mod stage;

mod frames;
mod log;

mod bridges;
mod damage;
mod disk;
mod endings;
mod floods;
mod orphans;
mod restarts;
mod starts;
mod writes;
