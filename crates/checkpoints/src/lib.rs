//! File checkpoints: copies of files before each prompt, so that the files can be restored (`rewind_files`).
//!
//! A file is copied before the first call that changes it, and again at each prompt if it has changed since. The copies
//! are stored next to the transcript, which records the copies of each prompt. Only changes by tools that edit files
//! are covered, not those by shell commands. This crate does not depend on the session: it only copies and restores
//! files.
//!
//! * `shelf`: the snapshots, which record the copies of each prompt; [`copies`]: the copies;
//! * `rewind`: restores files.

pub mod copies;
mod rewind;
mod shelf;

pub use rewind::Plan;
pub use shelf::{Backup, Shelf};
