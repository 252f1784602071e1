//! The stream-json protocol of Claude Code, between an agent and its host: messages and control requests in both
//! directions, and their framing as lines of JSON.
//!
//! ```text
//! bytes ─▶ Framer ─▶ FramedLine ─▶ Frame ─▶ ToHost | ToAgent ─▶ one struct per kind
//! ```
//!
//! * [`Framer`] splits bytes into lines. [`Frame`] is one line: its text unchanged, and its `type` and
//!   `subtype`. Code that only forwards lines needs no more.
//! * [`Frame::to_host`] and [`Frame::to_agent`] parse the message. An unknown message type is a value, not an error;
//!   unknown enum values are `Other`, unknown fields are in `extra`; a known message with an invalid field is
//!   [`Malformed`].
//! * Every struct has public fields and a default. Fields are written in the order of the struct;
//!   a message that was read is written back as the same JSON value.
//!
//! No I/O, no policy.
#![deny(missing_docs)]

// Lines.
mod framer;
// Messages.
mod frame;
mod message;
mod scan;
// Lines and messages that cannot be parsed.
mod malformed;
mod repair;

// Messages from the agent.
pub mod stdout;
// Messages from the host.
pub mod stdin;
// Control requests in both directions, and hooks.
pub mod control;
pub mod hook;
// Parts of messages.
pub mod content;
pub mod mode;
pub mod origin;
pub mod permission_update;
pub mod usage;

// Escapes control characters in text that is printed on a terminal.
pub mod printable;

// The macros that define structs, unions and enums.
mod open;
mod record;
mod union;
// Field types.
mod extra;
mod field;
mod number;
mod raw;
mod text_or_texts;

// Export as JSON Schema and TypeScript.
#[cfg(feature = "schema")]
pub mod schema;

pub use extra::Extra;
pub use frame::Frame;
pub use framer::{DEFAULT_CAP, FramedLine, Framer};
pub use malformed::{Malformed, MalformedKind};
pub use message::{MessageType, ToAgent, ToHost, UnknownMessage};
pub use number::Number;
pub use raw::Raw;
pub use text_or_texts::TextOrTexts;
pub use union::Unknown;

/// Any JSON object.
pub type Object = serde_json::Map<String, serde_json::Value>;

/// A JSON object whose values have one type; keeps the order of the keys.
pub type Map<T> = indexmap::IndexMap<String, T>;
