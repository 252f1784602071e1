//! Git worktrees for sessions and subagents: created, inspected and removed in one place.
//!
//! Every worktree is located in `.claude/worktrees` of its repository. Git runs in a way that executes no programs
//! configured by the repository, except the filter programs of a checkout: [`filters`] lists these, and the caller
//! decides about them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The maximum length of a worktree name, in bytes.
const MAX_NAME: usize = 64;
/// The folder of all worktrees, relative to the root of the repository.
const FOLDER: &str = ".claude/worktrees";

/// Why a worktree cannot be created, inspected or removed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WorktreeError {
    /// The folder is not in a git repository.
    #[error("{} is not in a git repository", .0.display())]
    NoRepository(PathBuf),
    /// `core.worktree` of a foreign repository can name any folder.
    #[error("the repository's work tree is {}, which does not contain {}", root.display(), folder.display())]
    Elsewhere {
        /// The work tree that git reports.
        root: PathBuf,
        /// The folder that git was asked about.
        folder: PathBuf,
    },
    /// The name does not fit into a path and a branch name.
    #[error("'{0}' is not a valid worktree name: use up to {MAX_NAME} letters, digits, '.', '_' and '-'")]
    Name(String),
    /// A symlink in the path leads out of the repository.
    #[error("{} is a link that leads out of the repository", .0.display())]
    Linked(PathBuf),
    /// The path is not a worktree in the repository's folder of worktrees.
    #[error("{} is not a worktree in {FOLDER} of this repository", .0.display())]
    Unknown(PathBuf),
    /// A checkout would run programs that the configuration of an untrusted repository names.
    #[error("checking files out would run programs that .git/config names ({}), and this folder is not trusted", .0.join(", "))]
    Filters(Vec<String>),
    /// Git failed, with this error message.
    #[error("{0}")]
    Git(String),
}

/// Environment variables of git.
pub type GitEnv = [(OsString, OsString)];

/// A worktree on a branch of the same name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worktree {
    root: PathBuf,
    path: PathBuf,
    branch: String,
}

/// Work that would be lost with a worktree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Unsaved {
    /// The number of files with uncommitted changes, untracked files included.
    pub files: usize,
    /// The number of commits that no other branch, remote branch or tag contains.
    pub commits: usize,
}

impl Unsaved {
    /// True if nothing would be lost.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }
}

impl std::fmt::Display for Unsaved {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let plural = |number: usize| if number == 1 { "" } else { "s" };
        let (files, commits) = (self.files, self.commits);
        write!(
            f,
            "{files} change{} uncommitted, {commits} commit{} on no other branch",
            plural(files),
            plural(commits)
        )
    }
}

impl Worktree {
    /// Returns the worktree of this name in the repository that contains `folder`, and creates it unless it exists.
    /// `may_filter`: filter programs that the repository configures may run.
    ///
    /// # Errors
    /// If there is no repository, the name is not valid, filters may not run, or git fails.
    pub async fn open(folder: &Path, name: &str, env: &GitEnv, may_filter: bool) -> Result<Self, WorktreeError> {
        check(name)?;
        let root = repository_root(folder, env).await?;
        let worktree = Self {
            path: root.join(FOLDER).join(name),
            branch: format!("worktree-{}", name.replace('/', "-")),
            root,
        };
        worktree.stays_inside()?;
        if !worktree.path.join(".git").exists() {
            let filters = filters(&worktree.root, env).await?;
            if !filters.is_empty() && !may_filter {
                return Err(WorktreeError::Filters(filters));
            }
            worktree.add(env).await?;
        }
        Ok(worktree)
    }

    /// Returns the existing worktree at `path`, which has to be in the folder of worktrees of the repository that
    /// contains `folder`.
    ///
    /// # Errors
    /// If there is no such worktree, or git fails.
    pub async fn at(folder: &Path, path: &Path, env: &GitEnv) -> Result<Self, WorktreeError> {
        let unknown = || WorktreeError::Unknown(path.to_owned());
        let root = repository_root(folder, env).await?;
        let path = path.canonicalize().map_err(|_| unknown())?;
        let trees = root.join(FOLDER).canonicalize().map_err(|_| unknown())?;
        if !path.starts_with(trees) || !path.starts_with(&root) {
            return Err(unknown());
        }
        let listed = git(env, &root, &["worktree", "list", "--porcelain"]).await?;
        let mut blocks = listed.split("\n\n");
        let block = blocks
            .find(|block| block.lines().next().and_then(|line| line.strip_prefix("worktree ")) == path.to_str())
            .ok_or_else(unknown)?;
        let branch = block
            .lines()
            .find_map(|line| line.strip_prefix("branch refs/heads/"))
            .unwrap_or_default();
        let branch = branch.to_owned();
        Ok(Self { root, path, branch })
    }

    /// Returns its folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns its branch; empty if no branch is checked out.
    #[must_use]
    pub fn branch(&self) -> &str {
        &self.branch
    }

    /// Counts the work that would be lost with it.
    ///
    /// # Errors
    /// If git fails.
    pub async fn unsaved(&self, env: &GitEnv) -> Result<Unsaved, WorktreeError> {
        let status = ["status", "--porcelain", "--ignore-submodules=all"];
        let files = git(env, &self.path, &status).await?.lines().count();
        let own = format!("--exclude={}", self.branch);
        let tip = format!("refs/heads/{}", self.branch);
        let mut arguments = vec!["rev-list", "--count", "HEAD"];
        // Another branch may have been checked out there since.
        if git(env, &self.path, &["rev-parse", "--verify", "-q", &tip])
            .await
            .is_ok()
        {
            arguments.push(&tip);
        }
        arguments.extend(["--not", &own, "--branches", "--remotes", "--tags"]);
        let counted = git(env, &self.path, &arguments).await?;
        let commits = counted.parse().map_err(|_| WorktreeError::Git(counted))?;
        Ok(Unsaved { files, commits })
    }

    /// Removes it with its branch and all work that is not committed elsewhere.
    ///
    /// # Errors
    /// If git fails.
    pub async fn remove(&self, env: &GitEnv) -> Result<(), WorktreeError> {
        let path = self.path.display().to_string();
        git(env, &self.root, &["worktree", "remove", "--force", &path]).await?;
        if !self.branch.is_empty() {
            git(env, &self.root, &["branch", "-q", "-D", &self.branch]).await?;
        }
        Ok(())
    }

    async fn add(&self, env: &GitEnv) -> Result<(), WorktreeError> {
        let path = self.path.display().to_string();
        let known = format!("refs/heads/{}", self.branch);
        let exists = git(env, &self.root, &["rev-parse", "--verify", "-q", &known])
            .await
            .is_ok();
        let arguments: &[&str] = if exists {
            &["worktree", "add", "-q", &path, &self.branch]
        } else {
            &["worktree", "add", "-q", "-b", &self.branch, &path, "HEAD"]
        };
        git(env, &self.root, arguments).await.map(|_| ())
    }

    /// A symlink in a parent folder, as part of the repository, must not place it outside of the repository.
    fn stays_inside(&self) -> Result<(), WorktreeError> {
        let above = self.path.ancestors().take_while(|folder| *folder != self.root);
        for folder in above.filter(|folder| folder.is_symlink()) {
            let leads_out = folder.canonicalize().map_or(true, |real| !real.starts_with(&self.root));
            if leads_out {
                return Err(WorktreeError::Linked(folder.to_owned()));
            }
        }
        Ok(())
    }
}

/// Returns a unique name for a worktree.
#[must_use]
pub fn generated_name() -> String {
    format!("session-{}", crate::ids::hex(8))
}

/// Returns the root of the work tree that contains a folder.
///
/// # Errors
/// There is none, or it does not contain the folder.
pub async fn repository_root(folder: &Path, env: &GitEnv) -> Result<PathBuf, WorktreeError> {
    let found = git(env, folder, &["rev-parse", "--show-toplevel"]).await;
    let root = PathBuf::from(found.map_err(|_| WorktreeError::NoRepository(folder.to_owned()))?);
    let contains = folder.canonicalize().is_ok_and(|folder| folder.starts_with(&root));
    match contains {
        true => Ok(root),
        false => Err(WorktreeError::Elsewhere {
            root,
            folder: folder.to_owned(),
        }),
    }
}

/// Returns the filter settings of the repository's own configuration, as `name: program`. Those in the user's
/// configuration are not listed, because they are allowed.
///
/// # Errors
/// If git cannot read the configuration.
pub async fn filters(folder: &Path, env: &GitEnv) -> Result<Vec<String>, WorktreeError> {
    let arguments = ["config", "-z", "--show-scope", "--get-regexp", "^filter\\."];
    let listed = match git(env, folder, &arguments).await {
        Ok(listed) => listed,
        // If no setting matches, git fails without output.
        Err(WorktreeError::Git(why)) if why.is_empty() => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut filters = Vec::new();
    let mut fields = listed.split_terminator('\0');
    while let (Some(scope), Some(setting)) = (fields.next(), fields.next()) {
        let (name, program) = setting.split_once('\n').unwrap_or((setting, ""));
        let runs = [".smudge", ".process", ".clean"].iter().any(|end| name.ends_with(end));
        if runs && !program.is_empty() && matches!(scope, "local" | "worktree") {
            filters.push(format!("{name}: {program}"));
        }
    }
    Ok(filters)
}

/// Checks a name, which becomes a path below the worktree folder and part of a branch name.
///
/// # Errors
/// The name is not valid.
pub fn check(name: &str) -> Result<(), WorktreeError> {
    let letters = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_' | '-');
    let part = |part: &str| {
        !part.is_empty() && !part.starts_with(['.', '-']) && !part.ends_with(".lock") && part.chars().all(letters)
    };
    if name.len() > MAX_NAME || name.contains("..") || !name.split('/').all(part) {
        return Err(WorktreeError::Name(name.to_owned()));
    }
    Ok(())
}

async fn git(env: &GitEnv, folder: &Path, arguments: &[&str]) -> Result<String, WorktreeError> {
    let mut command = tokio::process::Command::from(crate::git::command(env));
    let ran = command
        .arg("-C")
        .arg(folder)
        .args(arguments)
        .kill_on_drop(true)
        .output();
    match ran.await {
        Ok(output) if output.status.success() => Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned()),
        Ok(output) => Err(WorktreeError::Git(
            String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        )),
        Err(error) => Err(WorktreeError::Git(format!("git: {error}"))),
    }
}

#[cfg(test)]
#[path = "worktree_tests.rs"]
mod tests;
