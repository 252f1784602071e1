//! What a person does: bytes become keys, keys become a draft.

pub mod decoder;
pub mod editor;
pub mod history;
pub mod key;

pub use decoder::{Decoder, Input, Reply};
pub use editor::{Chip, Editor};
pub use history::{Asked, History};
pub use key::{Code, Key};
