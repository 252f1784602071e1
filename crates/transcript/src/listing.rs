//! Lists of sessions, which can be displayed while they are read, and the search in sessions.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io;
use std::path::PathBuf;

use serde_json::Value;

use super::error::Error;
use super::info::{self, SessionInfo};
use super::lines;
use super::projects::{Folder, Folders, TranscriptFile, is_id, newest_first, transcript_file};

/// Number of sessions in the first group: about one screen.
const FIRST_GROUP_SIZE: usize = 40;
/// Number of sessions in each later group.
const GROUP_SIZE: usize = 1000;

impl Folders {
    /// Returns the sessions in these folders, newest first. If a session is in two folders, the newer transcript
    /// counts.
    ///
    /// # Errors
    /// If a folder cannot be read. Files that are not transcripts are skipped.
    pub fn list(&self) -> Result<Vec<SessionInfo>, Error> {
        let mut all = Vec::new();
        self.browse(|group| {
            all.extend(group);
            true
        })?;
        Ok(all)
    }

    /// Passes the same sessions to `show` in groups while they are read, so that the first group is available quickly
    /// even if there are very many sessions. Ends when `show` returns false.
    ///
    /// # Errors
    /// If a folder cannot be read.
    pub fn browse(&self, mut show: impl FnMut(Vec<SessionInfo>) -> bool) -> Result<(), Error> {
        let mut known = HashSet::new();
        let mut group = Vec::new();
        let mut limit = FIRST_GROUP_SIZE;
        for (folder, file) in self.files()? {
            // A file that cannot be read may have just been deleted.
            if let Ok(Some(info)) = info::of(&file, folder.about.as_deref())
                && known.insert(info.session_id.clone())
            {
                group.push(info);
            }
            if group.len() >= limit {
                limit = GROUP_SIZE;
                if !show(std::mem::take(&mut group)) {
                    return Ok(());
                }
            }
        }
        show(group);
        Ok(())
    }

    /// Returns the properties of a session; `None` if it does not exist or has nothing to display.
    ///
    /// # Errors
    /// If its transcript cannot be read.
    pub fn info(&self, session_id: &str) -> Result<Option<SessionInfo>, Error> {
        match self.session(session_id) {
            Ok((folder, file)) => info::of(&file, folder.about.as_deref()),
            Err(_) => Ok(None),
        }
    }

    /// Finds the sessions with a message that contains `words`, ignoring case; newest first. Calls `show` after each
    /// session with the id if it matches and with `None` if not, and ends when `show` returns false.
    ///
    /// # Errors
    /// If a folder cannot be read.
    pub fn search(&self, words: &str, mut show: impl FnMut(Option<&str>) -> bool) -> Result<(), Error> {
        let wanted = words.to_lowercase();
        let mut known = HashSet::new();
        for (_, file) in self.files()? {
            let Some(id) = file.file_stem().and_then(|stem| stem.to_str()) else {
                continue;
            };
            if known.insert(id.to_owned()) && !show(Some(id).filter(|_| contains_message(&file, &wanted))) {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Returns the folder and the transcript of a session.
    pub(super) fn session(&self, session_id: &str) -> Result<(&Folder, PathBuf), Error> {
        if !is_id(session_id) {
            return Err(Error::NoId(session_id.to_owned()));
        }
        self.find(session_id)
            .ok_or_else(|| Error::Unknown(session_id.to_owned()))
    }

    /// Returns all transcripts, newest first.
    fn files(&self) -> Result<Vec<(&Folder, PathBuf)>, Error> {
        let mut files: Vec<(&Folder, TranscriptFile)> = Vec::new();
        for folder in &self.0 {
            let found = match fs::read_dir(&folder.sessions) {
                Ok(found) => found,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(Error::file(&folder.sessions, error)),
            };
            files.extend(
                found
                    .flatten()
                    .filter_map(|entry| Some((folder, transcript_file(&entry.path())?))),
            );
        }
        newest_first(&mut files, |(_, found)| found);
        Ok(files.into_iter().map(|(folder, found)| (folder, found.file)).collect())
    }
}

/// Whether a message of the transcript contains the text `wanted`, which is in lower case.
fn contains_message(file: &std::path::Path, wanted: &str) -> bool {
    let Ok(mut file) = File::open(file) else { return false };
    let mut found = false;
    let read = lines::each(&mut file, |_, line| {
        found = found || line_matches(line, wanted);
    });
    read.is_ok() && found
}

fn line_matches(line: &[u8], wanted: &str) -> bool {
    // Most lines are skipped without being parsed.
    if !String::from_utf8_lossy(line).to_lowercase().contains(wanted) {
        return false;
    }
    let Ok(entry) = serde_json::from_slice::<Value>(line) else {
        return false;
    };
    let is_message = matches!(entry.get("type").and_then(Value::as_str), Some("user" | "assistant"));
    let mut texts = info::texts(&entry).into_iter();
    is_message && texts.any(|text| text.to_lowercase().contains(wanted))
}
