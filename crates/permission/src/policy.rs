//! The policy (permission rules, mode, working directories), and the call that is decided about.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use serde_json::Value;
use sluice_wire::mode::PermissionMode;

use crate::path::{Located, Paths};
use crate::rule::{Behavior, Rule};
use crate::touches::ToolFacts;

/// Everything a decision depends on besides the call.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    /// The session's mode.
    pub mode: PermissionMode,
    /// All rules of all sources, in no particular order: deny wins over ask, ask over allow.
    pub rules: Vec<Rule>,
    /// The working directory the session started in, then the additional ones.
    pub roots: Vec<PathBuf>,
    /// Directories that may be read besides the roots, such as where large outputs are kept.
    pub readable: Vec<PathBuf>,
    /// The user's home.
    pub home: PathBuf,
    /// Whether the launch allowed `bypassPermissions`.
    pub bypass_launched: bool,
    /// The file a plan is written to, writable without a question in plan mode.
    pub plan_file: Option<PathBuf>,
    /// Where the agent keeps its notes: read in every mode and written in all but plan without a question.
    pub notes: Option<PathBuf>,
    /// Whether Bash runs in a sandbox that confines it without a question
    /// (`sandbox.autoAllowBashIfSandboxed`).
    pub sandboxed: bool,
    /// Whether the skill of the call contains permission rules or hooks.
    pub lends: bool,
    /// The folders programs are looked for in, up to the last one that is not trusted; empty where all are.
    pub search_path: Vec<ProgramFolder>,
    /// Whether files outside the roots cannot be read or written, regardless of rules, mode and answers.
    pub confined: bool,
}

/// A folder that programs are looked for in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramFolder {
    /// Its path; a relative one is relative to the current directory.
    pub path: PathBuf,
    /// Whether its programs are the system's or the user's, and not the project's.
    pub trusted: bool,
}

impl Policy {
    /// A policy without rules.
    #[must_use]
    pub fn new(cwd: impl Into<PathBuf>, home: impl Into<PathBuf>) -> Self {
        Self {
            roots: vec![cwd.into()],
            home: home.into(),
            ..Self::default()
        }
    }

    /// Takes over the folders that programs are looked for in. Those inside the roots, and relative ones, are not trusted.
    pub fn search(&mut self, folders: impl Iterator<Item = PathBuf>, paths: &dyn Paths) {
        let both = |path: &Path| [path.to_path_buf(), paths.resolve(path)];
        let roots: Vec<PathBuf> = self.roots.iter().flat_map(|root| both(root)).collect();
        let inside = |folder: &Path| {
            let mut forms = both(folder).into_iter();
            forms.any(|form| roots.iter().any(|root| form.starts_with(root)))
        };
        let mut all: Vec<ProgramFolder> = folders
            .map(|path| ProgramFolder {
                trusted: path.is_absolute() && !inside(&path),
                path,
            })
            .collect();
        let last = all.iter().rposition(|folder| !folder.trusted);
        all.truncate(last.map_or(0, |last| last + 1));
        self.search_path = all;
    }

    /// The search path `path` without the folders that are not trusted; `None` where there are none, or one of them has
    /// one of these programs: then it is the program that was asked about.
    #[must_use]
    pub fn trusted_path(&self, path: &OsStr, programs: &[String], cwd: &Path) -> Option<OsString> {
        let mut untrusted = self.search_path.iter().filter(|folder| !folder.trusted).peekable();
        untrusted.peek()?;
        let has = |folder: &ProgramFolder| {
            let folder = cwd.join(&folder.path);
            let mut all = programs.iter().map(|name| folder.join(name));
            all.any(|program| program.symlink_metadata().is_ok())
        };
        if untrusted.any(has) {
            return None;
        }
        let distrusted = |path: &PathBuf| {
            let known = self.search_path.iter().find(|folder| folder.path == *path);
            known.is_some_and(|folder| !folder.trusted)
        };
        std::env::join_paths(std::env::split_paths(path).filter(|path| !distrusted(path))).ok()
    }

    /// Whether this is the file a plan is written to.
    pub(crate) fn is_plan(&self, at: &Located) -> bool {
        let plan = self.plan_file.as_deref();
        plan.is_some_and(|plan| at.forms().all(|form| form == plan))
    }

    /// The rules of one behaviour.
    pub fn rules_of(&self, behavior: Behavior) -> impl Iterator<Item = &Rule> {
        self.rules.iter().filter(move |rule| rule.behavior == behavior)
    }
}

/// One call, its input validated: defaults filled in, paths absolute.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    /// The tool.
    pub tool: ToolFacts<'a>,
    /// Its input.
    pub input: &'a Value,
    /// The current directory of the shell.
    pub cwd: &'a Path,
    /// What an MCP server says about its tool. A claim, never a permission.
    pub read_only_hint: Option<bool>,
}

impl<'a> Call<'a> {
    /// A call without hints.
    #[must_use]
    pub fn new(tool: ToolFacts<'a>, input: &'a Value, cwd: &'a Path) -> Self {
        Self {
            tool,
            input,
            cwd,
            read_only_hint: None,
        }
    }

    pub(crate) fn text(&self, key: &str) -> Option<&'a str> {
        self.input.get(key).and_then(Value::as_str)
    }
}
