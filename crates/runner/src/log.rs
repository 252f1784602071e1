//! The log: every line in both directions, in append-only files, each record with its checksum.
//!
//! A record lies in the log as the frame it is sent as, so whoever lags behind is served with the bytes of the file.

mod reader;
mod scan;
mod writer;

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::frame::LONGEST;
use crate::record::{HEAD, TAG};

pub use reader::{Damage, LogReader, Records};
pub use writer::{Cut, Disk, LogWriter, Storage};

const MAGIC: &[u8; 8] = b"SLUICELG";
const VERSION: u32 = 1;
/// Bytes of a segment before its first record: magic, version, first number, checksum of these.
pub(crate) const HEADER: usize = 8 + 4 + 8 + 4;

/// Where the log of a runner's folder lies.
pub(crate) fn folder(dir: &Path) -> PathBuf {
    dir.join("log")
}

pub(crate) fn file_of(folder: &Path, first: u64) -> PathBuf {
    folder.join(format!("{first:020}.seg"))
}

/// The first numbers of all segments, in order.
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

/// What the beginning of a segment says.
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

/// What stands at the beginning of some bytes of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Glance {
    /// The head of a record with this number, `length` bytes with its head. Its checksum is not looked at yet.
    Head { number: u64, length: usize },
    /// Not enough bytes to say.
    Short,
    /// No record.
    Bad,
}

pub(crate) fn glance(bytes: &[u8]) -> Glance {
    let Some((length, rest)) = bytes.split_first_chunk::<4>() else {
        return Glance::Short;
    };
    let length = u32::from_le_bytes(*length) as usize;
    if !(HEAD - 4..=LONGEST).contains(&length) {
        return Glance::Bad;
    }
    match rest.first() {
        None => return Glance::Short,
        Some(tag) if *tag != TAG => return Glance::Bad,
        Some(_) => {}
    }
    match rest.get(5..13).and_then(|number| number.first_chunk::<8>()) {
        Some(number) => Glance::Head {
            number: u64::from_le_bytes(*number),
            length: length + 4,
        },
        None => Glance::Short,
    }
}

/// Whether the checksum of the whole record in `bytes` holds.
pub(crate) fn holds(bytes: &[u8]) -> bool {
    bytes
        .get(5..)
        .and_then(|rest| rest.split_first_chunk::<4>())
        .is_some_and(|(sum, summed)| crc32fast::hash(summed) == u32::from_le_bytes(*sum))
}
