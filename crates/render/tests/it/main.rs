//! What the crate promises to whoever shows code, differences and images.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, clippy::print_stdout)]

mod differences;
mod highlighting;
mod images;
mod timing;
