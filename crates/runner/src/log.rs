//! The log: every line in both directions, in append-only files, each record with its checksum.
//!
//! The log stores a record as the frame that is sent to bridges, so a bridge that lags behind is sent bytes of the file.

mod reader;
mod scan;
mod writer;

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::frame::MAX_FRAME;
use crate::record::{HEAD, TAG};

pub use reader::{Damage, LogReader, Records};
pub use writer::{Disk, LogDamage, LogWriter, Storage};

const MAGIC: &[u8; 8] = b"SLUICELG";
const VERSION: u32 = 1;
/// Bytes of a segment before its first record: magic, version, first number, and a checksum of these.
pub(crate) const HEADER: usize = 8 + 4 + 8 + 4;

/// Returns the log folder inside a runner's folder.
pub(crate) fn folder(dir: &Path) -> PathBuf {
    dir.join("log")
}

pub(crate) fn file_of(folder: &Path, first: u64) -> PathBuf {
    folder.join(format!("{first:020}.seg"))
}

/// Returns the first record numbers of all segments in ascending order.
pub(crate) fn segments(folder: &Path) -> io::Result<Vec<u64>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        let number = name
            .to_str()
            .and_then(|name| name.strip_suffix(".seg")?.parse::<u64>().ok());
        found.extend(number);
    }
    found.sort_unstable();
    Ok(found)
}

pub(crate) fn header(first: u64) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEADER);
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.extend_from_slice(&first.to_le_bytes());
    let sum = crc32fast::hash(&bytes);
    bytes.extend_from_slice(&sum.to_le_bytes());
    bytes
}

/// Result of checking the header of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Header {
    Good,
    /// Written by a later version of this program.
    Version(u32),
    Bad,
}

pub(crate) fn check_header(file: &File, first: u64) -> io::Result<Header> {
    let mut bytes = [0; HEADER];
    if read_at(file, &mut bytes, 0)? < HEADER {
        return Ok(Header::Bad);
    }
    if bytes.as_slice() == header(first) {
        return Ok(Header::Good);
    }
    let version = bytes.get(8..12).and_then(|version| version.first_chunk::<4>());
    Ok(match version.map(|version| u32::from_le_bytes(*version)) {
        Some(version) if bytes.starts_with(MAGIC) && version > VERSION => Header::Version(version),
        _ => Header::Bad,
    })
}

/// Reads until the buffer is full or the file ends.
pub(crate) fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    let mut filled = 0;
    while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match file.read_at(rest, offset + filled as u64) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// What the first bytes of a buffer contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HeadParse {
    /// The head of a record with this number; `length` counts its head and body in bytes. The checksum is not verified.
    Head { number: u64, length: usize },
    /// Too few bytes to decide.
    Short,
    /// Not a record.
    Bad,
}

pub(crate) fn parse_head(bytes: &[u8]) -> HeadParse {
    let Some((length, rest)) = bytes.split_first_chunk::<4>() else {
        return HeadParse::Short;
    };
    let length = u32::from_le_bytes(*length) as usize;
    if !(HEAD - 4..=MAX_FRAME).contains(&length) {
        return HeadParse::Bad;
    }
    match rest.first() {
        None => return HeadParse::Short,
        Some(tag) if *tag != TAG => return HeadParse::Bad,
        Some(_) => {}
    }
    match rest.get(5..13).and_then(|number| number.first_chunk::<8>()) {
        Some(number) => HeadParse::Head {
            number: u64::from_le_bytes(*number),
            length: length + 4,
        },
        None => HeadParse::Short,
    }
}

/// Verifies the checksum of the complete record in `bytes`.
pub(crate) fn has_valid_checksum(bytes: &[u8]) -> bool {
    bytes
        .get(5..)
        .and_then(|rest| rest.split_first_chunk::<4>())
        .is_some_and(|(sum, summed)| crc32fast::hash(summed) == u32::from_le_bytes(*sum))
}
