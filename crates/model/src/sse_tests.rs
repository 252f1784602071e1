#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use proptest::prelude::*;

use super::*;

fn decode(pieces: &[&[u8]]) -> Vec<Frame> {
    let mut decoder = Decoder::default();
    let mut frames = Vec::new();
    for piece in pieces {
        decoder.push(piece);
        while let Some(frame) = decoder.next_frame() {
            frames.push(frame.unwrap());
        }
    }
    frames
}

fn data(text: &str) -> Vec<String> {
    decode(&[text.as_bytes()]).into_iter().map(|frame| frame.data).collect()
}

/// A straightforward implementation of the specification that processes the complete text at once.
fn naive(bytes: &[u8]) -> Vec<Frame> {
    let bytes = bytes.strip_prefix(BOM).unwrap_or(bytes);
    let mut lines = vec![Vec::new()];
    let mut index = 0;
    while index < bytes.len() {
        match bytes[index] {
            b'\r' if bytes.get(index + 1) == Some(&b'\n') => {
                index += 1;
                lines.push(Vec::new());
            }
            b'\r' | b'\n' => lines.push(Vec::new()),
            byte => lines.last_mut().unwrap().push(byte),
        }
        index += 1;
    }
    lines.pop();
    let (mut frames, mut event, mut data) = (Vec::new(), Vec::new(), Vec::<Vec<u8>>::new());
    for line in lines {
        if line.is_empty() {
            if !data.is_empty() {
                let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                frames.push(Frame {
                    event: text(&event),
                    data: text(&data.join(&b'\n')),
                });
            }
            event.clear();
            data.clear();
            continue;
        }
        let colon = line.iter().position(|byte| *byte == b':');
        let (field, value) = match colon {
            Some(colon) => (&line[..colon], &line[colon + 1..]),
            None => (&line[..], &line[line.len()..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value).to_vec();
        match field {
            b"data" => data.push(value),
            b"event" => event = value,
            _ => {}
        }
    }
    frames
}

#[test]
fn every_kind_of_line_end_is_supported() {
    for end in ["\n", "\r", "\r\n"] {
        let text = format!("event: ping{end}data: 1{end}{end}data: 2{end}{end}");
        assert_eq!(data(&text), ["1", "2"], "{end:?}");
    }
}

#[test]
fn carriage_return_ends_a_line_before_its_line_feed() {
    let mut decoder = Decoder::default();
    decoder.push(b"data: 1\r\n\r");
    assert_eq!(decoder.next_frame().unwrap().unwrap().data, "1");
    decoder.push(b"\ndata: 2\r\n\r\n");
    assert_eq!(decoder.next_frame().unwrap().unwrap().data, "2");
    assert_eq!(decoder.next_frame(), None);
}

#[test]
fn data_lines_are_joined_and_one_space_is_removed() {
    assert_eq!(data("data:  a\ndata:b\ndata\n\n"), [" a\nb\n"]);
}

#[test]
fn comments_unknown_fields_and_empty_events_are_ignored() {
    assert_eq!(
        data(": keep-alive\n\nid: 7\nretry: 1\n\nevent: x\n\ndata: y\n\n"),
        ["y"]
    );
}

#[test]
fn event_name_applies_to_one_event() {
    let frames = decode(&[b"event: a\ndata: 1\n\ndata: 2\n\n"]);
    assert_eq!(frames[0].event, "a");
    assert_eq!(frames[1].event, "");
}

#[test]
fn byte_order_mark_is_skipped() {
    assert_eq!(data("\u{feff}data: x\n\n"), ["x"]);
    assert_eq!(decode(&[b"\xEF\xBB", b"\xBFdata: x\n\n"])[0].data, "x");
}

#[test]
fn unfinished_event_is_not_returned() {
    assert!(data("data: half\n").is_empty());
    assert!(data("data: half").is_empty());
}

#[test]
fn too_long_event_stops_the_decoder() {
    for text in ["data: 0123456789", "data: 01234\ndata: 56789"] {
        let mut decoder = Decoder::with_limit(12);
        decoder.push(text.as_bytes());
        assert_eq!(decoder.next_frame(), Some(Err(TooLong { limit: 12 })), "{text}");
        decoder.push(b"\n\ndata: x\n\n");
        assert_eq!(decoder.next_frame(), None);
    }
}

fn piece() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        proptest::sample::select(vec![
            "data", "data: {}", "event: e", "id: 1", ":", " ", "\r", "\n", "\r\n", "\n\n", "x", "é", "\u{feff}",
        ])
        .prop_map(|text| text.as_bytes().to_vec()),
        proptest::collection::vec(any::<u8>(), 0..4),
    ]
}

proptest! {
    #[test]
    fn decoding_does_not_depend_on_chunking(
        pieces in proptest::collection::vec(piece(), 0..40),
        cuts in proptest::collection::vec(any::<proptest::sample::Index>(), 0..8),
    ) {
        let bytes = pieces.concat();
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        cuts.extend([0, bytes.len()]);
        cuts.sort_unstable();
        let split: Vec<&[u8]> = cuts.windows(2).map(|cut| &bytes[cut[0]..cut[1]]).collect();
        prop_assert_eq!(decode(&split), naive(&bytes));
    }
}
