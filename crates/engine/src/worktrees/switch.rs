//! Moves of the session into a worktree and back.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use sluice_hooks::HookClient;
use sluice_tools::Context;
use sluice_tools::worktree::{self, Unsaved, Worktree, WorktreeError};
use tokio::sync::Mutex;

use super::{CreateError, Origin, WorkTree};

/// Moves of a session between its folder and worktrees.
#[derive(Debug)]
pub(crate) struct Worktrees {
    hook_client: HookClient,
    /// Filter programs that the repository configures may run.
    may_filter: AtomicBool,
    entered: Mutex<Option<Entered>>,
}

/// The worktree that the session has entered.
#[derive(Debug, Clone)]
pub(super) struct Entered {
    pub(super) tree: WorkTree,
    /// The folder that the session returns to.
    pub(super) original: PathBuf,
    /// The worktree was entered by name, so the session may remove it.
    removable: bool,
}

/// The error of a switch.
#[derive(Debug, thiserror::Error)]
pub(super) enum SwitchError {
    #[error(
        "The session already works in the worktree {}. Leave it with ExitWorktree first, or pass `path` to switch to \
         another existing worktree.", .0.display()
    )]
    Already(PathBuf),
    #[error("Pass either `name` or `path`, not both.")]
    NameAndPath,
    #[error(
        "The session has not entered a worktree with EnterWorktree, so there is none to leave. Nothing was changed."
    )]
    NotEntered,
    #[error(
        "The worktree was not created with EnterWorktree in this session, so it is not removed. Use action \"keep\"."
    )]
    NotOurs,
    #[error(
        "The worktree contains work that would be lost: {0}. Ask the person, then call again with discard_changes: true, \
         or use action \"keep\"."
    )]
    Unsaved(Unsaved),
    #[error("It cannot be determined whether the worktree contains unsaved work: {0}. Use action \"keep\".")]
    Unknown(WorktreeError),
    #[error("The worktree cannot be removed: {0}")]
    Remove(WorktreeError),
    #[error("{0}")]
    Path(WorktreeError),
    #[error(transparent)]
    Create(#[from] CreateError),
}

impl Worktrees {
    pub(crate) fn new(hook_client: HookClient) -> Arc<Self> {
        Arc::new(Self {
            hook_client,
            may_filter: AtomicBool::new(false),
            entered: Mutex::new(None),
        })
    }

    /// Sets whether the project is trusted to run programs.
    pub(crate) fn trust(&self, runs_projects: bool) {
        self.may_filter.store(runs_projects, Ordering::Relaxed);
    }

    /// Creates or finds the worktree that a call names.
    pub(super) async fn enter(
        &self,
        name: Option<String>,
        path: Option<&Path>,
        cx: &Context,
    ) -> Result<Entered, SwitchError> {
        let mut entered = self.entered.lock().await;
        let start = cx.cwd.start();
        let original = entered.as_ref().map_or(start, |entered| entered.original.clone());
        let tree = match (name, path) {
            (Some(_), Some(_)) => return Err(SwitchError::NameAndPath),
            (None, Some(path)) => {
                let path = cx.cwd.get().join(path);
                let tree = Worktree::at(&original, &path, &cx.env).await;
                WorkTree {
                    origin: Origin::Git(tree.map_err(SwitchError::Path)?),
                    env: cx.env.to_vec(),
                }
            }
            (name, None) => {
                if let Some(entered) = &*entered {
                    return Err(SwitchError::Already(entered.tree.path().to_owned()));
                }
                let name = name.unwrap_or_else(worktree::generated_name);
                let may_filter = self.may_filter.load(Ordering::Relaxed);
                WorkTree::create(&original, &name, &cx.env, &self.hook_client, may_filter).await?
            }
        };
        let now = Entered {
            removable: path.is_none(),
            tree,
            original,
        };
        *entered = Some(now.clone());
        Ok(now)
    }

    /// Leaves the worktree without removing it.
    pub(super) async fn leave(&self) -> Result<Entered, SwitchError> {
        self.entered.lock().await.take().ok_or(SwitchError::NotEntered)
    }

    /// Leaves the worktree and removes it. Returns the changes that were lost.
    pub(super) async fn remove(&self, discard: bool) -> Result<(Entered, Unsaved), SwitchError> {
        let mut entered = self.entered.lock().await;
        let current = entered.as_ref().ok_or(SwitchError::NotEntered)?;
        if !current.removable {
            return Err(SwitchError::NotOurs);
        }
        let unsaved = match current.tree.unsaved().await {
            Ok(unsaved) if unsaved.is_empty() || discard => unsaved,
            Ok(unsaved) => return Err(SwitchError::Unsaved(unsaved)),
            Err(_) if discard => Unsaved::default(),
            Err(error) => return Err(SwitchError::Unknown(error)),
        };
        current.tree.remove().await.map_err(SwitchError::Remove)?;
        let left = entered.take().ok_or(SwitchError::NotEntered)?;
        Ok((left, unsaved))
    }
}
