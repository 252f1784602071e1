//! Many sessions to many screens, nothing lost.

// What is said to screens.
pub mod api;
