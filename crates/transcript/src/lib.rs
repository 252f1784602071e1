//! Transcripts: the JSONL files in which sessions are saved.
//!
//! Format and location are those of the reference CLI, so that each program can read the files of the other. This crate
//! sends no messages and does not depend on the session, the host or the model; it returns lines, blocks and bytes.
//!
//! In reading order:
//!
//! * `folder_name`, `projects`: the paths of the files;
//! * `entry`, `other_lines`: the lines, as values; [`file_history`]: lines about file checkpoints; `time`: timestamps;
//! * `appender`: appending to a file; `writer`: the transcript of a running session; `unfinished`: the entries of the
//!   model message that is being written; `copies`: the entries a fork starts with; `tail`: the entries a compaction
//!   keeps;
//! * `lines`, `json_fields`, `envelope`, `scan`: a fast scan over every line of a file;
//! * `record`, `branch`: the index of all entries, and the branch of the entry tree that is the conversation;
//! * `load`, `line`, `entry_fields`: the fields of entries; `scanned`: a file that was scanned;
//! * `block`, `entry_content`, `history_builder`: the conversation as it is sent to the model; `since`: ensures that it
//!   is the same after a resume;
//! * [`resume`], `earlier`: resuming a session;
//! * `ends`, `info`, `listing`: lists of sessions; `session_message`: the messages of a session, for display;
//! * `edit`, `visible_text`, `fork`: renaming, tagging, archiving, deleting and forking sessions.

mod error;
mod folder_name;
mod projects;

mod entry;
pub mod file_history;
mod other_lines;
mod time;

mod appender;
mod copies;
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
mod scanned;

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
mod listing;
pub mod private;
mod session_message;
mod visible_text;

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
pub use projects::{Folders, Projects, is_id};
pub use resume::{Choice, Refusal, Which};
pub use session_message::{MessageKind, SessionMessage};
pub use since::Since;
pub use unfinished::MessageEnd;
pub use writer::{Keeping, Transcript};

/// Returns a unique id.
fn fresh_id() -> String {
    uuid::Uuid::new_v4().to_string()
}
