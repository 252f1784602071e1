//! The log reader. It can read while a runner writes, and when no runner exists.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::{HEADER, HeadParse, Header, check_header, file_of, folder, parse_head, read_at, segments};
use crate::record::{self, Record};

/// Reads the log of one folder.
#[derive(Debug, Clone)]
pub struct LogReader {
    folder: PathBuf,
}

/// A part of the log that could not be read; reading continued with the next segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// The path of the segment.
    pub segment: PathBuf,
    /// Byte offset in the segment.
    pub offset: u64,
    /// The record number that was expected at this offset.
    pub number: u64,
    /// Describes the damage.
    pub reason: String,
}

impl LogReader {
    /// Opens the log in a runner's folder.
    ///
    /// # Errors
    /// Returns an error if the folder contains no log.
    pub fn open(dir: &Path) -> io::Result<Self> {
        let folder = folder(dir);
        segments(&folder)?;
        Ok(Self { folder })
    }

    /// Returns the number of the first stored record, or of the next one if the log is empty.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be read.
    pub fn first(&self) -> io::Result<u64> {
        Ok(segments(&self.folder)?.first().copied().unwrap_or(1))
    }

    /// Iterates over the records from a number on, up to the last one written. After `None`, calling `next` again returns
    /// records that were written since.
    #[must_use]
    pub fn read_from(&self, number: u64) -> Records {
        Records {
            folder: self.folder.clone(),
            wanted: number,
            cursor: None,
            finished_through: 0,
            window: Vec::new(),
            window_at: 0,
            damage: Vec::new(),
        }
    }
}

/// An iterator over records in ascending order.
#[derive(Debug)]
pub struct Records {
    folder: PathBuf,
    wanted: u64,
    cursor: Option<Cursor>,
    /// Segments up to the one starting with this number are finished.
    finished_through: u64,
    /// Buffered bytes of the current segment, and their offset in it.
    window: Vec<u8>,
    window_at: u64,
    damage: Vec<Damage>,
}

#[derive(Debug)]
struct Cursor {
    first: u64,
    file: File,
    offset: u64,
    expected: u64,
}

enum ReadStep {
    Record(Record),
    Skipped,
    End,
    Damaged(String),
}

impl Records {
    /// Returns the damage found so far.
    #[must_use]
    pub fn damage(&self) -> &[Damage] {
        &self.damage
    }

    /// Opens the segment that contains the wanted record, or the first later one. Returns whether there is one.
    fn open_segment(&mut self) -> io::Result<bool> {
        let all = segments(&self.folder)?;
        let after = |first: &&u64| **first > self.finished_through;
        let holding = all.iter().filter(after).rfind(|first| **first <= self.wanted);
        let Some(first) = holding.or_else(|| all.iter().find(after)).copied() else {
            return Ok(false);
        };
        let file = match File::open(file_of(&self.folder, first)) {
            // Deleted by a trim after the folder was listed.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.finished_through = first;
                return Ok(true);
            }
            opened => opened?,
        };
        match check_header(&file, first)? {
            Header::Good => {}
            // The writer is creating this segment right now.
            Header::Bad if all.last() == Some(&first) && file.metadata()?.len() < HEADER as u64 => return Ok(false),
            bad => {
                let reason = match bad {
                    Header::Version(version) => format!("written by a later version ({version})"),
                    _ => "its header is damaged".to_owned(),
                };
                self.add_damage(first, 0, first, reason);
                self.finished_through = first;
                return Ok(true);
            }
        }
        self.window.clear();
        self.cursor = Some(Cursor {
            first,
            file,
            offset: HEADER as u64,
            expected: first,
        });
        Ok(true)
    }

    fn add_damage(&mut self, first: u64, offset: u64, number: u64, reason: String) {
        let damage = Damage {
            segment: file_of(&self.folder, first),
            offset,
            number,
            reason,
        };
        if self.damage.last() != Some(&damage) {
            self.damage.push(damage);
        }
    }

    /// Returns `length` bytes at the cursor, from the window or from the file.
    fn bytes(&mut self, length: usize) -> io::Result<&[u8]> {
        const WINDOW: usize = 64 << 10;
        let Some(cursor) = &self.cursor else { return Ok(&[]) };
        let skip = usize::try_from(cursor.offset.saturating_sub(self.window_at)).unwrap_or(usize::MAX);
        if self.window.is_empty() || skip.saturating_add(length) > self.window.len() {
            self.window.resize(length.max(WINDOW), 0);
            let read = read_at(&cursor.file, &mut self.window, cursor.offset)?;
            self.window.truncate(read);
            self.window_at = cursor.offset;
            return Ok(self.window.get(..length.min(read)).unwrap_or_default());
        }
        Ok(self.window.get(skip..skip + length).unwrap_or_default())
    }

    fn read_step(&mut self) -> io::Result<ReadStep> {
        let wanted = self.wanted;
        let expected = self.cursor.as_ref().map_or(0, |cursor| cursor.expected);
        let head = self.bytes(record::HEAD)?;
        let (number, length) = match parse_head(head) {
            HeadParse::Head { number, length } => (number, length),
            HeadParse::Short => return Ok(ReadStep::End),
            HeadParse::Bad => return Ok(ReadStep::Damaged("not a record".to_owned())),
        };
        let bytes = self.bytes(length)?;
        if bytes.len() < length {
            return Ok(ReadStep::End);
        }
        let Some(record) = bytes.get(5..).and_then(record::decode) else {
            return Ok(ReadStep::Damaged("the checksum does not match".to_owned()));
        };
        if number != expected {
            return Ok(ReadStep::Damaged(format!("found record number {number} instead")));
        }
        if let Some(cursor) = &mut self.cursor {
            cursor.offset += length as u64;
            cursor.expected += 1;
        }
        if number < wanted {
            return Ok(ReadStep::Skipped);
        }
        self.wanted = number + 1;
        Ok(ReadStep::Record(record))
    }
}

impl Iterator for Records {
    type Item = Record;

    fn next(&mut self) -> Option<Record> {
        loop {
            if self.cursor.is_none() {
                match self.open_segment() {
                    Ok(true) => continue,
                    Ok(false) | Err(_) => return None,
                }
            }
            let step = self
                .read_step()
                .unwrap_or_else(|error| ReadStep::Damaged(error.to_string()));
            let (first, offset, expected) = self
                .cursor
                .as_ref()
                .map_or((0, 0, 0), |cursor| (cursor.first, cursor.offset, cursor.expected));
            match step {
                ReadStep::Record(record) => return Some(record),
                ReadStep::Skipped => {}
                ReadStep::End | ReadStep::Damaged(_) => match self.next_segment(step, first, offset, expected) {
                    Some(ReadStep::Record(record)) => return Some(record),
                    Some(_) => {}
                    None => return None,
                },
            }
        }
    }
}

impl Records {
    /// Handles the end of a segment or damage: continues with the next segment, if there is one.
    fn next_segment(&mut self, mut step: ReadStep, first: u64, offset: u64, expected: u64) -> Option<ReadStep> {
        // A later call must read the file again.
        self.window.clear();
        let later = segments(&self.folder).ok()?.iter().any(|other| *other > first);
        if later && matches!(step, ReadStep::End) {
            // The writer may have appended between reading the file and listing the folder.
            let more = self.bytes(1).is_ok_and(|bytes| !bytes.is_empty());
            step = match self.read_step().unwrap_or(ReadStep::End) {
                ReadStep::End if more => ReadStep::Damaged("the segment ends within a record".to_owned()),
                ReadStep::End => ReadStep::End,
                ReadStep::Damaged(reason) => ReadStep::Damaged(reason),
                continued => return Some(continued),
            };
        }
        if let ReadStep::Damaged(reason) = step {
            self.add_damage(first, offset, expected, reason);
        }
        if !later {
            return None;
        }
        self.finished_through = first;
        self.cursor = None;
        Some(ReadStep::Skipped)
    }
}
