//! A fast scanner for lines: validates the JSON and finds `type` and `subtype` without parsing the line.
//!
//! Most lines are only forwarded and need nothing else. The scanner may give up on a valid but unusual line, but it
//! never accepts an invalid one. The caller then uses the full parser, which handles every case and reports errors.

/// The `type` and `subtype` of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LineKind<'a> {
    pub(crate) ty: &'a str,
    pub(crate) subtype: Option<&'a str>,
}

/// Scans a line. Returns `None` if it is not an object with a `type`, or is too unusual for the scanner.
pub(crate) fn scan(line: &str) -> Option<LineKind<'_>> {
    let mut scan = Scan { line, at: 0 };
    let (mut ty, mut subtype) = (None, None);
    scan.space();
    scan.take(b'{')?;
    loop {
        scan.space();
        // If a key occurs twice, the last one counts, as in JavaScript.
        match scan.key()? {
            "type" => ty = Some(scan.word()?),
            "subtype" => subtype = Some(scan.word()?),
            _ => scan.value()?,
        }
        scan.space();
        match scan.next()? {
            b',' => {}
            b'}' => break,
            _ => return None,
        }
    }
    scan.space();
    let whole = scan.at == line.len();
    ty.filter(|_| whole).map(|ty| LineKind { ty, subtype })
}

struct Scan<'a> {
    line: &'a str,
    at: usize,
}

impl<'a> Scan<'a> {
    fn peek(&self) -> Option<u8> {
        self.line.as_bytes().get(self.at).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        (self.next()? == byte).then_some(())
    }

    fn space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    /// Consumes a key without escape sequences, and the colon.
    fn key(&mut self) -> Option<&'a str> {
        let key = self.plain()?;
        self.space();
        self.take(b':')?;
        Some(key)
    }

    /// Consumes a string value without escape sequences.
    fn word(&mut self) -> Option<&'a str> {
        self.space();
        self.plain()
    }

    fn plain(&mut self) -> Option<&'a str> {
        self.take(b'"')?;
        let begin = self.at;
        self.run();
        let text = self.line.get(begin..self.at);
        self.take(b'"')?;
        text
    }

    /// Skips one value of any type.
    fn value(&mut self) -> Option<()> {
        let mut open = Open::default();
        loop {
            self.space();
            let begins = match self.next()? {
                b'"' => self.string().map(|()| None),
                b'{' => Some(Some(true)),
                b'[' => Some(Some(false)),
                b't' => self.literal("rue").map(|()| None),
                b'f' => self.literal("alse").map(|()| None),
                b'n' => self.literal("ull").map(|()| None),
                first => self.number(first).map(|()| None),
            }?;
            if let Some(object) = begins {
                open.push(object)?;
                self.space();
                // An empty object or array is closed by the loop below.
                if !matches!((self.peek()?, object), (b'}', true) | (b']', false)) {
                    self.member(object)?;
                    continue;
                }
            }
            // A value has ended. Close the objects and arrays that end here.
            loop {
                let Some(object) = open.last() else { return Some(()) };
                self.space();
                match (self.next()?, object) {
                    (b',', _) => {
                        self.member(object)?;
                        break;
                    }
                    (b'}', true) | (b']', false) => open.pop(),
                    _ => return None,
                }
            }
        }
    }

    /// Consumes the key and colon of a member if the container is an object.
    fn member(&mut self, object: bool) -> Option<()> {
        if object {
            self.space();
            self.take(b'"')?;
            self.string()?;
            self.space();
            self.take(b':')?;
        }
        Some(())
    }

    fn literal(&mut self, rest: &str) -> Option<()> {
        let found = self.line.as_bytes().get(self.at..)?.starts_with(rest.as_bytes());
        self.at += rest.len();
        found.then_some(())
    }

    fn number(&mut self, first: u8) -> Option<()> {
        let first = if first == b'-' { self.next()? } else { first };
        match first {
            b'0' => {}
            b'1'..=b'9' => self.digits(),
            _ => return None,
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.some_digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            self.some_digits()?;
        }
        Some(())
    }

    fn some_digits(&mut self) -> Option<()> {
        self.next()?.is_ascii_digit().then(|| self.digits())
    }

    fn digits(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
    }

    /// Consumes the rest of a string and the closing quote.
    fn string(&mut self) -> Option<()> {
        loop {
            self.run();
            match self.next()? {
                b'"' => return Some(()),
                b'\\' => match self.next()? {
                    b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => {}
                    b'u' => {
                        let digits = self.line.as_bytes().get(self.at..self.at + 4)?;
                        if !digits.iter().all(u8::is_ascii_hexdigit) {
                            return None;
                        }
                        self.at += 4;
                    }
                    _ => return None,
                },
                _ => return None,
            }
        }
    }

    /// Skips ordinary characters of a string, up to a quote, a backslash, a control character or the end of the line.
    fn run(&mut self) {
        const ONES: u64 = u64::from_ne_bytes([1; 8]);
        const HIGH: u64 = ONES << 7;
        let rest = self.line.as_bytes().get(self.at..).unwrap_or_default();
        let (eights, _) = rest.as_chunks::<8>();
        for eight in eights {
            let eight = u64::from_le_bytes(*eight);
            // Each expression sets the highest bit of the first byte that matches, and possibly of bytes after it.
            let control = eight.wrapping_sub(ONES * 0x20) & !eight;
            let quote = eight ^ (ONES * u64::from(b'"'));
            let quote = quote.wrapping_sub(ONES) & !quote;
            let slash = eight ^ (ONES * u64::from(b'\\'));
            let slash = slash.wrapping_sub(ONES) & !slash;
            let found = (control | quote | slash) & HIGH;
            if found != 0 {
                self.at += (found.trailing_zeros() / 8) as usize;
                return;
            }
            self.at += 8;
        }
        while self
            .peek()
            .is_some_and(|byte| byte >= 0x20 && byte != b'"' && byte != b'\\')
        {
            self.at += 1;
        }
    }
}

/// A stack of the open objects and arrays: one bit for each, 1 for an object. The lowest bit is the innermost.
#[derive(Default)]
struct Open {
    objects: u64,
    depth: u32,
}

impl Open {
    /// Opens an object or array. Returns `None` at the maximum depth of 64.
    fn push(&mut self, object: bool) -> Option<()> {
        self.objects = (self.objects << 1) | u64::from(object);
        self.depth += 1;
        (self.depth <= u64::BITS).then_some(())
    }

    fn pop(&mut self) {
        self.objects >>= 1;
        self.depth -= 1;
    }

    fn last(&self) -> Option<bool> {
        (self.depth > 0).then_some(self.objects & 1 == 1)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::{LineKind, scan};

    #[test]
    fn type_and_subtype_are_found_at_any_position() {
        let line = r#" {"a" : [1, -2.5e+3, {"type":"inner"}, [], {}, "\"\u00e9\n"], "type":"x","b":null,"subtype":"y", "type" : "z" } "#;
        assert_eq!(
            scan(line),
            Some(LineKind {
                ty: "z",
                subtype: Some("y")
            })
        );
    }

    #[test]
    fn invalid_and_unusual_lines_are_not_accepted() {
        for line in [
            "",
            "{}",
            "[]",
            r#"{"type":1}"#,
            r#"{"t\u0079pe":"x"}"#,
            r#"{"type":"\u0078"}"#,
            r#"{"type":"x"} {"#,
            r#"{"type":"x",}"#,
            r#"{"type":"x","a":[1,]}"#,
            r#"{"type":"x","a":01}"#,
            r#"{"type":"x","a":1.}"#,
            r#"{"type":"x","a":+1}"#,
            r#"{"type":"x","a":nul}"#,
            r#"{"type":"x","a":"\x"}"#,
            r#"{"type":"x","a":"\u12g4"}"#,
            r#"{"type":"x","a":[}"#,
            r#"{"type":"x","a":{"b"}}"#,
            "{\"type\":\"x\",\"a\":\"a\tb\"}",
            r#"{"type":"x","a":"#,
            r#"{"type":"x","a":"open"#,
        ] {
            assert_eq!(scan(line), None, "{line}");
        }
        let deep = format!(r#"{{"type":"x","a":{}{}}}"#, "[".repeat(65), "]".repeat(65));
        assert_eq!(scan(&deep), None);
    }

    proptest! {
        /// An accepted line is always valid JSON.
        #[test]
        fn accepted_lines_are_valid_json(line in r#"\{"type":"x",[ \[\]{}:,"\\u0-9a-f.eE+truefalsnäß\x00-\x20-]{0,40}\}"#) {
            if scan(&line).is_some() {
                prop_assert!(serde_json::from_str::<serde::de::IgnoredAny>(&line).is_ok());
            }
        }

        /// Lines written by a serialiser are accepted; truncated lines are not.
        #[test]
        fn serialised_lines_are_accepted_and_truncated_ones_are_not(text in ".*", number in any::<f64>(), cut in any::<prop::sample::Index>()) {
            prop_assume!(number.is_finite());
            let line = serde_json::json!({"a": [text, number, {"b": text}], "type": "x", "subtype": "y"}).to_string();
            prop_assert_eq!(scan(&line), Some(LineKind { ty: "x", subtype: Some("y") }));
            let cut = cut.index(line.len());
            if let Some(part) = line.get(..cut) {
                prop_assert_eq!(scan(part), None);
            }
        }
    }
}
