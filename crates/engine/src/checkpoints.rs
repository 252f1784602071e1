//! The file checkpoints of a session; see [`sluice_checkpoints`].

use sluice_checkpoints::Shelf;

use crate::options::Options;

/// Opens the checkpoints of a session, if they are enabled.
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
