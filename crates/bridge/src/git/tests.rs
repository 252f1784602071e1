//! Steps in real repositories, in temporary folders.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Repository, Runner, carry_out, working_tree};
use crate::api::{GitReport, GitStep, Problem, WorkingTree};
use crate::hub::{Config, Roots};

/// Stands for the command that `cli` provides: settings of the repository that name programs are overridden there.
fn git_command(env: &[(OsString, OsString)]) -> Command {
    let mut command = Command::new("git");
    command.env_clear().envs(env.iter().map(|(name, value)| (name, value)));
    command.env("GIT_CONFIG_COUNT", "2");
    command
        .env("GIT_CONFIG_KEY_0", "core.hooksPath")
        .env("GIT_CONFIG_VALUE_0", "/dev/null");
    command
        .env("GIT_CONFIG_KEY_1", "core.fsmonitor")
        .env("GIT_CONFIG_VALUE_1", "false");
    command.env("GIT_ALLOW_PROTOCOL", "none");
    command
}

/// A home with one repository in it.
struct Lab {
    _folder: tempfile::TempDir,
    home: PathBuf,
    project: PathBuf,
}

impl Lab {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = std::fs::canonicalize(folder.path()).unwrap().join("home");
        let project = home.join("project");
        std::fs::create_dir_all(&project).unwrap();
        let lab = Self {
            _folder: folder,
            home,
            project,
        };
        let identity = "[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n";
        std::fs::write(lab.home.join(".gitconfig"), identity).unwrap();
        lab.git(&lab.project, &["init", "-q"]);
        lab
    }

    fn with_commit() -> Self {
        let lab = Self::new();
        lab.write("pool.rs", &numbered(1..=30));
        lab.git(&lab.project, &["add", "."]);
        lab.git(&lab.project, &["commit", "-q", "-m", "First"]);
        lab
    }

    fn env(&self) -> Vec<(OsString, OsString)> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        vec![("PATH".into(), path), ("HOME".into(), self.home.clone().into())]
    }

    fn git(&self, folder: &Path, args: &[&str]) -> String {
        let mut command = Command::new("git");
        command.env_clear().envs(self.env()).args(args).current_dir(folder);
        let ran = command.output().unwrap();
        assert!(
            ran.status.success(),
            "git {args:?}: {}",
            String::from_utf8_lossy(&ran.stderr)
        );
        String::from_utf8_lossy(&ran.stdout).trim().to_owned()
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.project.join(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.project.join(name)).unwrap()
    }

    async fn try_open(&self, folder: &Path) -> Result<Option<Repository>, Problem> {
        let roots = Roots::new(&Config {
            state: self.home.join("state"),
            sluice: "sluice".into(),
            roots: vec![self.home.clone()],
            home: self.home.clone(),
            idle_after: None,
        });
        let runner = Runner {
            git: git_command,
            env: self.env(),
        };
        Repository::open(runner, folder, &roots).await
    }

    async fn tree(&self) -> WorkingTree {
        let repository = self.try_open(&self.project).await.unwrap().unwrap();
        working_tree(&repository, false, false).await.unwrap()
    }

    async fn step(&self, step: GitStep) -> Result<GitReport, Problem> {
        let repository = self.try_open(&self.project).await.unwrap().unwrap();
        carry_out(&repository, &step, None, true, false).await
    }
}

fn numbered(lines: std::ops::RangeInclusive<u32>) -> String {
    lines.map(|n| format!("line {n}\n")).collect()
}

fn paths(tree: &WorkingTree) -> Vec<&str> {
    tree.files.iter().map(|file| file.diff.path.as_str()).collect()
}

fn commit(paths: &[&str], message: &str) -> GitStep {
    GitStep::Commit {
        paths: paths.iter().map(|path| (*path).to_owned()).collect(),
        message: message.to_owned(),
    }
}

#[tokio::test]
async fn tree_lists_changed_added_deleted_and_untracked_files() {
    let lab = Lab::with_commit();
    lab.write("gone.rs", "x\n");
    lab.git(&lab.project, &["add", "."]);
    lab.git(&lab.project, &["commit", "-q", "-m", "Second"]);
    lab.write("pool.rs", &numbered(1..=31));
    lab.write("new file.rs", "fn new() {}\n");
    lab.write("staged.rs", "fn staged() {}\n");
    lab.git(&lab.project, &["add", "staged.rs"]);
    std::fs::remove_file(lab.project.join("gone.rs")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", lab.project.join("link")).unwrap();
    lab.write(".gitignore", "*.log\n");
    lab.write("noise.log", "x");
    let tree = lab.tree().await;
    assert_eq!(
        paths(&tree),
        ["gone.rs", "pool.rs", "staged.rs", ".gitignore", "link", "new file.rs"]
    );
    let counts: Vec<_> = tree
        .files
        .iter()
        .map(|file| (file.diff.added, file.diff.removed))
        .collect();
    assert_eq!(counts, [(0, 1), (1, 0), (1, 0), (1, 0), (0, 0), (1, 0)]);
    assert_eq!(tree.files[4].diff.problem.as_deref(), Some("a link to /etc/passwd"));
    assert_eq!(tree.branch.as_deref(), Some("main"));
    assert_eq!(
        tree.message,
        "Delete gone.rs, update pool.rs, add staged.rs, .gitignore and 2 more files"
    );
}

#[tokio::test]
async fn folder_without_repository_has_no_tree() {
    let lab = Lab::new();
    let plain = lab.home.join("plain");
    std::fs::create_dir(&plain).unwrap();
    assert!(lab.try_open(&plain).await.unwrap().is_none());
}

#[tokio::test]
async fn setting_that_names_another_working_tree_is_refused() {
    let lab = Lab::with_commit();
    std::fs::write(lab.home.join("secret"), "x").unwrap();
    let home = lab.home.to_string_lossy().into_owned();
    lab.git(&lab.project, &["config", "core.worktree", &home]);
    assert!(lab.try_open(&lab.project).await.is_err());
}

#[tokio::test]
async fn programs_that_a_repository_configures_do_not_run() {
    let lab = Lab::with_commit();
    let mark = lab.home.join("ran");
    let touch = format!("touch {}; cat", mark.display());
    for key in [
        "filter.x.clean",
        "filter.x.smudge",
        "diff.x.textconv",
        "diff.external",
        "core.fsmonitor",
    ] {
        lab.git(&lab.project, &["config", key, &touch]);
    }
    std::fs::create_dir_all(lab.project.join(".git/hooks")).unwrap();
    let hook = lab.project.join(".git/hooks/pre-commit");
    std::fs::write(&hook, format!("#!/bin/sh\ntouch {}\n", mark.display())).unwrap();
    std::fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    lab.write(".gitattributes", "* filter=x diff=x\n");
    lab.write("pool.rs", "changed\n");
    assert_eq!(lab.tree().await.files.len(), 2);
    let refused = lab.step(commit(&["pool.rs"], "m")).await.unwrap_err();
    assert!(refused.message.contains("filter.x"), "{}", refused.message);
    for key in ["filter.x.clean", "filter.x.smudge", "diff.x.textconv", "diff.external"] {
        lab.git(&lab.project, &["config", "--unset", key]);
    }
    lab.step(commit(&["pool.rs"], "m")).await.unwrap();
    assert!(!mark.exists());
}

#[tokio::test]
async fn commit_takes_the_chosen_files_only() {
    let lab = Lab::with_commit();
    lab.write("pool.rs", "changed\n");
    lab.write("a.rs", "a\n");
    lab.write("b.rs", "b\n");
    lab.git(&lab.project, &["add", "b.rs"]);
    let report = lab
        .step(commit(&["a.rs", "pool.rs"], "Change two files"))
        .await
        .unwrap();
    assert!(
        report.done && report.output.ends_with("Change two files"),
        "{}",
        report.output
    );
    let names = lab.git(&lab.project, &["show", "--name-only", "--format=", "HEAD"]);
    assert_eq!(names, "a.rs\npool.rs");
    assert_eq!(paths(&lab.tree().await), ["b.rs"]);
}

#[tokio::test]
async fn first_commit_of_a_repository_is_made() {
    let lab = Lab::new();
    lab.write("a.rs", "a\n");
    assert_eq!(paths(&lab.tree().await), ["a.rs"]);
    lab.step(commit(&["a.rs"], "First")).await.unwrap();
    assert_eq!(paths(&lab.tree().await), Vec::<&str>::new());
}

#[tokio::test]
async fn dry_run_returns_the_commands_and_changes_nothing() {
    let lab = Lab::with_commit();
    lab.write("pool.rs", "changed\n");
    let repository = lab.try_open(&lab.project).await.unwrap().unwrap();
    let report = carry_out(&repository, &commit(&["pool.rs"], "m"), None, false, true)
        .await
        .unwrap();
    assert!(!report.done);
    assert_eq!(report.commands.len(), 2);
    assert_eq!(paths(&lab.tree().await), ["pool.rs"]);
}

#[tokio::test]
async fn discard_restores_removes_and_deletes() {
    let lab = Lab::with_commit();
    lab.write("pool.rs", "changed\n");
    lab.write("staged*.rs", "x\n");
    lab.git(&lab.project, &["add", "staged*.rs"]);
    lab.write("new.rs", "x\n");
    for path in ["pool.rs", "staged*.rs", "new.rs"] {
        let step = GitStep::DiscardFile { path: path.to_owned() };
        lab.step(step).await.unwrap();
    }
    assert_eq!(paths(&lab.tree().await), Vec::<&str>::new());
    assert_eq!(lab.read("pool.rs"), numbered(1..=30));
    assert!(!lab.project.join("new.rs").exists());
    let outside = GitStep::DiscardFile {
        path: "../.gitconfig".to_owned(),
    };
    assert!(lab.step(outside).await.is_err());
    assert!(lab.home.join(".gitconfig").exists());
}

#[tokio::test]
async fn discarded_hunk_is_gone_and_the_others_stay() {
    let lab = Lab::with_commit();
    let changed = numbered(1..=30)
        .replace("line 2\n", "second\n")
        .replace("line 28\n", "28th\n");
    lab.write("pool.rs", &changed);
    let hunks = lab.tree().await.files[0].hunks.clone();
    assert_eq!(hunks.len(), 2);
    let step = |hunk: &str| GitStep::DiscardHunk {
        path: "pool.rs".to_owned(),
        hunk: hunk.to_owned(),
    };
    lab.step(step(&hunks[0])).await.unwrap();
    assert_eq!(lab.read("pool.rs"), numbered(1..=30).replace("line 28\n", "28th\n"));
    let again = lab.step(step(&hunks[0])).await.unwrap_err();
    assert!(again.message.contains("changed since"), "{}", again.message);
}

#[tokio::test]
async fn push_sets_the_upstream_and_runs_no_hook_of_the_target() {
    let lab = Lab::with_commit();
    let (bare, mark) = (lab.home.join("bare.git"), lab.home.join("ran"));
    lab.git(&lab.home, &["init", "-q", "--bare", "bare.git"]);
    let hook = bare.join("hooks/post-receive");
    std::fs::create_dir_all(bare.join("hooks")).unwrap();
    std::fs::write(&hook, format!("#!/bin/sh\ntouch {}\n", mark.display())).unwrap();
    std::fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let url = bare.to_string_lossy().into_owned();
    lab.git(&lab.project, &["remote", "add", "origin", &url]);
    let tree = lab.tree().await;
    assert_eq!((tree.remote, tree.upstream), (true, None));
    let report = lab.step(GitStep::Push {}).await.unwrap();
    assert_eq!(report.note, Some(format!("To {url}")));
    assert_eq!(lab.git(&bare, &["log", "-1", "--format=%s", "main"]), "First");
    let tree = lab.tree().await;
    assert_eq!((tree.upstream.as_deref(), tree.ahead), (Some("origin/main"), 0));
    assert!(!mark.exists());
}

/// A worktree of the project, as the bridge creates one.
async fn worktree(lab: &Lab) -> (PathBuf, Repository) {
    let place = lab.project.join(".claude/worktrees/session-1");
    let path = place.to_string_lossy().into_owned();
    lab.git(
        &lab.project,
        &["worktree", "add", "-q", "-b", "worktree-session-1", &path],
    );
    let repository = lab.try_open(&place).await.unwrap().unwrap();
    (place, repository)
}

#[tokio::test]
async fn worktree_is_merged_into_the_branch_of_the_main_folder() {
    let lab = Lab::with_commit();
    let (place, repository) = worktree(&lab).await;
    std::fs::write(place.join("feature.rs"), "x\n").unwrap();
    let merge = async || carry_out(&repository, &GitStep::MergeWorktree {}, Some(&place), false, false).await;
    assert!(merge().await.unwrap_err().message.contains("not committed"));
    let step = commit(&["feature.rs"], "Add a feature");
    carry_out(&repository, &step, Some(&place), false, false).await.unwrap();
    let tree = working_tree(&repository, true, false).await.unwrap();
    let tree = tree.worktree.unwrap();
    assert_eq!((tree.into.as_deref(), tree.commits), (Some("main"), 1));
    let report = merge().await.unwrap();
    assert!(report.output.ends_with("Add a feature"), "{}", report.output);
    assert_eq!(lab.read("feature.rs"), "x\n");
}

#[tokio::test]
async fn merge_with_conflicts_leaves_the_main_folder_as_it_was() {
    let lab = Lab::with_commit();
    let (place, repository) = worktree(&lab).await;
    std::fs::write(place.join("pool.rs"), "theirs\n").unwrap();
    let step = commit(&["pool.rs"], "Theirs");
    carry_out(&repository, &step, Some(&place), false, false).await.unwrap();
    lab.write("pool.rs", "ours\n");
    lab.step(commit(&["pool.rs"], "Ours")).await.unwrap();
    let merged = carry_out(&repository, &GitStep::MergeWorktree {}, Some(&place), false, false).await;
    assert!(merged.is_err());
    assert_eq!(lab.read("pool.rs"), "ours\n");
    assert_eq!(lab.git(&lab.project, &["status", "--porcelain", "-uno"]), "");
}

#[tokio::test]
async fn discarded_worktree_is_removed_with_its_branch() {
    let lab = Lab::with_commit();
    let (place, repository) = worktree(&lab).await;
    std::fs::write(place.join("feature.rs"), "x\n").unwrap();
    let step = GitStep::DiscardWorktree {};
    carry_out(&repository, &step, Some(&place), false, false).await.unwrap();
    assert!(!place.exists());
    assert_eq!(lab.git(&lab.project, &["branch", "--list", "worktree-*"]), "");
}
