//! A git worktree for a session.

use std::path::{Path, PathBuf};
use std::pin::Pin;

use crate::agents::Agents;
use crate::api::{Code, Problem};
use crate::trust;

/// Creates a worktree with this name in the repository that contains a folder and returns its path, or a sentence that
/// says why not. The flag says whether filter programs that the repository configures may run. The program that starts
/// the bridge provides it.
pub type WorktreeMaker = fn(PathBuf, String, bool) -> Pin<Box<dyn Future<Output = Result<PathBuf, String>> + Send>>;

/// Creates a worktree in the repository's folder of worktrees, on a new branch.
pub(crate) async fn make(agents: &Agents, folder: &Path) -> Result<PathBuf, Problem> {
    let problem = |why: String| {
        Problem::new(Code::Folder, format!("no worktree can be created: {why}"))
            .hint("start without one, or in a git repository")
    };
    let create = agents
        .worktree
        .ok_or_else(|| problem("git is not available in this process".to_owned()))?;
    let trusted = trust::run(agents.trust.as_ref(), folder, false).await?.trusted;
    let id: String = uuid::Uuid::new_v4().simple().to_string().chars().take(8).collect();
    create(folder.to_owned(), format!("session-{id}"), trusted)
        .await
        .map_err(problem)
}

/// The branch a folder is on, read without running anything.
pub(crate) fn branch(folder: &Path) -> Option<String> {
    let git = folder
        .ancestors()
        .map(|above| above.join(".git"))
        .find(|git| git.exists())?;
    let git = if git.is_file() {
        let text = std::fs::read_to_string(&git).ok()?;
        let target = PathBuf::from(text.strip_prefix("gitdir:")?.trim());
        git.parent()?.join(target)
    } else {
        git
    };
    let head = std::fs::read_to_string(git.join("HEAD")).ok()?;
    let name = head.trim().strip_prefix("ref: refs/heads/")?;
    Some(crate::body::cut(name, 200).to_owned())
}
