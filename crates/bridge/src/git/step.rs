//! A step, carried out: facts are gathered, a plan is made of them, and its commands run.

use std::path::{Path, PathBuf};

use super::plan::{Connection, Facts, PushTarget, WorktreeFacts, plan};
use super::repository::Repository;
use super::run::Run;
use super::status::{FilePatch, Status};
use super::tree;
use crate::api::{Code, GitReport, GitStep, Problem};

/// Makes a step, or with `dry_run` only returns its commands. `worktree`: the one that the bridge created for the session.
pub(crate) async fn carry_out(
    repository: &Repository,
    step: &GitStep,
    worktree: Option<&Path>,
    gh: bool,
    dry_run: bool,
) -> Result<GitReport, Problem> {
    let status = repository.status().await?;
    let main = match worktree {
        Some(_) => Some(main_folder(repository).await?),
        None => None,
    };
    let facts = facts(repository, step, status, worktree.zip(main.as_deref()), gh).await?;
    let planned = plan(step, &facts)?;
    let mut report = GitReport {
        commands: planned.runs.iter().map(Run::shown).collect(),
        note: planned.note,
        done: false,
        output: String::new(),
    };
    if dry_run {
        return Ok(report);
    }
    let place = |run: &Run| match (&main, run.in_main) {
        (Some(main), true) => main.clone(),
        _ => repository.root.clone(),
    };
    for run in &planned.runs {
        match repository.runner.must(&place(run), run).await {
            Ok(out) => report.output = String::from_utf8_lossy(&out).trim().to_owned(),
            Err(problem) => {
                if let Some(undo) = &planned.undo {
                    repository.runner.run(&place(undo), undo).await?;
                }
                return Err(problem);
            }
        }
    }
    if matches!(step, GitStep::Commit { .. } | GitStep::MergeWorktree {}) {
        let in_main = matches!(step, GitStep::MergeWorktree {});
        let last = Run {
            in_main,
            ..Run::git(["log", "-1", "--format=%h %s"])
        };
        let out = repository.runner.must(&place(&last), &last).await?;
        report.output = String::from_utf8_lossy(&out).trim().to_owned();
    }
    report.done = true;
    Ok(report)
}

async fn facts(
    repository: &Repository,
    step: &GitStep,
    status: Status,
    worktree: Option<(&Path, &Path)>,
    gh: bool,
) -> Result<Facts, Problem> {
    let patch = match step {
        GitStep::DiscardHunk { path, hunk } => patch_of(repository, &status, path).await?.with_hunk(hunk),
        _ => None,
    };
    let target = match step {
        GitStep::Push {} => push_target(repository, &status).await?,
        _ => None,
    };
    let worktree = match worktree {
        Some((path, main)) => Some(worktree_facts(repository, &status, path, main).await?),
        None => None,
    };
    let truth = |value: Option<&str>| value.is_some_and(|it| !matches!(it, "false" | "no" | "off" | "0"));
    Ok(Facts {
        drivers: repository.drivers().into_iter().map(str::to_owned).collect(),
        signs: truth(repository.setting("commit.gpgsign")),
        own: connection(repository),
        target,
        gh,
        worktree,
        patch,
        status,
    })
}

/// The changes of one file, as git reports them.
async fn patch_of(repository: &Repository, status: &Status, path: &str) -> Result<FilePatch, Problem> {
    let base = tree::base(repository, status).await?;
    let patch = repository.read(tree::diff_of(&base, path)).await?;
    Ok(FilePatch::parse(&patch))
}

async fn push_target(repository: &Repository, status: &Status) -> Result<Option<PushTarget>, Problem> {
    let Some(branch) = &status.branch else {
        return Ok(None);
    };
    let remotes = repository.remotes();
    let of_branch = repository.setting(&format!("branch.{branch}.remote"));
    let known = |name: &&str| remotes.contains(name);
    let remote = of_branch
        .filter(known)
        .or_else(|| Some("origin").filter(known))
        .or_else(|| Some(*remotes.first()?).filter(|_| remotes.len() == 1));
    let Some(remote) = remote else {
        return Ok(None);
    };
    let url = Run::git(["remote", "get-url", "--push", "--", remote]);
    let url = repository.runner.must(&repository.root, &url).await?;
    let upstream = repository.setting(&format!("branch.{branch}.merge"));
    let upstream = upstream.filter(|it| of_branch == Some(remote) && it.starts_with("refs/heads/"));
    Ok(Some(PushTarget {
        remote: remote.to_owned(),
        url: String::from_utf8_lossy(&url).trim().to_owned(),
        reference: upstream.map_or_else(|| format!("refs/heads/{branch}"), str::to_owned),
    }))
}

/// The credential helpers and the ssh command that the person configured.
fn connection(repository: &Repository) -> Connection {
    let is_credential = |key: &str| key.starts_with("credential.");
    let own = repository.own.iter();
    let from_environment = repository.runner.env.iter().find(|(name, _)| name == "GIT_SSH_COMMAND");
    let ssh = from_environment.map(|(_, value)| value.to_string_lossy().into_owned());
    let configured = own.clone().rfind(|(key, _)| key == "core.sshcommand");
    Connection {
        credentials: own
            .filter(|(key, _)| is_credential(key) && !key.contains('='))
            .cloned()
            .collect(),
        ssh: ssh.or_else(|| configured.map(|(_, value)| value.clone())),
    }
}

/// The main folder of the repository of a worktree.
async fn main_folder(repository: &Repository) -> Result<PathBuf, Problem> {
    let list = Run::git(["worktree", "list", "--porcelain", "-z"]);
    let list = repository.runner.must(&repository.root, &list).await?;
    let list = String::from_utf8_lossy(&list).into_owned();
    let main = list.split('\0').next().and_then(|line| line.strip_prefix("worktree "));
    let missing = || Problem::new(Code::Folder, "the main folder of this worktree was not found");
    let main = std::fs::canonicalize(main.ok_or_else(missing)?).map_err(|_| missing())?;
    // The bridge creates worktrees below the main folder.
    match repository.root.starts_with(&main) {
        true => Ok(main),
        false => Err(missing()),
    }
}

async fn worktree_facts(
    repository: &Repository,
    status: &Status,
    path: &Path,
    main: &Path,
) -> Result<WorktreeFacts, Problem> {
    let read = async |args: &[&str]| {
        let run = Run {
            args: args.iter().map(|arg| (*arg).to_owned()).collect(),
            ..Run::default()
        };
        repository.runner.run(main, &run).await
    };
    let into = read(&["symbolic-ref", "-q", "--short", "HEAD"]).await?;
    let changes = read(&[
        "status",
        "--porcelain",
        "--untracked-files=no",
        "--ignore-submodules=all",
    ])
    .await?;
    let merging = read(&["rev-parse", "-q", "--verify", "MERGE_HEAD"]).await?;
    let into = String::from_utf8_lossy(&into.out).trim().to_owned();
    Ok(WorktreeFacts {
        path: path.to_string_lossy().into_owned(),
        branch: status.branch.clone(),
        into: (!into.is_empty()).then_some(into),
        main_busy: !changes.success || !changes.out.is_empty() || merging.success,
    })
}

/// The worktree as clients see it.
pub(super) async fn worktree_of(repository: &Repository, status: &Status) -> Result<crate::api::Worktree, Problem> {
    let main = main_folder(repository).await?;
    let facts = worktree_facts(repository, status, &repository.root, &main).await?;
    let commits = match &facts.into {
        Some(into) => {
            let range = format!("refs/heads/{into}..HEAD");
            let count = Run::git(["rev-list", "--count", &range]);
            let count = repository.runner.must(&repository.root, &count).await?;
            String::from_utf8_lossy(&count).trim().parse().unwrap_or(0)
        }
        None => 0,
    };
    Ok(crate::api::Worktree {
        main: main.to_string_lossy().into_owned(),
        into: facts.into,
        commits,
    })
}
