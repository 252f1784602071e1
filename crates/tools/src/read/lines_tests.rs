#![allow(clippy::unwrap_used)]

use std::path::PathBuf;
use std::sync::Arc;

use pretty_assertions::assert_eq;
use proptest::prelude::*;
use tokio_util::sync::CancellationToken;

use super::super::Input;
use super::*;
use crate::file_state::FileState;

fn reading() -> Reading {
    Reading {
        pin: None,
        path: PathBuf::from("/f"),
        cwd: PathBuf::from("/"),
        input: Input {
            file_path: "/f".into(),
            offset: None,
            limit: None,
            pages: None,
            allow_large: false,
        },
        files: Arc::new(FileState::new()),
        cancel: CancellationToken::new(),
    }
}

fn passage(text: &str, start: u64, limit: u64, room: usize, piece: usize) -> Passage {
    let mut source = BufReader::with_capacity(piece, Cursor::new(text.as_bytes()));
    take(
        &mut source,
        Wanted { start, limit, room },
        &reading(),
        &mut Fingerprint::default(),
    )
    .unwrap()
}

#[test]
fn a_line_that_does_not_fit_is_left_out() {
    let got = passage("aaaa\nbbbb\ncccc\n", 1, 100, 12, 64);
    assert_eq!(
        (got.bytes.as_slice(), got.lines, got.total, got.cut),
        (&b"aaaa\nbbbb"[..], 2, 4, true)
    );
}

#[test]
fn the_beginning_of_an_endless_line_is_shown() {
    let got = passage(&"x".repeat(100), 1, 100, 10, 7);
    assert_eq!((got.bytes.len(), got.lines, got.total, got.cut), (10, 1, 1, true));
}

#[test]
fn nothing_is_shown_past_the_end() {
    let got = passage("a\nb\n", 99, 10, 100, 64);
    assert_eq!((got.bytes.len(), got.lines, got.total), (0, 0, 3));
}

proptest! {
    /// Compares streaming with splitting the whole text.
    #[test]
    fn streaming_equals_splitting(text in "([ab]{0,4}\r?\n){0,12}[ab]{0,3}", start in 1u64..15, limit in 1u64..15, piece in 1usize..9) {
        let all: Vec<&str> = text.split('\n').collect();
        let from = usize::try_from(start - 1).unwrap().min(all.len());
        let to = (from + usize::try_from(limit).unwrap()).min(all.len());
        let got = passage(&text, start, limit, 1 << 20, piece);
        prop_assert_eq!(got.lines, (to - from) as u64);
        prop_assert_eq!(got.total, all.len() as u64);
        let shown = text::shown(&got.bytes);
        let wanted: Vec<&str> = all[from..to].iter().map(|line| line.trim_end_matches('\r')).collect();
        prop_assert_eq!(shown.trim_end_matches('\r'), wanted.join("\n"));
    }
}
