//! Unpacks a plugin from a zip archive into a folder.
//!
//! The archive is not trusted: names must not lead out of the folder, links are rejected, no file is overwritten, and
//! the number of files and their size are limited. A rejected archive may leave some of its files in the folder.

use std::fs::{self, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Component, Path, PathBuf};

use flate2::read::DeflateDecoder;
use rawzip::{CompressionMethod, CreatorSystem, ZipArchive, ZipFileHeaderRecord, ZipSliceEntry};

/// Maximum number of entries of a plugin.
pub(super) const MAX_FILES: usize = 10_000;
/// Maximum total size of the unpacked files of a plugin, in bytes.
pub(super) const MAX_BYTES: u64 = 256 << 20;

/// Why an archive cannot be unpacked.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// It is not a zip archive, or it is damaged.
    #[error("it is not a zip archive, or it is damaged")]
    NoZip,
    /// An entry is encrypted or uses an unsupported compression.
    #[error("its entry {0:?} is encrypted or uses an unsupported compression: use deflate")]
    Unknown(String),
    /// The name of an entry leads out of the folder.
    #[error("its entry {0:?} leads out of its folder")]
    Outside(String),
    /// An entry is a link or a device.
    #[error("its entry {0:?} is a link or a device: only files and folders are allowed")]
    NoFile(String),
    /// There are too many files, or they are too large.
    #[error("it contains more than {MAX_FILES} files, or more than {} MiB", MAX_BYTES >> 20)]
    TooMuch,
    /// The size or checksum of an entry is wrong, or its name occurs twice.
    #[error("its entry {0:?} is damaged or occurs twice")]
    Damaged(String),
    /// A file cannot be written.
    #[error("{0}: {1}")]
    Disk(PathBuf, io::Error),
}

/// Unpacks an archive into an existing folder. Returns the folder of the plugin: that folder, or the only folder in it.
///
/// # Errors
/// If it is not an archive, or is rejected.
pub fn unpack(archive: &[u8], into: &Path) -> Result<PathBuf, ArchiveError> {
    let archive = ZipArchive::from_slice(archive).map_err(|_| ArchiveError::NoZip)?;
    // Reject the archive before anything is written. The number may be wrong, so the entries are counted below as well.
    if archive.entries_hint() > MAX_FILES as u64 {
        return Err(ArchiveError::TooMuch);
    }
    let mut left = MAX_BYTES;
    for (count, record) in archive.entries().enumerate() {
        if count == MAX_FILES {
            return Err(ArchiveError::TooMuch);
        }
        let record = record.map_err(|_| ArchiveError::NoZip)?;
        let entry = Entry::of(&record)?;
        if entry.is_folder {
            entry.make_folder(into)?;
            continue;
        }
        left = left.checked_sub(entry.size).ok_or(ArchiveError::TooMuch)?;
        let data = archive.get_entry(record.wayfinder()).map_err(|_| ArchiveError::NoZip)?;
        entry.write(&data, into)?;
    }
    Ok(root(into))
}

/// Returns the folder of the plugin. Many archives contain a single folder with all files.
fn root(into: &Path) -> PathBuf {
    if into.join(".claude-plugin").exists() {
        return into.to_owned();
    }
    let entries: Vec<PathBuf> = fs::read_dir(into)
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    match entries.as_slice() {
        [only] if only.join(".claude-plugin").is_dir() => only.clone(),
        _ => into.to_owned(),
    }
}

/// An entry of the archive's directory.
struct Entry {
    name: String,
    is_folder: bool,
    compressed: bool,
    /// The declared unpacked size.
    size: u64,
    /// Whether it is executable for its owner.
    executable: bool,
}

impl Entry {
    /// Checks an entry: it must be a file or folder inside the target folder with a supported compression.
    fn of(record: &ZipFileHeaderRecord<'_>) -> Result<Self, ArchiveError> {
        let bytes = record.file_path().as_bytes().to_vec();
        let name = String::from_utf8(bytes).map_err(|_| ArchiveError::NoZip)?;
        let is_folder = name.ends_with('/');
        let mode = match record.version_made_by().creator_system() {
            CreatorSystem::UNIX | CreatorSystem::MACOS => record.external_attributes() >> 16,
            _ => 0,
        };
        if !is_inside(&name) {
            return Err(ArchiveError::Outside(name));
        }
        // The file type. Many archives contain none.
        let kind = mode & 0o170_000;
        if !matches!((kind, is_folder), (0, _) | (0o100_000, false) | (0o040_000, true)) {
            return Err(ArchiveError::NoFile(name));
        }
        let method = record.compression_method();
        let known = matches!(method, CompressionMethod::STORE | CompressionMethod::DEFLATE);
        if !is_folder && (record.flags().is_encrypted() || !known) {
            return Err(ArchiveError::Unknown(name));
        }
        Ok(Self {
            name,
            is_folder,
            compressed: method == CompressionMethod::DEFLATE,
            size: record.uncompressed_size_hint(),
            executable: mode & 0o100 != 0,
        })
    }

    fn make_folder(&self, into: &Path) -> Result<(), ArchiveError> {
        let path = into.join(&self.name);
        fs::create_dir_all(&path).map_err(|error| self.failed(path, error))
    }

    fn write(&self, data: &ZipSliceEntry<'_>, into: &Path) -> Result<(), ArchiveError> {
        let path = into.join(&self.name);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|error| self.failed(folder.to_owned(), error))?;
        }
        let mode = if self.executable { 0o700 } else { 0o600 };
        let file = OpenOptions::new().write(true).create_new(true).mode(mode).open(&path);
        let mut file = file.map_err(|error| self.failed(path, error))?;
        let content: Box<dyn Read> = match self.compressed {
            true => Box::new(DeflateDecoder::new(data.data())),
            false => Box::new(data.data()),
        };
        // The entry may unpack to more than the declared size; one additional byte is enough to detect that. Size and
        // checksum are verified at the end.
        let content = content.take(self.size.saturating_add(1));
        io::copy(&mut data.verifying_reader(content), &mut file)
            .map_err(|_| ArchiveError::Damaged(self.name.clone()))?;
        Ok(())
    }

    fn failed(&self, path: PathBuf, error: io::Error) -> ArchiveError {
        match error.kind() {
            io::ErrorKind::AlreadyExists => ArchiveError::Damaged(self.name.clone()),
            _ => ArchiveError::Disk(path, error),
        }
    }
}

/// Whether a name stays inside the folder.
fn is_inside(name: &str) -> bool {
    let path = Path::new(name);
    let plain = path.components().all(|part| matches!(part, Component::Normal(_)));
    let suspicious = name.contains('\\') || name.chars().any(char::is_control);
    plain && !suspicious && path.components().next().is_some()
}

#[cfg(test)]
#[path = "archive_tests.rs"]
pub(super) mod tests;
