//! Checkpoints: how files stood before each prompt, so that they can be put back.
//!
//! A file is kept before the first call that changes it, and again at each prompt if it has changed since. What is kept
//! lies beside the transcript, which says what belongs to which prompt. Only tools that edit files are followed:
//! what a command does to a file is nobody's to undo.
//!
//! * `shelf`: which copies belong to which prompt; `copies`: the copies themselves;
//! * `rewind`: putting them back.

pub(crate) mod copies;
mod rewind;
mod shelf;

use std::io;
use std::path::PathBuf;

use tokio::task::JoinSet;

pub(crate) use shelf::Backup;
pub(crate) use shelf::Shelf;

use crate::options::Options;

/// The checkpoints of a session, if it makes any.
pub(crate) fn open(options: &Options) -> Option<Shelf> {
    let dir = options.folders.checkpoints.as_ref()?;
    let mut shelf = Shelf::new(dir.join(&options.session.id), options.cwd.clone());
    if let Some(earlier) = &options.session.earlier {
        shelf.take_up(
            sluice_transcript::file_history::read(&earlier.file),
            &dir.join(&earlier.session_id),
        );
    }
    Some(shelf)
}

/// What a call waits for: the file it is about to change is being kept.
pub(crate) type Keeping = JoinSet<(usize, PathBuf, io::Result<Backup>)>;
