//! Serialises JSON in the format of scenario scripts: `", "` and `": "` between items, ASCII only.
//!
//! The regular expressions and `when` texts of scripts are compared with requests in this format, and the
//! input of a tool is streamed in it.

use std::io;

use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{Formatter, Serializer};

struct Spaced;

impl Formatter for Spaced {
    fn begin_array_value<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_key<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.begin_array_value(writer, first)
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }

    fn write_string_fragment<W: ?Sized + io::Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        let mut units = [0u16; 2];
        for letter in fragment.chars() {
            if letter.is_ascii() {
                writer.write_all(&[letter as u8])?;
            } else {
                for unit in letter.encode_utf16(&mut units) {
                    write!(writer, "\\u{unit:04x}")?;
                }
            }
        }
        Ok(())
    }
}

/// Serialises `value` with spaces and in ASCII.
#[must_use]
pub fn spaced(value: &Value) -> String {
    let mut bytes = Vec::new();
    // Serialising a `Value` to memory cannot fail.
    if value
        .serialize(&mut Serializer::with_formatter(&mut bytes, Spaced))
        .is_err()
    {
        return String::new();
    }
    String::from_utf8(bytes).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::spaced;

    #[test]
    fn items_are_separated_by_spaces_and_text_is_ascii() {
        let value = json!({"a": [1, 2.5, null], "é": "q\"\n😀", "e": {}, "l": []});
        assert_eq!(
            spaced(&value),
            r#"{"a": [1, 2.5, null], "\u00e9": "q\"\n\ud83d\ude00", "e": {}, "l": []}"#
        );
    }
}
