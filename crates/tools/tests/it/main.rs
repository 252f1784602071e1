//! Tests of the tools with real files and a real bash.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod sandbox_lab;
mod stand_in;
mod support;

mod ask;
mod bash;
mod bash_kill;
mod bash_tasks;
mod edit;
mod facts;
mod glob;
mod grep;
mod images;
mod links;
mod lists;
mod notebook_edit;
mod offered;
mod plan;
mod read;
mod recordings;
mod registry;
mod sandbox;
mod sandbox_life;
mod sandbox_network;
mod searching;
mod task_tools;
mod write;
