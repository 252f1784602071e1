//! Syntax highlighting, diffs, and images scaled down for display. All functions are pure.

mod class;
pub mod diff;
pub mod highlight;
pub mod image;

pub use class::{Class, Run};
pub use diff::{diff, from_patch};
pub use highlight::highlight;
pub use image::normalise;
