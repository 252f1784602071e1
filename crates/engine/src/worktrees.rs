//! Git worktrees for the session and for its subagents: created by git, or by a `WorktreeCreate` hook.

mod switch;
mod tools;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use sluice_hooks::HookClient;
use sluice_tools::worktree::{Unsaved, Worktree, WorktreeError};

pub(crate) use switch::Worktrees;
pub(crate) use tools::{is_worktree_tool, worktree_tools};

/// A worktree in use.
#[derive(Debug, Clone)]
pub(crate) struct WorkTree {
    origin: Origin,
    env: Vec<(OsString, OsString)>,
}

/// What created a worktree and therefore removes it.
#[derive(Debug, Clone)]
enum Origin {
    Git(Worktree),
    /// A hook. The `WorktreeRemove` hook decides about changes in the worktree.
    Hook {
        path: PathBuf,
        hook_client: HookClient,
    },
}

/// A worktree that was not removed because it contains changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KeptWorkTree {
    pub(crate) path: PathBuf,
    pub(crate) branch: String,
}

/// Why a worktree cannot be created.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CreateError {
    #[error("No worktree can be created: {0}, and no WorktreeCreate hook is configured")]
    NoRepository(WorktreeError),
    #[error("No worktree can be created: {0}")]
    Git(WorktreeError),
    #[error("No worktree was created by the WorktreeCreate hook: {0}")]
    Hook(String),
}

impl From<WorktreeError> for CreateError {
    fn from(error: WorktreeError) -> Self {
        match error {
            WorktreeError::NoRepository(_) => Self::NoRepository(error),
            error => Self::Git(error),
        }
    }
}

impl WorkTree {
    /// Creates a worktree of the repository that contains `cwd`, with git or a hook. `may_filter`: filter programs that
    /// the repository configures may run.
    pub(crate) async fn create(
        cwd: &Path,
        name: &str,
        env: &[(OsString, OsString)],
        hook_client: &HookClient,
        may_filter: bool,
    ) -> Result<Self, CreateError> {
        let origin = match hook_client.worktree(name).await {
            Some(created) => {
                let path = cwd.join(created.map_err(CreateError::Hook)?);
                if !path.is_dir() {
                    return Err(CreateError::Hook(format!("{} is not a folder", path.display())));
                }
                let hook_client = hook_client.clone();
                Origin::Hook { path, hook_client }
            }
            None => Origin::Git(Worktree::open(cwd, name, env, may_filter).await?),
        };
        let env = env.to_vec();
        Ok(Self { origin, env })
    }

    pub(crate) fn path(&self) -> &Path {
        match &self.origin {
            Origin::Git(worktree) => worktree.path(),
            Origin::Hook { path, .. } => path,
        }
    }

    /// The branch, if git created the worktree.
    pub(crate) fn branch(&self) -> Option<&str> {
        match &self.origin {
            Origin::Git(worktree) => Some(worktree.branch()),
            Origin::Hook { .. } => None,
        }
    }

    /// Counts the changes that removing it would lose.
    pub(crate) async fn unsaved(&self) -> Result<Unsaved, WorktreeError> {
        match &self.origin {
            Origin::Git(worktree) => worktree.unsaved(&self.env).await,
            Origin::Hook { .. } => Ok(Unsaved::default()),
        }
    }

    /// Removes the worktree with all changes.
    pub(crate) async fn remove(&self) -> Result<(), WorktreeError> {
        match &self.origin {
            Origin::Git(worktree) => worktree.remove(&self.env).await,
            Origin::Hook { path, hook_client } => {
                hook_client.worktree_gone(path).await;
                Ok(())
            }
        }
    }

    /// Removes the worktree unless it contains changes. Returns it in that case.
    pub(crate) async fn close(self) -> Option<KeptWorkTree> {
        let clean = self.unsaved().await.is_ok_and(Unsaved::is_empty);
        if clean && self.remove().await.is_ok() {
            return None;
        }
        Some(KeptWorkTree {
            path: self.path().to_owned(),
            branch: self.branch().unwrap_or_default().to_owned(),
        })
    }
}
