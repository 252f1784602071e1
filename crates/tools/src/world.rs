//! The file system and the installed git as inputs of a permission decision.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sluice_permission::git::Repository;
use sluice_permission::{Found, OnDisk, Paths};

use crate::git::Git;
use crate::paths::settled;
use crate::pins::Pins;

/// The current file system. Git is not used.
#[derive(Debug, Clone, Copy)]
pub struct World;

impl Paths for World {
    fn resolve(&self, path: &Path) -> PathBuf {
        settled(path)
    }

    fn is_dir(&self, path: &Path) -> bool {
        path.is_dir()
    }

    fn read(&self, path: &Path) -> Found<String> {
        OnDisk.read(path)
    }

    fn names(&self, path: &Path) -> Found<Vec<String>> {
        OnDisk.names(path)
    }

    fn is_link(&self, path: &Path) -> bool {
        OnDisk.is_link(path)
    }

    fn repository(&self, directory: &Path) -> Found<Arc<Repository>> {
        OnDisk.repository(directory)
    }

    fn tracked(&self, repository: &Repository) -> Found<Arc<Vec<PathBuf>>> {
        OnDisk.tracked(repository)
    }

    fn committed(&self, repository: &Repository) -> Found<Vec<PathBuf>> {
        OnDisk.committed(repository)
    }
}

/// The file system at the time when the paths of a call were resolved; decision and tool use the same resolution.
/// Repositories reported by git are recorded with the pins, so that the tool uses the same ones.
#[derive(Debug, Clone, Copy)]
pub struct Pinned<'a> {
    /// Pinned paths of the call.
    pub pins: &'a Pins,
    /// The environment of commands.
    pub env: &'a [(OsString, OsString)],
}

impl Paths for Pinned<'_> {
    fn resolve(&self, path: &Path) -> PathBuf {
        self.pins
            .resolve(path)
            .map_or_else(|| World.resolve(path), Path::to_owned)
    }

    fn is_dir(&self, path: &Path) -> bool {
        World.is_dir(self.pins.resolve(path).unwrap_or(path))
    }

    fn read(&self, path: &Path) -> Found<String> {
        World.read(path)
    }

    fn names(&self, path: &Path) -> Found<Vec<String>> {
        World.names(path)
    }

    fn is_link(&self, path: &Path) -> bool {
        World.is_link(path)
    }

    fn repository(&self, directory: &Path) -> Found<Arc<Repository>> {
        let found = Git::new(self.env).repository(directory);
        if let Found::This(repository) = &found {
            self.pins.judged(repository);
        }
        found
    }

    fn tracked(&self, repository: &Repository) -> Found<Arc<Vec<PathBuf>>> {
        Git::new(self.env).tracked(repository)
    }

    fn committed(&self, repository: &Repository) -> Found<Vec<PathBuf>> {
        repository.committed(&Git::new(self.env))
    }
}
