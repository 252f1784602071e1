//! File checkpoints: how files stood before each prompt, so that they can be put back (`rewind_files`).
//!
//! A file is kept before the first call that changes it, and again at each prompt if it has changed since. What is kept
//! lies beside the transcript, which says what belongs to which prompt. Only tools that edit files are followed:
//! what a command does to a file is nobody's to undo. This crate knows no session: it copies files and puts them back.
//!
//! * `shelf`: which copies belong to which prompt; [`copies`]: the copies themselves;
//! * `rewind`: putting them back.

pub mod copies;
mod rewind;
mod shelf;

pub use rewind::Plan;
pub use shelf::{Backup, Shelf};
