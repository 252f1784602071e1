//! A work tree of a subagent's own: it works beside the session and neither sees the other's changes.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use sluice_hooks::HookClient;
use tokio::process::Command;

/// A work tree somebody works in.
#[derive(Debug, Clone)]
pub(crate) struct WorkTree {
    path: PathBuf,
    made: Made,
}

/// Who made a work tree, and so takes it away.
#[derive(Debug, Clone)]
enum Made {
    ByUs {
        repository: PathBuf,
        branch: String,
        /// The commit it began with.
        base: String,
        env: Vec<(OsString, OsString)>,
    },
    /// A hook: it knows what is to become of what was left in it.
    ByHook(HookClient),
}

/// A work tree in which something was left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Left {
    pub(crate) path: PathBuf,
    pub(crate) branch: String,
}

fn explained(why: &str) -> String {
    format!("No work tree can be made for the subagent: {why}")
}

impl WorkTree {
    /// Makes one beside the others of the repository `cwd` lies in, or has a hook make one wherever it likes. `runs`:
    /// what the project brings may run.
    pub(crate) async fn make(
        cwd: &Path,
        id: &str,
        env: &[(OsString, OsString)],
        hook_client: &HookClient,
        runs: bool,
    ) -> Result<Self, String> {
        if let Some(made) = hook_client.worktree(&format!("agent-{id}")).await {
            let path = cwd.join(made.map_err(|why| explained(&why))?);
            if !path.is_dir() {
                return Err(explained(&format!(
                    "the hook that makes them named {}, which is no directory",
                    path.display()
                )));
            }
            let made = Made::ByHook(hook_client.clone());
            return Ok(Self { path, made });
        }
        if !runs {
            // Checking files out runs the filters the repository's configuration names.
            return Err(explained("its folder is not trusted yet"));
        }
        let top = git(env, cwd, &["rev-parse", "--show-toplevel"])
            .await
            .map_err(|why| explained(&why))?;
        let repository = PathBuf::from(top);
        let base = git(env, &repository, &["rev-parse", "HEAD"])
            .await
            .map_err(|why| explained(&why))?;
        let path = repository.join(".claude").join("worktrees").join(format!("agent-{id}"));
        let branch = format!("worktree-agent-{id}");
        let place = path.display().to_string();
        git(
            env,
            &repository,
            &["worktree", "add", "-q", "-b", &branch, &place, "HEAD"],
        )
        .await
        .map_err(|why| explained(&why))?;
        let made = Made::ByUs {
            repository,
            branch,
            base,
            env: env.to_vec(),
        };
        Ok(Self { path, made })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Takes it away again, unless something was changed in it.
    pub(crate) async fn close(self) -> Option<Left> {
        let (repository, branch, base, env) = match self.made {
            Made::ByUs {
                repository,
                branch,
                base,
                env,
            } => (repository, branch, base, env),
            Made::ByHook(hook_client) => {
                hook_client.worktree_gone(&self.path).await;
                return None;
            }
        };
        let changed = git(&env, &self.path, &["status", "--porcelain"]).await;
        let head = git(&env, &self.path, &["rev-parse", "HEAD"]).await;
        let untouched = changed.is_ok_and(|changed| changed.is_empty()) && head.is_ok_and(|head| head == base);
        if untouched {
            let place = self.path.display().to_string();
            let removed = git(&env, &repository, &["worktree", "remove", &place]).await;
            if removed.is_ok() {
                git(&env, &repository, &["branch", "-q", "-D", &branch]).await.ok();
                return None;
            }
        }
        Some(Left {
            path: self.path,
            branch,
        })
    }
}

async fn git(env: &[(OsString, OsString)], at: &Path, arguments: &[&str]) -> Result<String, String> {
    let mut command = Command::new("git");
    command.env_clear().envs(env.iter().cloned());
    // The repository's own configuration may name programs to run; none of them was agreed to.
    let ran = command
        .args(["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"])
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[tokio::test]
    async fn a_work_tree_runs_no_program_the_repository_names() {
        let dir = tempfile::tempdir().unwrap();
        let (repository, mark) = (dir.path().join("r"), dir.path().join("ran"));
        std::fs::create_dir(&repository).unwrap();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let mut env: Vec<(OsString, OsString)> = vec![("PATH".into(), path), ("HOME".into(), dir.path().into())];
        for name in [
            "GIT_AUTHOR_NAME",
            "GIT_AUTHOR_EMAIL",
            "GIT_COMMITTER_NAME",
            "GIT_COMMITTER_EMAIL",
        ] {
            env.push((name.into(), "x".into()));
        }
        git(&env, &repository, &["init", "-q"]).await.unwrap();
        std::fs::write(repository.join("f"), "x").unwrap();
        git(&env, &repository, &["add", "f"]).await.unwrap();
        git(&env, &repository, &["commit", "-q", "-m", "x"]).await.unwrap();
        let script = format!("#!/bin/sh\ntouch {}\n", mark.display());
        let hook = repository.join(".git/hooks/post-checkout");
        std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
        for program in [&hook, &dir.path().join("monitor")] {
            std::fs::write(program, &script).unwrap();
            let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
            std::fs::set_permissions(program, mode).unwrap();
        }
        let monitor = dir.path().join("monitor").display().to_string();
        git(&env, &repository, &["config", "core.fsmonitor", &monitor])
            .await
            .unwrap();
        let (hook_client, _) = HookClient::new();
        assert!(
            WorkTree::make(&repository, "0", &env, &hook_client, false)
                .await
                .is_err()
        );
        let tree = WorkTree::make(&repository, "1", &env, &hook_client, true)
            .await
            .unwrap();
        assert!(tree.path().join("f").exists());
        assert_eq!(tree.close().await, None);
        assert!(!mark.exists());
    }
}
