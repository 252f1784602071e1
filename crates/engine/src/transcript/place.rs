//! Where transcripts lie: one folder a project, one file a session.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use sluice_wire::session_folder::{session_folder, session_folder_as_spelled};

/// The folder all transcripts lie in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Projects {
    dir: PathBuf,
}

/// A transcript as the folder shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    /// The session's id.
    pub(crate) id: String,
    /// The file.
    pub(crate) file: PathBuf,
    /// When it was last written to.
    pub(crate) modified: SystemTime,
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

    /// The folder of a project.
    fn project(&self, cwd: &Path) -> PathBuf {
        let real = cwd.canonicalize().unwrap_or_else(|_| cwd.to_owned());
        self.dir.join(session_folder(&real.to_string_lossy()))
    }

    /// The folders in which sessions of a project may lie: ours, and that of agents that do not compose letters.
    fn homes(&self, cwd: &Path) -> Vec<PathBuf> {
        let real = cwd.canonicalize().unwrap_or_else(|_| cwd.to_owned());
        let spelled = self.dir.join(session_folder_as_spelled(&real.to_string_lossy()));
        let mut homes = vec![self.project(cwd)];
        if !homes.contains(&spelled) {
            homes.push(spelled);
        }
        homes
    }

    /// Where notes about a project lie.
    pub(crate) fn notes(&self, root: &Path) -> PathBuf {
        self.project(root).join("memory")
    }

    /// A session's transcript: that of the project at hand, else that of any other.
    pub(crate) fn find(&self, cwd: &Path, session_id: &str) -> Option<PathBuf> {
        let here = self.file(cwd, session_id);
        if holds_something(&here) {
            return Some(here);
        }
        let name = format!("{session_id}.jsonl");
        let projects = fs::read_dir(&self.dir).ok()?.flatten();
        projects
            .map(|project| project.path().join(&name))
            .find(|file| holds_something(file))
    }

    /// The transcripts of a project, the newest first.
    pub(crate) fn of(&self, cwd: &Path) -> Vec<Found> {
        let homes = self.homes(cwd).into_iter();
        let files = homes.flat_map(|home| fs::read_dir(home).into_iter().flatten().flatten());
        let mut found: Vec<Found> = files.filter_map(|file| seen(&file.path())).collect();
        found.sort_by(|one, other| other.modified.cmp(&one.modified).then_with(|| one.id.cmp(&other.id)));
        found
    }
}

/// A file that is a transcript with something in it.
fn seen(file: &Path) -> Option<Found> {
    let id = file.file_stem()?.to_str()?;
    if file.extension()? != "jsonl" || !is_id(id) {
        return None;
    }
    let meta = fs::metadata(file)
        .ok()
        .filter(|meta| meta.is_file() && meta.len() > 0)?;
    Some(Found {
        id: id.to_owned(),
        file: file.to_owned(),
        modified: meta.modified().unwrap_or(SystemTime::UNIX_EPOCH),
    })
}

fn holds_something(file: &Path) -> bool {
    fs::metadata(file).is_ok_and(|meta| meta.is_file() && meta.len() > 0)
}

/// Whether this names a session: a uuid in its hyphenated spelling.
pub(crate) fn is_id(text: &str) -> bool {
    text.len() == uuid::fmt::Hyphenated::LENGTH && uuid::Uuid::try_parse(text).is_ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

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
}
