//! A work tree of a subagent's own: it works beside the session and neither sees the other's changes.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use tokio::process::Command;

/// A work tree somebody works in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WorkTree {
    repository: PathBuf,
    path: PathBuf,
    branch: String,
    /// The commit it began with.
    base: String,
    env: Vec<(OsString, OsString)>,
}

/// A work tree in which something was left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Left {
    pub(crate) path: PathBuf,
    pub(crate) branch: String,
}

impl WorkTree {
    /// Makes one beside the others of the repository `cwd` lies in.
    pub(crate) async fn make(cwd: &Path, id: &str, env: &[(OsString, OsString)]) -> Result<Self, String> {
        let explained = |why| format!("No work tree can be made for the subagent: {why}");
        let top = git(env, cwd, &["rev-parse", "--show-toplevel"])
            .await
            .map_err(explained)?;
        let repository = PathBuf::from(top);
        let base = git(env, &repository, &["rev-parse", "HEAD"]).await.map_err(explained)?;
        let path = repository.join(".claude").join("worktrees").join(format!("agent-{id}"));
        let branch = format!("worktree-agent-{id}");
        let place = path.display().to_string();
        git(
            env,
            &repository,
            &["worktree", "add", "-q", "-b", &branch, &place, "HEAD"],
        )
        .await
        .map_err(explained)?;
        Ok(Self {
            repository,
            path,
            branch,
            base,
            env: env.to_vec(),
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Takes it away again, unless something was changed in it.
    pub(crate) async fn close(self) -> Option<Left> {
        let changed = git(&self.env, &self.path, &["status", "--porcelain"]).await;
        let head = git(&self.env, &self.path, &["rev-parse", "HEAD"]).await;
        let untouched = changed.is_ok_and(|changed| changed.is_empty()) && head.is_ok_and(|head| head == self.base);
        if untouched {
            let place = self.path.display().to_string();
            let removed = git(&self.env, &self.repository, &["worktree", "remove", &place]).await;
            if removed.is_ok() {
                git(&self.env, &self.repository, &["branch", "-q", "-D", &self.branch])
                    .await
                    .ok();
                return None;
            }
        }
        Some(Left {
            path: self.path,
            branch: self.branch,
        })
    }
}

async fn git(env: &[(OsString, OsString)], at: &Path, arguments: &[&str]) -> Result<String, String> {
    let mut command = Command::new("git");
    command.env_clear().envs(env.iter().cloned());
    let ran = command
        .arg("-C")
        .arg(at)
        .args(arguments)
        .kill_on_drop(true)
        .output()
        .await;
    match ran {
        Ok(output) if output.status.success() => Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned()),
        Ok(output) => Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
        Err(error) => Err(format!("git: {error}")),
    }
}
