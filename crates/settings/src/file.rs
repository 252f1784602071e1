//! Other JSON files of the user, read and written like settings files.

use std::io;
use std::path::Path;

use serde_json::{Map, Value};

use crate::document;
use crate::write::{self, WriteError};

/// A function that changes a document.
pub type Change<'a> = &'a mut dyn FnMut(&mut Map<String, Value>) -> Result<(), WriteError>;

/// Edits a file of the user like a settings file: atomically, and without changing the rest of its content.
///
/// # Errors
/// If the file cannot be read or written, or the change fails.
pub fn edit(path: &Path, change: Change<'_>) -> Result<(), WriteError> {
    write::edit_file(&write::Target::following_links(path)?, &mut |document| change(document))
}

/// Returns the text of a file, `None` if it does not exist. Only regular files up to the maximum size are read.
///
/// # Errors
/// If the file exists and cannot be read as text.
pub fn text(path: &Path) -> io::Result<Option<String>> {
    match document::read_bytes(path) {
        Ok(bytes) => {
            let text = String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
            Ok(Some(document::without_bom(&text).to_owned()))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
