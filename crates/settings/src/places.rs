//! Settings files: where they lie, which of them apply, and who chose the folder.

use std::path::{Path, PathBuf};

use sluice_permission::Source;

/// Where settings lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// The root of the project.
    pub cwd: PathBuf,
    /// The person's home.
    pub home: PathBuf,
    /// `~/.claude`, or `$CLAUDE_CONFIG_DIR`.
    pub config_dir: PathBuf,
    /// The administrator's file, such as `/etc/claude-code/managed-settings.json`. Files in the folder beside it
    /// whose name ends in `.d` are read after it.
    pub managed: PathBuf,
    /// `~/.claude.json`, or `.claude.json` in `$CLAUDE_CONFIG_DIR`: among other things, trust.
    pub global: PathBuf,
}

impl Places {
    /// The file of a scope, for the scopes that have one that can be written.
    #[must_use]
    pub fn file(&self, source: Source) -> Option<PathBuf> {
        match source {
            Source::User => Some(self.config_dir.join("settings.json")),
            Source::Project => Some(self.cwd.join(".claude").join("settings.json")),
            Source::Local => Some(self.cwd.join(".claude").join("settings.local.json")),
            Source::Policy => Some(self.managed.clone()),
            Source::Flag | Source::CliArg | Source::Session | Source::Command | Source::Server => None,
        }
    }

    /// What `/x` in a rule of a scope is relative to.
    #[must_use]
    pub fn root(&self, source: Source) -> PathBuf {
        match source {
            Source::User => self.config_dir.clone(),
            Source::Policy => parent(&self.managed),
            _ => self.cwd.clone(),
        }
    }
}

/// Which files were asked for (`--setting-sources`). The administrator's and `--settings` are always read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chosen {
    /// `~/.claude/settings.json`.
    pub user: bool,
    /// `.claude/settings.json`.
    pub project: bool,
    /// `.claude/settings.local.json`.
    pub local: bool,
}

impl Chosen {
    /// Every file: what holds when nothing was asked for.
    pub const ALL: Self = Self {
        user: true,
        project: true,
        local: true,
    };
    /// No file.
    pub const NONE: Self = Self {
        user: false,
        project: false,
        local: false,
    };
}

/// What `--settings` carried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FlagSettings {
    /// A file.
    File(PathBuf),
    /// The settings themselves.
    Inline(String),
}

impl FlagSettings {
    /// Tells a path from JSON as the command line does: by the opening brace.
    #[must_use]
    pub fn from_argument(argument: &str, cwd: &Path) -> Self {
        if argument.trim_start().starts_with('{') {
            Self::Inline(argument.to_owned())
        } else {
            Self::File(cwd.join(argument))
        }
    }
}

/// Who chose the folder, which decides what of an untrusted project may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opener {
    /// A person, or a program that said nothing about it: nothing of the project's runs before it is trusted.
    Person,
    /// A program, which named the project's settings among those to read: its hooks and servers run. They allow
    /// nothing, and nothing else of it counts that would have waited.
    Host,
}

/// The folder a file lies in.
pub(crate) fn parent(path: &Path) -> PathBuf {
    path.parent().unwrap_or(Path::new("/")).to_owned()
}
