//! Where the sessions of a folder lie.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use sluice_wire::session_folder::{LONGEST, session_folder, session_folder_as_spelled};

use super::Sessions;
use crate::error::{Error, ErrorKind};

/// A folder of sessions, and the folder they are about when that is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Project {
    pub(super) sessions: PathBuf,
    pub(super) path: Option<PathBuf>,
}

impl Sessions {
    /// The folders to look in: of `dir` and the worktrees beside it, or all.
    pub(super) fn projects(&self, dir: Option<&Path>) -> Result<Vec<Project>, Error> {
        let projects = self.root.join("projects");
        let Some(dir) = dir else {
            let mut all: Vec<Project> = folders(&projects)?
                .into_iter()
                .map(|sessions| Project { sessions, path: None })
                .collect();
            all.sort_by(|a, b| a.sessions.cmp(&b.sessions));
            return Ok(all);
        };
        let dir = fs::canonicalize(dir).unwrap_or_else(|_| dir.to_owned());
        let mut found = Vec::new();
        let worktrees = worktrees(&dir);
        for path in std::iter::once(dir).chain(worktrees) {
            for sessions in homes(&projects, &path)? {
                let known = found.iter().any(|it: &Project| it.sessions == sessions);
                if !known {
                    found.push(Project {
                        sessions,
                        path: Some(path.clone()),
                    });
                }
            }
        }
        Ok(found)
    }

    /// The file of a session.
    pub(super) fn find(&self, session_id: &str, dir: Option<&Path>) -> Result<(Project, PathBuf), Error> {
        if uuid::Uuid::parse_str(session_id).is_err() {
            return Err(Error::new(
                ErrorKind::Session,
                format!("{session_id} is no id of a session"),
            ));
        }
        let found = self.projects(dir)?.into_iter().find_map(|project| {
            let file = project.sessions.join(format!("{session_id}.jsonl"));
            let filled = fs::metadata(&file).is_ok_and(|data| data.is_file() && data.len() > 0);
            filled.then_some((project, file))
        });
        found.ok_or_else(|| Error::new(ErrorKind::Session, format!("there is no session {session_id} here")))
    }
}

fn folders(of: &Path) -> Result<Vec<PathBuf>, Error> {
    match fs::read_dir(of) {
        Ok(entries) => Ok(entries
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path.is_dir())
            .collect()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(Error::session(of.display(), &error)),
    }
}

/// The folders of `path`. Agents differ in whether they compose its letters first, and the names of very long ones in their
/// hash: any that begins the same is one.
fn homes(projects: &Path, path: &Path) -> Result<Vec<PathBuf>, Error> {
    let path = path.to_string_lossy();
    let mut homes = Vec::new();
    for key in [session_folder(&path), session_folder_as_spelled(&path)] {
        let found = if key.len() <= LONGEST {
            Vec::from_iter(Some(projects.join(key)).filter(|home| home.is_dir()))
        } else {
            let beginning = format!("{}-", key.get(..LONGEST).unwrap_or_default());
            let mut found = folders(projects)?;
            found.retain(|home| {
                let name = home.file_name().map(|name| name.to_string_lossy().into_owned());
                name.is_some_and(|name| name.starts_with(&beginning))
            });
            found
        };
        homes.extend(found);
    }
    homes.sort();
    homes.dedup();
    Ok(homes)
}

/// The other worktrees of the repository `dir` is in.
fn worktrees(dir: &Path) -> Vec<PathBuf> {
    let listed = Command::new("git")
        .arg("-C")
        .arg(dir)
        .args(["worktree", "list", "--porcelain"])
        .output();
    let Ok(listed) = listed else { return Vec::new() };
    String::from_utf8_lossy(&listed.stdout)
        .lines()
        .filter_map(|line| line.strip_prefix("worktree "))
        .map(PathBuf::from)
        .filter(|path| path != dir)
        .collect()
}
