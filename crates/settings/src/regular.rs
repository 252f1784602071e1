//! Regular files up to a size. A pipe, a device or a larger file, which anyone may have put in a project, is refused
//! without waiting for it.

use std::fs::{self, File, Metadata};
use std::io::{self, Read as _};
use std::path::Path;

use rustix::fs::{Mode, OFlags};

/// Opens a regular file for reading; anything else is refused, and not waited for.
///
/// # Errors
/// When it cannot be opened or is something else.
pub fn open_regular(path: &Path) -> io::Result<File> {
    // Asked before and after: opening alone can matter to whoever holds the other end of a pipe.
    regular(&fs::metadata(path)?)?;
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    regular(&file.metadata()?)?;
    Ok(file)
}

/// The bytes of a regular file, if they are no more than `most`.
///
/// # Errors
/// When it cannot be read, is something else, or is larger.
pub fn read_regular(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = open_regular(path)?;
    let length = file.metadata().map_or(0, |known| known.len().min(most));
    // One byte more, so that the end is found without another look at a larger buffer.
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0).saturating_add(1));
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length > most) {
        let text = format!("it is larger than {}", size(most));
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, text));
    }
    Ok(bytes)
}

/// The largest file that a flag or an environment variable may name, and the most that is read from standard input.
pub const MAX_NAMED_FILE: u64 = 32 * 1024 * 1024;

/// The text of a file that a flag or an environment variable names: regular, UTF-8 and no more than [`MAX_NAMED_FILE`].
///
/// # Errors
/// When the file cannot be read, is not a regular file, or is larger. The message names the file.
pub fn read_named(path: &Path) -> io::Result<String> {
    let read = read_regular(path, MAX_NAMED_FILE).and_then(|bytes| {
        String::from_utf8(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not text in UTF-8"))
    });
    read.map_err(|error| io::Error::new(error.kind(), format!("cannot read {}: {error}", path.display())))
}

fn regular(metadata: &Metadata) -> io::Result<()> {
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
    fn only_files_of_a_reasonable_size_are_read() {
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
