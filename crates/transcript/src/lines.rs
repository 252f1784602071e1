//! The lines of a transcript, read in chunks: a file of any size takes no more memory than its longest line.

use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::os::unix::fs::FileExt;

/// How much is read at once.
const PIECE: usize = 128 * 1024;

/// Shows every line with the place where it begins. The last one may lack its end.
///
/// # Errors
/// When the source cannot be read.
pub fn each(source: &mut impl Read, mut show: impl FnMut(u64, &[u8])) -> io::Result<()> {
    // `held[..filled]` is what was read and not yet shown; all before `searched` holds no end of a line.
    let mut held = vec![0; PIECE];
    let (mut filled, mut searched, mut at) = (0, 0, 0_u64);
    loop {
        if filled == held.len() {
            held.resize(filled + PIECE.max(filled), 0);
        }
        match source.read(held.get_mut(filled..).unwrap_or_default()) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        }
        let mut begin = 0;
        for end in memchr::memchr_iter(b'\n', held.get(searched..filled).unwrap_or_default()) {
            let end = searched + end;
            show(at + as_u64(begin), held.get(begin..end).unwrap_or_default());
            begin = end + 1;
        }
        held.copy_within(begin..filled, 0);
        filled -= begin;
        searched = filled;
        at += as_u64(begin);
    }
    if filled > 0 {
        show(at, held.get(..filled).unwrap_or_default());
    }
    Ok(())
}

/// Shows the lines that begin within a part of a file, wherever they end. `held` is room to read into.
pub(super) fn each_within(
    source: &File,
    part: &Range<u64>,
    held: &mut Vec<u8>,
    mut show: impl FnMut(u64, &[u8]),
) -> io::Result<()> {
    // The byte before the part tells whether a line begins with it.
    let mut at = part.start.saturating_sub(1);
    let mut inside = part.start == 0;
    let (mut filled, mut searched) = (0, 0);
    held.resize(PIECE.max(held.len()), 0);
    loop {
        if filled == held.len() {
            held.resize(filled * 2, 0);
        }
        match source.read_at(held.get_mut(filled..).unwrap_or_default(), at + as_u64(filled)) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        }
        let mut begin = 0;
        for end in memchr::memchr_iter(b'\n', held.get(searched..filled).unwrap_or_default()) {
            let end = searched + end;
            if std::mem::replace(&mut inside, true) {
                show(at + as_u64(begin), held.get(begin..end).unwrap_or_default());
            }
            begin = end + 1;
            if at + as_u64(begin) >= part.end {
                return Ok(());
            }
        }
        if !inside {
            // The end of a line that began before.
            begin = filled;
            if at + as_u64(begin) >= part.end {
                return Ok(());
            }
        }
        held.copy_within(begin..filled, 0);
        filled -= begin;
        searched = filled;
        at += as_u64(begin);
    }
    if inside && filled > 0 {
        show(at, held.get(..filled).unwrap_or_default());
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

    /// Gives a few bytes at a time.
    struct Drops<'a>(&'a [u8], usize);

    impl Read for Drops<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let length = self.1.min(self.0.len()).min(buffer.len());
            buffer[..length].copy_from_slice(&self.0[..length]);
            self.0 = &self.0[length..];
            Ok(length)
        }
    }

    proptest! {
        #[test]
        fn lines_are_cut_where_they_end_however_they_come(text in "[ab\n]{0,60}", piece in 1_usize..9) {
            let mut shown = Vec::new();
            each(&mut Drops(text.as_bytes(), piece), |at, line| {
                let at = usize::try_from(at).unwrap();
                assert_eq!(&text.as_bytes()[at..at + line.len()], line);
                shown.push(String::from_utf8(line.to_vec()).unwrap());
            }).unwrap();
            let wanted: Vec<&str> = text.split_terminator('\n').collect();
            prop_assert_eq!(shown, wanted);
        }

        #[test]
        fn each_line_is_in_one_part(text in "[ab\n]{0,60}", piece in 1_u64..70) {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(text.as_bytes()).unwrap();
            let mut shown = Vec::new();
            let mut held = Vec::new();
            let length = as_u64(text.len());
            for start in (0..length.max(1)).step_by(usize::try_from(piece).unwrap()) {
                let end = if start + piece >= length { u64::MAX } else { start + piece };
                each_within(&file, &(start..end), &mut held, |at, line| {
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
