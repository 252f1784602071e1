//! The disk and the installed git.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use sluice_permission::git::{Answer, Query, Repository, Runner};
use sluice_permission::{Found, OnDisk, Paths, quiet};

/// The disk, with git asked about repositories each time.
pub(crate) struct Installed;

impl Paths for Installed {
    fn resolve(&self, path: &Path) -> PathBuf {
        OnDisk.resolve(path)
    }

    fn is_dir(&self, path: &Path) -> bool {
        OnDisk.is_dir(path)
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
        match Repository::find(directory, self) {
            Found::This(repository) => Found::This(Arc::new(repository)),
            Found::Nothing => Found::Nothing,
            Found::Unknown => Found::Unknown,
        }
    }

    fn tracked(&self, repository: &Repository) -> Found<Arc<Vec<PathBuf>>> {
        match repository.tracked(self) {
            Found::This(names) => Found::This(Arc::new(names)),
            Found::Nothing | Found::Unknown => Found::Unknown,
        }
    }

    fn committed(&self, repository: &Repository) -> Found<Vec<PathBuf>> {
        repository.committed(self)
    }
}

impl Runner for Installed {
    fn run(&self, directory: &Path, queries: &[Query<'_>]) -> Vec<Option<Answer>> {
        let run = |query: &Query<'_>| {
            let mut git = Command::new("git");
            git.args(query.arguments)
                .current_dir(directory)
                .envs(quiet::GIT.iter().copied());
            git.env("LC_ALL", "C").env("GIT_CONFIG_GLOBAL", "/dev/null");
            git.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
            let mut child = git.spawn().ok()?;
            child.stdin.take()?.write_all(query.input.as_bytes()).ok();
            let output = child.wait_with_output().ok()?;
            Some(Answer {
                success: output.status.success(),
                stdout: output.stdout,
                stderr: output.stderr,
            })
        };
        queries.iter().map(run).collect()
    }

    fn is_there(&self, path: &Path) -> bool {
        path.symlink_metadata().is_ok()
    }
}
