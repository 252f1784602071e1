//! The files a session uses: slash commands, skills, output styles, plugins and `CLAUDE.md` files. They are read here,
//! never run, whatever a file says.
//!
//! The folders are searched once, at the start. Of each file the front matter is read; its body is read when it is
//! used. An error in one file is reported in [`Catalogue::problems`] and does not affect the others.
//!
//! In reading order:
//!
//! * [`front_matter`]: the fields at the top of a file, pure;
//! * [`entry`]: a slash command or a skill;
//! * [`builtin`], `prompts`: the commands that need no file;
//! * [`arguments`], [`body`]: the body of one, with `$ARGUMENTS` filled in and its `!` commands found, pure;
//! * [`mentions`]: files a text mentions (`@src/main.rs`), pure;
//! * [`styles`]: output styles;
//! * [`agents`]: agent definitions;
//! * [`plugins`]: plugins, and where their agents, hooks and MCP servers lie;
//! * [`listing`]: the list of skills the model is shown, pure;
//! * `bounds`: whether files lie where they seem to; `walk`: the loader; `catalogue`: everything it found;
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
