//! Agent definitions: the kinds of subagents a session can start.
//!
//! * `definition`: one kind, read from a Markdown file with front matter or from JSON;
//! * [`builtin`]: the kinds there always are;
//! * `roster`: all kinds of a session, from every scope;
//! * [`notebook`]: the `MEMORY.md` a kind keeps between sessions.

pub mod builtin;
mod definition;
pub mod notebook;
mod roster;

pub use definition::{AgentDefinition, AgentOrigin, Brings, Limits, Notebook};
pub use roster::{Found, Roster};
