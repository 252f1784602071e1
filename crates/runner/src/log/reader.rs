//! The log reader: works beside a runner that writes, or when none lives.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::{Glance, HEADER, Header, check_header, file_of, folder, glance, read_at, segments};
use crate::record::{self, Record};

/// The log of one folder.
#[derive(Debug, Clone)]
pub struct LogReader {
    folder: PathBuf,
}

/// A part of the log that cannot be read; reading went on with the next segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// The file.
    pub segment: PathBuf,
    /// Where in it.
    pub offset: u64,
    /// The number the record there should have had.
    pub number: u64,
    /// What is wrong.
    pub reason: String,
}

impl LogReader {
    /// The log in a runner's folder.
    ///
    /// # Errors
    /// When there is none.
    pub fn open(dir: &Path) -> io::Result<Self> {
        let folder = folder(dir);
        segments(&folder)?;
        Ok(Self { folder })
    }

    /// The number of the first record that is kept, or of the next one where none is.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn first(&self) -> io::Result<u64> {
        Ok(segments(&self.folder)?.first().copied().unwrap_or(1))
    }

    /// The records from a number on, up to what is written when the end is reached. After `None`, asking again gives
    /// what came since.
    #[must_use]
    pub fn read_from(&self, number: u64) -> Records {
        Records {
            folder: self.folder.clone(),
            wanted: number,
            place: None,
            past: 0,
            window: Vec::new(),
            window_at: 0,
            damage: Vec::new(),
        }
    }
}

/// Records in order.
#[derive(Debug)]
pub struct Records {
    folder: PathBuf,
    wanted: u64,
    place: Option<Place>,
    /// Segments up to this one are done with.
    past: u64,
    /// Bytes of the segment in hand, and where they stand in it.
    window: Vec<u8>,
    window_at: u64,
    damage: Vec<Damage>,
}

#[derive(Debug)]
struct Place {
    first: u64,
    file: File,
    offset: u64,
    expected: u64,
}

enum Step {
    Got(Record),
    Skipped,
    End,
    Damaged(String),
}

impl Records {
    /// What could not be read so far.
    #[must_use]
    pub fn damage(&self) -> &[Damage] {
        &self.damage
    }

    /// Opens the segment the wanted record is in, or the next there is.
    fn find(&mut self) -> io::Result<bool> {
        let all = segments(&self.folder)?;
        let after = |first: &&u64| **first > self.past;
        let holding = all.iter().filter(after).rfind(|first| **first <= self.wanted);
        let Some(first) = holding.or_else(|| all.iter().find(after)).copied() else {
            return Ok(false);
        };
        let file = match File::open(file_of(&self.folder, first)) {
            // Trimmed since the folder was listed.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.past = first;
                return Ok(true);
            }
            opened => opened?,
        };
        match check_header(&file, first)? {
            Header::Good => {}
            // Just being made.
            Header::Bad if all.last() == Some(&first) && file.metadata()?.len() < HEADER as u64 => return Ok(false),
            bad => {
                let reason = match bad {
                    Header::Version(version) => format!("written by a later version ({version})"),
                    _ => "its beginning is damaged".to_owned(),
                };
                self.note(first, 0, first, reason);
                self.past = first;
                return Ok(true);
            }
        }
        self.window.clear();
        self.place = Some(Place {
            first,
            file,
            offset: HEADER as u64,
            expected: first,
        });
        Ok(true)
    }

    fn note(&mut self, first: u64, offset: u64, number: u64, reason: String) {
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

    /// `length` bytes at the place, from the window or the file.
    fn bytes(&mut self, length: usize) -> io::Result<&[u8]> {
        const WINDOW: usize = 64 << 10;
        let Some(place) = &self.place else { return Ok(&[]) };
        let skip = usize::try_from(place.offset.saturating_sub(self.window_at)).unwrap_or(usize::MAX);
        if self.window.is_empty() || skip.saturating_add(length) > self.window.len() {
            self.window.resize(length.max(WINDOW), 0);
            let read = read_at(&place.file, &mut self.window, place.offset)?;
            self.window.truncate(read);
            self.window_at = place.offset;
            return Ok(self.window.get(..length.min(read)).unwrap_or_default());
        }
        Ok(self.window.get(skip..skip + length).unwrap_or_default())
    }

    fn step(&mut self) -> io::Result<Step> {
        let wanted = self.wanted;
        let expected = self.place.as_ref().map_or(0, |place| place.expected);
        let head = self.bytes(record::HEAD)?;
        let (number, length) = match glance(head) {
            Glance::Head { number, length } => (number, length),
            Glance::Short => return Ok(Step::End),
            Glance::Bad => return Ok(Step::Damaged("no record stands there".to_owned())),
        };
        let bytes = self.bytes(length)?;
        if bytes.len() < length {
            return Ok(Step::End);
        }
        let Some(record) = bytes.get(5..).and_then(record::decode) else {
            return Ok(Step::Damaged("the checksum does not hold".to_owned()));
        };
        if number != expected {
            return Ok(Step::Damaged(format!("the record there has the number {number}")));
        }
        if let Some(place) = &mut self.place {
            place.offset += length as u64;
            place.expected += 1;
        }
        if number < wanted {
            return Ok(Step::Skipped);
        }
        self.wanted = number + 1;
        Ok(Step::Got(record))
    }
}

impl Iterator for Records {
    type Item = Record;

    fn next(&mut self) -> Option<Record> {
        loop {
            if self.place.is_none() {
                match self.find() {
                    Ok(true) => continue,
                    Ok(false) | Err(_) => return None,
                }
            }
            let stepped = self.step().unwrap_or_else(|error| Step::Damaged(error.to_string()));
            let (first, offset, expected) = self
                .place
                .as_ref()
                .map_or((0, 0, 0), |place| (place.first, place.offset, place.expected));
            match stepped {
                Step::Got(record) => return Some(record),
                Step::Skipped => {}
                Step::End | Step::Damaged(_) => match self.pass(stepped, first, offset, expected) {
                    Some(Step::Got(record)) => return Some(record),
                    Some(_) => {}
                    None => return None,
                },
            }
        }
    }
}

impl Records {
    /// At the end of a segment, or at damage: goes on with the next one, if there is one.
    fn pass(&mut self, mut stepped: Step, first: u64, offset: u64, expected: u64) -> Option<Step> {
        // What is asked for again must be read again.
        self.window.clear();
        let later = segments(&self.folder).ok()?.iter().any(|other| *other > first);
        if later && matches!(stepped, Step::End) {
            // The writer may have gone on between the look at the file and the look at the folder.
            let more = self.bytes(1).is_ok_and(|bytes| !bytes.is_empty());
            stepped = match self.step().unwrap_or(Step::End) {
                Step::End if more => Step::Damaged("the segment ends within a record".to_owned()),
                Step::End => Step::End,
                Step::Damaged(reason) => Step::Damaged(reason),
                gone_on => return Some(gone_on),
            };
        }
        if let Step::Damaged(reason) = stepped {
            self.note(first, offset, expected, reason);
        }
        if !later {
            return None;
        }
        self.past = first;
        self.place = None;
        Some(Step::Skipped)
    }
}
