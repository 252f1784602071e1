//! Re-exports commands, skills, agents, styles and plugins under the names that the engine uses.

pub(crate) use sluice_catalogue::{Catalogue, entry, listing, plugins, styles};
