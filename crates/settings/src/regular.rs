//! Reads regular files up to a maximum size. Pipes, devices and larger files, which a project may contain, are rejected
//! without blocking.

use std::fs::{self, File, Metadata};
use std::io::{self, Read as _};
use std::path::Path;

use rustix::fs::{Mode, OFlags};

/// Opens a regular file for reading. Other files are rejected without blocking.
///
/// # Errors
/// If the file cannot be opened or is not a regular file.
pub fn open_regular(path: &Path) -> io::Result<File> {
    // Checked before and after opening, because opening a pipe affects the process at its other end.
    ensure_regular(&fs::metadata(path)?)?;
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    ensure_regular(&file.metadata()?)?;
    Ok(file)
}

/// Reads a regular file of at most `max_bytes` bytes.
///
/// # Errors
/// If the file cannot be read, is not a regular file, or is larger.
pub fn read_regular(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    let file = open_regular(path)?;
    let length = file.metadata().map_or(0, |known| known.len().min(max_bytes));
    // One byte more, so that the end is detected without growing the buffer.
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0).saturating_add(1));
    file.take(max_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length > max_bytes) {
        let text = format!("it is larger than {}", size(max_bytes));
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, text));
    }
    Ok(bytes)
}

/// Maximum size, in bytes, of a file that a flag or an environment variable names, and of standard input.
pub const MAX_NAMED_FILE: u64 = 32 * 1024 * 1024;

/// Reads a file that a flag or an environment variable names. It must be a regular UTF-8 file of at most
/// [`MAX_NAMED_FILE`] bytes.
///
/// # Errors
/// If the file cannot be read, is not a regular file, or is larger. The message names the file.
pub fn read_named(path: &Path) -> io::Result<String> {
    let read = read_regular(path, MAX_NAMED_FILE).and_then(|bytes| {
        String::from_utf8(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text"))
    });
    read.map_err(|error| io::Error::new(error.kind(), format!("cannot read {}: {error}", path.display())))
}

fn ensure_regular(metadata: &Metadata) -> io::Result<()> {
    match metadata.is_file() {
        true => Ok(()),
        false => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file")),
    }
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1_048_576 => format!("{} KiB", bytes / 1024),
        _ => format!("{} MiB", bytes / 1_048_576),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::path::PathBuf;

    use super::*;

    #[test]
    fn only_regular_files_up_to_the_maximum_size_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let (file, pipe) = (folder.path().join("f"), folder.path().join("pipe"));
        fs::write(&file, "12345").unwrap();
        assert_eq!(read_regular(&file, 5).unwrap(), b"12345");
        assert_eq!(read_regular(&file, 4).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, Mode::RUSR, 0).unwrap();
        for other in [pipe, folder.path().to_owned(), PathBuf::from("/dev/zero")] {
            let error = read_regular(&other, 5).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput, "{}", other.display());
        }
    }
}
