//! Agent definitions: the types of subagents that a session can start.
//!
//! * `definition`: one definition, read from a Markdown file with front matter or from JSON;
//! * [`builtin`]: the built-in definitions;
//! * `roster`: all definitions of a session, from all scopes;
//! * [`notebook`]: the memory (`MEMORY.md`) of an agent, which persists between sessions.

pub mod builtin;
mod definition;
pub mod notebook;
mod roster;

pub use definition::{AgentDefinition, AgentOrigin, Brings, Limits, Notebook};
pub use roster::{Found, Roster};
