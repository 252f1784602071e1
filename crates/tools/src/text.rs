//! Decodes and encodes file contents without changing untouched parts.

use std::borrow::Cow;

const UTF8_BOM: &[u8] = b"\xEF\xBB\xBF";
const UTF16LE_BOM: &[u8] = b"\xFF\xFE";
const UTF16BE_BOM: &[u8] = b"\xFE\xFF";

/// Encoding of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// UTF-8, or similar enough to be edited bytewise.
    Utf8,
    /// UTF-16, little endian, with a byte order mark.
    Utf16Le,
    /// UTF-16, big endian, with a byte order mark.
    Utf16Be,
}

/// Detects the encoding from the byte order mark.
pub(crate) fn encoding(bytes: &[u8]) -> Encoding {
    if bytes.starts_with(UTF16LE_BOM) {
        Encoding::Utf16Le
    } else if bytes.starts_with(UTF16BE_BOM) {
        Encoding::Utf16Be
    } else {
        Encoding::Utf8
    }
}

/// Decodes text for the model: without byte order mark, `\n` for `\r\n`, U+FFFD for invalid bytes.
pub(crate) fn shown(bytes: &[u8]) -> String {
    let text = match encoding(bytes) {
        Encoding::Utf8 => String::from_utf8_lossy(bytes.strip_prefix(UTF8_BOM).unwrap_or(bytes)),
        encoding => Cow::Owned(from_utf16(bytes, encoding)),
    };
    if text.contains("\r\n") {
        text.replace("\r\n", "\n")
    } else {
        text.into_owned()
    }
}

/// True if the first bytes of a file indicate that it is not text.
pub(crate) fn is_binary(start: &[u8]) -> bool {
    encoding(start) == Encoding::Utf8 && start.contains(&0)
}

/// Decodes UTF-16; invalid units become U+FFFD.
pub(crate) fn from_utf16(bytes: &[u8], encoding: Encoding) -> String {
    let units = bytes.get(2..).unwrap_or_default().chunks_exact(2).filter_map(|pair| {
        let pair: [u8; 2] = pair.try_into().ok()?;
        Some(if encoding == Encoding::Utf16Be {
            u16::from_be_bytes(pair)
        } else {
            u16::from_le_bytes(pair)
        })
    });
    char::decode_utf16(units)
        .map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}

/// Encodes UTF-16 with a byte order mark.
pub(crate) fn to_utf16(text: &str, encoding: Encoding) -> Vec<u8> {
    std::iter::once(0xFEFF)
        .chain(text.encode_utf16())
        .flat_map(|unit| {
            if encoding == Encoding::Utf16Be {
                unit.to_be_bytes()
            } else {
                unit.to_le_bytes()
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bom_and_carriage_returns_are_removed() {
        assert_eq!(shown(b"\xEF\xBB\xBFa\r\nb\n"), "a\nb\n");
        assert_eq!(shown(&to_utf16("hé\r\n", Encoding::Utf16Le)), "hé\n");
        assert_eq!(shown(&to_utf16("hé", Encoding::Utf16Be)), "hé");
        assert_eq!(shown(b"a\xFFb"), "a\u{FFFD}b");
    }

    #[test]
    fn zero_bytes_are_binary_unless_utf_16() {
        assert!(is_binary(b"a\0b"));
        assert!(!is_binary(&to_utf16("ab", Encoding::Utf16Le)));
        assert!(!is_binary("ä".as_bytes()));
    }
}
