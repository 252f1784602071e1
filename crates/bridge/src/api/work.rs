//! The folder of a session: its git working tree, its files; and the prompt templates of a person.

use serde::{Deserialize, Serialize};

use super::{Diff, Highlighted};

/// One step in git, made by a person.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(optional_fields = nullable))]
#[serde(tag = "do", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum GitStep {
    /// Commits these files as they are now.
    Commit { paths: Vec<String>, message: String },
    /// Restores a file to the last commit; deletes it if the last commit does not contain it.
    DiscardFile { path: String },
    /// Removes one hunk of the changes of a file.
    DiscardHunk { path: String, hunk: String },
    /// Pushes the branch to its upstream, or to the only remote.
    Push {},
    /// Opens a pull request for the pushed branch with the program `gh`.
    PullRequest { title: String, body: String },
    /// Merges the branch of a worktree into the branch of the main folder.
    MergeWorktree {},
    /// Removes a worktree that the bridge created, and its branch.
    DiscardWorktree {},
}

/// `git`: the commands of a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct GitReport {
    /// The commands, as a person would type them.
    pub commands: Vec<String>,
    /// What applies to the step and is not visible in the commands: the address of a push.
    pub note: Option<String>,
    /// Whether the commands ran. With `dryRun` they did not.
    pub done: bool,
    /// The output: the commit, the address of a pull request.
    pub output: String,
}

/// `working_tree`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct WorkingTree {
    /// Whether the folder is in a git repository. Without one the other fields are empty.
    pub git: bool,
    /// The root of the working tree; paths are relative to it.
    pub root: String,
    /// The current branch; none for a detached `HEAD`.
    pub branch: Option<String>,
    pub upstream: Option<String>,
    /// Commits that the upstream does not contain.
    pub ahead: u32,
    pub behind: u32,
    /// Whether there is a remote to push to.
    pub remote: bool,
    /// Whether the program `gh` is installed.
    pub gh: bool,
    pub files: Vec<ChangedFile>,
    /// Files beyond the limit, which are not listed.
    pub more: u32,
    /// A commit message made from the changes.
    pub message: String,
    /// The worktree of the session, if the bridge created it.
    pub worktree: Option<Worktree>,
}

/// A worktree that the bridge created for a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Worktree {
    /// The main folder of the repository.
    pub main: String,
    /// The branch of the main folder, which a merge changes.
    pub into: Option<String>,
    /// Commits of the worktree that the main folder does not contain.
    pub commits: u32,
}

/// One file that differs from the last commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ChangedFile {
    pub diff: Diff,
    /// An id for each hunk of `diff`, for `discard_hunk`; empty where hunks cannot be discarded.
    pub hunks: Vec<String>,
    pub untracked: bool,
    /// Whether a merge left conflicts in it.
    pub conflict: bool,
}

/// `folder`: the entries of one folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct FolderEntries {
    /// Folders first, then by name.
    pub entries: Vec<FolderEntry>,
    /// Entries beyond the limit, which are not listed.
    pub more: u32,
}

/// A file or folder below the folder of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct FolderEntry {
    pub name: String,
    pub folder: bool,
    pub bytes: u64,
    /// Where a link leads, if the entry is one.
    pub link: Option<String>,
    /// Whether `.gitignore` or a similar file names it.
    pub ignored: bool,
}

/// `file`: the content of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct FileText {
    /// Relative to the folder of the session, links resolved.
    pub path: String,
    pub bytes: u64,
    /// Nothing for a file that is not text.
    pub text: Option<Highlighted>,
    /// Whether only the beginning of the file is shown.
    pub cut: bool,
}

/// `templates`: the prompt templates of the person, which agents offer as slash commands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Templates {
    pub templates: Vec<Template>,
    /// The folder of their files.
    pub folder: String,
}

/// One prompt template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Template {
    /// Without the slash.
    pub name: String,
    pub description: Option<String>,
    /// The whole file.
    pub text: String,
}
