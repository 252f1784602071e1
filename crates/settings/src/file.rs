//! JSON files beside the settings files, read and written in the same way.

use std::io;
use std::path::Path;

use serde_json::{Map, Value};

use crate::document;
use crate::write::{self, WriteError};

/// What is done to a document.
pub type Change<'a> = &'a mut dyn FnMut(&mut Map<String, Value>) -> Result<(), WriteError>;

/// A file of the person's own, edited as the settings are: whole, and without touching what else stands in it.
///
/// # Errors
/// When the file cannot be read or written, or the change refuses.
pub fn edit(path: &Path, change: Change<'_>) -> Result<(), WriteError> {
    write::edit_file(&write::Target::following_links(path)?, &mut |document| change(document))
}

/// The text of a file, if there is one; nothing but a regular file of sensible size is read.
///
/// # Errors
/// When there is a file and it cannot be read as text.
pub fn text(path: &Path) -> io::Result<Option<String>> {
    match document::read_bytes(path) {
        Ok(bytes) => {
            let text = String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
            Ok(Some(document::without_mark(&text).to_owned()))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
