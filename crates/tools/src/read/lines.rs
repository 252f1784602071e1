//! Reads text files line by line; only the requested lines are kept.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor};

use serde_json::json;

use super::Reading;
use crate::file_state::Fingerprint;
use crate::outcome::Outcome;
use crate::text::{self, Encoding};
use crate::truncate::human_size;

/// Maximum number of bytes of text; lines are not limited, since only their length costs tokens.
const MAX_SHOWN: usize = 256 * 1024;
/// Maximum number of bytes if a large range is requested.
const MAX_SHOWN_LARGE: usize = 4 * MAX_SHOWN;
/// Maximum size of a UTF-16 file, which is read as a whole.
const MAX_UTF16_FILE: u64 = 64 << 20;
/// Size of the read buffer.
const BUFFER_SIZE: usize = 64 * 1024;

/// Lines to keep: from `start` on, at most `limit` lines in at most `room` bytes.
#[derive(Debug, Clone, Copy)]
struct Wanted {
    start: u64,
    limit: u64,
    room: usize,
}

/// The lines that were read.
#[derive(Debug, Default)]
struct Passage {
    bytes: Vec<u8>,
    /// Number of lines kept, including a partial one.
    lines: u64,
    /// Total number of lines; text after the last newline counts as a line even if it is empty.
    total: u64,
    /// Total number of bytes.
    size: u64,
    /// True if requested lines were omitted.
    cut: bool,
}

pub(super) fn read(file: &mut File, reading: &Reading) -> Outcome {
    let start = reading.input.offset.unwrap_or(1).max(1);
    let room = if reading.input.allow_large {
        MAX_SHOWN_LARGE
    } else {
        MAX_SHOWN
    };
    let wanted = Wanted {
        start,
        limit: reading.input.limit.unwrap_or(u64::MAX),
        room,
    };
    let mut fingerprint = Fingerprint::default();
    let mut source = BufReader::with_capacity(BUFFER_SIZE, file);
    let utf16 = match source.fill_buf() {
        Ok(bytes) => text::encoding(bytes) != Encoding::Utf8,
        Err(error) => return reading.failed(&error),
    };
    let passage = if utf16 {
        let file = source.into_inner();
        let bytes = match io::Seek::rewind(file)
            .map_err(|error| reading.failed(&error))
            .and_then(|()| reading.bytes(file, MAX_UTF16_FILE))
        {
            Ok(bytes) => bytes,
            Err(outcome) => return outcome,
        };
        fingerprint.add(&bytes);
        let decoded = text::from_utf16(&bytes, text::encoding(&bytes));
        take(&mut Cursor::new(decoded), wanted, reading, &mut Fingerprint::default())
    } else {
        take(&mut source, wanted, reading, &mut fingerprint)
    };
    match passage {
        Ok(passage) => {
            reading.files.saw_streamed(&reading.path, &fingerprint);
            report(reading, start, &passage)
        }
        Err(error) => reading.failed(&error),
    }
}

/// Reads the whole source and keeps the requested lines.
fn take(
    source: &mut impl BufRead,
    wanted: Wanted,
    reading: &Reading,
    fingerprint: &mut Fingerprint,
) -> io::Result<Passage> {
    let Wanted { start, limit, room } = wanted;
    let end = start.saturating_add(limit);
    let mut passage = Passage::default();
    let mut line = 1;
    // end of the last line that fits
    let mut fits = 0;
    loop {
        if reading.cancel.is_cancelled() {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let piece = source.fill_buf()?;
        if piece.is_empty() {
            break;
        }
        fingerprint.add(piece);
        let length = piece.len();
        for part in piece.split_inclusive(|byte| *byte == b'\n') {
            if line >= start && line < end && !passage.cut {
                let free = room.saturating_sub(passage.bytes.len());
                passage.cut = part.len() > free;
                passage
                    .bytes
                    .extend_from_slice(part.get(..free.min(part.len())).unwrap_or_default());
            }
            if part.ends_with(b"\n") {
                if line >= start && line < end && !passage.cut {
                    passage.lines += 1;
                    fits = passage.bytes.len();
                }
                line += 1;
            }
        }
        passage.size += length as u64;
        source.consume(length);
    }
    passage.total = line;
    if !passage.cut && line >= start && line < end {
        // text after the last newline counts as a line even if it is empty
        passage.lines += 1;
    } else if passage.cut && passage.lines == 0 {
        // a single line that is too long: its beginning is kept
        passage.lines = 1;
    } else {
        passage.bytes.truncate(fits);
        // this newline belongs to the following line
        let kept = passage
            .bytes
            .strip_suffix(b"\n")
            .map(|kept| kept.strip_suffix(b"\r").unwrap_or(kept).len());
        passage.bytes.truncate(kept.unwrap_or(fits));
    }
    Ok(passage)
}

fn report(reading: &Reading, start: u64, passage: &Passage) -> Outcome {
    let content = text::shown(&passage.bytes);
    let path = &reading.input.file_path;
    let mut file = json!({
        "filePath": path,
        "content": content,
        "numLines": passage.lines,
        "startLine": start,
        "totalLines": passage.total,
    });
    if passage.cut
        && let Some(fields) = file.as_object_mut()
    {
        fields.insert("truncatedByTokenCap".to_owned(), true.into());
    }
    let said = if passage.size == 0 {
        "<system-reminder>Warning: the file exists but the contents are empty.</system-reminder>".to_owned()
    } else if passage.lines == 0 {
        format!(
            "<system-reminder>Warning: the file exists but is shorter than the provided offset ({start}). It has {} lines.</system-reminder>",
            passage.total
        )
    } else {
        let mut said = numbered(&content, start);
        said.push_str(&advice(reading, start, passage));
        said
    };
    Outcome::ok(said, json!({"type": "text", "file": file}))
}

fn numbered(content: &str, start: u64) -> String {
    let mut out = String::with_capacity(content.len() + content.len() / 8);
    for (number, line) in (start..).zip(content.split('\n')) {
        if number > start {
            out.push('\n');
        }
        out.push_str(&number.to_string());
        out.push('\t');
        out.push_str(line);
    }
    out
}

/// Returns the note for the model about omitted lines, if no smaller range was requested.
fn advice(reading: &Reading, start: u64, passage: &Passage) -> String {
    let last = start + passage.lines.saturating_sub(1);
    if passage.cut && passage.lines <= 1 {
        return format!(
            "\n\n<system-reminder>Line {start} is too long to be shown whole (the file has {}). Take parts of it with a command such as `cut -c` or `head -c`.</system-reminder>",
            human_size(passage.size)
        );
    }
    if passage.cut || (reading.input.limit.is_none() && last < passage.total) {
        return format!(
            "\n\n<system-reminder>Lines {start} to {last} of {} are shown ({} in all). Go on with offset {}, or search the file for what you need.</system-reminder>",
            passage.total,
            human_size(passage.size),
            last + 1
        );
    }
    String::new()
}

#[cfg(test)]
#[path = "lines_tests.rs"]
mod tests;
