//! What the session says, on standard output.

use std::io::{self, BufWriter, Write};
use std::time::Duration;

use sluice_wire::ToHost;
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};

/// How a run is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// The final text.
    Text,
    /// The result as one JSON object.
    Json,
    /// Every message in one JSON array.
    JsonArray,
    /// Every message as it comes, one a line.
    StreamJson,
}

/// How long events of a stream wait for the next ones, so that a burst goes out as one write and
/// one wake-up of the host. Nothing else waits.
pub const HOLD: Duration = Duration::from_millis(5);

/// Writes until the session has said its last. Runs on a thread of its own, so that a slow
/// reader holds up the session and nothing else.
///
/// # Errors
/// When the stream cannot be written to any more, as when its reader is gone.
pub fn write(
    format: Format,
    hold: Duration,
    clock: &Handle,
    mut messages: mpsc::Receiver<ToHost>,
    stream: impl Write,
) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(32 * 1024, stream);
    let mut shown = Vec::new();
    while let Some(message) = messages.blocking_recv() {
        match format {
            Format::StreamJson => {
                write_line(&mut out, &message)?;
                let mut held = held(&message, hold);
                while let Some(message) = soon(&mut messages, held, clock) {
                    write_line(&mut out, &message)?;
                    held = held_on(held, &message);
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
    finish(format, &shown, &mut out)?;
    out.flush()
}

/// Until when what was written may wait to be flushed; none if it may not.
fn held(message: &ToHost, hold: Duration) -> Option<Instant> {
    matches!(message, ToHost::StreamEvent(_)).then(|| Instant::now() + hold)
}

/// Something that may not wait ends the hold for all before it.
fn held_on(held: Option<Instant>, message: &ToHost) -> Option<Instant> {
    held.filter(|_| matches!(message, ToHost::StreamEvent(_)))
}

/// The next message, if it is there or comes before the hold ends.
fn soon(messages: &mut mpsc::Receiver<ToHost>, held: Option<Instant>, clock: &Handle) -> Option<ToHost> {
    match (messages.try_recv(), held) {
        (Ok(message), _) => Some(message),
        (Err(_), None) => None,
        (Err(_), Some(until)) => clock.block_on(async { timeout_at(until, messages.recv()).await.ok().flatten() }),
    }
}

fn write_line(out: &mut impl Write, message: &ToHost) -> io::Result<()> {
    serde_json::to_writer(&mut *out, message)?;
    out.write_all(b"\n")
}

/// What is only known at the end.
fn finish(format: Format, shown: &[ToHost], out: &mut impl Write) -> io::Result<()> {
    match (format, shown) {
        (Format::StreamJson, _) => Ok(()),
        (Format::JsonArray, _) => {
            serde_json::to_writer(&mut *out, shown)?;
            out.write_all(b"\n")
        }
        (Format::Json, [result]) => write_line(out, result),
        (Format::Text, [ToHost::Result(result)]) => {
            let text = match (&result.result, result.errors.as_deref()) {
                (Some(text), _) => text.clone(),
                (None, Some([first, ..])) => format!("Error: {first}"),
                (None, _) => "Error: the run ended without an answer".to_owned(),
            };
            writeln!(out, "{text}")
        }
        _ => Ok(()),
    }
}
