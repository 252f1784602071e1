//! What lies in folders for a session to use, by the names the engine has for it.

pub(crate) use sluice_catalogue::{Catalogue, entry, listing, plugins, styles};
