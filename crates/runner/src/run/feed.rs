//! The feed of a connection: records from the log files, through one buffer, however far behind it is.

use std::fs::File;
use std::io;

use crate::log::{Glance, HEADER, LogWriter, file_of, glance, holds, read_at};

/// The buffer.
const SIZE: usize = 64 << 10;

/// Where a connection is in the log.
#[derive(Debug)]
pub(crate) struct Feed {
    /// The next record to send.
    next: u64,
    place: Option<Place>,
    buffer: Vec<u8>,
    sent: usize,
    /// Bytes of a record larger than the buffer that are still in the file.
    rest: u64,
}

#[derive(Debug)]
struct Place {
    first: u64,
    file: File,
    offset: u64,
}

impl Feed {
    pub(crate) fn new(from: u64) -> Self {
        Self {
            next: from,
            place: None,
            buffer: Vec::new(),
            sent: 0,
            rest: 0,
        }
    }

    /// The next record to send.
    pub(crate) fn next(&self) -> u64 {
        self.next
    }

    /// What can be sent now.
    pub(crate) fn ready(&self) -> &[u8] {
        self.buffer.get(self.sent..).unwrap_or_default()
    }

    /// Whether what was filled in is sent, so that something else may be sent between.
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

    /// Fills the buffer with whole records before `until`, or the beginning or the rest of one. Whether there is more
    /// to send is told by [`Self::ready`]; the log may begin a new segment when the one it writes is damaged.
    pub(crate) fn fill(&mut self, log: &mut LogWriter, until: u64) -> io::Result<()> {
        if !self.ready().is_empty() {
            return Ok(());
        }
        if self.rest > 0 {
            return self.go_on();
        }
        while self.buffer.is_empty() && self.next < until {
            if self.place.is_none() && !self.find(log)? {
                return Ok(());
            }
            let Some(place) = &mut self.place else { return Ok(()) };
            // The segment itself, or the one after it when it is trimmed: then its file is read to its end.
            let (end, last) = match log.holding(place.first) {
                Some((segment, last)) if segment.first == place.first => (segment.end, last),
                _ => (place.file.metadata()?.len(), false),
            };
            if place.offset >= end {
                if last || !self.skip_segment(log) {
                    return Ok(());
                }
                continue;
            }
            self.buffer.resize(SIZE, 0);
            let room = usize::try_from(end - place.offset).unwrap_or(SIZE).min(SIZE);
            let read = read_at(
                &place.file,
                self.buffer.get_mut(..room).unwrap_or_default(),
                place.offset,
            )?;
            self.buffer.truncate(read);
            if !self.cut(end, until)? {
                self.buffer.clear();
                if last {
                    log.roll()?;
                }
                if !self.skip_segment(log) {
                    // Nothing can be read here until the log goes on elsewhere: these records are passed over.
                    self.next = until;
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Opens the segment the next record is in, or the first after it.
    fn find(&mut self, log: &LogWriter) -> io::Result<bool> {
        let Some((segment, _)) = log.holding(self.next) else {
            return Ok(false);
        };
        self.next = self.next.max(segment.first);
        self.place = Some(Place {
            first: segment.first,
            file: File::open(file_of(log.folder(), segment.first))?,
            offset: HEADER as u64,
        });
        Ok(true)
    }

    /// Goes to the segment after this one, if there is one.
    fn skip_segment(&mut self, log: &LogWriter) -> bool {
        let Some(after) = self.place.as_ref().and_then(|place| log.after(place.first)) else {
            return false;
        };
        self.next = self.next.max(after);
        self.place = None;
        true
    }

    /// Keeps the whole records of the buffer that are wanted. False: what stands there is damaged.
    fn cut(&mut self, end: u64, until: u64) -> io::Result<bool> {
        let mut kept_from = 0;
        let mut at = 0;
        let whole = loop {
            let bytes = self.buffer.get(at..).unwrap_or_default();
            let (number, length) = match glance(bytes) {
                Glance::Head { number, .. } if number >= until => {
                    self.next = self.next.max(number);
                    break true;
                }
                Glance::Head { number, length } => (number, length),
                Glance::Short | Glance::Bad => break at > 0,
            };
            match bytes.get(..length) {
                Some(record) if holds(record) => {}
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
        if let Some(place) = &mut self.place {
            place.offset += at as u64;
        }
        self.keep(kept_from, at);
        Ok(whole)
    }

    fn keep(&mut self, from: usize, to: usize) {
        self.buffer.truncate(to);
        self.sent = from;
        self.sent(0);
    }

    /// A record larger than the buffer: its checksum is seen to first, then it is sent piece by piece.
    fn begin_large(&mut self, number: u64, length: usize, end: u64) -> io::Result<bool> {
        let Some(place) = &mut self.place else { return Ok(false) };
        if place.offset + length as u64 > end {
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
                    &place.file,
                    piece.get_mut(..room).unwrap_or_default(),
                    place.offset + at as u64,
                )?;
                if read == 0 {
                    return Ok(false);
                }
                sum.update(piece.get(..read).unwrap_or_default());
                at += read;
            }
            let said = self.buffer.get(5..9).and_then(|sum| sum.first_chunk::<4>());
            if said.map(|said| u32::from_le_bytes(*said)) != Some(sum.finalize()) {
                return Ok(false);
            }
            self.next = number + 1;
            let held = self.buffer.len();
            self.rest = (length - held) as u64;
            place.offset += held as u64;
        } else {
            self.buffer.clear();
            place.offset += length as u64;
        }
        Ok(true)
    }

    /// The next piece of a large record.
    fn go_on(&mut self) -> io::Result<()> {
        let Some(place) = &mut self.place else { return Ok(()) };
        let room = usize::try_from(self.rest).unwrap_or(SIZE).min(SIZE);
        self.buffer.resize(room, 0);
        let read = read_at(&place.file, &mut self.buffer, place.offset)?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.buffer.truncate(read);
        place.offset += read as u64;
        self.rest -= read as u64;
        Ok(())
    }
}
