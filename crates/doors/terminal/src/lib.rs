//! The interactive door: a host that shows a session in a terminal.
//!
//! It does not link the engine: the caller provides an agent ([`Agent`]), and the terminal shows the state computed by
//! `sluice_host::conversation` without tracking turns or permission requests itself. Data flow: [`input`] decodes bytes
//! into keys; [`app`] handles keys and snapshots of the conversation, and returns actions and frames; [`view`] renders
//! rows and is pure; [`screen`] writes them to the terminal, and restores the terminal however the program ends.

// Inputs at the start.
pub mod clock;
pub mod facts;
mod plugins;
// Keys and the draft.
pub mod input;
// Text, themes and rows.
pub mod text;
pub mod theme;
pub mod view;
// Application state.
pub mod app;
// The terminal itself.
pub mod screen;

// The event loop, and the actions it carries out.
mod executor;
mod run;
// Questions before a session: folder trust, API key.
mod before;
// Plain lines, for screen readers.
mod plain;

pub use app::Next;
pub use before::{Questioner, StartQuestion};
pub use facts::{CopiedSession, Facts, Settings, Variables};
pub use plugins::{PluginEntry, PluginOffer, PluginStore};
pub use run::{Agent, Outcome, run};
pub use screen::tty::repair;
