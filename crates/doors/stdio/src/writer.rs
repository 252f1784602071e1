//! Writes the messages of the session to stdout.

use std::borrow::Cow;
use std::io::{self, BufWriter, Write};
use std::time::Duration;

use sluice_wire::control::Request;
use sluice_wire::stdout::{TerminalReason, TurnResult};
use sluice_wire::{ToHost, printable};
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};

/// The output format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// The final text.
    Text,
    /// The result as one JSON object.
    Json,
    /// Every message in one JSON array.
    JsonArray,
    /// Every message when it arrives, one per line.
    StreamJson,
}

/// The output of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Output {
    /// Its format.
    pub format: Format,
    /// Whether it goes to a terminal, which must not obey text of the model or the project.
    pub in_terminal: bool,
}

impl From<Format> for Output {
    fn from(format: Format) -> Self {
        Self {
            format,
            in_terminal: false,
        }
    }
}

/// How long stream events wait for further events, so that a burst is sent in one write and wakes the host once. Other
/// messages do not wait.
pub const HOLD: Duration = Duration::from_millis(5);

/// The maximum time that a permission request waits until the host has read the messages before it.
const MAX_READ_WAIT: Duration = Duration::from_millis(100);
/// The interval between two checks of how much the host has read.
const READ_CHECK_INTERVAL: Duration = Duration::from_micros(200);

/// When messages are written.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    /// How long stream events wait for further events.
    pub hold: Duration,
    /// Returns the number of written bytes that the host has not read, if known.
    pub unread: fn() -> u64,
}

impl Pace {
    /// Waits until the host has read everything.
    ///
    /// A host calls back for a permission request as soon as it reads the line, while it passes messages on through a
    /// queue. Read together, the request would overtake the message with the input of the call, so the host reads that
    /// message first.
    fn wait_until_read(self) {
        let until = std::time::Instant::now() + MAX_READ_WAIT;
        while (self.unread)() > 0 && std::time::Instant::now() < until {
            std::thread::sleep(READ_CHECK_INTERVAL);
        }
    }
}

/// Writes messages until the session ends. Runs on a separate thread, so that a slow reader blocks only the session.
///
/// # Errors
/// Returns an error if the stream cannot be written, for example because its reader is gone.
pub fn write(
    output: impl Into<Output>,
    pace: Pace,
    clock: &Handle,
    mut messages: mpsc::Receiver<ToHost>,
    stream: impl Write,
) -> io::Result<()> {
    let output = output.into();
    let mut out = BufWriter::with_capacity(32 * 1024, stream);
    let mut shown = Vec::new();
    while let Some(message) = messages.blocking_recv() {
        match output.format {
            Format::StreamJson => {
                write_in_order(&mut out, &message, output, pace)?;
                let mut held = hold_until(&message, pace.hold);
                while let Some(message) = next_before(&mut messages, held, clock) {
                    write_in_order(&mut out, &message, output, pace)?;
                    held = keep_hold(held, &message);
                }
                out.flush()?;
            }
            Format::JsonArray => shown.push(message),
            Format::Json | Format::Text => {
                if matches!(message, ToHost::Result(_)) {
                    shown.clear();
                    shown.push(message);
                }
            }
        }
    }
    finish(output, &shown, &mut out)?;
    out.flush()
}

/// The latest time to flush a written message; `None` to flush immediately.
fn hold_until(message: &ToHost, hold: Duration) -> Option<Instant> {
    matches!(message, ToHost::StreamEvent(_)).then(|| Instant::now() + hold)
}

/// A message that must not wait ends the hold for all messages before it.
fn keep_hold(held: Option<Instant>, message: &ToHost) -> Option<Instant> {
    held.filter(|_| matches!(message, ToHost::StreamEvent(_)))
}

/// Returns the next message, if it has arrived or arrives before the hold ends.
fn next_before(messages: &mut mpsc::Receiver<ToHost>, held: Option<Instant>, clock: &Handle) -> Option<ToHost> {
    match (messages.try_recv(), held) {
        (Ok(message), _) => Some(message),
        (Err(_), None) => None,
        (Err(_), Some(until)) => clock.block_on(async { timeout_at(until, messages.recv()).await.ok().flatten() }),
    }
}

/// Writes a line; a permission request only after the host has read the lines before it.
fn write_in_order(out: &mut impl Write, message: &ToHost, output: Output, pace: Pace) -> io::Result<()> {
    if let ToHost::ControlRequest(request) = message
        && matches!(request.request, Request::CanUseTool(_))
    {
        out.flush()?;
        pace.wait_until_read();
    }
    write_line(out, message, output)
}

fn write_line(out: &mut impl Write, message: &ToHost, output: Output) -> io::Result<()> {
    serde_json::to_writer(OneLine::new(&mut *out, output), message)?;
    out.write_all(b"\n")
}

/// Keeps each message on one line, even with embedded JSON. Line breaks between values become spaces, and the two other
/// line separators of Unicode, at which some readers split lines, are escaped. The JSON value stays the same: in a
/// string line breaks are always escaped, and outside of strings there are no such separators.
struct OneLine<W> {
    out: W,
    in_terminal: bool,
}

impl<W> OneLine<W> {
    fn new(out: W, output: Output) -> Self {
        let in_terminal = output.in_terminal;
        Self { out, in_terminal }
    }
}

impl<W: Write> Write for OneLine<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn write_all(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        if self.in_terminal {
            return self
                .out
                .write_all(printable_json(&String::from_utf8_lossy(bytes)).as_bytes());
        }
        while let Some((at, length, instead)) = separator(bytes) {
            let (before, rest) = bytes.split_at(at);
            self.out.write_all(before)?;
            self.out.write_all(instead)?;
            bytes = rest.get(length..).unwrap_or_default();
        }
        self.out.write_all(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Finds the first line separator: its position, length and replacement. Input is written in whole characters.
fn separator(bytes: &[u8]) -> Option<(usize, usize, &'static [u8])> {
    let mut from = 0;
    loop {
        let at = from + memchr::memchr3(b'\n', b'\r', 0xe2, bytes.get(from..)?)?;
        match bytes.get(at..)? {
            [b'\n' | b'\r', ..] => return Some((at, 1, b" ")),
            [0xe2, 0x80, 0xa8, ..] => return Some((at, 3, b"\\u2028")),
            [0xe2, 0x80, 0xa9, ..] => return Some((at, 3, b"\\u2029")),
            _ => from = at + 1,
        }
    }
}

/// Returns a part of a JSON text so that it is safe to print in a terminal. Hidden characters become escape sequences of
/// JSON, so the value stays the same.
fn printable_json(text: &str) -> Cow<'_, str> {
    if !text.chars().any(printable::is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        match letter {
            // Between values; in strings they are escaped.
            '\n' | '\r' | '\t' => out.push(' '),
            letter if printable::is_hidden(letter) => {
                for unit in letter.encode_utf16(&mut [0; 2]) {
                    out.push_str(&format!("\\u{unit:04x}"));
                }
            }
            letter => out.push(letter),
        }
    }
    Cow::Owned(out)
}

fn is_interrupted(result: &TurnResult) -> bool {
    let reason = result.terminal_reason.as_ref();
    let aborted =
        |reason: &TerminalReason| matches!(reason, TerminalReason::AbortedStreaming | TerminalReason::AbortedTools);
    result.result.is_none() && reason.is_some_and(aborted)
}

/// Writes the output of formats that are only known at the end.
fn finish(output: Output, shown: &[ToHost], out: &mut impl Write) -> io::Result<()> {
    match (output.format, shown) {
        (Format::StreamJson, _) => Ok(()),
        (Format::JsonArray, _) => {
            serde_json::to_writer(OneLine::new(&mut *out, output), shown)?;
            out.write_all(b"\n")
        }
        (Format::Json, [result]) => write_line(out, result, output),
        // The user knows about the interrupt, and a program that reads the output must not take a message for the
        // answer.
        (_, [ToHost::Result(result)]) if is_interrupted(result) => Ok(()),
        (_, [ToHost::Result(result)]) => {
            let text = match (&result.result, result.errors.as_deref()) {
                (Some(text), _) => text.clone(),
                (None, Some([first, ..])) => format!("Error: {first}"),
                (None, _) => "Error: the run ended without an answer".to_owned(),
            };
            match output.in_terminal {
                true => writeln!(out, "{}", printable::lines(&text)),
                false => writeln!(out, "{text}"),
            }
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use proptest::prelude::*;
    use serde_json::Value;
    use serde_json::value::RawValue;

    use super::*;

    fn written(text: &str) -> String {
        let raw = RawValue::from_string(text.to_owned()).unwrap();
        let mut out = Vec::new();
        serde_json::to_writer(OneLine::new(&mut out, Format::Json.into()), &raw).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn embedded_json_stays_on_one_line() {
        assert_eq!(written("{\n\"a\":\r\n1}"), "{ \"a\":  1}");
        assert_eq!(
            written("\"a\u{2028}b\u{2029}c\u{2026}\""),
            "\"a\\u2028b\\u2029c\u{2026}\""
        );
    }

    proptest! {
        #[test]
        fn printed_json_has_the_same_value_without_hidden_characters(text in any::<String>()) {
            let whole = serde_json::to_string(&text).unwrap();
            let printed = printable_json(&whole);
            prop_assert!(!printed.chars().any(printable::is_hidden));
            prop_assert_eq!(serde_json::from_str::<String>(&printed).unwrap(), text);
        }

        #[test]
        fn value_is_unchanged(texts in prop::collection::vec("[a\u{2028}\u{2029}\u{2026}\u{e9}\n\r\"\\\\]{0,8}", 0..6)) {
            let value = serde_json::json!({"list": texts});
            let line = written(&serde_json::to_string_pretty(&value).unwrap());
            let broken = line.contains(['\n', '\r', '\u{2028}', '\u{2029}']);
            prop_assert!(!broken);
            prop_assert_eq!(serde_json::from_str::<Value>(&line).unwrap(), value);
        }
    }
}
