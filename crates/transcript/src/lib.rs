//! What is kept of a session: every word of it, in a file that other programs read too.
//!
//! The files are those of the reference CLI. Nothing here speaks: it knows no session, no host and no model, and all it
//! gives are lines, blocks and bytes.
//!
//! In reading order:
//!
//! * `folder_name`, `place`: where the files lie;
//! * `entry`, `other_lines`: the lines, as values; [`file_history`]: those about files; `time`: moments in them;
//! * `pen`: appending to a file; `writer`: a session's transcript while it is being written; `copies`: what a fork begins
//!   with; `tail`: what a compaction leaves as it is;
//! * `lines`, `json_fields`, `envelope`, `scan`: one look at every line of a file;
//! * `record`, `branch`: what stands where, and the one branch that is the conversation;
//! * `load`, `line`, `entry_fields`: what entries say; `opened`: a file and what was seen of it;
//! * `block`, `entry_content`, `history_builder`: what the model is shown of it; `since`: that it stays the same;
//! * [`resume`], `earlier`: going on with an earlier conversation;
//! * `ends`, `info`, `listing`: what lists show; `session_message`: the conversation for those who look at it;
//! * `edit`, `letters`, `fork`: sessions renamed, tagged, put away, deleted, copied.

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
pub use writer::{Keeping, Transcript};

/// An id nothing else has.
fn fresh_id() -> String {
    uuid::Uuid::new_v4().to_string()
}
