//! Many sessions: shown as they are read, and searched.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde_json::Value;

use super::place::Project;
use super::{SessionInfo, Sessions, info};
use crate::error::Error;

/// The first group is what a screen shows.
const FIRST: usize = 40;
/// The others are larger.
const MORE: usize = 1000;

impl Sessions {
    /// The same sessions as [`Sessions::list`], newest first, handed over in groups as they are read: with very many of
    /// them the first screenful is there at once. `told` says whether to go on.
    ///
    /// # Errors
    /// When a folder cannot be read.
    pub fn browse(&self, dir: Option<&Path>, mut told: impl FnMut(Vec<SessionInfo>) -> bool) -> Result<(), Error> {
        let mut group = Vec::new();
        let mut most = FIRST;
        for (project, file) in self.files(dir)? {
            if let Ok(Some(info)) = info::of(&file, project.path.as_deref()) {
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

    /// Finds the sessions in which a person or the agent said this, in capitals or not; newest first. `told` gets each
    /// id, and nothing now and then, and says whether to go on.
    ///
    /// # Errors
    /// When a folder cannot be read.
    pub fn search(
        &self,
        words: &str,
        dir: Option<&Path>,
        mut told: impl FnMut(Option<&str>) -> bool,
    ) -> Result<(), Error> {
        let wanted = words.to_lowercase();
        for (_, file) in self.files(dir)? {
            let text = fs::read(&file).unwrap_or_default();
            let text = String::from_utf8_lossy(&text);
            let found = says(&text, &wanted);
            let id = file.file_stem().and_then(|stem| stem.to_str()).filter(|_| found);
            if !told(id) {
                return Ok(());
            }
        }
        Ok(())
    }

    /// The files of sessions, newest first; each session once.
    fn files(&self, dir: Option<&Path>) -> Result<Vec<(Project, PathBuf)>, Error> {
        let mut files: Vec<(SystemTime, Project, PathBuf)> = Vec::new();
        for project in self.projects(dir)? {
            let found = match fs::read_dir(&project.sessions) {
                Ok(found) => found,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                Err(error) => return Err(Error::session(project.sessions.display(), &error)),
            };
            for entry in found.flatten() {
                let file = entry.path();
                let changed = entry.metadata().and_then(|data| data.modified());
                if let (true, Ok(changed)) = (info::is_session(&file), changed) {
                    files.push((changed, project.clone(), file));
                }
            }
        }
        files.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.2.cmp(&other.2)));
        let mut seen = HashSet::new();
        files.retain(|(.., file)| seen.insert(file.file_name().map(ToOwned::to_owned)));
        Ok(files.into_iter().map(|(_, project, file)| (project, file)).collect())
    }
}

/// Whether somebody says this in a transcript. `wanted` is in small letters.
fn says(text: &str, wanted: &str) -> bool {
    // Most lines are passed over without being read.
    let mut lines = text.lines().filter(|line| line.to_lowercase().contains(wanted));
    lines.any(|line| {
        let Ok(entry) = serde_json::from_str::<Value>(line) else {
            return false;
        };
        let is_said = matches!(entry.get("type").and_then(Value::as_str), Some("user" | "assistant"));
        let mut said = info::texts(&entry).into_iter();
        is_said && said.any(|said| said.to_lowercase().contains(wanted))
    })
}
