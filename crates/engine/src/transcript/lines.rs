//! A transcript line by line, in pieces: a file of any size takes no more memory than its longest line.

use std::io::{self, Read};

/// How much is read at once.
const PIECE: usize = 256 * 1024;

/// Shows every line with the place where it begins. The last one may lack its end.
pub(crate) fn each(source: &mut impl Read, mut show: impl FnMut(u64, &[u8])) -> io::Result<()> {
    let mut held: Vec<u8> = Vec::with_capacity(PIECE);
    // Where `held` begins in the file, and how much of it was searched for the end of a line.
    let (mut at, mut searched) = (0_u64, 0);
    loop {
        let length = held.len();
        held.resize(length + PIECE, 0);
        let fresh = held.get_mut(length..).unwrap_or_default();
        let read = match source.read(fresh) {
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {
                held.truncate(length);
                continue;
            }
            Err(error) => return Err(error),
        };
        held.truncate(length + read);
        if read == 0 {
            if !held.is_empty() {
                show(at, &held);
            }
            return Ok(());
        }
        let mut begin = 0;
        while let Some(end) = memchr::memchr(b'\n', held.get(begin.max(searched)..).unwrap_or_default()) {
            let end = begin.max(searched) + end;
            show(at + as_u64(begin), held.get(begin..end).unwrap_or_default());
            begin = end + 1;
        }
        at += as_u64(begin);
        held.drain(..begin);
        searched = held.len();
    }
}

fn as_u64(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]

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
    }
}
