//! Settings: the files of all scopes read, laid over each other with where each value came from, watched, and written.
//!
//! In reading order:
//!
//! * `places`: where the files lie, which of them count, and who chose the folder;
//! * `regular`: files that can be read without waiting;
//! * [`keys`]: the one table of settings: what each holds, who may say it, and what saying it does;
//! * `document`: the text of one file, and what is wrong with it, by line and column;
//! * `layer`: one file's settings, and what of them waits until the folder is trusted;
//! * [`held`]: what waits, by name, for whoever has to be told;
//! * `rules`: permission rules from a layer; a deny that cannot be read denies more, not less;
//! * `settings`, `merge`, `values`: what holds when all layers are laid over each other;
//! * `repository`: the checkout a folder belongs to;
//! * [`trust`]: which folders a person has trusted;
//! * [`write()`]: rules added by an answer, so that no reader sees half of a file and no writer loses another's;
//! * `file`: other JSON files of the person's, with the same care;
//! * [`watch`]: when a file changed.
//!
//! Nothing here reads the environment: the [`Places`] come in as values. Nothing here runs anything, whatever a file
//! says: what a settings file names as a command is a word to this crate.

mod document;
mod file;
pub mod held;
pub mod keys;
mod layer;
mod merge;
mod places;
mod regular;
mod repository;
mod rules;
mod settings;
pub mod trust;
mod values;
pub mod watch;
mod write;

pub use document::{Effect, Problem};
pub use file::{Change, edit, text};
pub use keys::Key;
pub use layer::Layer;
pub use places::{Chosen, FlagSettings, Opener, Places};
pub use regular::{open_regular, read_regular};
pub use repository::repository;
pub use settings::Settings;
pub use write::{WriteError, update, write};
