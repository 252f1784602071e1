//! Reads the lines of a transcript in chunks. The memory use is bounded by the longest line, not by the size of the
//! file.

use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::os::unix::fs::FileExt;

/// Number of bytes per read.
const READ_SIZE: usize = 128 * 1024;

/// Calls `show` with every line and the position where it begins. The last line may have no terminator.
///
/// # Errors
/// If the source cannot be read.
pub fn each(source: &mut impl Read, mut show: impl FnMut(u64, &[u8])) -> io::Result<()> {
    // `buffer[..filled]` was read but not yet passed to `show`; `buffer[..searched]` contains no line terminator.
    let mut buffer = vec![0; READ_SIZE];
    let (mut filled, mut searched, mut at) = (0, 0, 0_u64);
    loop {
        if filled == buffer.len() {
            buffer.resize(filled + READ_SIZE.max(filled), 0);
        }
        match source.read(buffer.get_mut(filled..).unwrap_or_default()) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        }
        let mut begin = 0;
        for end in memchr::memchr_iter(b'\n', buffer.get(searched..filled).unwrap_or_default()) {
            let end = searched + end;
            show(at + as_u64(begin), buffer.get(begin..end).unwrap_or_default());
            begin = end + 1;
        }
        buffer.copy_within(begin..filled, 0);
        filled -= begin;
        searched = filled;
        at += as_u64(begin);
    }
    if filled > 0 {
        show(at, buffer.get(..filled).unwrap_or_default());
    }
    Ok(())
}

/// Calls `show` with the lines that begin within a part of a file, wherever they end. `buffer` is the read buffer.
pub(super) fn each_within(
    source: &File,
    part: &Range<u64>,
    buffer: &mut Vec<u8>,
    mut show: impl FnMut(u64, &[u8]),
) -> io::Result<()> {
    // The byte before the part shows whether a line begins at its start.
    let mut at = part.start.saturating_sub(1);
    let mut inside = part.start == 0;
    let (mut filled, mut searched) = (0, 0);
    buffer.resize(READ_SIZE.max(buffer.len()), 0);
    loop {
        if filled == buffer.len() {
            buffer.resize(filled * 2, 0);
        }
        match source.read_at(buffer.get_mut(filled..).unwrap_or_default(), at + as_u64(filled)) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        }
        let mut begin = 0;
        for end in memchr::memchr_iter(b'\n', buffer.get(searched..filled).unwrap_or_default()) {
            let end = searched + end;
            if std::mem::replace(&mut inside, true) {
                show(at + as_u64(begin), buffer.get(begin..end).unwrap_or_default());
            }
            begin = end + 1;
            if at + as_u64(begin) >= part.end {
                return Ok(());
            }
        }
        if !inside {
            // The end of a line that began before the part.
            begin = filled;
            if at + as_u64(begin) >= part.end {
                return Ok(());
            }
        }
        buffer.copy_within(begin..filled, 0);
        filled -= begin;
        searched = filled;
        at += as_u64(begin);
    }
    if inside && filled > 0 {
        show(at, buffer.get(..filled).unwrap_or_default());
    }
    Ok(())
}

fn as_u64(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]

    use std::io::Write;

    use proptest::prelude::*;

    use super::*;

    /// A reader that returns a few bytes per read.
    struct SmallReads<'a>(&'a [u8], usize);

    impl Read for SmallReads<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let length = self.1.min(self.0.len()).min(buffer.len());
            buffer[..length].copy_from_slice(&self.0[..length]);
            self.0 = &self.0[length..];
            Ok(length)
        }
    }

    proptest! {
        #[test]
        fn lines_do_not_depend_on_the_size_of_reads(text in "[ab\n]{0,60}", piece in 1_usize..9) {
            let mut shown = Vec::new();
            each(&mut SmallReads(text.as_bytes(), piece), |at, line| {
                let at = usize::try_from(at).unwrap();
                assert_eq!(&text.as_bytes()[at..at + line.len()], line);
                shown.push(String::from_utf8(line.to_vec()).unwrap());
            }).unwrap();
            let wanted: Vec<&str> = text.split_terminator('\n').collect();
            prop_assert_eq!(shown, wanted);
        }

        #[test]
        fn each_line_belongs_to_exactly_one_part(text in "[ab\n]{0,60}", piece in 1_u64..70) {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(text.as_bytes()).unwrap();
            let mut shown = Vec::new();
            let mut buffer = Vec::new();
            let length = as_u64(text.len());
            for start in (0..length.max(1)).step_by(usize::try_from(piece).unwrap()) {
                let end = if start + piece >= length { u64::MAX } else { start + piece };
                each_within(&file, &(start..end), &mut buffer, |at, line| {
                    let at = usize::try_from(at).unwrap();
                    assert_eq!(&text.as_bytes()[at..at + line.len()], line);
                    shown.push(String::from_utf8(line.to_vec()).unwrap());
                }).unwrap();
            }
            let wanted: Vec<&str> = text.split_terminator('\n').collect();
            prop_assert_eq!(shown, wanted);
        }
    }
}
