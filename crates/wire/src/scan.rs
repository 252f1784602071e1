//! A quick look at a line: whether it is JSON, and what it says it is.
//!
//! Most lines are only passed on, so this is all that is done to them. What is at all unusual is left to the reader that
//! knows every case and says what is wrong: this one may give up on a sound line, but never takes one that is not.

/// What a line says it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Kind<'a> {
    pub(crate) ty: &'a str,
    pub(crate) subtype: Option<&'a str>,
}

/// Looks through a line; `None` when it is no plain object with a `type`.
pub(crate) fn scan(line: &str) -> Option<Kind<'_>> {
    let mut scan = Scan { line, at: 0 };
    let (mut ty, mut subtype) = (None, None);
    scan.space();
    scan.take(b'{')?;
    loop {
        scan.space();
        // The last one counts when a key comes twice, as in JavaScript.
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
    ty.filter(|_| whole).map(|ty| Kind { ty, subtype })
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

    /// A key without escapes, and its colon.
    fn key(&mut self) -> Option<&'a str> {
        let key = self.plain()?;
        self.space();
        self.take(b':')?;
        Some(key)
    }

    /// A value that is a string without escapes.
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

    /// Passes over one value, whatever is in it.
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
                // An empty one ends at once, below.
                if !matches!((self.peek()?, object), (b'}', true) | (b']', false)) {
                    self.member(object)?;
                    continue;
                }
            }
            // Something has ended: whatever ends with it does too.
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

    /// What stands before a value inside another one.
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

    /// The rest of a string, with its end.
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

    /// Passes over what means only itself in a string: up to a quote, a backslash, a control character or the end.
    fn run(&mut self) {
        const ONES: u64 = u64::from_ne_bytes([1; 8]);
        const HIGH: u64 = ONES << 7;
        let rest = self.line.as_bytes().get(self.at..).unwrap_or_default();
        let (eights, _) = rest.as_chunks::<8>();
        for eight in eights {
            let eight = u64::from_le_bytes(*eight);
            // Each leaves the highest bit of the first byte that is meant, and perhaps of some after it.
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

/// The values that are open: for each, from the innermost, whether it is an object.
#[derive(Default)]
struct Open {
    objects: u64,
    depth: u32,
}

impl Open {
    /// `None` when there is no room for more.
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

    use super::{Kind, scan};

    #[test]
    fn the_kind_is_found_wherever_it_stands() {
        let line = r#" {"a" : [1, -2.5e+3, {"type":"inner"}, [], {}, "\"\u00e9\n"], "type":"x","b":null,"subtype":"y", "type" : "z" } "#;
        assert_eq!(
            scan(line),
            Some(Kind {
                ty: "z",
                subtype: Some("y")
            })
        );
    }

    #[test]
    fn what_is_unusual_is_left_to_others() {
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
        /// What is taken is JSON, and every reader finds the same kind in it.
        #[test]
        fn what_is_taken_is_sound(line in r#"\{"type":"x",[ \[\]{}:,"\\u0-9a-f.eE+truefalsnäß\x00-\x20-]{0,40}\}"#) {
            if scan(&line).is_some() {
                prop_assert!(serde_json::from_str::<serde::de::IgnoredAny>(&line).is_ok());
            }
        }

        /// Whatever a writer writes is taken, in one piece and never in part.
        #[test]
        fn what_is_written_is_taken(text in ".*", number in any::<f64>(), cut in any::<prop::sample::Index>()) {
            prop_assume!(number.is_finite());
            let line = serde_json::json!({"a": [text, number, {"b": text}], "type": "x", "subtype": "y"}).to_string();
            prop_assert_eq!(scan(&line), Some(Kind { ty: "x", subtype: Some("y") }));
            let cut = cut.index(line.len());
            if let Some(part) = line.get(..cut) {
                prop_assert_eq!(scan(part), None);
            }
        }
    }
}
