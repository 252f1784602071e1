//! Writes the messages of the session to stdout.

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
    /// The final text, safe to print in a terminal.
    TextInTerminal,
    /// The result as one JSON object.
    Json,
    /// Every message in one JSON array.
    JsonArray,
    /// Every message when it arrives, one per line.
    StreamJson,
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
    format: Format,
    pace: Pace,
    clock: &Handle,
    mut messages: mpsc::Receiver<ToHost>,
    stream: impl Write,
) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(32 * 1024, stream);
    let mut shown = Vec::new();
    while let Some(message) = messages.blocking_recv() {
        match format {
            Format::StreamJson => {
                write_in_order(&mut out, &message, pace)?;
                let mut held = hold_until(&message, pace.hold);
                while let Some(message) = next_before(&mut messages, held, clock) {
                    write_in_order(&mut out, &message, pace)?;
                    held = keep_hold(held, &message);
                }
                out.flush()?;
            }
            Format::JsonArray => shown.push(message),
            Format::Json | Format::Text | Format::TextInTerminal => {
                if matches!(message, ToHost::Result(_)) {
                    shown.clear();
                    shown.push(message);
                }
            }
        }
    }
    finish(format, &shown, &mut out)?;
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
fn write_in_order(out: &mut impl Write, message: &ToHost, pace: Pace) -> io::Result<()> {
    if let ToHost::ControlRequest(request) = message
        && matches!(request.request, Request::CanUseTool(_))
    {
        out.flush()?;
        pace.wait_until_read();
    }
    write_line(out, message)
}

fn write_line(out: &mut impl Write, message: &ToHost) -> io::Result<()> {
    serde_json::to_writer(OneLine(&mut *out), message)?;
    out.write_all(b"\n")
}

/// Keeps each message on one line, even with embedded JSON. Line breaks between values become spaces, and the two other
/// line separators of Unicode, at which some readers split lines, are escaped. The JSON value stays the same: in a
/// string line breaks are always escaped, and outside of strings there are no such separators.
struct OneLine<W>(W);

impl<W: Write> Write for OneLine<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn write_all(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while let Some((at, length, instead)) = separator(bytes) {
            let (before, rest) = bytes.split_at(at);
            self.0.write_all(before)?;
            self.0.write_all(instead)?;
            bytes = rest.get(length..).unwrap_or_default();
        }
        self.0.write_all(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
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

fn is_interrupted(result: &TurnResult) -> bool {
    let reason = result.terminal_reason.as_ref();
    let aborted =
        |reason: &TerminalReason| matches!(reason, TerminalReason::AbortedStreaming | TerminalReason::AbortedTools);
    result.result.is_none() && reason.is_some_and(aborted)
}

/// Writes the output of formats that are only known at the end.
fn finish(format: Format, shown: &[ToHost], out: &mut impl Write) -> io::Result<()> {
    match (format, shown) {
        (Format::StreamJson, _) => Ok(()),
        (Format::JsonArray, _) => {
            serde_json::to_writer(OneLine(&mut *out), shown)?;
            out.write_all(b"\n")
        }
        (Format::Json, [result]) => write_line(out, result),
        // The user knows about the interrupt, and a program that reads the output must not take a message for the
        // answer.
        (_, [ToHost::Result(result)]) if is_interrupted(result) => Ok(()),
        (_, [ToHost::Result(result)]) => {
            let text = match (&result.result, result.errors.as_deref()) {
                (Some(text), _) => text.clone(),
                (None, Some([first, ..])) => format!("Error: {first}"),
                (None, _) => "Error: the run ended without an answer".to_owned(),
            };
            match format {
                Format::TextInTerminal => writeln!(out, "{}", printable::lines(&text)),
                _ => writeln!(out, "{text}"),
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
        serde_json::to_writer(OneLine(&mut out), &raw).unwrap();
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
        fn value_is_unchanged(texts in prop::collection::vec("[a\u{2028}\u{2029}\u{2026}\u{e9}\n\r\"\\\\]{0,8}", 0..6)) {
            let value = serde_json::json!({"list": texts});
            let line = written(&serde_json::to_string_pretty(&value).unwrap());
            let broken = line.contains(['\n', '\r', '\u{2028}', '\u{2029}']);
            prop_assert!(!broken);
            prop_assert_eq!(serde_json::from_str::<Value>(&line).unwrap(), value);
        }
    }
}
