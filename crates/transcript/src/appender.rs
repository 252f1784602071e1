//! Appending to a transcript: one open file, one write per line. Only the end of a model message changes lines that are
//! written: their final usage and stop reason replace the first ones in place, in room that was reserved for them.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::copies::Copies;
use super::line::{self, Names};
use super::private;

/// After so many bytes the title and the tag are written again: readers of lists look only at a file's end.
const REMIND_AFTER: u64 = 32 * 1024;
/// Of what is copied, so many bytes are written at a time.
const AT_ONCE: usize = 256 * 1024;

/// Appends to one transcript. The file is opened with the first line, so that a session in which nothing was said leaves
/// nothing behind.
#[derive(Debug)]
pub(super) struct Pen {
    path: PathBuf,
    file: Option<File>,
    /// How long the file was when its end was last looked at.
    looked: u64,
}

/// A line of the file that may be replaced.
#[derive(Debug)]
pub(super) struct Spot {
    /// Where the line begins.
    at: u64,
    /// The line as written, without its end.
    line: Vec<u8>,
}

impl Pen {
    pub(super) fn new(path: PathBuf) -> Self {
        Self {
            path,
            file: None,
            looked: 0,
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether anything was written by this pen.
    pub(super) fn begun(&self) -> bool {
        self.file.is_some()
    }

    /// Appends lines in one write, the last one with `room` spaces before its end. Returns where the last one is.
    pub(super) fn append(&mut self, lines: &[Value], room: usize) -> io::Result<Option<Spot>> {
        let mut text = self.begin()?;
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
        Ok(end.checked_sub(behind).map(|at| Spot {
            at,
            line: text.get(last..text.len() - 1).unwrap_or_default().to_owned(),
        }))
    }

    /// Replaces a line in place. Returns false, and changes nothing, if the new line is longer or the file has another
    /// line there.
    pub(super) fn replace(&self, spot: &Spot, line: &Value) -> io::Result<bool> {
        let mut new = serde_json::to_vec(line)?;
        if new.len() > spot.line.len() {
            return Ok(false);
        }
        new.resize(spot.line.len(), b' ');
        let differs = |(old, new): (&u8, &u8)| old != new;
        let Some(first) = spot.line.iter().zip(&new).position(differs) else {
            return Ok(true);
        };
        let last = spot.line.iter().zip(&new).rposition(differs).unwrap_or(first);
        // The file that is open for appending cannot be written to anywhere else.
        let file = OpenOptions::new().read(true).write(true).open(&self.path)?;
        let mut there = vec![0; spot.line.len()];
        file.read_exact_at(&mut there, spot.at)?;
        if there != spot.line {
            return Ok(false);
        }
        let changed = new.get(first..=last).unwrap_or_default();
        file.write_all_at(changed, spot.at + u64::try_from(first).unwrap_or_default())?;
        Ok(true)
    }

    /// Appends the entries of another session, under the id of this one.
    pub(super) fn copy(&mut self, copies: &Copies, session_id: &str) -> io::Result<()> {
        let mut text = self.begin()?;
        copies.each(session_id, |line| {
            text.extend_from_slice(line);
            text.push(b'\n');
            if text.len() < AT_ONCE {
                return Ok(());
            }
            let written = self.write(&text);
            text.clear();
            written
        })?;
        self.write(&text)
    }

    /// Opens the file where it is not open; gives what has to stand before the next line.
    fn begin(&mut self) -> io::Result<Vec<u8>> {
        let mut text = Vec::with_capacity(1024);
        if self.file.is_none() {
            let (file, length, torn) = open(&self.path)?;
            self.looked = length;
            self.file = Some(file);
            if torn {
                // What was being written when the last process died stays a line of its own, and harms nobody.
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
            // Part of it may be there: the next line begins with another look at the file's end.
            self.file = None;
        }
        written
    }

    /// The names given in what has been written since the last look, by us or by others, once that is far enough back to
    /// be overlooked. `None` when it is not.
    pub(super) fn names_far_back(&mut self) -> io::Result<Option<Names>> {
        let Some(file) = &mut self.file else { return Ok(None) };
        let length = file.metadata()?.len();
        if length.saturating_sub(self.looked) < REMIND_AFTER {
            return Ok(None);
        }
        let mut since = Vec::new();
        file.seek(SeekFrom::Start(self.looked))?;
        file.read_to_end(&mut since)?;
        self.looked = length;
        Ok(Some(line::names(&since)))
    }
}

/// Opens for appending; says how long the file is and whether its last line lacks its end.
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

/// Appends to a transcript that is not ours to open; one that is not there is not made.
pub(super) fn append_to(path: &Path, lines: &[Value]) -> io::Result<()> {
    let mut text = Vec::new();
    for line in lines {
        serde_json::to_writer(&mut text, line)?;
        text.push(b'\n');
    }
    OpenOptions::new().append(true).open(path)?.write_all(&text)
}

/// Writes the title beside the transcript, where those look who do not read it.
pub(super) fn title_beside(transcript: &Path, title: &str) -> io::Result<()> {
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
    fn a_file_is_made_with_its_first_line_and_is_nobody_elses() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("projects/p/s.jsonl");
        let mut pen = Pen::new(path.clone());
        assert!(!path.exists());
        pen.append(&[json!({"a": 1})], 0).unwrap();
        pen.append(&[json!({"b": 2}), json!({"c": 3})], 0).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "{\"a\":1}\n{\"b\":2}\n{\"c\":3}\n");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_torn_last_line_is_closed_before_anything_follows() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s.jsonl");
        fs::write(&path, "{\"a\":1}\n{\"b\":").unwrap();
        Pen::new(path.clone()).append(&[json!({"c": 3})], 0).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "{\"a\":1}\n{\"b\":\n{\"c\":3}\n");
    }

    #[test]
    fn names_are_looked_for_again_only_when_they_are_far_back() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s.jsonl");
        let mut pen = Pen::new(path.clone());
        pen.append(&[json!({"type": "x"})], 0).unwrap();
        append_to(&path, &[json!({"type": "tag", "tag": "late", "sessionId": "s"})]).unwrap();
        assert!(pen.names_far_back().unwrap().is_none());
        pen.append(&[json!({"type": "x", "text": "y".repeat(40_000)})], 0)
            .unwrap();
        let names = pen.names_far_back().unwrap().unwrap();
        assert_eq!(names.tag.as_deref(), Some("late"), "what others wrote counts too");
        assert!(pen.names_far_back().unwrap().is_none());
    }

    #[test]
    fn a_transcript_that_is_not_there_is_not_made_by_a_rename() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s.jsonl");
        assert!(append_to(&path, &[json!({})]).is_err());
        assert!(!path.exists());
    }

    #[test]
    fn a_line_is_replaced_in_its_room_and_nothing_moves() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s.jsonl");
        let mut pen = Pen::new(path.clone());
        let spot = pen.append(&[json!({"a": 1}), json!({"b": null})], 8).unwrap().unwrap();
        append_to(&path, &[json!({"c": 3})]).unwrap();
        let before = fs::read_to_string(&path).unwrap();
        assert!(pen.replace(&spot, &json!({"b": "tool_use"})).unwrap());
        let after = fs::read_to_string(&path).unwrap();
        assert_eq!(after, "{\"a\":1}\n{\"b\":\"tool_use\"}  \n{\"c\":3}\n");
        assert_eq!(before.len(), after.len());
    }

    #[test]
    fn a_line_that_has_no_room_or_is_not_there_stays() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s.jsonl");
        let mut pen = Pen::new(path.clone());
        let spot = pen.append(&[json!({"b": null})], 2).unwrap().unwrap();
        assert!(!pen.replace(&spot, &json!({"b": "much longer"})).unwrap());
        fs::write(&path, "another file, as long as it was\n").unwrap();
        assert!(!pen.replace(&spot, &json!({"b": 1})).unwrap());
        assert_eq!(fs::read_to_string(&path).unwrap(), "another file, as long as it was\n");
    }
}
