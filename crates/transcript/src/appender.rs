//! Appends lines to a transcript: one open file, one write per batch of lines. Existing lines are only changed at the
//! end of a model message: the final usage and stop reason replace the first values in place, in bytes reserved for
//! them.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::copies::Copies;
use super::line::{self, Names};
use super::private;

/// The title and the tag are written again after this many bytes, because lists of sessions only read the end of a
/// file.
const REPEAT_NAMES_AFTER: u64 = 32 * 1024;
/// Number of bytes per write when entries are copied.
const COPY_WRITE_SIZE: usize = 256 * 1024;

/// Appends to one transcript. The file is created with the first line, so that a session without messages leaves no
/// file.
#[derive(Debug)]
pub(super) struct Appender {
    path: PathBuf,
    file: Option<File>,
    /// Length of the file when it was last searched for titles and tags.
    searched_to: u64,
}

/// A line of the file that can be replaced.
#[derive(Debug)]
pub(super) struct LineLocation {
    /// The position of the line.
    at: u64,
    /// The line as it was written, without its terminator.
    line: Vec<u8>,
}

impl Appender {
    pub(super) fn new(path: PathBuf) -> Self {
        Self {
            path,
            file: None,
            searched_to: 0,
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the file is open, because lines were written.
    pub(super) fn is_open(&self) -> bool {
        self.file.is_some()
    }

    /// Appends lines in one write, the last one with `room` spaces before its terminator. Returns the location of the
    /// last line.
    pub(super) fn append(&mut self, lines: &[Value], room: usize) -> io::Result<Option<LineLocation>> {
        let mut text = self.open_file()?;
        let mut last = 0;
        for (number, line) in lines.iter().enumerate() {
            last = text.len();
            serde_json::to_writer(&mut text, line)?;
            if number + 1 == lines.len() {
                text.resize(text.len() + room, b' ');
            }
            text.push(b'\n');
        }
        self.write(&text)?;
        // After a write to a file that is only appended to, the position is the end of what was written.
        let Some(end) = self.file.as_mut().map(Seek::stream_position).transpose()? else {
            return Ok(None);
        };
        let behind = u64::try_from(text.len() - last).unwrap_or_default();
        Ok(end.checked_sub(behind).map(|at| LineLocation {
            at,
            line: text.get(last..text.len() - 1).unwrap_or_default().to_owned(),
        }))
    }

    /// Replaces a line in place. Returns false and changes nothing if the new line is longer, or if the file contains
    /// another line at this location.
    pub(super) fn replace(&self, location: &LineLocation, line: &Value) -> io::Result<bool> {
        let mut new = serde_json::to_vec(line)?;
        if new.len() > location.line.len() {
            return Ok(false);
        }
        new.resize(location.line.len(), b' ');
        let differs = |(old, new): (&u8, &u8)| old != new;
        let Some(first) = location.line.iter().zip(&new).position(differs) else {
            return Ok(true);
        };
        let last = location.line.iter().zip(&new).rposition(differs).unwrap_or(first);
        // A file that is open for appending can only be written at its end.
        let file = OpenOptions::new().read(true).write(true).open(&self.path)?;
        let mut there = vec![0; location.line.len()];
        file.read_exact_at(&mut there, location.at)?;
        if there != location.line {
            return Ok(false);
        }
        let changed = new.get(first..=last).unwrap_or_default();
        file.write_all_at(changed, location.at + u64::try_from(first).unwrap_or_default())?;
        Ok(true)
    }

    /// Appends the entries of another session with the id of this one.
    pub(super) fn copy(&mut self, copies: &Copies, session_id: &str) -> io::Result<()> {
        let mut text = self.open_file()?;
        copies.each(session_id, |line| {
            text.extend_from_slice(line);
            text.push(b'\n');
            if text.len() < COPY_WRITE_SIZE {
                return Ok(());
            }
            let written = self.write(&text);
            text.clear();
            written
        })?;
        self.write(&text)
    }

    /// Opens the file if it is not open. Returns the text to write before the next line.
    fn open_file(&mut self) -> io::Result<Vec<u8>> {
        let mut text = Vec::with_capacity(1024);
        if self.file.is_none() {
            let (file, length, incomplete) = open(&self.path)?;
            self.searched_to = length;
            self.file = Some(file);
            if incomplete {
                // End the incomplete line of a process that was killed, so that it does not damage the next one.
                text.push(b'\n');
            }
        }
        Ok(text)
    }

    fn write(&mut self, text: &[u8]) -> io::Result<()> {
        let written = match &mut self.file {
            Some(file) => file.write_all(text),
            None => Ok(()),
        };
        if written.is_err() {
            // Part of the text may have been written. Reopening the file checks its last line again.
            self.file = None;
        }
        written
    }

    /// Returns the title and tag in the part of the file that was written since the last search, by this or another
    /// process. Returns `None` if that part is so short that lists of sessions still find the previous ones.
    pub(super) fn names_beyond_tail(&mut self) -> io::Result<Option<Names>> {
        let Some(file) = &mut self.file else { return Ok(None) };
        let length = file.metadata()?.len();
        if length.saturating_sub(self.searched_to) < REPEAT_NAMES_AFTER {
            return Ok(None);
        }
        let mut since = Vec::new();
        file.seek(SeekFrom::Start(self.searched_to))?;
        file.read_to_end(&mut since)?;
        self.searched_to = length;
        Ok(Some(line::names(&since)))
    }
}

/// Opens a file for appending. Returns its length and whether its last line has no terminator.
fn open(path: &Path) -> io::Result<(File, u64, bool)> {
    let mut file = private::append(path)?;
    let length = file.metadata()?.len();
    let mut last = [b'\n'];
    if length > 0 {
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
    }
    Ok((file, length, last != [b'\n']))
}

/// Appends to an existing transcript of any session. Does not create the file.
pub(super) fn append_to(path: &Path, lines: &[Value]) -> io::Result<()> {
    let mut text = Vec::new();
    for line in lines {
        serde_json::to_writer(&mut text, line)?;
        text.push(b'\n');
    }
    OpenOptions::new().append(true).open(path)?.write_all(&text)
}

/// Writes the title to a file next to the transcript, for programs that do not read the transcript.
pub(super) fn write_title_file(transcript: &Path, title: &str) -> io::Result<()> {
    let dir = transcript.with_extension("");
    let text = serde_json::to_vec(&serde_json::json!({"customTitle": title}))?;
    private::write(&dir.join("custom-title.json"), text)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use serde_json::json;

    use super::*;

    #[test]
    fn the_file_is_created_with_the_first_line_and_is_private() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("projects/p/s.jsonl");
        let mut appender = Appender::new(path.clone());
        assert!(!path.exists());
        appender.append(&[json!({"a": 1})], 0).unwrap();
        appender.append(&[json!({"b": 2}), json!({"c": 3})], 0).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "{\"a\":1}\n{\"b\":2}\n{\"c\":3}\n");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn an_incomplete_last_line_is_ended_before_the_next_line() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s.jsonl");
        fs::write(&path, "{\"a\":1}\n{\"b\":").unwrap();
        Appender::new(path.clone()).append(&[json!({"c": 3})], 0).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "{\"a\":1}\n{\"b\":\n{\"c\":3}\n");
    }

    #[test]
    fn names_are_searched_again_only_when_much_was_written() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s.jsonl");
        let mut appender = Appender::new(path.clone());
        appender.append(&[json!({"type": "x"})], 0).unwrap();
        append_to(&path, &[json!({"type": "tag", "tag": "late", "sessionId": "s"})]).unwrap();
        assert!(appender.names_beyond_tail().unwrap().is_none());
        appender
            .append(&[json!({"type": "x", "text": "y".repeat(40_000)})], 0)
            .unwrap();
        let names = appender.names_beyond_tail().unwrap().unwrap();
        assert_eq!(
            names.tag.as_deref(),
            Some("late"),
            "lines of other processes are found too"
        );
        assert!(appender.names_beyond_tail().unwrap().is_none());
    }

    #[test]
    fn append_to_does_not_create_a_transcript() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s.jsonl");
        assert!(append_to(&path, &[json!({})]).is_err());
        assert!(!path.exists());
    }

    #[test]
    fn a_line_is_replaced_in_its_reserved_space() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s.jsonl");
        let mut appender = Appender::new(path.clone());
        let location = appender
            .append(&[json!({"a": 1}), json!({"b": null})], 8)
            .unwrap()
            .unwrap();
        append_to(&path, &[json!({"c": 3})]).unwrap();
        let before = fs::read_to_string(&path).unwrap();
        assert!(appender.replace(&location, &json!({"b": "tool_use"})).unwrap());
        let after = fs::read_to_string(&path).unwrap();
        assert_eq!(after, "{\"a\":1}\n{\"b\":\"tool_use\"}  \n{\"c\":3}\n");
        assert_eq!(before.len(), after.len());
    }

    #[test]
    fn a_line_without_space_or_at_another_location_is_not_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s.jsonl");
        let mut appender = Appender::new(path.clone());
        let location = appender.append(&[json!({"b": null})], 2).unwrap().unwrap();
        assert!(!appender.replace(&location, &json!({"b": "much longer"})).unwrap());
        fs::write(&path, "another file, as long as it was\n").unwrap();
        assert!(!appender.replace(&location, &json!({"b": 1})).unwrap());
        assert_eq!(fs::read_to_string(&path).unwrap(), "another file, as long as it was\n");
    }
}
