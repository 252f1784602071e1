//! MCP servers in a session.
//!
//! * `turns`: their tools, prompts and changes during turns; `mentions`: resources that prompts mention;
//! * `usage`: how much of the context they take; `report`: their status in text.

mod mentions;
mod report;
mod turns;
mod usage;

pub(crate) use usage::ServerUsage;
