//! Creates files that only their owner can read: all files that contain prompts, replies or tool results.
//!
//! Files have mode 0600 and new folders mode 0700, for any umask. An existing file that others can read is
//! restricted when it is opened.

use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

const FILE_MODE: u32 = 0o600;
const FOLDER_MODE: u32 = 0o700;
/// Permission bits of the group and of others.
const OTHERS: u32 = 0o077;

/// Creates a folder and its missing parents. Existing folders stay as they are.
///
/// # Errors
/// If a folder cannot be created.
pub fn folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(path)
}

/// Opens a file for reading and appending; creates it and its folder if they do not exist.
///
/// # Errors
/// If the file or its folder cannot be created or opened.
pub fn append(path: &Path) -> io::Result<File> {
    open(path, OpenOptions::new().read(true).append(true).create(true))
}

/// Creates a file that must not exist yet, and its folder.
///
/// # Errors
/// If the file exists, or cannot be created.
pub fn create(path: &Path) -> io::Result<File> {
    open(path, OpenOptions::new().write(true).create_new(true))
}

/// Writes a whole file; creates it and its folder if they do not exist.
///
/// # Errors
/// If the file or its folder cannot be created or written.
pub fn write(path: &Path, content: impl AsRef<[u8]>) -> io::Result<()> {
    let mut file = open(path, OpenOptions::new().write(true).create(true).truncate(true))?;
    file.write_all(content.as_ref())
}

fn open(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        folder(parent)?;
    }
    let file = options.mode(FILE_MODE).open(path)?;
    let metadata = file.metadata()?;
    // The mode of a device or a named pipe is not changed.
    if metadata.is_file() && metadata.permissions().mode() & OTHERS != 0 {
        // This fails if the file belongs to another user.
        file.set_permissions(Permissions::from_mode(FILE_MODE)).ok();
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn new_and_existing_files_become_private() {
        let dir = tempfile::tempdir().unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        let file = dir.path().join("a/b/file");
        append(&file).unwrap();
        assert_eq!((mode(&file), mode(&dir.path().join("a"))), (0o600, 0o700));
        std::fs::set_permissions(&file, Permissions::from_mode(0o644)).unwrap();
        write(&file, "text").unwrap();
        assert_eq!(mode(&file), 0o600);
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "text");
        assert_eq!(create(&file).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
    }
}
