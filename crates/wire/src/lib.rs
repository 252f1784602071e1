//! What is said between an agent and its host: the messages of both planes, and their framing.
//!
//! ```text
//! bytes ─▶ Framer ─▶ FramedLine ─▶ Frame ─▶ ToHost | ToAgent ─▶ one struct per kind
//! ```
//!
//! * [`Framer`] cuts reads into lines. [`Frame`] is one line: the text as it came, and its `type` and
//!   `subtype`. Whoever only passes lines on stops there.
//! * [`Frame::to_host`] and [`Frame::to_agent`] read the message. An unknown kind is a value, not an error;
//!   unknown words are `Other`, unknown fields are in `extra`; a known kind with a bad field is [`Malformed`].
//! * Every struct has public fields, a default and an order of fields that is the order on the wire;
//!   what was read is written back as the same JSON value.
//!
//! No I/O, no policy.
#![deny(missing_docs)]

// A line.
mod framer;
// What is in it,
mod frame;
mod message;
mod scan;
// or why it is nothing.
mod malformed;
mod repair;

// What agents say.
pub mod stdout;
// What hosts say.
pub mod stdin;
// What both ask each other.
pub mod control;
pub mod hook;
// What messages are made of.
pub mod content;
pub mod mode;
pub mod origin;
pub mod permission_update;
pub mod usage;

// How structs, unions and words are defined.
mod open;
mod record;
mod union;
// What they are made of.
mod extra;
mod field;
mod number;
mod raw;
mod text_or_texts;

// Where sessions are kept, by name.

// The same for other languages.
#[cfg(feature = "schema")]
pub mod schema;

pub use extra::Extra;
pub use frame::Frame;
pub use framer::{DEFAULT_CAP, FramedLine, Framer};
pub use malformed::{Malformed, MalformedKind};
pub use message::{ToAgent, ToHost, UnknownMessage};
pub use number::Number;
pub use raw::Raw;
pub use text_or_texts::TextOrTexts;
pub use union::Unknown;

/// Any JSON object.
pub type Object = serde_json::Map<String, serde_json::Value>;

/// A JSON object with values of one kind, in its order.
pub type Map<T> = indexmap::IndexMap<String, T>;
