//! Many sessions to many screens, nothing lost.
