//! The files a session uses: slash commands, skills, agents, output styles, plugins and `CLAUDE.md` files. This crate
//! only reads them; it never runs anything from them.
//!
//! The folders are searched once, at the start of a session. Only the front matter of each file is read then; the body
//! is read when it is used. An error in a file is reported in [`Catalogue::problems`] and does not affect other files.
//!
//! In reading order:
//!
//! * [`front_matter`]: the fields at the top of a file, pure;
//! * [`entry`]: a slash command or skill;
//! * [`builtin`], `prompts`: the built-in commands;
//! * [`arguments`], [`body`]: the body of a command, with `$ARGUMENTS` filled in and its `!` shell commands found,
//!   pure;
//! * [`mentions`]: files that a text mentions (`@src/main.rs`), pure;
//! * [`styles`]: output styles;
//! * [`agents`]: agent definitions;
//! * [`plugins`]: plugins, and the paths of their agents, hooks and MCP servers;
//! * [`listing`]: the list of skills for the model, pure;
//! * `bounds`: whether a file is inside a folder after links are resolved; `walk`: the loader; `catalogue`: its result;
//! * [`memory`]: `CLAUDE.md` files and rules.

pub mod agents;
pub mod builtin;
pub mod entry;
pub mod front_matter;
pub mod listing;
pub mod plugins;
mod prompts;
pub mod styles;

pub mod arguments;
pub mod body;
pub mod mentions;

mod bounds;
mod catalogue;
mod walk;

pub mod memory;

pub use bounds::Bounds;
pub use catalogue::{Catalogue, CatalogueOptions, Problem};
