#![allow(clippy::unwrap_used)]

use super::*;

/// A repository with one commit, and the environment of git for it.
struct Repository {
    _dir: tempfile::TempDir,
    root: PathBuf,
    env: Vec<(OsString, OsString)>,
}

impl Repository {
    async fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap().join("r");
        std::fs::create_dir(&root).unwrap();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let mut env: Vec<(OsString, OsString)> = vec![("PATH".into(), path), ("HOME".into(), dir.path().into())];
        for name in ["AUTHOR_NAME", "AUTHOR_EMAIL", "COMMITTER_NAME", "COMMITTER_EMAIL"] {
            env.push((format!("GIT_{name}").into(), "x".into()));
        }
        let repository = Self { _dir: dir, root, env };
        repository.git(&["init", "-q"]).await;
        std::fs::write(repository.root.join("f"), "x").unwrap();
        repository.git(&["add", "f"]).await;
        repository.git(&["commit", "-q", "-m", "x"]).await;
        repository
    }

    async fn git(&self, arguments: &[&str]) {
        git(&self.env, &self.root, arguments).await.unwrap();
    }

    async fn open(&self, name: &str) -> Result<Worktree, WorktreeError> {
        Worktree::open(&self.root, name, &self.env, false).await
    }
}

#[test]
fn a_name_stays_below_its_folder() {
    for good in ["one", "fix-12", "team/fix.b", &generated_name()] {
        assert_eq!(check(good), Ok(()), "{good}");
    }
    let long = "x".repeat(65);
    for bad in [
        "", "..", "../x", "a/../b", "/a", "a/", "a b", ".git", "-x", "a.lock", &long,
    ] {
        assert!(check(bad).is_err(), "{bad}");
    }
}

#[tokio::test]
async fn no_program_of_the_repository_runs() {
    let repository = Repository::new().await;
    let mark = repository.root.join("../ran");
    let script = format!("#!/bin/sh\ntouch {}\n", mark.display());
    let (hook, monitor) = (
        repository.root.join(".git/hooks/post-checkout"),
        repository.root.join("../monitor"),
    );
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    for program in [&hook, &monitor] {
        std::fs::write(program, &script).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(program, mode).unwrap();
    }
    repository
        .git(&["config", "core.fsmonitor", &monitor.display().to_string()])
        .await;
    let worktree = repository.open("one").await.unwrap();
    assert!(worktree.path().join("f").exists());
    assert!(worktree.unsaved(&repository.env).await.unwrap().is_empty());
    worktree.remove(&repository.env).await.unwrap();
    assert!(!worktree.path().exists() && !mark.exists());

    let smudge = format!("touch {}; cat", mark.display());
    repository.git(&["config", "filter.f.smudge", &smudge]).await;
    let refused = repository.open("two").await;
    assert_eq!(
        refused,
        Err(WorktreeError::Filters(vec![format!("filter.f.smudge: {smudge}")]))
    );
}

#[tokio::test]
async fn unsaved_work_is_counted_also_on_a_branch_that_is_not_checked_out() {
    let repository = Repository::new().await;
    let worktree = repository.open("one").await.unwrap();
    let env = &repository.env;
    std::fs::write(worktree.path().join("new"), "x").unwrap();
    let unsaved = worktree.unsaved(env).await.unwrap();
    assert_eq!(unsaved, Unsaved { files: 1, commits: 0 });
    git(env, worktree.path(), &["add", "new"]).await.unwrap();
    git(env, worktree.path(), &["commit", "-q", "-m", "y"]).await.unwrap();
    let unsaved = worktree.unsaved(env).await.unwrap();
    assert_eq!(unsaved, Unsaved { files: 0, commits: 1 });
    git(env, worktree.path(), &["checkout", "-q", "--detach", "HEAD~"])
        .await
        .unwrap();
    assert_eq!(worktree.unsaved(env).await.unwrap(), unsaved);
    repository.git(&["branch", "kept", worktree.branch()]).await;
    assert!(worktree.unsaved(env).await.unwrap().is_empty());
}

#[tokio::test]
async fn only_worktrees_of_the_repository_are_entered_by_path() {
    let repository = Repository::new().await;
    let worktree = repository.open("one").await.unwrap();
    let elsewhere = worktree.path().join("../../../../elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    let inside = worktree.path().with_file_name("no-worktree");
    std::fs::create_dir(&inside).unwrap();
    let link = worktree.path().with_file_name("link");
    std::os::unix::fs::symlink(&elsewhere, &link).unwrap();
    let (root, env) = (&repository.root, &repository.env);
    assert_eq!(Worktree::at(root, worktree.path(), env).await.as_ref(), Ok(&worktree));
    for path in [elsewhere, inside, link] {
        let refused = Worktree::at(root, &path, env).await;
        assert!(matches!(refused, Err(WorktreeError::Unknown(_))), "{refused:?}");
    }
}

#[tokio::test]
async fn a_link_does_not_move_a_worktree_out_of_the_repository() {
    let repository = Repository::new().await;
    let elsewhere = repository.root.with_file_name("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, repository.root.join(".claude")).unwrap();
    assert!(matches!(repository.open("one").await, Err(WorktreeError::Linked(_))));
    assert_eq!(std::fs::read_dir(&elsewhere).unwrap().count(), 0);
}
