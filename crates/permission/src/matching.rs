//! Permission rules matched against calls.

pub mod bash;
pub mod domain;
pub mod mcp;
pub mod path;
