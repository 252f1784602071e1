//! The log writer. What could not be written yet is kept, and neither lost nor written twice.

use std::collections::VecDeque;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use super::scan::scan;
use super::{HEADER, Header, check_header, file_of, folder, header, segments};
use crate::frame::LONGEST_LINE;
use crate::record::{self, Kind};

/// A buffer that grew larger than this is given back.
const KEPT: usize = 128 << 10;

/// How bytes reach the disk; tests put their own between.
pub trait Storage {
    /// Writes some of the bytes.
    ///
    /// # Errors
    /// When none could be written.
    fn write_at(&mut self, file: &File, bytes: &[u8], offset: u64) -> io::Result<usize>;
    /// Waits until what was written is on the disk.
    ///
    /// # Errors
    /// When it may not be.
    fn sync(&mut self, file: &File) -> io::Result<()>;
}

/// The disk itself.
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

/// What was found at the end of the log when it was opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cut {
    /// The last record was not whole: this many bytes were cut off.
    Tail { segment: u64, offset: u64, bytes: u64 },
    /// A record in the middle is damaged; the segment is left as it is.
    Middle { segment: u64, offset: u64 },
}

/// One file of the log.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Segment {
    pub(crate) first: u64,
    /// Bytes of it that are whole records, with its header.
    pub(crate) end: u64,
}

/// Appends to the log of one folder.
#[derive(Debug)]
pub struct LogWriter<S = Disk> {
    folder: PathBuf,
    storage: S,
    /// All segments in order, the one that is written last.
    segments: VecDeque<Segment>,
    file: File,
    /// Records that are not in the file yet, and how many of their bytes are.
    pending: Vec<u8>,
    flushed: usize,
    /// The number the next record will have.
    coming: u64,
    /// The number after the last record in the file.
    written: u64,
    segment_size: u64,
}

impl LogWriter {
    /// Opens the log in a runner's folder, or begins one. A torn record at its end is cut off.
    ///
    /// # Errors
    /// When the folder or its last segment cannot be read and written.
    pub fn open(dir: &Path, segment_size: u64) -> io::Result<(Self, Option<Cut>)> {
        Self::open_on(Disk, dir, segment_size)
    }
}

impl<S: Storage> LogWriter<S> {
    /// The same, over a storage.
    ///
    /// # Errors
    /// When the folder or its last segment cannot be read and written.
    pub fn open_on(storage: S, dir: &Path, segment_size: u64) -> io::Result<(Self, Option<Cut>)> {
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
                let reason = format!("the log was written by a later version ({version}); use that one");
                return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
            }
            Header::Bad if size <= HEADER as u64 => {
                file.set_len(0)?;
                file.write_all_at(&header(first), 0)?;
                if last.is_some() {
                    cut = Some(Cut::Tail {
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
                if let Some(beyond) = found.beyond.or((state == Header::Bad).then_some(next)) {
                    cut = Some(Cut::Middle { segment: first, offset });
                    damaged = Some(beyond);
                } else if end < size {
                    file.set_len(end)?;
                    cut = Some(Cut::Tail {
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
            coming: next,
            written: next,
            segment_size: segment_size.max(HEADER as u64 + 1),
        };
        if let Some(beyond) = damaged {
            if let Some(last) = log.segments.back_mut() {
                last.end = size;
            }
            // A segment whose beginning alone is damaged must not be opened anew under its own number.
            log.coming = beyond.max(first + 1);
            log.written = log.coming;
            log.roll()?;
        }
        Ok((log, cut))
    }

    /// Takes a record; it is in the file after [`Self::flush`]. A body longer than a frame can carry is cut.
    pub fn append(&mut self, kind: Kind, at: u64, body: &[u8]) -> u64 {
        let body = body.get(..LONGEST_LINE).unwrap_or(body);
        let number = self.coming;
        record::encode(number, at, kind, body, &mut self.pending);
        self.coming += 1;
        number
    }

    /// Writes what was taken.
    ///
    /// # Errors
    /// When not all of it could be written. It is kept, and the next call goes on where this one stopped.
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
        self.written = self.coming;
        self.pending.clear();
        self.flushed = 0;
        self.pending.shrink_to(KEPT);
        Ok(())
    }

    /// Appends records and waits until they are on the disk; gives the number of the first.
    ///
    /// # Errors
    /// When they are not there: then none of them is in the log, and their numbers are free.
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
        let before = (self.active().end, self.coming);
        for body in bodies {
            self.append(kind, at, body);
        }
        let done = self.flush().and_then(|()| self.storage.sync(&self.file));
        if let Err(error) = done {
            if let Some(active) = self.segments.back_mut() {
                active.end = before.0;
            }
            self.coming = before.1;
            self.written = before.1;
            self.pending.clear();
            self.flushed = 0;
            // What stays behind where this fails is written over by the next record.
            self.file.set_len(before.0).ok();
            return Err(error);
        }
        Ok(before.1)
    }

    /// Waits until all that is in the file is on the disk.
    ///
    /// # Errors
    /// When it may not be.
    pub fn sync(&mut self) -> io::Result<()> {
        self.storage.sync(&self.file)
    }

    /// Begins a new segment. Where something is half written, that comes first.
    pub(crate) fn roll(&mut self) -> io::Result<()> {
        if self.flushed > 0 || self.active().first == self.written {
            return Ok(());
        }
        let first = self.written;
        let path = file_of(&self.folder, first);
        let file = open_segment(&self.folder, first)?;
        let begun = self.storage.write_at(&file, &header(first), 0);
        match begun {
            Ok(HEADER) => {}
            short => {
                fs::remove_file(path).ok();
                return Err(short.err().unwrap_or_else(|| io::ErrorKind::StorageFull.into()));
            }
        }
        // Else a record that is on the disk could be in a file that is not.
        File::open(&self.folder)?.sync_all()?;
        self.file = file;
        self.segments.push_back(Segment {
            first,
            end: HEADER as u64,
        });
        Ok(())
    }

    /// Deletes the segments that hold nothing but records below this number.
    pub fn trim(&mut self, below: u64) {
        self.delete(below);
        // The deleted ones may have made the room a new segment needs.
        if below >= self.coming && self.flush().is_ok() && self.roll().is_ok() {
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

    /// The number of the first record that is kept.
    #[must_use]
    pub fn first(&self) -> u64 {
        self.segments.front().map_or(self.written, |segment| segment.first)
    }

    /// The number after the last record that is in the file.
    #[must_use]
    pub fn next(&self) -> u64 {
        self.written
    }

    /// The number the next record will have.
    #[must_use]
    pub fn coming(&self) -> u64 {
        self.coming
    }

    /// Bytes of the log, with what is not in the file yet.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.segments.iter().map(|segment| segment.end).sum::<u64>() + self.pending.len() as u64
    }

    /// Bytes of records that are not in the file yet.
    #[must_use]
    pub fn unwritten(&self) -> usize {
        self.pending.len()
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The segment a record is in, or the first one after it; whether it is the one that is written.
    pub(crate) fn holding(&self, number: u64) -> Option<(Segment, bool)> {
        let at = self
            .segments
            .partition_point(|segment| segment.first <= number)
            .saturating_sub(1);
        self.segments
            .get(at)
            .map(|segment| (*segment, at + 1 == self.segments.len()))
    }

    /// The first number of the segment after the one that begins with `first`.
    pub(crate) fn after(&self, first: u64) -> Option<u64> {
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
