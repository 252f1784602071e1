//! The interactive door: a host with a screen.
//!
//! It links no engine: it is given an agent ([`Agent`]), shows what `sluice_host::conversation` knows of it, and keeps no
//! turn or ask of its own. The way of the data: bytes become keys ([`input`]), keys and pictures of the conversation
//! meet in the [`app`], which gives wishes and frames; rows are made by [`view`], which is pure; [`screen`] brings them
//! to the terminal and gives it back on every way out.

// What it is told.
pub mod clock;
pub mod facts;
// What a person does,
pub mod input;
// what they see of it,
pub mod text;
pub mod theme;
pub mod view;
// and what lies between.
pub mod app;
// The terminal itself.
pub mod screen;

// All of it at work.
mod doing;
mod run;
// What is asked before a session.
mod before;
// The same without a screen.
mod plain;

pub use app::Next;
pub use before::{Question, Questioner};
pub use facts::{Facts, Settings, Variables};
pub use run::{Agent, Outcome, run};
pub use screen::tty::repair;
