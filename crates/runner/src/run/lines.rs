//! Splitting a stream into lines. A line that is too long is dropped and its length reported.

/// Output of the splitter.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// A line, without its line end.
    Line(&'a [u8]),
    /// A line of this many bytes exceeded the limit and was dropped.
    TooLong(u64),
}

/// Capacity in bytes to which the buffer is shrunk after a longer line.
const BUFFER_CAPACITY: usize = 64 << 10;

/// Splits one stream into lines.
#[derive(Debug)]
pub(crate) struct Lines {
    cap: usize,
    /// Whether a line over the limit is split into pieces instead of being dropped.
    in_pieces: bool,
    /// The line whose end has not been received yet.
    partial: Vec<u8>,
    /// Number of bytes of the current line, if it is being dropped.
    dropped: u64,
}

impl Lines {
    pub(crate) fn new(cap: usize, in_pieces: bool) -> Self {
        Self {
            cap: cap.max(1),
            in_pieces,
            partial: Vec::new(),
            dropped: 0,
        }
    }

    /// Appends bytes and passes each completed line to `emit`.
    pub(crate) fn push(&mut self, mut bytes: &[u8], mut emit: impl FnMut(Piece<'_>)) {
        while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
            let (line, rest) = bytes.split_at(end);
            bytes = rest.get(1..).unwrap_or_default();
            if self.partial.is_empty() && self.dropped == 0 && line.len() <= self.cap {
                emit(Piece::Line(line));
                continue;
            }
            self.append(line, &mut emit);
            self.finish_line(&mut emit);
        }
        self.append(bytes, &mut emit);
    }

    /// Handles the end of the stream: emits an unfinished last line.
    pub(crate) fn finish(&mut self, mut emit: impl FnMut(Piece<'_>)) {
        if !self.partial.is_empty() || self.dropped > 0 {
            self.finish_line(&mut emit);
        }
    }

    fn append(&mut self, mut bytes: &[u8], emit: &mut impl FnMut(Piece<'_>)) {
        if self.dropped > 0 {
            self.dropped += bytes.len() as u64;
            return;
        }
        while self.partial.len() + bytes.len() > self.cap {
            if !self.in_pieces {
                self.dropped = (self.partial.len() + bytes.len()) as u64;
                self.partial = Vec::new();
                return;
            }
            let (fits, rest) = bytes.split_at(self.cap - self.partial.len());
            self.partial.extend_from_slice(fits);
            emit(Piece::Line(&self.partial));
            self.partial.clear();
            bytes = rest;
        }
        self.partial.extend_from_slice(bytes);
    }

    fn finish_line(&mut self, emit: &mut impl FnMut(Piece<'_>)) {
        match std::mem::take(&mut self.dropped) {
            0 => emit(Piece::Line(&self.partial)),
            bytes => emit(Piece::TooLong(bytes)),
        }
        self.partial.clear();
        self.partial.shrink_to(BUFFER_CAPACITY);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Lines, Piece};

    fn cut(pieces: &[&[u8]], cap: usize) -> Vec<Result<Vec<u8>, u64>> {
        let mut lines = Lines::new(cap, false);
        let mut out = Vec::new();
        let mut emit = |piece: Piece<'_>| {
            out.push(match piece {
                Piece::Line(line) => Ok(line.to_vec()),
                Piece::TooLong(bytes) => Err(bytes),
            });
        };
        for piece in pieces {
            lines.push(piece, &mut emit);
        }
        lines.finish(&mut emit);
        out
    }

    #[test]
    fn too_long_line_is_dropped_and_next_line_is_complete() {
        let out = cut(&[b"ab\nabcde", b"fgh\nok\n", b"end"], 4);
        assert_eq!(
            out,
            [Ok(b"ab".to_vec()), Err(8), Ok(b"ok".to_vec()), Ok(b"end".to_vec())]
        );
    }

    #[test]
    fn long_stderr_line_is_split() {
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
        fn lines_do_not_depend_on_chunking(
            bytes in prop::collection::vec(prop_oneof![Just(b'\n'), any::<u8>()], 0..200),
            size in 1_usize..20,
            cap in 1_usize..30,
        ) {
            let pieces: Vec<&[u8]> = bytes.chunks(size).collect();
            let mut expected: Vec<Result<Vec<u8>, u64>> = bytes
                .split(|byte| *byte == b'\n')
                .map(|line| if line.len() > cap { Err(line.len() as u64) } else { Ok(line.to_vec()) })
                .collect();
            // There is no line after the last line end.
            if expected.last() == Some(&Ok(Vec::new())) {
                expected.pop();
            }
            prop_assert_eq!(cut(&pieces, cap), expected);
        }
    }
}
