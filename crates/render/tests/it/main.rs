//! Tests of the public functions: highlighting, diffs and images.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, clippy::print_stdout)]

mod differences;
mod highlighting;
mod images;
mod timing;
