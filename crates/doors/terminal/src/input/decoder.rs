//! Decodes terminal bytes into keys, pastes and replies, however the bytes are split.
//!
//! Replies to our queries and unknown sequences are never interpreted as typed text.

use std::time::Duration;

use super::key::{Code, Key};

/// One input from the terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// A key.
    Key(Key),
    /// A paste, with line ends normalized to `\n`.
    Paste(String),
    /// The window gained or lost focus.
    Focus(bool),
    /// A reply to a query of this program.
    Reply(Reply),
}

/// A reply of the terminal to a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// The terminal supports the kitty keyboard protocol.
    Kitty,
    /// Position of the cursor, counted from 1.
    Cursor { row: usize, column: usize },
    /// Name and version of the terminal.
    Version(String),
    /// Background colour, with components up to 255.
    Background(u8, u8, u8),
    /// The colour scheme changed to dark or light.
    Scheme { dark: bool },
    /// Device attributes. Queried last, so no other reply follows this one.
    Attributes,
}

/// Minimum size of a read with a line end that counts as an unbracketed paste, in bytes.
const MIN_UNBRACKETED_PASTE: usize = 16;
const MAX_SEQUENCE: usize = 4096;
/// Timeout for the rest of a sequence.
const REST_TIMEOUT: Duration = Duration::from_secs(10);
/// Prefixes of replies after the escape byte; they are never typed in a single read.
const REPLY_PREFIXES: &[&[u8]] = &[b"[?", b"]11;", b"P>|"];

/// Incremental decoder.
#[derive(Debug, Default)]
pub struct Decoder {
    bytes: Vec<u8>,
    paste: Option<Vec<u8>>,
    /// True if the terminal supports bracketed paste: several keys in one read are then keys.
    marks: bool,
    /// Bytes decoded as a key after a timeout; the following bytes may show that they started a reply.
    given_up: Vec<u8>,
}

enum Step {
    Took(usize, Option<Input>),
    Wait,
}

impl Decoder {
    /// Returns how long to wait for more bytes, or `None` if no sequence is incomplete. A possible key waits at most
    /// `escape`. A sequence that cannot be a key waits longer: on a slow connection its rest must not become text.
    #[must_use]
    pub fn patience(&self, escape: Duration) -> Option<Duration> {
        let bytes = self.bytes.as_slice();
        match bytes {
            [] => None,
            _ if self.paste.is_some() => None,
            [0x1b, b'[' | b']' | b'P' | b'_' | b'^', _, ..] | [0xc2..=0xf4, ..] => Some(REST_TIMEOUT),
            _ => Some(escape),
        }
    }

    /// Decodes bytes.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<Input> {
        if !self.marks && self.bytes.is_empty() && self.paste.is_none() && is_unmarked_paste(bytes) {
            return vec![Input::Paste(lines(bytes))];
        }
        let mut whole = std::mem::take(&mut self.given_up);
        if !whole.is_empty() {
            whole.extend_from_slice(bytes);
            let begun = REPLY_PREFIXES.iter().any(|reply| whole.starts_with(reply));
            if begun || matches!(step(&whole), Step::Took(_, Some(Input::Reply(_)))) {
                whole.truncate(whole.len() - bytes.len());
                self.bytes = whole;
            }
        }
        self.bytes.extend_from_slice(bytes);
        let mut found = Vec::new();
        loop {
            if self.paste.is_some() {
                match self.end_of_paste() {
                    Some(paste) => found.push(paste),
                    None => return found,
                }
            }
            match step(&self.bytes) {
                Step::Wait => {
                    if self.bytes.len() > MAX_SEQUENCE {
                        self.bytes.clear();
                    }
                    return found;
                }
                Step::Took(count, input) => {
                    self.bytes.drain(..count.min(self.bytes.len()));
                    match input {
                        Some(Input::Paste(_)) => {
                            self.marks = true;
                            self.paste = Some(Vec::new());
                        }
                        Some(input) => {
                            // A terminal that replies to queries also supports bracketed paste, which is enabled now.
                            self.marks |= input == Input::Reply(Reply::Attributes);
                            found.push(input);
                        }
                        None => {}
                    }
                }
            }
        }
    }

    /// Handles a timeout: decodes the pending bytes as they are.
    pub fn give_up_waiting(&mut self) -> Vec<Input> {
        if self.paste.is_some() {
            return Vec::new();
        }
        let bytes = std::mem::take(&mut self.bytes);
        self.given_up.clone_from(&bytes);
        match bytes.as_slice() {
            [0x1b] => vec![Input::Key(Key::of(Code::Escape))],
            [0x1b, b'['] => vec![Input::Key(Key::alt('['))],
            [0x1b, b'O'] => vec![Input::Key(Key::alt('O'))],
            _ => Vec::new(),
        }
    }

    fn end_of_paste(&mut self) -> Option<Input> {
        const END: &[u8] = b"\x1b[201~";
        let paste = self.paste.as_mut()?;
        match self.bytes.windows(END.len()).position(|window| window == END) {
            Some(at) => {
                paste.extend(self.bytes.drain(..at));
                self.bytes.drain(..END.len());
                let text = lines(paste);
                self.paste = None;
                Some(Input::Paste(text))
            }
            None => {
                // The end marker may be split between two reads.
                let safe = self.bytes.len().saturating_sub(END.len() - 1);
                paste.extend(self.bytes.drain(..safe));
                None
            }
        }
    }
}

fn is_unmarked_paste(bytes: &[u8]) -> bool {
    bytes.len() >= MIN_UNBRACKETED_PASTE
        && bytes.iter().any(|byte| matches!(byte, b'\r' | b'\n'))
        && !bytes.contains(&0x1b)
        && bytes.iter().filter(|byte| **byte >= b' ').count() > bytes.len() / 2
}

/// Decodes the text of a paste with normalized line ends.
fn lines(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).replace("\r\n", "\n").replace('\r', "\n")
}

fn key(count: usize, key: Key) -> Step {
    Step::Took(count, Some(Input::Key(key)))
}

fn step(bytes: &[u8]) -> Step {
    match bytes {
        [] => Step::Wait,
        [0x1b] => Step::Wait,
        [0x1b, b'[', rest @ ..] => csi(rest),
        [0x1b, b'O', rest @ ..] => match rest.first() {
            None => Step::Wait,
            Some(last) => Step::Took(3, ss3(*last).map(Input::Key)),
        },
        [0x1b, b']' | b'P' | b'_' | b'^', ..] => string(bytes),
        [0x1b, 0x1b, ..] => key(1, Key::of(Code::Escape)),
        [0x1b, rest @ ..] => match step(rest) {
            Step::Took(count, Some(Input::Key(pressed))) => key(count + 1, Key { alt: true, ..pressed }),
            Step::Took(count, other) => Step::Took(count + 1, other),
            Step::Wait => Step::Wait,
        },
        [byte @ 0..=0x1f, ..] | [byte @ 0x7f, ..] => key(1, control(*byte)),
        [first, ..] => letter(*first, bytes),
    }
}

fn control(byte: u8) -> Key {
    match byte {
        b'\r' => Key::of(Code::Enter),
        b'\n' => Key::ctrl('j'),
        b'\t' => Key::of(Code::Tab),
        0x7f | 0x08 => Key::of(Code::Backspace),
        0 => Key::ctrl(' '),
        0x1c => Key::ctrl('\\'),
        0x1d => Key::ctrl(']'),
        0x1e => Key::ctrl('^'),
        0x1f => Key::ctrl('_'),
        byte => Key::ctrl(char::from(byte + b'a' - 1)),
    }
}

fn letter(first: u8, bytes: &[u8]) -> Step {
    let length = match first {
        0..=0x7f => 1,
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return Step::Took(1, None),
    };
    let Some(whole) = bytes.get(..length) else {
        return Step::Wait;
    };
    match std::str::from_utf8(whole).ok().and_then(|text| text.chars().next()) {
        Some(letter) => key(length, Key::char(letter)),
        None => Step::Took(1, None),
    }
}

fn ss3(last: u8) -> Option<Key> {
    Some(Key::of(match last {
        b'P'..=b'S' => Code::F(last - b'P' + 1),
        b'M' => Code::Enter,
        last => arrow(last)?,
    }))
}

fn arrow(last: u8) -> Option<Code> {
    Some(match last {
        b'A' => Code::Up,
        b'B' => Code::Down,
        b'C' => Code::Right,
        b'D' => Code::Left,
        b'H' => Code::Home,
        b'F' => Code::End,
        _ => return None,
    })
}

/// Parses a `CSI` sequence: parameters and a final byte.
fn csi(rest: &[u8]) -> Step {
    let Some(end) = rest.iter().position(|byte| !(0x20..=0x3f).contains(byte)) else {
        return Step::Wait;
    };
    let last = rest.get(end).copied().unwrap_or_default();
    if !(0x40..=0x7e).contains(&last) {
        // A truncated sequence: the byte that interrupted it starts a new one.
        return Step::Took(2 + end, None);
    }
    let count = 2 + end + 1;
    let text = std::str::from_utf8(rest.get(..end).unwrap_or_default()).unwrap_or_default();
    Step::Took(count, sequence(text, last))
}

fn sequence(text: &str, last: u8) -> Option<Input> {
    if let Some(rest) = text.strip_prefix('?') {
        return match last {
            b'u' => Some(Input::Reply(Reply::Kitty)),
            b'c' => Some(Input::Reply(Reply::Attributes)),
            b'R' => cursor(rest),
            b'n' if rest == "997;1" => Some(Input::Reply(Reply::Scheme { dark: true })),
            b'n' if rest == "997;2" => Some(Input::Reply(Reply::Scheme { dark: false })),
            _ => None,
        };
    }
    if text.starts_with(['<', '>', '=']) {
        return None;
    }
    let numbers: Vec<u32> = text
        .split(';')
        .map(|part| part.split(':').next().unwrap_or_default().parse().unwrap_or(0))
        .collect();
    let number = |at: usize| numbers.get(at).copied().unwrap_or(0);
    // Key release events are ignored.
    let released = text.split(';').nth(1).is_some_and(|held| held.ends_with(":3"));
    if released {
        return None;
    }
    let pressed = match last {
        b'I' => return Some(Input::Focus(true)),
        b'O' => return Some(Input::Focus(false)),
        b'R' if numbers.len() == 2 => return cursor(text),
        b'~' if number(0) == 200 => return Some(Input::Paste(String::new())),
        b'~' if number(0) == 27 => held(of_number(number(2))?, number(1)),
        b'~' => held(tilde(number(0))?, number(1)),
        b'u' => held(of_number(number(0))?, number(1)),
        b'Z' => Key {
            shift: true,
            ..Key::of(Code::Tab)
        },
        b'P'..=b'S' => held(Code::F(last - b'P' + 1), number(1)),
        last => held(arrow(last)?, number(1)),
    };
    Some(Input::Key(pressed))
}

fn cursor(text: &str) -> Option<Input> {
    let (row, column) = text.split_once(';')?;
    Some(Input::Reply(Reply::Cursor {
        row: row.parse().ok()?,
        column: column.parse().ok()?,
    }))
}

fn tilde(number: u32) -> Option<Code> {
    Some(match number {
        1 | 7 => Code::Home,
        2 => Code::Insert,
        3 => Code::Delete,
        4 | 8 => Code::End,
        5 => Code::PageUp,
        6 => Code::PageDown,
        11..=15 => Code::F(u8::try_from(number - 10).ok()?),
        17..=21 => Code::F(u8::try_from(number - 11).ok()?),
        23 | 24 => Code::F(u8::try_from(number - 12).ok()?),
        _ => return None,
    })
}

fn of_number(number: u32) -> Option<Code> {
    Some(match number {
        13 | 57414 => Code::Enter,
        27 => Code::Escape,
        9 => Code::Tab,
        8 | 127 => Code::Backspace,
        57344..=63743 => return None,
        number => Code::Char(char::from_u32(number).filter(|letter| !letter.is_control())?),
    })
}

/// Builds a key with modifiers: 1 plus the sum of shift 1, alt 2, ctrl 4, super 8, … meta 32.
fn held(code: Code, held: u32) -> Key {
    let bits = held.saturating_sub(1);
    let mut key = Key {
        code,
        shift: bits & 1 != 0,
        alt: bits & (2 | 32) != 0,
        ctrl: bits & 4 != 0,
    };
    if let Code::Char(letter) = code {
        if key.shift && letter.is_ascii_lowercase() && !key.ctrl {
            key.code = Code::Char(letter.to_ascii_uppercase());
        }
        if key.ctrl {
            key.code = Code::Char(letter.to_ascii_lowercase());
        }
        key.shift = false;
    }
    key
}

/// Parses `OSC`, `DCS` and similar sequences up to `BEL` or `ST`.
fn string(bytes: &[u8]) -> Step {
    let mut at = 2;
    while let Some(byte) = bytes.get(at) {
        match byte {
            0x07 => return Step::Took(at + 1, told(bytes.get(1..at))),
            // Requested replies contain no other control characters.
            0..0x1b | 0x1c..0x20 => return Step::Took(at, None),
            0x1b => match bytes.get(at + 1) {
                None => return Step::Wait,
                Some(b'\\') => return Step::Took(at + 2, told(bytes.get(1..at))),
                // A truncated sequence.
                Some(_) => return Step::Took(at, None),
            },
            _ => at += 1,
        }
    }
    Step::Wait
}

fn told(inside: Option<&[u8]>) -> Option<Input> {
    let text = std::str::from_utf8(inside?).ok()?;
    if let Some(version) = text.strip_prefix("P>|") {
        return Some(Input::Reply(Reply::Version(version.to_owned())));
    }
    let colour = text.strip_prefix("]11;rgb:")?;
    let mut parts = colour.split('/').map(|part| {
        let value = u32::from_str_radix(part.get(..part.len().min(2))?, 16).ok()?;
        u8::try_from(value).ok()
    });
    let (red, green, blue) = (parts.next()??, parts.next()??, parts.next()??);
    Some(Input::Reply(Reply::Background(red, green, blue)))
}

#[cfg(test)]
#[path = "decoder_tests.rs"]
mod tests;
