//! The feed of a connection: reads records from the log files through one bounded buffer, however far it lags behind.

use std::fs::File;
use std::io;

use crate::log::{HEADER, HeadParse, LogWriter, file_of, has_valid_checksum, parse_head, read_at};

/// The size of the buffer in bytes.
const BUFFER_SIZE: usize = 64 << 10;

/// The read position of a connection in the log.
#[derive(Debug)]
pub(crate) struct Feed {
    /// The number of the next record to send.
    next: u64,
    cursor: Option<Cursor>,
    buffer: Vec<u8>,
    sent: usize,
    /// Bytes of a record larger than the buffer that are still to be read from the file.
    rest: u64,
}

#[derive(Debug)]
struct Cursor {
    first: u64,
    file: File,
    offset: u64,
}

impl Feed {
    pub(crate) fn new(from: u64) -> Self {
        Self {
            next: from,
            cursor: None,
            buffer: Vec::new(),
            sent: 0,
            rest: 0,
        }
    }

    /// Returns the number of the next record to send.
    pub(crate) fn next(&self) -> u64 {
        self.next
    }

    /// Returns the bytes that can be sent now.
    pub(crate) fn ready(&self) -> &[u8] {
        self.buffer.get(self.sent..).unwrap_or_default()
    }

    /// Returns whether no record is partly sent, so that another frame may be sent.
    pub(crate) fn is_whole(&self) -> bool {
        self.ready().is_empty() && self.rest == 0
    }

    pub(crate) fn sent(&mut self, bytes: usize) {
        self.sent += bytes;
        if self.ready().is_empty() {
            self.buffer.clear();
            self.sent = 0;
        }
    }

    /// Fills the buffer with complete records before `until`, or with the first or next part of a large one. [`Self::ready`]
    /// returns the result. Starts a new segment in the log if the one being written is damaged.
    pub(crate) fn fill(&mut self, log: &mut LogWriter, until: u64) -> io::Result<()> {
        if !self.ready().is_empty() {
            return Ok(());
        }
        if self.rest > 0 {
            return self.read_next_part();
        }
        while self.buffer.is_empty() && self.next < until {
            if self.cursor.is_none() && !self.open_segment(log)? {
                return Ok(());
            }
            let Some(cursor) = &mut self.cursor else { return Ok(()) };
            // The end of the segment. A segment that was trimmed meanwhile is read to the end of its open file.
            let (end, last) = match log.segment_containing(cursor.first) {
                Some((segment, last)) if segment.first == cursor.first => (segment.end, last),
                _ => (cursor.file.metadata()?.len(), false),
            };
            if cursor.offset >= end {
                if last || !self.skip_segment(log) {
                    return Ok(());
                }
                continue;
            }
            self.buffer.resize(BUFFER_SIZE, 0);
            let room = usize::try_from(end - cursor.offset)
                .unwrap_or(BUFFER_SIZE)
                .min(BUFFER_SIZE);
            let read = read_at(
                &cursor.file,
                self.buffer.get_mut(..room).unwrap_or_default(),
                cursor.offset,
            )?;
            self.buffer.truncate(read);
            if !self.select_records(end, until)? {
                self.buffer.clear();
                if last {
                    log.roll()?;
                }
                if !self.skip_segment(log) {
                    // The rest of the log is unreadable until the next segment exists; skips these records.
                    self.next = until;
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Opens the segment that contains the next record, or the first one after it.
    fn open_segment(&mut self, log: &LogWriter) -> io::Result<bool> {
        let Some((segment, _)) = log.segment_containing(self.next) else {
            return Ok(false);
        };
        self.next = self.next.max(segment.first);
        self.cursor = Some(Cursor {
            first: segment.first,
            file: File::open(file_of(log.folder(), segment.first))?,
            offset: HEADER as u64,
        });
        Ok(true)
    }

    /// Moves to the next segment, if there is one.
    fn skip_segment(&mut self, log: &LogWriter) -> bool {
        let Some(after) = self.cursor.as_ref().and_then(|cursor| log.segment_after(cursor.first)) else {
            return false;
        };
        self.next = self.next.max(after);
        self.cursor = None;
        true
    }

    /// Limits the buffer to complete records that are to be sent. Returns `false` if the data at the cursor is damaged.
    fn select_records(&mut self, end: u64, until: u64) -> io::Result<bool> {
        let mut kept_from = 0;
        let mut at = 0;
        let whole = loop {
            let bytes = self.buffer.get(at..).unwrap_or_default();
            let (number, length) = match parse_head(bytes) {
                HeadParse::Head { number, .. } if number >= until => {
                    self.next = self.next.max(number);
                    break true;
                }
                HeadParse::Head { number, length } => (number, length),
                HeadParse::Short | HeadParse::Bad => break at > 0,
            };
            match bytes.get(..length) {
                Some(record) if has_valid_checksum(record) => {}
                None if at == 0 => return self.begin_large(number, length, end),
                _ => break at > 0,
            }
            at += length;
            if number < self.next {
                kept_from = at;
            } else {
                self.next = number + 1;
            }
        };
        if let Some(cursor) = &mut self.cursor {
            cursor.offset += at as u64;
        }
        self.set_range(kept_from, at);
        Ok(whole)
    }

    fn set_range(&mut self, from: usize, to: usize) {
        self.buffer.truncate(to);
        self.sent = from;
        self.sent(0);
    }

    /// Starts a record larger than the buffer: verifies its checksum first; it is then sent in parts.
    fn begin_large(&mut self, number: u64, length: usize, end: u64) -> io::Result<bool> {
        let Some(cursor) = &mut self.cursor else {
            return Ok(false);
        };
        if cursor.offset + length as u64 > end {
            return Ok(false);
        }
        let wanted = number >= self.next;
        if wanted {
            let mut sum = crc32fast::Hasher::new();
            let mut piece = [0; 8 << 10];
            let mut at = 9;
            while at < length {
                let room = piece.len().min(length - at);
                let read = read_at(
                    &cursor.file,
                    piece.get_mut(..room).unwrap_or_default(),
                    cursor.offset + at as u64,
                )?;
                if read == 0 {
                    return Ok(false);
                }
                sum.update(piece.get(..read).unwrap_or_default());
                at += read;
            }
            let stored = self.buffer.get(5..9).and_then(|sum| sum.first_chunk::<4>());
            if stored.map(|stored| u32::from_le_bytes(*stored)) != Some(sum.finalize()) {
                return Ok(false);
            }
            self.next = number + 1;
            let held = self.buffer.len();
            self.rest = (length - held) as u64;
            cursor.offset += held as u64;
        } else {
            self.buffer.clear();
            cursor.offset += length as u64;
        }
        Ok(true)
    }

    /// Reads the next part of a large record.
    fn read_next_part(&mut self) -> io::Result<()> {
        let Some(cursor) = &mut self.cursor else { return Ok(()) };
        let room = usize::try_from(self.rest).unwrap_or(BUFFER_SIZE).min(BUFFER_SIZE);
        self.buffer.resize(room, 0);
        let read = read_at(&cursor.file, &mut self.buffer, cursor.offset)?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.buffer.truncate(read);
        cursor.offset += read as u64;
        self.rest -= read as u64;
        Ok(())
    }
}
