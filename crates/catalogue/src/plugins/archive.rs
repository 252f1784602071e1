//! A plugin in a zip archive, laid out in a folder.
//!
//! Whoever made the archive is not trusted with the disk: names lead into the folder and nowhere else, links are
//! refused, nothing is written over, and what it comes to has an end. An archive that is refused leaves nothing of use.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Component, Path, PathBuf};

use flate2::Crc;
use flate2::read::DeflateDecoder;

/// How many files there may be.
const MOST_FILES: usize = 10_000;
/// How much they may come to.
const MOST_BYTES: u64 = 256 << 20;
/// How long the comment at the end may be, and what stands before it.
const END: usize = 22;
const LONGEST_COMMENT: usize = 65_535;

/// Why an archive is not laid out.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// It is no zip archive, or a damaged one.
    #[error("it is no zip archive that can be read")]
    NoZip,
    /// It uses something of the format that is not known here.
    #[error("its entry {0:?} is encrypted, or packed in a way that is not known here: pack it with deflate")]
    Unknown(String),
    /// A name that leads out of the folder.
    #[error("its entry {0:?} leads out of its folder")]
    Outside(String),
    /// A link, or something else that is no file.
    #[error("its entry {0:?} is a link or a device: plugins hold files alone")]
    NoFile(String),
    /// There is more in it than is taken.
    #[error("it holds more than {MOST_FILES} files, or more than {} MiB", MOST_BYTES >> 20)]
    TooMuch,
    /// A file differs from what was packed.
    #[error("its entry {0:?} is damaged, or stands in it twice")]
    Damaged(String),
    /// It cannot be written.
    #[error("{0}: {1}")]
    Disk(PathBuf, io::Error),
}

/// Lays an archive out in a folder, which must be there, and gives the folder of the plugin: that one, or the only one
/// in it.
///
/// # Errors
/// When it is no archive, or one that is not taken.
pub fn unpack(archive: &[u8], into: &Path) -> Result<PathBuf, ArchiveError> {
    let (count, mut rest) = directory(archive).ok_or(ArchiveError::NoZip)?;
    if count > MOST_FILES {
        return Err(ArchiveError::TooMuch);
    }
    let mut left = MOST_BYTES;
    for _ in 0..count {
        let (entry, behind) = Entry::read(rest).ok_or(ArchiveError::NoZip)?;
        rest = behind;
        left = entry.lay_out(archive, into, left)?;
    }
    Ok(root(into))
}

/// The plugin's folder: many archives hold one folder with everything in it.
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

/// How many entries there are, and where the list of them begins.
fn directory(archive: &[u8]) -> Option<(usize, &[u8])> {
    let last = archive.len().checked_sub(END)?;
    let first = last.saturating_sub(LONGEST_COMMENT);
    let at = (first..=last)
        .rev()
        .find(|at| archive.get(*at..*at + 4) == Some(b"PK\x05\x06"))?;
    let end = archive.get(at..)?;
    let count = usize::from(u16_at(end, 10)?);
    let begins = usize::try_from(u32_at(end, 16)?).ok()?;
    // Larger than the fields can say, or of several parts: not taken.
    let simple = u16_at(end, 4)? == 0 && u16_at(end, 8)? == u16_at(end, 10)?;
    (simple && begins <= at).then_some(())?;
    Some((count, archive.get(begins..at)?))
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

/// One entry of the list.
struct Entry {
    name: String,
    encrypted: bool,
    method: u16,
    checksum: u32,
    packed: usize,
    unpacked: u64,
    /// What a Unix that packed it says of it.
    mode: Option<u32>,
    at: usize,
}

impl Entry {
    /// The entry that stands here, and what stands behind it.
    fn read(list: &[u8]) -> Option<(Self, &[u8])> {
        (list.get(..4)? == b"PK\x01\x02").then_some(())?;
        let length = |at| u16_at(list, at).map(usize::from);
        let name = list.get(46..46 + length(28)?)?;
        let entry = Self {
            name: String::from_utf8(name.to_vec()).ok()?,
            encrypted: u16_at(list, 8)? & 1 != 0,
            method: u16_at(list, 10)?,
            checksum: u32_at(list, 16)?,
            packed: usize::try_from(u32_at(list, 20)?).ok()?,
            unpacked: u32_at(list, 24)?.into(),
            // 3 is Unix, 19 is macOS.
            mode: matches!(list.get(5)?, 3 | 19).then_some(u32_at(list, 38)? >> 16),
            at: usize::try_from(u32_at(list, 42)?).ok()?,
        };
        let behind = 46 + length(28)? + length(30)? + length(32)?;
        Some((entry, list.get(behind..)?))
    }

    /// Writes what it holds; gives how much more may be written.
    fn lay_out(&self, archive: &[u8], into: &Path, left: u64) -> Result<u64, ArchiveError> {
        let path = into.join(self.inside()?);
        let disk = |error: io::Error| match error.kind() {
            io::ErrorKind::AlreadyExists => ArchiveError::Damaged(self.name.clone()),
            _ => ArchiveError::Disk(path.clone(), error),
        };
        let kind = self.mode.map_or(0, |mode| mode & 0o170_000);
        let is_folder = self.name.ends_with('/');
        if !matches!((kind, is_folder), (0, _) | (0o100_000, false) | (0o040_000, true)) {
            return Err(ArchiveError::NoFile(self.name.clone()));
        }
        if is_folder {
            fs::create_dir_all(&path).map_err(disk)?;
            return Ok(left);
        }
        if self.encrypted || !matches!(self.method, 0 | 8) {
            return Err(ArchiveError::Unknown(self.name.clone()));
        }
        let left = left.checked_sub(self.unpacked).ok_or(ArchiveError::TooMuch)?;
        let packed = self.packed(archive).ok_or(ArchiveError::NoZip)?;
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(disk)?;
        }
        // Its owner may run what was meant to be run; nobody else has a say.
        let mode = 0o600 | (self.mode.unwrap_or(0) & 0o100);
        let file = OpenOptions::new().write(true).create_new(true).mode(mode).open(&path);
        let file = file.map_err(disk)?;
        let whole = match self.method {
            0 => self.pour(packed, file),
            _ => self.pour(DeflateDecoder::new(packed), file),
        };
        match whole.map_err(|_| ArchiveError::Damaged(self.name.clone()))? {
            true => Ok(left),
            false => Err(ArchiveError::Damaged(self.name.clone())),
        }
    }

    /// Its name, if that leads into a folder.
    fn inside(&self) -> Result<PathBuf, ArchiveError> {
        let path = Path::new(&self.name);
        let plain = path.components().all(|part| matches!(part, Component::Normal(_)));
        let odd = self.name.contains(['\\', '\0']) || self.name.chars().any(char::is_control);
        match plain && !odd && path.components().next().is_some() {
            true => Ok(path.to_owned()),
            false => Err(ArchiveError::Outside(self.name.clone())),
        }
    }

    /// What it was packed to.
    fn packed<'a>(&self, archive: &'a [u8]) -> Option<&'a [u8]> {
        let head = archive.get(self.at..)?;
        (head.get(..4)? == b"PK\x03\x04").then_some(())?;
        let begins = 30 + usize::from(u16_at(head, 26)?) + usize::from(u16_at(head, 28)?);
        head.get(begins..begins.checked_add(self.packed)?)
    }

    /// Writes what it unpacks to, no more than it says; whether that is what was packed.
    fn pour(&self, source: impl Read, mut file: File) -> io::Result<bool> {
        let mut source = source.take(self.unpacked + 1);
        let mut checksum = Crc::new();
        let mut written = 0;
        let mut piece = [0; 32 * 1024];
        loop {
            let read = source.read(&mut piece)?;
            let Some(piece) = piece.get(..read).filter(|piece| !piece.is_empty()) else {
                break;
            };
            written += piece.len() as u64;
            if written > self.unpacked {
                return Ok(false);
            }
            checksum.update(piece);
            file.write_all(piece)?;
        }
        Ok(written == self.unpacked && checksum.sum() == self.checksum)
    }
}

#[cfg(test)]
#[path = "archive_tests.rs"]
mod tests;
