//! The paths of transcripts: one folder per project, one file per session.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::error::Error;
use super::folder_name::{MAX_LENGTH, folder_name, uncomposed_folder_name};

/// The folder that contains all transcripts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Projects {
    dir: PathBuf,
}

/// Some of the project folders, in the order in which they are searched.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Folders(pub(super) Vec<Folder>);

/// A folder of transcripts, and the path of the project if it is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Folder {
    pub(super) sessions: PathBuf,
    pub(super) about: Option<PathBuf>,
}

/// A transcript and its modification time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TranscriptFile {
    pub(super) file: PathBuf,
    /// When the transcript was last written.
    pub(super) modified: SystemTime,
}

impl Projects {
    /// Creates the value for transcripts below this folder.
    #[must_use]
    pub fn new(dir: PathBuf) -> Self {
        Self { dir }
    }

    /// Returns the path of the transcript of a session with the working directory `cwd`.
    #[must_use]
    pub fn file(&self, cwd: &Path, session_id: &str) -> PathBuf {
        self.project(cwd).join(format!("{session_id}.jsonl"))
    }

    /// Returns the folder of the notes (memory) about a project.
    #[must_use]
    pub fn notes(&self, root: &Path) -> PathBuf {
        self.project(root).join("memory")
    }

    /// Returns the folder of a project.
    fn project(&self, cwd: &Path) -> PathBuf {
        self.dir.join(folder_name(&resolved(cwd).to_string_lossy()))
    }

    /// Returns the folders of all projects.
    ///
    /// # Errors
    /// If the folder that contains them cannot be read.
    pub fn all(&self) -> Result<Folders, Error> {
        let folders = self.folders()?.into_iter();
        let folders = folders.map(|sessions| Folder { sessions, about: None });
        Ok(Folders(folders.collect()))
    }

    /// Returns the folders that contain sessions of these projects.
    ///
    /// # Errors
    /// If the folder that contains them cannot be read.
    pub fn about(&self, projects: impl IntoIterator<Item = PathBuf>) -> Result<Folders, Error> {
        let mut found: Vec<Folder> = Vec::new();
        for project in projects {
            let project = resolved(&project);
            for sessions in self.folders_of(&project)? {
                if !found.iter().any(|folder| folder.sessions == sessions) {
                    let about = Some(project.clone());
                    found.push(Folder { sessions, about });
                }
            }
        }
        Ok(Folders(found))
    }

    /// Returns the folders that may contain sessions of a project, first the one that Sluice uses. Agents differ in
    /// whether they compose the letters of the path and in the hash for a very long path, so every folder with the same
    /// prefix counts.
    fn folders_of(&self, resolved: &Path) -> Result<Vec<PathBuf>, Error> {
        let path = resolved.to_string_lossy();
        let mut found = Vec::new();
        for name in [folder_name(&path), uncomposed_folder_name(&path)] {
            let own = self.dir.join(&name);
            if own.is_dir() {
                found.push(own);
            }
            if name.len() > MAX_LENGTH {
                let beginning = format!("{}-", name.get(..MAX_LENGTH).unwrap_or_default());
                let begins = |name: &str| name.starts_with(&beginning);
                let others = self.folders()?.into_iter();
                found.extend(
                    others.filter(|folder| folder.file_name().is_some_and(|name| begins(&name.to_string_lossy()))),
                );
            }
        }
        let mut known = std::collections::HashSet::new();
        found.retain(|folder| known.insert(folder.clone()));
        Ok(found)
    }

    /// Returns all project folders, sorted by name.
    fn folders(&self) -> Result<Vec<PathBuf>, Error> {
        let mut folders: Vec<PathBuf> = match fs::read_dir(&self.dir) {
            Ok(entries) => entries.flatten().map(|entry| entry.path()).collect(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(Error::file(&self.dir, error)),
        };
        folders.retain(|path| path.is_dir());
        folders.sort();
        Ok(folders)
    }

    /// Finds the transcript of a session, first in the current project, then in all others.
    #[must_use]
    pub fn find(&self, cwd: &Path, session_id: &str) -> Option<PathBuf> {
        let here = self.about([cwd.to_owned()]).ok()?.file(session_id);
        here.or_else(|| self.all().ok()?.file(session_id))
    }

    /// Returns the transcripts of a project, newest first.
    pub(super) fn of(&self, cwd: &Path) -> Vec<TranscriptFile> {
        let folders = self.about([cwd.to_owned()]).unwrap_or_default();
        let files = folders
            .0
            .iter()
            .flat_map(|folder| fs::read_dir(&folder.sessions).into_iter().flatten().flatten());
        let mut found: Vec<TranscriptFile> = files.filter_map(|file| transcript_file(&file.path())).collect();
        newest_first(&mut found, |found| found);
        found
    }
}

impl Folders {
    /// Returns the transcript of a session.
    pub(super) fn file(&self, session_id: &str) -> Option<PathBuf> {
        self.find(session_id).map(|(_, file)| file)
    }

    /// Returns the folder and the transcript of a session.
    pub(super) fn find(&self, session_id: &str) -> Option<(&Folder, PathBuf)> {
        let name = format!("{session_id}.jsonl");
        self.0.iter().find_map(|folder| {
            let file = folder.sessions.join(&name);
            is_nonempty_file(&file).then_some((folder, file))
        })
    }
}

/// Sorts by modification time, newest first, then by name.
pub(super) fn newest_first<T>(found: &mut [T], of: impl Fn(&T) -> &TranscriptFile) {
    found.sort_by(|one, other| {
        let (one, other) = (of(one), of(other));
        let newer = other.modified.cmp(&one.modified);
        newer.then_with(|| one.file.file_name().cmp(&other.file.file_name()))
    });
}

/// Returns the file if it is a transcript and not empty.
pub(super) fn transcript_file(file: &Path) -> Option<TranscriptFile> {
    let id = file.file_stem()?.to_str()?;
    if file.extension()? != "jsonl" || !is_id(id) {
        return None;
    }
    let meta = fs::metadata(file)
        .ok()
        .filter(|meta| meta.is_file() && meta.len() > 0)?;
    Some(TranscriptFile {
        file: file.to_owned(),
        modified: meta.modified().unwrap_or(SystemTime::UNIX_EPOCH),
    })
}

/// Returns the path with links resolved, or the path itself if it does not exist.
fn resolved(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

fn is_nonempty_file(file: &Path) -> bool {
    fs::metadata(file).is_ok_and(|meta| meta.is_file() && meta.len() > 0)
}

/// Whether the text is a session id: a uuid in hyphenated form.
#[must_use]
pub fn is_id(text: &str) -> bool {
    text.len() == uuid::fmt::Hyphenated::LENGTH && uuid::Uuid::try_parse(text).is_ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]

    use super::*;

    #[test]
    fn sessions_in_a_folder_with_an_uncomposed_name_are_found() {
        let dir = tempfile::tempdir().unwrap();
        let projects = Projects::new(dir.path().join("projects"));
        let (cwd, id) = (Path::new("/cafe\u{301}"), "11111111-2222-4333-8444-555555555555");
        assert!(projects.file(cwd, id).ends_with(format!("-caf-/{id}.jsonl")));
        let spelled = dir.path().join("projects/-cafe-");
        fs::create_dir_all(&spelled).unwrap();
        fs::write(spelled.join(format!("{id}.jsonl")), "{}\n").unwrap();
        assert_eq!(projects.of(cwd).len(), 1);
    }

    #[test]
    fn a_session_of_another_project_is_found() {
        let dir = tempfile::tempdir().unwrap();
        let projects = Projects::new(dir.path().join("projects"));
        let id = "11111111-2222-4333-8444-555555555555";
        let file = projects.file(Path::new("/there"), id);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, "{}\n").unwrap();
        assert_eq!(projects.find(Path::new("/here"), id), Some(file.clone()));
        assert_eq!(projects.of(Path::new("/there")).len(), 1);
        assert!(projects.of(Path::new("/here")).is_empty());
        fs::write(&file, "").unwrap();
        assert_eq!(
            projects.find(Path::new("/there"), id),
            None,
            "an empty file is not a transcript"
        );
    }

    #[test]
    fn sessions_of_a_long_path_are_found_with_any_hash() {
        let dir = tempfile::tempdir().unwrap();
        let projects = Projects::new(dir.path().join("projects"));
        let cwd = PathBuf::from(format!("/{}", "long".repeat(60)));
        let (ours, theirs) = (
            "11111111-2222-4333-8444-555555555555",
            "11111111-2222-4333-8444-666666666666",
        );
        let file = projects.file(&cwd, ours);
        let name = file.parent().unwrap().file_name().unwrap().to_str().unwrap();
        let other = dir
            .path()
            .join("projects")
            .join(format!("{}-another", &name[..MAX_LENGTH]));
        let unrelated = dir.path().join("projects").join(&name[..MAX_LENGTH - 1]);
        for (folder, id) in [(file.parent().unwrap(), ours), (&other, theirs), (&unrelated, theirs)] {
            fs::create_dir_all(folder).unwrap();
            fs::write(folder.join(format!("{id}.jsonl")), "{}\n").unwrap();
        }
        assert_eq!(projects.of(&cwd).len(), 2);
        assert_eq!(projects.find(&cwd, theirs), Some(other.join(format!("{theirs}.jsonl"))));
    }

    #[test]
    fn the_current_project_has_precedence_with_any_spelling() {
        let dir = tempfile::tempdir().unwrap();
        let projects = Projects::new(dir.path().join("projects"));
        let (cwd, id) = (Path::new("/cafe\u{301}"), "11111111-2222-4333-8444-555555555555");
        for folder in ["-aaa", "-cafe-"] {
            let folder = dir.path().join("projects").join(folder);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join(format!("{id}.jsonl")), "{}\n").unwrap();
        }
        let found = projects.find(cwd, id).unwrap();
        assert!(found.ends_with(format!("-cafe-/{id}.jsonl")), "{found:?}");
    }

    #[test]
    fn only_a_hyphenated_uuid_is_a_session_id() {
        assert!(is_id("11111111-2222-4333-8444-55555555ABCD"));
        for other in [
            "11111111222243338444555555555555",
            "{11111111-2222-4333-8444-555555555555}",
            "../x",
            "",
        ] {
            assert!(!is_id(other), "{other}");
        }
    }
}
