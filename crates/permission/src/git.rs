//! What the installed git reports about a repository.
//!
//! Where a repository begins, which settings are in force and which files are tracked is for git to say: it is asked, and
//! its answers are judged. This module has the questions and reads the answers; a [`Runner`] runs the program.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use crate::path::Found;

/// The largest number of tracked files that is looked at.
const MAX_TRACKED: usize = 200_000;

/// The largest number of commits that are looked at.
const MAX_COMMITS: usize = 2_000;

/// Runs git, with [`crate::quiet::GIT`] in its environment and messages in English.
pub trait Runner {
    /// Runs all of the queries in `directory`, at the same time; an answer for each, `None` where git could not be run
    /// to its end.
    fn run(&self, directory: &Path, queries: &[Query<'_>]) -> Vec<Option<Answer>>;

    /// Whether there is a file or a link at `path`.
    fn is_there(&self, path: &Path) -> bool;
}

/// One run of git.
#[derive(Debug, Clone, Copy)]
pub struct Query<'a> {
    /// The arguments.
    pub arguments: &'a [&'a str],
    /// The input on stdin.
    pub input: &'a str,
}

impl<'a> Query<'a> {
    fn new(arguments: &'a [&'a str]) -> Self {
        Self { arguments, input: "" }
    }
}

/// How one run of git ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// Whether it succeeded.
    pub success: bool,
    /// The output.
    pub stdout: Vec<u8>,
    /// The error messages.
    pub stderr: Vec<u8>,
}

/// A repository with a work tree, as git finds it from a directory. All paths are absolute, links resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    /// Its folder: `.git`, or that of a linked work tree or a submodule.
    pub git_dir: PathBuf,
    /// The folder that linked work trees share; the same as `git_dir` where there are none.
    pub common_dir: PathBuf,
    /// The root of the work tree.
    pub work_tree: PathBuf,
    /// The settings that the repository itself makes, files it includes among them.
    pub settings: Vec<Setting>,
    /// Whether something in the repository may keep git from ignoring its submodules.
    pub enters_submodules: bool,
}

/// One setting of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// `section.name` or `section.subsection.name`; section and name in lower case.
    pub key: String,
    /// Its value; empty where it has none.
    pub value: String,
}

impl Repository {
    /// Asks git which repository `directory` is in.
    pub fn find(directory: &Path, git: &dyn Runner) -> Found<Self> {
        let queries = [
            Query::new(&[
                "rev-parse",
                "--path-format=absolute",
                "--is-inside-work-tree",
                "--git-dir",
                "--git-common-dir",
                "--show-toplevel",
            ]),
            Query::new(&["config", "--list", "--show-scope", "-z"]),
            Query {
                input: ":.gitmodules\nHEAD:.gitmodules\n",
                ..Query::new(&["cat-file", "--batch-check=%(objecttype)"])
            },
        ];
        let answers = git.run(directory, &queries);
        let [Some(place), Some(settings), Some(blobs)] = answers.as_slice() else {
            return Found::Unknown;
        };
        if place.stderr.starts_with(b"fatal: not a git repository (or any ") {
            return Found::Nothing;
        }
        let (Some((git_dir, common_dir, work_tree)), Some(settings)) = (places(place), settings_in(settings)) else {
            return Found::Unknown;
        };
        let mut found = Self {
            git_dir,
            common_dir,
            work_tree,
            settings,
            enters_submodules: false,
        };
        found.enters_submodules = found.submodules_entered(blobs, git);
        Found::This(found)
    }

    /// Asks git which files are tracked, as paths below the work tree.
    pub fn tracked(&self, git: &dyn Runner) -> Found<Vec<PathBuf>> {
        let answers = git.run(&self.work_tree, &[Query::new(&["ls-files", "-z"])]);
        let Some(Some(answer)) = answers.first() else {
            return Found::Unknown;
        };
        let names: Vec<&[u8]> = entries(&answer.stdout).take(MAX_TRACKED + 1).collect();
        match answer.success && names.len() <= MAX_TRACKED {
            true => Found::This(names.iter().map(|name| path(name)).collect()),
            false => Found::Unknown,
        }
    }

    /// Asks git which files the commits changed that branches, tags and reflogs lead to, as paths below the work tree.
    pub fn committed(&self, git: &dyn Runner) -> Found<Vec<PathBuf>> {
        let limit = format!("--max-count={}", MAX_COMMITS + 1);
        let commits = ["rev-list", "--all", "--reflog", "--count", &limit];
        let names = [
            "log",
            "--all",
            "--reflog",
            "--format=",
            "--name-only",
            "-z",
            "--root",
            "--diff-merges=separate",
            "--no-renames",
            "--no-relative",
            &limit,
        ];
        let answers = git.run(&self.work_tree, &[Query::new(&commits), Query::new(&names)]);
        let [Some(count), Some(names)] = answers.as_slice() else {
            return Found::Unknown;
        };
        let count = std::str::from_utf8(&count.stdout).ok();
        let few = count
            .and_then(|count| count.trim().parse::<usize>().ok())
            .is_some_and(|count| count <= MAX_COMMITS);
        match names.success && few {
            true => Found::This(entries(&names.stdout).map(path).collect()),
            false => Found::Unknown,
        }
    }

    /// The values of a setting, in the order they are read.
    pub fn values<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a str> {
        let of_key = self.settings.iter().filter(move |setting| setting.key == key);
        of_key.map(|setting| setting.value.as_str())
    }

    /// Git runs itself in a submodule to compare it, without our environment. `diff.ignoreSubmodules` prevents that,
    /// unless `.gitmodules` says otherwise for one of them: the file, or else the one in the index or in `HEAD`.
    fn submodules_entered(&self, blobs: &Answer, git: &dyn Runner) -> bool {
        if !git.is_there(&self.work_tree.join(".gitmodules")) {
            return !blobs.success || lines(&blobs.stdout).any(|line| !line.ends_with(b" missing"));
        }
        let query = Query::new(&["config", "--list", "-z", "--file", ".gitmodules"]);
        let answers = git.run(&self.work_tree, &[query]);
        let ignores = |entry: &[u8]| setting(entry).is_none_or(|one| one.key.ends_with(".ignore"));
        match answers.first() {
            Some(Some(answer)) if answer.success => entries(&answer.stdout).any(ignores),
            _ => true,
        }
    }
}

/// The three paths of a repository, and none where it has no work tree.
fn places(answer: &Answer) -> Option<(PathBuf, PathBuf, PathBuf)> {
    let printed: Vec<&[u8]> = lines(&answer.stdout).collect();
    match (answer.success, printed.as_slice()) {
        (true, [b"true", git_dir, common_dir, work_tree]) => {
            let (git_dir, common_dir, work_tree) = (path(git_dir), path(common_dir), path(work_tree));
            let absolute = git_dir.is_absolute() && common_dir.is_absolute() && work_tree.is_absolute();
            absolute.then_some((git_dir, common_dir, work_tree))
        }
        _ => None,
    }
}

/// What the repository's own files set.
fn settings_in(answer: &Answer) -> Option<Vec<Setting>> {
    let mut settings = Vec::new();
    let mut parts = entries(&answer.stdout);
    while let Some(scope) = parts.next() {
        let setting = setting(parts.next()?)?;
        if matches!(scope, b"local" | b"worktree") {
            settings.push(setting);
        }
    }
    answer.success.then_some(settings)
}

fn setting(entry: &[u8]) -> Option<Setting> {
    let (key, value) = match entry.iter().position(|byte| *byte == b'\n') {
        Some(at) => (entry.get(..at)?, entry.get(at + 1..)?),
        None => (entry, &b""[..]),
    };
    Some(Setting {
        key: std::str::from_utf8(key).ok()?.to_owned(),
        value: String::from_utf8_lossy(value).into_owned(),
    })
}

fn entries(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|byte| *byte == 0).filter(|entry| !entry.is_empty())
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty())
}

fn path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(bytes))
}
