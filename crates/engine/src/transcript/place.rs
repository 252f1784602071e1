//! Where transcripts lie: one folder a project, one file a session.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Names longer than this are cut, and told apart by a hash.
const LONGEST: usize = 200;

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
        self.dir.join(key(&real.to_string_lossy()))
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
        let files = fs::read_dir(self.project(cwd)).into_iter().flatten().flatten();
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

/// A path as the name of a folder. Counted in the units of UTF-16, as the reference agent does, so that both find each
/// other's transcripts.
fn key(path: &str) -> String {
    let plain: String = path
        .encode_utf16()
        .map(|unit| match char::from_u32(u32::from(unit)) {
            Some(letter) if letter.is_ascii_alphanumeric() => letter,
            _ => '-',
        })
        .collect();
    if plain.len() <= LONGEST {
        return plain;
    }
    let head: String = plain.chars().take(LONGEST).collect();
    format!("{head}-{}", hash(path))
}

/// The rolling hash by which long paths are told apart, in base 36.
fn hash(path: &str) -> String {
    let rolled = path.encode_utf16().fold(0_i32, |hash, unit| {
        hash.wrapping_shl(5).wrapping_sub(hash).wrapping_add(i32::from(unit))
    });
    let mut rest = rolled.unsigned_abs();
    let mut digits = Vec::new();
    loop {
        digits.push(char::from_digit(rest % 36, 36).unwrap_or('0'));
        rest /= 36;
        if rest == 0 {
            return digits.iter().rev().collect();
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn every_unit_that_is_no_letter_or_digit_is_a_dash() {
        assert_eq!(key("/home/a_b/.c d"), "-home-a-b--c-d");
        // Two units of UTF-16, two dashes.
        assert_eq!(key("/é🦀"), "----");
    }

    #[test]
    fn a_long_name_is_cut_and_told_apart_by_a_hash() {
        let path = format!("/tmp/sess-lab/r/{}/{}", "a".repeat(120), "b".repeat(120));
        let name = key(&path);
        assert_eq!(name.len(), 200 + "-etphus".len());
        assert!(name.ends_with("b-etphus"), "{name}");
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
