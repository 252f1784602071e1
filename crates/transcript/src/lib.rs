//! Transcripts: the JSONL files in which sessions are saved.
//!
//! Format and place are those of the reference CLI, so either program reads the files of the other. This crate sends
//! nothing: it knows no session, no host and no model, and gives out lines, blocks and bytes.
//!
//! In reading order:
//!
//! * `folder_name`, `place`: where the files lie;
//! * `entry`, `other_lines`: the lines, as values; [`file_history`]: lines about file checkpoints; `time`: timestamps;
//! * `pen`: appending to a file; `writer`: the transcript of a running session; `unfinished`: the entries of the model
//!   message that is being written; `copies`: the entries a fork starts with; `tail`: the entries a compaction keeps;
//! * `lines`, `json_fields`, `envelope`, `scan`: a fast scan over every line of a file;
//! * `record`, `branch`: where each entry lies, and the one branch of them that is the conversation;
//! * `load`, `line`, `entry_fields`: the fields of entries; `opened`: a file that was scanned;
//! * `block`, `entry_content`, `history_builder`: the conversation as the model is shown it; `since`: keeping that the
//!   same after a resume;
//! * [`resume`], `earlier`: resuming a session;
//! * `ends`, `info`, `listing`: lists of sessions; `session_message`: the messages of a session, for display;
//! * `edit`, `letters`, `fork`: renaming, tagging, archiving, deleting and forking sessions.

mod error;
mod folder_name;
mod place;

mod entry;
pub mod file_history;
mod other_lines;
mod time;

mod copies;
mod pen;
mod tail;
mod unfinished;
mod writer;

mod envelope;
mod json_fields;
mod lines;
mod scan;

mod branch;
mod record;

mod entry_fields;
mod line;
mod load;
mod opened;

mod block;
mod entry_content;
mod history_builder;
mod since;

mod earlier;
pub mod resume;

mod edit;
mod ends;
mod fork;
mod info;
mod letters;
mod listing;
pub mod private;
mod session_message;

pub use block::{Block, Look, Looked};
pub use earlier::{DeferredCall, Earlier};
pub use entry::{Entry, Prompt, Stamp};
pub use envelope::Key;
pub use error::Error;
pub use folder_name::folder_name;
pub use fork::Fork;
pub use history_builder::Conversation;
pub use info::SessionInfo;
pub use lines::each as each_line;
pub use other_lines::{Cost, Queued};
pub use place::{Folders, Projects, is_id};
pub use resume::{Choice, Refusal, Which};
pub use session_message::{MessageKind, SessionMessage};
pub use since::Since;
pub use unfinished::MessageEnd;
pub use writer::{Keeping, Transcript};

/// An id nothing else has.
fn fresh_id() -> String {
    uuid::Uuid::new_v4().to_string()
}
