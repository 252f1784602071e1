//! The engine as its doors see it: in process, against the scripted model, with a real bash.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod alarm;
mod bell;
mod invariants;
mod stage;
mod words;

mod after_stop;
mod agents;
mod agents_control;
mod agents_faults;
mod agents_forks;
mod asks;
mod asks_answers;
mod background;
mod checkpoints;
mod commands;
mod compaction;
mod control;
mod failures;
mod history;
mod hooks_agents;
mod hooks_calls;
mod hooks_defer;
mod hooks_faults;
mod hooks_guarded;
mod hooks_host;
mod hooks_moments;
mod hooks_servers;
mod hooks_turns;
mod inquiries;
mod interrupt;
mod interrupt_tools;
mod limits;
mod mentions;
mod plain;
mod queue;
mod requests;
mod retries;
mod schedule;
mod servers;
mod sessions;
mod skills;
mod state;
mod structured;
