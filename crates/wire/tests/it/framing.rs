//! Splitting bytes into lines, independent of the boundaries of reads.

use proptest::collection::vec;
use proptest::prelude::*;
use sluice_wire::{FramedLine, Framer};

/// Returns the lines of `bytes` when they are pushed in pieces that end at `cuts`.
fn lines(bytes: &[u8], cuts: &[usize], cap: usize) -> Vec<FramedLine<'static>> {
    let mut framer = Framer::with_cap(cap);
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % (bytes.len() + 1)).collect();
    cuts.push(bytes.len());
    cuts.sort_unstable();
    let mut at = 0;
    let mut found = Vec::new();
    for cut in cuts {
        for line in framer.push(&bytes[at..cut]) {
            found.push(own(line));
        }
        assert!(framer.held() <= cap);
        at = cut;
    }
    found.extend(framer.finish());
    assert_eq!(framer.finish(), None);
    found
}

fn own(line: FramedLine<'_>) -> FramedLine<'static> {
    match line {
        FramedLine::Text { text, repaired } => FramedLine::Text {
            text: text.into_owned().into(),
            repaired,
        },
        FramedLine::TooLong { bytes } => FramedLine::TooLong { bytes },
    }
}

fn text(text: &str) -> FramedLine<'static> {
    FramedLine::Text {
        text: text.to_owned().into(),
        repaired: false,
    }
}

/// A simple reference implementation of the framer.
fn expected(bytes: &[u8], cap: usize) -> Vec<FramedLine<'static>> {
    let mut pieces: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    if pieces.last().is_some_and(|last| last.is_empty()) {
        pieces.pop();
    }
    let mut found = Vec::new();
    for piece in pieces {
        if piece.len() > cap {
            found.push(FramedLine::TooLong {
                bytes: piece.len() as u64,
            });
            continue;
        }
        let lossy = String::from_utf8_lossy(piece);
        let line = lossy.strip_suffix('\r').unwrap_or(&lossy);
        let line = line.strip_prefix('\u{feff}').unwrap_or(line);
        if !line.trim_ascii().is_empty() {
            found.push(FramedLine::Text {
                text: line.to_owned().into(),
                repaired: std::str::from_utf8(piece).is_err(),
            });
        }
    }
    found
}

#[test]
fn crlf_bom_and_blank_lines_are_dropped() {
    let bytes = "\u{feff}{\"a\":1}\r\n\r\n  \t\n\u{feff}\n{\"b\":2}\r\r\nlast".as_bytes();
    assert_eq!(
        lines(bytes, &[], 100),
        [text("{\"a\":1}"), text("{\"b\":2}\r"), text("last")]
    );
}

#[test]
fn a_line_over_the_limit_is_reported_once_and_the_next_one_is_read() {
    let bytes = b"123456789\n12345678\nx";
    for cuts in [vec![], vec![1], vec![9], vec![10], vec![4, 5, 6, 12]] {
        assert_eq!(
            lines(bytes, &cuts, 8),
            [FramedLine::TooLong { bytes: 9 }, text("12345678"), text("x")],
            "{cuts:?}"
        );
    }
}

#[test]
fn a_line_over_the_limit_at_the_end_is_reported() {
    assert_eq!(lines(b"123456789", &[3], 8), [FramedLine::TooLong { bytes: 9 }]);
}

#[test]
fn only_lf_ends_a_line() {
    let line = "{\"a\":\"\u{2028}\u{2029}\u{85}\u{b}\u{c}\"}";
    assert_eq!(lines(format!("{line}\n").as_bytes(), &[], 100), [text(line)]);
}

#[test]
fn utf8_split_between_reads_is_joined() {
    let bytes = "{\"a\":\"😀é\"}\n".as_bytes();
    for cut in 0..bytes.len() {
        assert_eq!(lines(bytes, &[cut], 100), [text("{\"a\":\"😀é\"}")], "{cut}");
    }
}

#[test]
fn bytes_that_are_not_utf8_are_replaced_and_marked() {
    assert_eq!(
        lines(b"a\xff\xfeb\n", &[], 100),
        [FramedLine::Text {
            text: "a\u{fffd}\u{fffd}b".into(),
            repaired: true
        }]
    );
}

#[test]
fn a_line_in_one_read_is_not_copied() {
    let mut framer = Framer::new();
    let read = b"{\"type\":\"x\"}\n";
    let found = framer.push(read);
    let FramedLine::Text {
        text: std::borrow::Cow::Borrowed(text),
        ..
    } = &found[0]
    else {
        panic!("copied: {found:?}");
    };
    assert_eq!(text.as_ptr(), read.as_ptr());
}

#[test]
fn a_long_line_in_small_reads_is_whole() {
    let mut framer = Framer::new();
    let mut line = String::from("{\"type\":\"x\",\"a\":\"");
    line.push_str(&"y".repeat(3 << 20));
    line.push_str("\"}");
    for piece in line.as_bytes().chunks(65_536) {
        assert!(framer.push(piece).is_empty());
    }
    let found = framer.push(b"\n");
    assert_eq!(found[0].text(), Some(&*line));
    assert_eq!(found[0].frame().unwrap().unwrap().text(), line);
}

fn stream() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(b"\n".to_vec()),
        Just(b"\r\n".to_vec()),
        Just(b"\xEF\xBB\xBF".to_vec()),
        Just("😀".as_bytes().to_vec()),
        Just(b"{\"type\":\"x\"}".to_vec()),
        vec(any::<u8>(), 0..12),
    ];
    vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn lines_do_not_depend_on_the_boundaries_of_reads(
        bytes in stream(),
        cuts in vec(any::<usize>(), 0..12),
        cap in 1usize..40,
    ) {
        prop_assert_eq!(lines(&bytes, &cuts, cap), expected(&bytes, cap));
    }
}
