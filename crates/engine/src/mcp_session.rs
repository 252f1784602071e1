//! What MCP servers mean to a session.
//!
//! * `turns`: their tools, prompts and news in a turn; `mentions`: a resource a prompt mentions;
//! * `room`: what they take of the context; `report`: how they stand, for a person.

mod mentions;
mod report;
mod room;
mod turns;

pub(crate) use room::Room;
