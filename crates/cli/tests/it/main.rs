//! What holds for the whole repository, whichever crate a change is made in.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod clean;
mod file_length;
mod forgotten;
mod layers;
mod repository;
