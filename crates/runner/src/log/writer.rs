//! The log writer. Records that could not be written stay in memory; none is lost or written twice.

use std::collections::VecDeque;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use super::scan::scan;
use super::{HEADER, Header, check_header, file_of, folder, header, segments};
use crate::frame::MAX_LINE;
use crate::record::{self, Kind};

/// Capacity in bytes to which the pending buffer is shrunk after a larger write.
const PENDING_CAPACITY: usize = 128 << 10;

/// Writes to the disk. Tests replace it to inject faults.
pub trait Storage {
    /// Writes some of the bytes and returns how many.
    ///
    /// # Errors
    /// Returns an error if no byte could be written.
    fn write_at(&mut self, file: &File, bytes: &[u8], offset: u64) -> io::Result<usize>;
    /// Waits until written bytes are on the disk.
    ///
    /// # Errors
    /// Returns an error if they may not be.
    fn sync(&mut self, file: &File) -> io::Result<()>;
}

/// Writes to the real disk.
#[derive(Debug, Clone, Copy, Default)]
pub struct Disk;

impl Storage for Disk {
    fn write_at(&mut self, file: &File, bytes: &[u8], offset: u64) -> io::Result<usize> {
        file.write_at(bytes, offset)
    }

    fn sync(&mut self, file: &File) -> io::Result<()> {
        file.sync_data()
    }
}

/// Damage that was found when the log was opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LogDamage {
    /// The last record was incomplete; this many bytes were cut off.
    Tail { segment: u64, offset: u64, bytes: u64 },
    /// A record in the middle is damaged; the segment is left unchanged.
    Middle { segment: u64, offset: u64 },
}

/// One file of the log.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Segment {
    pub(crate) first: u64,
    /// Offset of the end of its last complete record, header included.
    pub(crate) end: u64,
}

/// Appends records to the log of one folder.
#[derive(Debug)]
pub struct LogWriter<S = Disk> {
    folder: PathBuf,
    storage: S,
    /// All segments in order; the last one is written to.
    segments: VecDeque<Segment>,
    file: File,
    /// Encoded records that are not completely in the file yet, and how many of their bytes were written.
    pending: Vec<u8>,
    flushed: usize,
    /// The number of the next appended record.
    next_number: u64,
    /// The number after the last record in the file.
    written: u64,
    segment_size: u64,
}

impl LogWriter {
    /// Opens or creates the log in a runner's folder. An incomplete record at its end is cut off.
    ///
    /// # Errors
    /// Returns an error if the folder or its last segment cannot be read and written.
    pub fn open(dir: &Path, segment_size: u64) -> io::Result<(Self, Option<LogDamage>)> {
        Self::open_on(Disk, dir, segment_size)
    }
}

impl<S: Storage> LogWriter<S> {
    /// Like [`LogWriter::open`], with the given storage.
    ///
    /// # Errors
    /// Returns an error if the folder or its last segment cannot be read and written.
    pub fn open_on(storage: S, dir: &Path, segment_size: u64) -> io::Result<(Self, Option<LogDamage>)> {
        let folder = folder(dir);
        DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
        let mut known = VecDeque::new();
        for first in segments(&folder)? {
            let end = fs::metadata(file_of(&folder, first))?.len();
            known.push_back(Segment { first, end });
        }
        let last = known.pop_back();
        let first = last.map_or(1, |last| last.first);
        let file = open_segment(&folder, first)?;
        let size = file.metadata()?.len();
        let mut cut = None;
        let mut damaged = None;
        let (mut end, mut next) = (HEADER as u64, first);
        match check_header(&file, first)? {
            Header::Version(version) => {
                let reason = format!("the log was written by a later version ({version}); use that version to open it");
                return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
            }
            Header::Bad if size <= HEADER as u64 => {
                file.set_len(0)?;
                file.write_all_at(&header(first), 0)?;
                if last.is_some() {
                    cut = Some(LogDamage::Tail {
                        segment: first,
                        offset: 0,
                        bytes: size,
                    });
                }
            }
            state => {
                let found = scan(&file, first, size)?;
                (end, next) = (found.end, found.next);
                let offset = if state == Header::Good { end } else { 0 };
                if let Some(after_damage) = found.after_damage.or((state == Header::Bad).then_some(next)) {
                    cut = Some(LogDamage::Middle { segment: first, offset });
                    damaged = Some(after_damage);
                } else if end < size {
                    file.set_len(end)?;
                    cut = Some(LogDamage::Tail {
                        segment: first,
                        offset,
                        bytes: size - end,
                    });
                }
            }
        }
        known.push_back(Segment { first, end });
        let mut log = Self {
            folder,
            storage,
            segments: known,
            file,
            pending: Vec::new(),
            flushed: 0,
            next_number: next,
            written: next,
            segment_size: segment_size.max(HEADER as u64 + 1),
        };
        if let Some(after_damage) = damaged {
            if let Some(last) = log.segments.back_mut() {
                last.end = size;
            }
            // A segment of which only the header is damaged must not be created again under its own number.
            log.next_number = after_damage.max(first + 1);
            log.written = log.next_number;
            log.roll()?;
        }
        Ok((log, cut))
    }

    /// Buffers a record and returns its number; [`Self::flush`] writes it. A body that does not fit into a frame is cut.
    pub fn append(&mut self, kind: Kind, at: u64, body: &[u8]) -> u64 {
        let body = body.get(..MAX_LINE).unwrap_or(body);
        let number = self.next_number;
        record::encode(number, at, kind, body, &mut self.pending);
        self.next_number += 1;
        number
    }

    /// Writes the buffered records to the file.
    ///
    /// # Errors
    /// Returns an error if not all of them could be written. They stay buffered, and the next call continues there.
    pub fn flush(&mut self) -> io::Result<()> {
        if self.pending.is_empty() {
            return Ok(());
        }
        if self.flushed == 0 && self.active().end >= self.segment_size {
            self.roll()?;
        }
        let end = self.active().end;
        while let Some(rest) = self.pending.get(self.flushed..).filter(|rest| !rest.is_empty()) {
            match self.storage.write_at(&self.file, rest, end + self.flushed as u64) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(wrote) => self.flushed += wrote,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        if let Some(active) = self.segments.back_mut() {
            active.end += self.pending.len() as u64;
        }
        self.written = self.next_number;
        self.pending.clear();
        self.flushed = 0;
        self.pending.shrink_to(PENDING_CAPACITY);
        Ok(())
    }

    /// Appends records, waits until they are on the disk, and returns the number of the first.
    ///
    /// # Errors
    /// Returns an error if they could not be stored. Then none of them is in the log and their numbers are free again.
    pub fn append_synced<'a>(
        &mut self,
        kind: Kind,
        at: u64,
        bodies: impl Iterator<Item = &'a [u8]>,
    ) -> io::Result<u64> {
        self.flush()?;
        if self.active().end >= self.segment_size {
            self.roll()?;
        }
        let before = (self.active().end, self.next_number);
        for body in bodies {
            self.append(kind, at, body);
        }
        let done = self.flush().and_then(|()| self.storage.sync(&self.file));
        if let Err(error) = done {
            if let Some(active) = self.segments.back_mut() {
                active.end = before.0;
            }
            self.next_number = before.1;
            self.written = before.1;
            self.pending.clear();
            self.flushed = 0;
            // If this fails too, the next record overwrites the leftover bytes.
            self.file.set_len(before.0).ok();
            return Err(error);
        }
        Ok(before.1)
    }

    /// Waits until everything in the file is on the disk.
    ///
    /// # Errors
    /// Returns an error if it may not be.
    pub fn sync(&mut self) -> io::Result<()> {
        self.storage.sync(&self.file)
    }

    /// Starts a new segment, unless a record is partly written or the current segment is empty.
    pub(crate) fn roll(&mut self) -> io::Result<()> {
        if self.flushed > 0 || self.active().first == self.written {
            return Ok(());
        }
        let first = self.written;
        let path = file_of(&self.folder, first);
        let file = open_segment(&self.folder, first)?;
        let written_header = self.storage.write_at(&file, &header(first), 0);
        match written_header {
            Ok(HEADER) => {}
            short => {
                fs::remove_file(path).ok();
                return Err(short.err().unwrap_or_else(|| io::ErrorKind::StorageFull.into()));
            }
        }
        // Without this, a record could be on the disk in a file that is not.
        File::open(&self.folder)?.sync_all()?;
        self.file = file;
        self.segments.push_back(Segment {
            first,
            end: HEADER as u64,
        });
        Ok(())
    }

    /// Deletes the segments that only contain records below this number.
    pub fn trim(&mut self, below: u64) {
        self.delete(below);
        // Deleting segments may have freed the space that a new segment needs.
        if below >= self.next_number && self.flush().is_ok() && self.roll().is_ok() {
            self.delete(below);
        }
    }

    fn delete(&mut self, below: u64) {
        while let (Some(oldest), Some(second)) = (self.segments.front(), self.segments.get(1)) {
            if second.first > below || fs::remove_file(file_of(&self.folder, oldest.first)).is_err() {
                return;
            }
            self.segments.pop_front();
        }
    }

    /// Returns the number of the first stored record.
    #[must_use]
    pub fn first(&self) -> u64 {
        self.segments.front().map_or(self.written, |segment| segment.first)
    }

    /// Returns the number after the last record in the file.
    #[must_use]
    pub fn next(&self) -> u64 {
        self.written
    }

    /// Returns the number that the next appended record will have.
    #[must_use]
    pub fn next_number(&self) -> u64 {
        self.next_number
    }

    /// Returns the size of the log in bytes, including records that are not in the file yet.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.segments.iter().map(|segment| segment.end).sum::<u64>() + self.pending.len() as u64
    }

    /// Returns the size in bytes of the records that are not in the file yet.
    #[must_use]
    pub fn unwritten(&self) -> usize {
        self.pending.len()
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the segment that contains a record, or the first one after it, and whether it is the one being written.
    pub(crate) fn segment_containing(&self, number: u64) -> Option<(Segment, bool)> {
        let at = self
            .segments
            .partition_point(|segment| segment.first <= number)
            .saturating_sub(1);
        self.segments
            .get(at)
            .map(|segment| (*segment, at + 1 == self.segments.len()))
    }

    /// Returns the first number of the segment that follows the one starting with `first`.
    pub(crate) fn segment_after(&self, first: u64) -> Option<u64> {
        let at = self.segments.partition_point(|segment| segment.first <= first);
        self.segments.get(at).map(|segment| segment.first)
    }

    fn active(&self) -> Segment {
        self.segments.back().copied().unwrap_or(Segment {
            first: self.written,
            end: HEADER as u64,
        })
    }
}

fn open_segment(folder: &Path, first: u64) -> io::Result<File> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(file_of(folder, first))
}
