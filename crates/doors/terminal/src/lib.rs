//! The interactive door: a host that shows a session in a terminal.
//!
//! It does not link the engine: it is given an agent ([`Agent`]), shows the state that `sluice_host::conversation`
//! computes, and keeps no state of turns or permission requests of its own. The data flow: [`input`] turns bytes into
//! keys; [`app`] takes keys and snapshots of the conversation, and returns actions and frames; [`view`] makes the rows
//! and is pure; [`screen`] writes them to the terminal, and restores the terminal however the program ends.

// What it is given at the start.
pub mod clock;
pub mod facts;
mod plugins;
// Keys and the draft,
pub mod input;
// text, themes and rows,
pub mod text;
pub mod theme;
pub mod view;
// and the state between them.
pub mod app;
// The terminal itself.
pub mod screen;

// The event loop, and the actions it carries out.
mod doing;
mod run;
// Questions before a session: folder trust, API key.
mod before;
// Plain lines, for screen readers.
mod plain;

pub use app::Next;
pub use before::{Questioner, StartQuestion};
pub use facts::{Facts, Settings, Variables};
pub use plugins::{PluginEntry, PluginOffer, PluginStore};
pub use run::{Agent, Outcome, run};
pub use screen::tty::repair;
