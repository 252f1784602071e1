//! Where transcripts lie: one folder per project, one file per session.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::error::Error;
use super::folder_name::{LONGEST, folder_name, folder_name_as_spelled};

/// The folder all transcripts lie in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Projects {
    dir: PathBuf,
}

/// Some of the folders in it, in the order in which they are looked through.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Folders(pub(super) Vec<Folder>);

/// A folder of sessions, and the folder they are about when that is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Folder {
    pub(super) sessions: PathBuf,
    pub(super) about: Option<PathBuf>,
}

/// A transcript as the folder shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) file: PathBuf,
    /// When it was last written to.
    pub(super) modified: SystemTime,
}

impl Projects {
    /// The transcripts below this folder.
    #[must_use]
    pub fn new(dir: PathBuf) -> Self {
        Self { dir }
    }

    /// The transcript of a session that works in `cwd`.
    #[must_use]
    pub fn file(&self, cwd: &Path, session_id: &str) -> PathBuf {
        self.project(cwd).join(format!("{session_id}.jsonl"))
    }

    /// Where notes about a project lie.
    #[must_use]
    pub fn notes(&self, root: &Path) -> PathBuf {
        self.project(root).join("memory")
    }

    /// The folder of a project.
    fn project(&self, cwd: &Path) -> PathBuf {
        self.dir.join(folder_name(&real(cwd).to_string_lossy()))
    }

    /// The folders of all projects.
    ///
    /// # Errors
    /// When the folder they lie in cannot be read.
    pub fn all(&self) -> Result<Folders, Error> {
        let folders = self.folders()?.into_iter();
        let folders = folders.map(|sessions| Folder { sessions, about: None });
        Ok(Folders(folders.collect()))
    }

    /// The folders in which sessions of these projects lie.
    ///
    /// # Errors
    /// When the folder they lie in cannot be read.
    pub fn about(&self, projects: impl IntoIterator<Item = PathBuf>) -> Result<Folders, Error> {
        let mut found: Vec<Folder> = Vec::new();
        for project in projects {
            let project = real(&project);
            for sessions in self.homes(&project)? {
                if !found.iter().any(|folder| folder.sessions == sessions) {
                    let about = Some(project.clone());
                    found.push(Folder { sessions, about });
                }
            }
        }
        Ok(Folders(found))
    }

    /// The folders in which sessions of a project may lie, ours first. Agents differ in whether they compose the letters of
    /// its path, and in the hash of a very long one: any that begins the same is one.
    fn homes(&self, real: &Path) -> Result<Vec<PathBuf>, Error> {
        let path = real.to_string_lossy();
        let mut homes = Vec::new();
        for name in [folder_name(&path), folder_name_as_spelled(&path)] {
            let own = self.dir.join(&name);
            if own.is_dir() {
                homes.push(own);
            }
            if name.len() > LONGEST {
                let beginning = format!("{}-", name.get(..LONGEST).unwrap_or_default());
                let begins = |name: &str| name.starts_with(&beginning);
                let others = self.folders()?.into_iter();
                homes
                    .extend(others.filter(|home| home.file_name().is_some_and(|name| begins(&name.to_string_lossy()))));
            }
        }
        let mut seen = std::collections::HashSet::new();
        homes.retain(|home| seen.insert(home.clone()));
        Ok(homes)
    }

    /// All folders, by name.
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

    /// A session's transcript: that of the project at hand, else that of any other.
    #[must_use]
    pub fn find(&self, cwd: &Path, session_id: &str) -> Option<PathBuf> {
        let here = self.about([cwd.to_owned()]).ok()?.file(session_id);
        here.or_else(|| self.all().ok()?.file(session_id))
    }

    /// The transcripts of a project, the newest first.
    pub(super) fn of(&self, cwd: &Path) -> Vec<Found> {
        let folders = self.about([cwd.to_owned()]).unwrap_or_default();
        let files = folders
            .0
            .iter()
            .flat_map(|folder| fs::read_dir(&folder.sessions).into_iter().flatten().flatten());
        let mut found: Vec<Found> = files.filter_map(|file| seen(&file.path())).collect();
        newest_first(&mut found, |found| found);
        found
    }
}

impl Folders {
    /// The file of a session.
    pub(super) fn file(&self, session_id: &str) -> Option<PathBuf> {
        self.find(session_id).map(|(_, file)| file)
    }

    /// The folder and the file of a session.
    pub(super) fn find(&self, session_id: &str) -> Option<(&Folder, PathBuf)> {
        let name = format!("{session_id}.jsonl");
        self.0.iter().find_map(|folder| {
            let file = folder.sessions.join(&name);
            holds_something(&file).then_some((folder, file))
        })
    }
}

/// The newest first; of those written in one moment, in order of their names.
pub(super) fn newest_first<T>(found: &mut [T], of: impl Fn(&T) -> &Found) {
    found.sort_by(|one, other| {
        let (one, other) = (of(one), of(other));
        let newer = other.modified.cmp(&one.modified);
        newer.then_with(|| one.file.file_name().cmp(&other.file.file_name()))
    });
}

/// A file that is a transcript with something in it.
pub(super) fn seen(file: &Path) -> Option<Found> {
    let id = file.file_stem()?.to_str()?;
    if file.extension()? != "jsonl" || !is_id(id) {
        return None;
    }
    let meta = fs::metadata(file)
        .ok()
        .filter(|meta| meta.is_file() && meta.len() > 0)?;
    Some(Found {
        file: file.to_owned(),
        modified: meta.modified().unwrap_or(SystemTime::UNIX_EPOCH),
    })
}

/// Where a folder really lies; one that is not there, as it is named.
fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

fn holds_something(file: &Path) -> bool {
    fs::metadata(file).is_ok_and(|meta| meta.is_file() && meta.len() > 0)
}

/// Whether this names a session: a uuid in its hyphenated spelling.
#[must_use]
pub fn is_id(text: &str) -> bool {
    text.len() == uuid::fmt::Hyphenated::LENGTH && uuid::Uuid::try_parse(text).is_ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]

    use super::*;

    #[test]
    fn sessions_of_a_folder_whose_letters_another_agent_did_not_compose_are_found() {
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
    fn a_session_of_another_project_is_found_too() {
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
        assert_eq!(projects.find(Path::new("/there"), id), None, "an empty file is none");
    }

    #[test]
    fn sessions_of_a_long_path_are_found_whatever_hash_another_agent_gave_it() {
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
            .join(format!("{}-another", &name[..LONGEST]));
        let stranger = dir.path().join("projects").join(&name[..LONGEST - 1]);
        for (folder, id) in [(file.parent().unwrap(), ours), (&other, theirs), (&stranger, theirs)] {
            fs::create_dir_all(folder).unwrap();
            fs::write(folder.join(format!("{id}.jsonl")), "{}\n").unwrap();
        }
        assert_eq!(projects.of(&cwd).len(), 2);
        assert_eq!(projects.find(&cwd, theirs), Some(other.join(format!("{theirs}.jsonl"))));
    }

    #[test]
    fn what_is_in_the_folder_at_hand_is_found_there_however_it_is_spelled() {
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
    fn a_session_is_named_by_a_hyphenated_uuid_alone() {
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
