//! Repairs unpaired surrogates: JavaScript writes them, but other JSON parsers reject the whole line.

use std::sync::LazyLock;

use memchr::memmem::Finder;

/// Returns the text with every unpaired surrogate replaced; `None` if there is none.
pub(crate) fn repair(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let first = first_surrogate(bytes)?;
    // The backslash may be the second one of an escaped `\\`. Start at the last quote before it, where an escape
    // sequence cannot be open.
    let mut at = bytes
        .get(..first)
        .and_then(|head| memchr::memrchr(b'"', head))
        .unwrap_or(0);
    if at > 0 && is_escaped(bytes, at) {
        at = 0;
    }
    let mut repaired: Option<String> = None;
    let mut copied = 0;
    while let Some(step) = bytes.get(at..).and_then(|rest| memchr::memchr(b'\\', rest)) {
        at += step;
        let unit = escape(bytes, at);
        let length = match unit {
            Some(0xD800..=0xDBFF) => match escape(bytes, at + 6) {
                Some(0xDC00..=0xDFFF) => 12,
                _ => 0,
            },
            Some(0xDC00..=0xDFFF) => 0,
            Some(_) => 6,
            None => 2,
        };
        if length == 0 {
            let out = repaired.get_or_insert_with(String::new);
            out.push_str(text.get(copied..at).unwrap_or_default());
            out.push_str("\\ufffd");
            at += 6;
            copied = at;
        } else {
            at += length;
        }
    }
    if let Some(out) = &mut repaired {
        out.push_str(text.get(copied..).unwrap_or_default());
    }
    repaired
}

/// Finds the first `\\ud` or `\\uD`. Every line is searched for it, so it is a single fast pass.
fn first_surrogate(bytes: &[u8]) -> Option<usize> {
    static ESCAPE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\\u"));
    ESCAPE
        .find_iter(bytes)
        .find(|at| matches!(bytes.get(at + 2), Some(b'd' | b'D')))
}

fn is_escaped(bytes: &[u8], at: usize) -> bool {
    let head = bytes.get(..at).unwrap_or_default();
    let slashes = head.iter().rev().take_while(|byte| **byte == b'\\').count();
    slashes % 2 == 1
}

/// Returns the UTF-16 code unit of the escape `\uXXXX` at `at`, if there is one.
fn escape(bytes: &[u8], at: usize) -> Option<u16> {
    let found = bytes.get(at..at + 6)?;
    let digits = found.strip_prefix(b"\\u")?;
    let digits = std::str::from_utf8(digits).ok()?;
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    u16::from_str_radix(digits, 16).ok()
}
