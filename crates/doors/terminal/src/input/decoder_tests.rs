#![allow(clippy::unwrap_used)]
use proptest::prelude::*;

use super::*;

fn keys(bytes: &[u8]) -> Vec<String> {
    let mut decoder = Decoder::default();
    let mut found = decoder.feed(bytes);
    found.extend(decoder.give_up_waiting());
    found
        .into_iter()
        .map(|input| match input {
            Input::Key(key) => key.to_string(),
            other => format!("{other:?}"),
        })
        .collect()
}

#[test]
fn colour_scheme_reports_are_decoded() {
    let found = |bytes: &[u8]| Decoder::default().feed(bytes);
    assert_eq!(found(b"\x1b[?997;1n"), [Input::Reply(Reply::Scheme { dark: true })]);
    assert_eq!(found(b"\x1b[?997;2n"), [Input::Reply(Reply::Scheme { dark: false })]);
    assert_eq!(found(b"\x1b[?997;3n"), []);
}

#[test]
fn keys_in_all_encodings_are_decoded() {
    assert_eq!(
        keys(b"a\x01\r\t\x7f\x1b"),
        ["a", "ctrl+a", "enter", "tab", "backspace", "esc"]
    );
    assert_eq!(
        keys(b"\x1b[A\x1bOB\x1b[1;5C\x1b[Z"),
        ["up", "down", "ctrl+right", "shift+tab"]
    );
    assert_eq!(
        keys(b"\x1b[13;2u\x1b[27;2;13~\x1b\r"),
        ["shift+enter", "shift+enter", "alt+enter"]
    );
    assert_eq!(keys(b"\x1b[13;5u\x1b[99;5u\x1b[27u"), ["ctrl+enter", "ctrl+c", "esc"]);
    assert_eq!(keys("é日".as_bytes()), ["é", "日"]);
    assert_eq!(
        keys(b"\x1bf\x1b[5~\x1b[3~\n\x1f"),
        ["alt+f", "pageup", "delete", "ctrl+j", "ctrl+_"]
    );
    assert_eq!(keys(b"\x1b[97;1:3u"), Vec::<String>::new());
}

#[test]
fn a_paste_is_text_and_never_keys() {
    let mut decoder = Decoder::default();
    assert!(decoder.feed(b"\x1b[200~rm\r\n\x03 \x1b[A").is_empty());
    assert!(decoder.feed(b"x\x1b[20").is_empty());
    assert_eq!(
        decoder.feed(b"1~y"),
        [Input::Paste("rm\n\x03 \x1b[Ax".to_owned()), Input::Key(Key::char('y'))]
    );
}

#[test]
fn many_lines_in_one_read_are_a_paste() {
    assert_eq!(
        keys(b"first line\rsecond line\r"),
        ["Paste(\"first line\\nsecond line\\n\")"]
    );
    assert_eq!(keys(b"ls\r"), ["l", "s", "enter"]);
}

#[test]
fn a_terminal_that_replies_uses_bracketed_paste() {
    let mut decoder = Decoder::default();
    decoder.feed(b"\x1b[?64;1c");
    let found = decoder.feed(b"run echo hello there\r");
    assert_eq!(found.last(), Some(&Input::Key(Key::of(Code::Enter))));
}

const SAID: &[u8] = b"\x1b[?1u\x1bP>|kitty(0.35)\x1b\\\x1b]11;rgb:1e1e/1e1e/1e1e\x07\x1b[12;40R\x1b[?64;1c";

#[test]
fn replies_split_by_three_seconds_are_never_typed() {
    let (escape, late) = (Duration::from_millis(50), Duration::from_secs(3));
    let replies = [
        "\x1b[?1u",
        "\x1bP>|kitty(0.35)\x1b\\",
        "\x1b]11;rgb:1e1e/1e1e/1e1e\x07",
        "\x1b[12;40R",
        "\x1b[?64;1c",
    ];
    for reply in replies {
        for cut in 1..reply.len() {
            let mut decoder = Decoder::default();
            let mut found = Vec::new();
            for piece in [&reply[..cut], &reply[cut..], "x"] {
                found.extend(decoder.feed(piece.as_bytes()));
                if decoder.patience(escape).is_some_and(|patience| patience <= late) {
                    found.extend(decoder.give_up_waiting());
                }
            }
            let (replies, keys): (Vec<Input>, Vec<Input>) =
                found.into_iter().partition(|input| matches!(input, Input::Reply(_)));
            assert_eq!(replies.len(), 1, "{reply:?} cut at {cut}");
            // A reply split right after its escape byte is first decoded as the escape key; the rest must not become
            // text.
            let typed = keys
                .iter()
                .filter(|input| matches!(input, Input::Key(key) if key.typed().is_some()));
            assert_eq!(typed.count(), 1, "{reply:?} cut at {cut}: {keys:?}");
        }
    }
}

#[test]
fn keys_after_escape_are_decoded() {
    for text in ["[", "[?", "P", "]11", "?6"] {
        let mut decoder = Decoder::default();
        decoder.feed(b"\x1b");
        decoder.give_up_waiting();
        let found: Vec<Input> = text.bytes().flat_map(|byte| decoder.feed(&[byte])).collect();
        assert_eq!(
            found,
            text.chars().map(|it| Input::Key(Key::char(it))).collect::<Vec<_>>()
        );
    }
}

#[test]
fn an_incomplete_reply_does_not_swallow_a_following_enter() {
    let mut decoder = Decoder::default();
    let found = decoder.feed(b"\x1b]11;rgb:00ab\r");
    assert_eq!(found, [Input::Key(Key::of(Code::Enter))]);
}

proptest! {
    #[test]
    fn replies_split_anywhere_are_replies(cut in 1_usize..60, second in 1_usize..60) {
        let mut decoder = Decoder::default();
        let first = cut.min(SAID.len());
        let then = (first + second).min(SAID.len());
        let mut found = decoder.feed(&SAID[..first]);
        found.extend(decoder.feed(&SAID[first..then]));
        found.extend(decoder.feed(&SAID[then..]));
        let expected = [
            Reply::Kitty,
            Reply::Version("kitty(0.35)".to_owned()),
            Reply::Background(0x1e, 0x1e, 0x1e),
            Reply::Cursor { row: 12, column: 40 },
            Reply::Attributes,
        ];
        prop_assert_eq!(found, expected.map(Input::Reply).to_vec());
    }

    #[test]
    fn decoding_any_bytes_terminates(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let mut decoder = Decoder::default();
        for byte in &bytes {
            decoder.feed(&[*byte]);
        }
        decoder.give_up_waiting();
    }
}
