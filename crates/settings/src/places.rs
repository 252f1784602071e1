//! The paths of settings files, which of them are read, and who chose the folder.

use std::path::{Path, PathBuf};

use sluice_permission::Source;

/// The paths of settings files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// The project folder.
    pub cwd: PathBuf,
    /// The user's home folder.
    pub home: PathBuf,
    /// `~/.claude`, or `$CLAUDE_CONFIG_DIR`.
    pub config_dir: PathBuf,
    /// The administrator's file, such as `/etc/claude-code/managed-settings.json`. Files in the folder with the same
    /// name and the extension `.d` are read after it.
    pub managed: PathBuf,
    /// `~/.claude.json`, or `.claude.json` in `$CLAUDE_CONFIG_DIR`. Contains the trusted folders, among other things.
    pub global: PathBuf,
}

impl Places {
    /// Returns the file of a scope, `None` for scopes without a file.
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

    /// Returns the folder to which paths like `/x` in rules of a scope are relative.
    #[must_use]
    pub fn root(&self, source: Source) -> PathBuf {
        match source {
            Source::User => self.config_dir.clone(),
            Source::Policy => parent(&self.managed),
            _ => self.cwd.clone(),
        }
    }
}

/// The requested settings files (`--setting-sources`). Managed settings and `--settings` are always read.
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
    /// All files, the default.
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

/// The value of `--settings`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FlagSettings {
    /// A file.
    File(PathBuf),
    /// Settings as JSON text.
    Inline(String),
}

impl FlagSettings {
    /// Parses the value of the flag: JSON text if it starts with a brace, otherwise a path.
    #[must_use]
    pub fn from_argument(argument: &str, cwd: &Path) -> Self {
        if argument.trim_start().starts_with('{') {
            Self::Inline(argument.to_owned())
        } else {
            Self::File(cwd.join(argument))
        }
    }
}

/// Who chose the folder. This determines which settings of an untrusted project apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opener {
    /// The user, or a program that did not request the project's settings: nothing of the project runs before it is
    /// trusted.
    Person,
    /// A program that requested the project's settings: its hooks and MCP servers run. They cannot allow calls, and
    /// other settings are still held back.
    Host,
}

/// Returns the folder of a file.
pub(crate) fn parent(path: &Path) -> PathBuf {
    path.parent().unwrap_or(Path::new("/")).to_owned()
}
