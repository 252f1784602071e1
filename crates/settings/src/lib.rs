//! Settings files of all scopes: reading, merging with the source of each value, watching and writing.
//!
//! In reading order:
//!
//! * `places`: the paths of the files, which of them are read, and who chose the folder;
//! * `regular`: reading regular files only, so that no read blocks;
//! * [`keys`]: the table of settings keys: type, scopes that may set it, how it is merged, and whether it needs trust;
//! * `writers`: which hosts may write which key with `update_settings`;
//! * `document`: the text of one file, and its errors with line and column;
//! * `layer`: the settings of one file, and which of them are held back until the folder is trusted;
//! * [`held`]: a list of what is held back, for messages to a person;
//! * `rules`: permission rules from a layer; a deny rule that cannot be parsed denies more, not less;
//! * `settings`, `merge`, `values`: the result of merging all layers;
//! * `repository`: the git repository that contains a folder;
//! * [`trust`]: which folders a person has trusted;
//! * [`write()`]: saving permission rules atomically, without losing changes of another writer; `permission_edit`: a
//!   change of permission rules;
//! * `file`: the same for other JSON files of the user;
//! * [`watch`]: notification of changed files.
//!
//! This crate does not read the environment: the caller passes the [`Places`]. It does not run anything: a command in a
//! settings file is only text here.

mod document;
mod file;
pub mod held;
pub mod keys;
mod layer;
mod merge;
mod permission_edit;
mod places;
#[cfg(test)]
mod reference;
mod regular;
mod repository;
mod rules;
mod settings;
pub mod trust;
mod values;
pub mod watch;
mod write;
mod writers;

pub use document::{Effect, Problem};
pub use file::{Change, edit, text};
pub use keys::Key;
pub use layer::Layer;
pub use places::{Chosen, FlagSettings, Opener, Places};
pub use regular::{MAX_NAMED_FILE, open_regular, read_named, read_regular};
pub use repository::{project_folders, repository};
pub use settings::Settings;
pub use write::{WriteError, update, write};
pub use writers::{Writable, Writer};
