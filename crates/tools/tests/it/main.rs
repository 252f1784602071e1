//! The tools against real files and a real bash.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod support;

mod bash;
mod bash_kill;
mod bash_tasks;
mod edit;
mod read;
mod registry;
mod write;
