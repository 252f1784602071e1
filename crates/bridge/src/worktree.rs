//! A git worktree for a session.

use std::path::{Path, PathBuf};

use tokio::process::Command;

use crate::api::{Code, Problem};

/// Makes a worktree beside the repository's own, on a new branch.
pub(crate) async fn make(folder: &Path) -> Result<PathBuf, Problem> {
    let problem = |why: String| {
        Problem::new(Code::Folder, format!("no worktree can be made: {why}"))
            .hint("start without one, or in a git repository")
    };
    let git = |args: Vec<String>| {
        let mut command = Command::new("git");
        // Hooks and monitors of the repository do not run for this.
        command.args(["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-C"]);
        command
            .arg(folder)
            .args(args)
            .stdin(std::process::Stdio::null())
            .kill_on_drop(true);
        command
    };
    let top = git(vec!["rev-parse".into(), "--show-toplevel".into()]).output().await;
    let top = top.map_err(|error| problem(error.to_string()))?;
    if !top.status.success() {
        return Err(problem(format!("{} is not in a git repository", folder.display())));
    }
    let top = PathBuf::from(String::from_utf8_lossy(&top.stdout).trim());
    let name: String = uuid::Uuid::new_v4().simple().to_string().chars().take(8).collect();
    let place = top.join(".claude").join("worktrees").join(format!("session-{name}"));
    let branch = format!("worktree-session-{name}");
    let added = git(vec![
        "worktree".into(),
        "add".into(),
        "-b".into(),
        branch,
        place.to_string_lossy().into_owned(),
    ])
    .output()
    .await
    .map_err(|error| problem(error.to_string()))?;
    if !added.status.success() {
        return Err(problem(String::from_utf8_lossy(&added.stderr).trim().to_owned()));
    }
    Ok(place)
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
