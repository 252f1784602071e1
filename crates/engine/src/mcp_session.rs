//! MCP servers in a session.
//!
//! * `turns`: their tools, prompts and changes during turns; `mentions`: resources that prompts mention;
//! * `room`: how much of the context they take; `report`: their status in text.

mod mentions;
mod report;
mod room;
mod turns;

pub(crate) use room::Room;
