//! Input: decodes bytes into keys and edits the draft.

pub mod bindings;
pub mod decoder;
pub mod editor;
pub mod history;
pub mod key;
pub mod vim;

pub use bindings::{Bindings, Context, Translation};
pub use decoder::{Decoder, Input, Reply};
pub use editor::{Chip, Editor};
pub use history::{History, PastPrompt};
pub use key::{Code, Key};
pub use vim::Vim;
