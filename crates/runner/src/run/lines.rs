//! Line splitting. A line that is too long is dropped and counted.

/// What came out.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// A line, without its end.
    Line(&'a [u8]),
    /// A line of this many bytes was longer than allowed.
    TooLong(u64),
}

/// A buffer that grew larger than this for one line is given back after it.
const KEPT: usize = 64 << 10;

/// The lines of one stream.
#[derive(Debug)]
pub(crate) struct Lines {
    cap: usize,
    /// Whether a line over the cap comes in pieces instead of being thrown away.
    in_pieces: bool,
    /// The line that has no end yet.
    held: Vec<u8>,
    /// Bytes of a line that is being thrown away.
    thrown: u64,
}

impl Lines {
    pub(crate) fn new(cap: usize, in_pieces: bool) -> Self {
        Self {
            cap: cap.max(1),
            in_pieces,
            held: Vec::new(),
            thrown: 0,
        }
    }

    /// Takes bytes, gives the lines they end.
    pub(crate) fn push(&mut self, mut bytes: &[u8], mut give: impl FnMut(Piece<'_>)) {
        while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
            let (line, rest) = bytes.split_at(end);
            bytes = rest.get(1..).unwrap_or_default();
            if self.held.is_empty() && self.thrown == 0 && line.len() <= self.cap {
                give(Piece::Line(line));
                continue;
            }
            self.hold(line, &mut give);
            self.close(&mut give);
        }
        self.hold(bytes, &mut give);
    }

    /// The stream ended: gives the line that had no end.
    pub(crate) fn finish(&mut self, mut give: impl FnMut(Piece<'_>)) {
        if !self.held.is_empty() || self.thrown > 0 {
            self.close(&mut give);
        }
    }

    fn hold(&mut self, mut bytes: &[u8], give: &mut impl FnMut(Piece<'_>)) {
        if self.thrown > 0 {
            self.thrown += bytes.len() as u64;
            return;
        }
        while self.held.len() + bytes.len() > self.cap {
            if !self.in_pieces {
                self.thrown = (self.held.len() + bytes.len()) as u64;
                self.held = Vec::new();
                return;
            }
            let (fits, rest) = bytes.split_at(self.cap - self.held.len());
            self.held.extend_from_slice(fits);
            give(Piece::Line(&self.held));
            self.held.clear();
            bytes = rest;
        }
        self.held.extend_from_slice(bytes);
    }

    fn close(&mut self, give: &mut impl FnMut(Piece<'_>)) {
        match std::mem::take(&mut self.thrown) {
            0 => give(Piece::Line(&self.held)),
            bytes => give(Piece::TooLong(bytes)),
        }
        self.held.clear();
        self.held.shrink_to(KEPT);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Lines, Piece};

    fn cut(pieces: &[&[u8]], cap: usize) -> Vec<Result<Vec<u8>, u64>> {
        let mut lines = Lines::new(cap, false);
        let mut out = Vec::new();
        let mut give = |piece: Piece<'_>| {
            out.push(match piece {
                Piece::Line(line) => Ok(line.to_vec()),
                Piece::TooLong(bytes) => Err(bytes),
            });
        };
        for piece in pieces {
            lines.push(piece, &mut give);
        }
        lines.finish(&mut give);
        out
    }

    #[test]
    fn a_long_line_is_thrown_away_and_the_next_one_is_whole() {
        let out = cut(&[b"ab\nabcde", b"fgh\nok\n", b"end"], 4);
        assert_eq!(
            out,
            [Ok(b"ab".to_vec()), Err(8), Ok(b"ok".to_vec()), Ok(b"end".to_vec())]
        );
    }

    #[test]
    fn a_long_line_of_standard_error_comes_in_pieces() {
        let mut lines = Lines::new(3, true);
        let mut out = Vec::new();
        lines.push(b"abcdefgh\ni\n", |piece| match piece {
            Piece::Line(line) => out.push(line.to_vec()),
            Piece::TooLong(_) => panic!("nothing is thrown away here"),
        });
        assert_eq!(out, [&b"abc"[..], b"def", b"gh", b"i"]);
    }

    proptest! {
        #[test]
        fn lines_do_not_depend_on_how_the_bytes_come(
            bytes in prop::collection::vec(prop_oneof![Just(b'\n'), any::<u8>()], 0..200),
            size in 1_usize..20,
            cap in 1_usize..30,
        ) {
            let pieces: Vec<&[u8]> = bytes.chunks(size).collect();
            let mut expected: Vec<Result<Vec<u8>, u64>> = bytes
                .split(|byte| *byte == b'\n')
                .map(|line| if line.len() > cap { Err(line.len() as u64) } else { Ok(line.to_vec()) })
                .collect();
            // Nothing stands after the last line end.
            if expected.last() == Some(&Ok(Vec::new())) {
                expected.pop();
            }
            prop_assert_eq!(cut(&pieces, cap), expected);
        }
    }
}
