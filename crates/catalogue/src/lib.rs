//! What lies in folders for a session to use: commands, skills, output styles, plugins, and the `CLAUDE.md` files it is to
//! know. Nothing here runs anything, whatever a file says, and nothing speaks.
//!
//! One walk at the start, and only of folders that are there. Of each file the front matter is read; the rest of it when
//! it is used. What is wrong with one file is named in [`Catalogue::problems`] and takes nothing from the others.
//!
//! In reading order:
//!
//! * [`front_matter`]: the fields at the top of a file, pure;
//! * [`entry`]: a command or a skill;
//! * [`styles`]: ways of talking;
//! * [`plugins`]: folders that bring all of these, and where their agents, hooks and servers lie;
//! * [`listing`]: what the model is told of it, pure;
//! * `bounds`: whether files lie where they seem to; `walk`: the one loader; `catalogue`: all it has found;
//! * [`memory`]: what a person and a project want every session to know.

pub mod entry;
pub mod front_matter;
pub mod listing;
pub mod plugins;
pub mod styles;

mod bounds;
mod catalogue;
mod walk;

pub mod memory;

pub use bounds::Bounds;
pub use catalogue::{Catalogue, CatalogueOptions, Problem};
