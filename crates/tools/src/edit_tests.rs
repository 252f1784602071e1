#![allow(clippy::unwrap_used)]

use super::*;

fn edit(old: &[u8], wanted: &str, instead: &str, replace_all: bool) -> Result<Vec<u8>, String> {
    let input = Input {
        file_path: "f".into(),
        old_string: wanted.into(),
        new_string: instead.into(),
        replace_all,
    };
    match replaced(old, &input) {
        Ok((new, _)) => Ok(new),
        Err(outcome) => Err(outcome.content.as_str().unwrap().to_owned()),
    }
}

#[test]
fn unnamed_bytes_are_unchanged() {
    assert_eq!(
        edit(b"\xEF\xBB\xBFa\r\nb\r\nc\r\n", "a\nb", "x\ny\nz", false).unwrap(),
        b"\xEF\xBB\xBFx\r\ny\r\nz\r\nc\r\n"
    );
    assert_eq!(edit(b"caf\xE9 one\n", "one", "two", false).unwrap(), b"caf\xE9 two\n");
    assert_eq!(
        edit(b"a\r\nb\nc\n", "b\nc", "B\nC", false).unwrap(),
        b"a\r\nB\nC\n",
        "mixed line ends"
    );
    assert_eq!(edit(b"a\r\nb\r\n", "a", "x\ny", false).unwrap(), b"x\r\ny\r\nb\r\n");
    assert_eq!(
        edit(b"a\r\n", "a\r\n", "b\n", false).unwrap(),
        b"b\n",
        "line ends that were named"
    );
}

#[test]
fn utf_16_stays_utf_16() {
    for encoding in [Encoding::Utf16Le, Encoding::Utf16Be] {
        let old = text::to_utf16("grün\r\nrot\r\n", encoding);
        assert_eq!(
            edit(&old, "grün\n", "blau\n", false).unwrap(),
            text::to_utf16("blau\r\nrot\r\n", encoding)
        );
    }
}

#[test]
fn one_occurrence_or_all() {
    assert_eq!(edit(b"aXaX", "X", "", true).unwrap(), b"aa");
    assert_eq!(edit(b"aaa", "aa", "b", true).unwrap(), b"ba", "without overlap");
    let refusal = edit(b"alpha\nbeta\ngamma\n", "a", "x", false).unwrap_err();
    assert!(
        refusal.starts_with("<tool_use_error>Found 5 matches of the string to replace, but replace_all is false."),
        "{refusal}"
    );
    let refusal = edit(b"alpha\n", "zzz", "y", false).unwrap_err();
    assert_eq!(
        refusal,
        "<tool_use_error>String to replace not found in file.\nString: zzz</tool_use_error>"
    );
}
