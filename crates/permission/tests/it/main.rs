//! Decisions as a host or an attacker meets them.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    clippy::needless_pass_by_value
)]

mod attacks;
mod attacks_on_paths;
mod bench;
mod beyond_reading;
mod changelog;
mod cves;
mod everyday;
mod folder;
mod hidden;
mod hiding;
mod installed;
mod linked;
mod modes;
mod not_offered;
mod oracle;
mod outside;
mod properties;
mod slips;
mod slips_rules;
mod suggestions;
mod touches;
mod unasked;
mod world;
