//! Lists of sessions, shown while they are read, and searched.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io;
use std::path::PathBuf;

use serde_json::Value;

use super::error::Error;
use super::info::{self, SessionInfo};
use super::lines;
use super::place::{Folder, Folders, Found, is_id, newest_first, seen};

/// The first group is what a screen shows.
const FIRST: usize = 40;
/// The others are larger.
const MORE: usize = 1000;

impl Folders {
    /// The sessions in these folders, newest first. One that lies in two of them is the newer one.
    ///
    /// # Errors
    /// When a folder cannot be read. Files that are no session are passed over.
    pub fn list(&self) -> Result<Vec<SessionInfo>, Error> {
        let mut all = Vec::new();
        self.browse(|group| {
            all.extend(group);
            true
        })?;
        Ok(all)
    }

    /// The same sessions, handed over in groups as they are read: with very many of them the first screenful is there at
    /// once. `told` says whether to go on.
    ///
    /// # Errors
    /// When a folder cannot be read.
    pub fn browse(&self, mut told: impl FnMut(Vec<SessionInfo>) -> bool) -> Result<(), Error> {
        let mut known = HashSet::new();
        let mut group = Vec::new();
        let mut most = FIRST;
        for (folder, file) in self.files()? {
            // A file that cannot be read now may be one that is being deleted.
            if let Ok(Some(info)) = info::of(&file, folder.about.as_deref())
                && known.insert(info.session_id.clone())
            {
                group.push(info);
            }
            if group.len() >= most {
                most = MORE;
                if !told(std::mem::take(&mut group)) {
                    return Ok(());
                }
            }
        }
        told(group);
        Ok(())
    }

    /// What is known of one session; `None` when there is none, or nothing to show.
    ///
    /// # Errors
    /// When its file cannot be read.
    pub fn info(&self, session_id: &str) -> Result<Option<SessionInfo>, Error> {
        match self.session(session_id) {
            Ok((folder, file)) => info::of(&file, folder.about.as_deref()),
            Err(_) => Ok(None),
        }
    }

    /// Finds the sessions in which a person or the agent said this, in capitals or not; newest first. `told` gets each
    /// id, and nothing now and then, and says whether to go on.
    ///
    /// # Errors
    /// When a folder cannot be read.
    pub fn search(&self, words: &str, mut told: impl FnMut(Option<&str>) -> bool) -> Result<(), Error> {
        let wanted = words.to_lowercase();
        let mut known = HashSet::new();
        for (_, file) in self.files()? {
            let Some(id) = file.file_stem().and_then(|stem| stem.to_str()) else {
                continue;
            };
            if known.insert(id.to_owned()) && !told(Some(id).filter(|_| says(&file, &wanted))) {
                return Ok(());
            }
        }
        Ok(())
    }

    /// The folder and the file of a session.
    pub(super) fn session(&self, session_id: &str) -> Result<(&Folder, PathBuf), Error> {
        if !is_id(session_id) {
            return Err(Error::NoId(session_id.to_owned()));
        }
        self.find(session_id)
            .ok_or_else(|| Error::Unknown(session_id.to_owned()))
    }

    /// The files of sessions, newest first.
    fn files(&self) -> Result<Vec<(&Folder, PathBuf)>, Error> {
        let mut files: Vec<(&Folder, Found)> = Vec::new();
        for folder in &self.0 {
            let found = match fs::read_dir(&folder.sessions) {
                Ok(found) => found,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(Error::file(&folder.sessions, error)),
            };
            files.extend(found.flatten().filter_map(|entry| Some((folder, seen(&entry.path())?))));
        }
        newest_first(&mut files, |(_, found)| found);
        Ok(files.into_iter().map(|(folder, found)| (folder, found.file)).collect())
    }
}

/// Whether somebody says this in a transcript. `wanted` is in small letters.
fn says(file: &std::path::Path, wanted: &str) -> bool {
    let Ok(mut file) = File::open(file) else { return false };
    let mut found = false;
    let read = lines::each(&mut file, |_, line| {
        found = found || line_says(line, wanted);
    });
    read.is_ok() && found
}

fn line_says(line: &[u8], wanted: &str) -> bool {
    // Most lines are passed over without being read.
    if !String::from_utf8_lossy(line).to_lowercase().contains(wanted) {
        return false;
    }
    let Ok(entry) = serde_json::from_slice::<Value>(line) else {
        return false;
    };
    let is_said = matches!(entry.get("type").and_then(Value::as_str), Some("user" | "assistant"));
    let mut said = info::texts(&entry).into_iter();
    is_said && said.any(|said| said.to_lowercase().contains(wanted))
}
