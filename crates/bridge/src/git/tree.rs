//! The working tree as clients see it: every file that differs from the last commit.

use super::plan;
use super::repository::Repository;
use super::run::Run;
use super::status::{FileKind, FilePatch, FileStatus, Status, files_of};
use super::step;
use crate::api::{ChangedFile, Problem, WorkingTree};
use crate::look::rendering;

/// The most files that are listed.
const MAX_FILES: usize = 300;
/// The largest untracked file whose content is shown.
const MAX_UNTRACKED: u64 = 1024 * 1024;

/// The files that differ from the last commit. `worktree`: whether the bridge created the folder as a worktree.
pub(crate) async fn working_tree(repository: &Repository, worktree: bool, gh: bool) -> Result<WorkingTree, Problem> {
    let status = repository.status().await?;
    let base = base(repository, &status).await?;
    let (names, patch) = tokio::join!(
        repository.read(diff(&base, "--name-only", "-z")),
        repository.read(diff(&base, "--patch", "--unified=3"))
    );
    let (names, patch) = (names?, patch?);
    let names = names.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    let patches: Vec<(&[u8], &[u8])> = names.zip(files_of(&patch)).collect();
    let mut files = Vec::new();
    for file in status.files.iter().take(MAX_FILES) {
        let patch = patches.iter().find(|(name, _)| *name == file.path.as_bytes());
        files.push(changed_file(repository, file, patch.map(|(_, patch)| *patch)).await?);
    }
    let kinds: Vec<_> = status
        .files
        .iter()
        .map(|file| (file.kind, file.path.clone(), !repository.root.join(&file.path).exists()))
        .collect();
    let worktree = match worktree {
        true => Some(step::worktree_of(repository, &status).await?),
        false => None,
    };
    Ok(WorkingTree {
        git: true,
        root: repository.root.to_string_lossy().into_owned(),
        branch: status.branch,
        upstream: status.upstream,
        ahead: status.ahead,
        behind: status.behind,
        remote: !repository.remotes().is_empty(),
        gh,
        more: u32::try_from(status.files.len() - files.len()).unwrap_or(u32::MAX),
        message: plan::message(&kinds),
        files,
        worktree,
    })
}

/// What files are compared with: the last commit, or nothing where there is none.
pub(super) async fn base(repository: &Repository, status: &Status) -> Result<String, Problem> {
    if !status.unborn {
        return Ok("HEAD".to_owned());
    }
    let empty = Run::git(["hash-object", "-t", "tree", "--stdin"]);
    let empty = repository.runner.must(&repository.root, &empty).await?;
    Ok(String::from_utf8_lossy(&empty).trim().to_owned())
}

fn diff<'a>(base: &'a str, kind: &'a str, more: &'a str) -> [&'a str; 12] {
    [
        "diff",
        kind,
        more,
        "--no-ext-diff",
        "--no-textconv",
        "--no-color",
        "--no-renames",
        "--ignore-submodules=all",
        "--src-prefix=a/",
        "--dst-prefix=b/",
        base,
        "--",
    ]
}

/// The arguments of the difference of one file.
pub(super) fn diff_of<'a>(base: &'a str, path: &'a str) -> [&'a str; 13] {
    let [a, b, c, d, e, f, g, h, i, j, k, l] = diff(base, "--patch", "--unified=3");
    [a, b, c, d, e, f, g, h, i, j, k, l, path]
}

async fn changed_file(
    repository: &Repository,
    file: &FileStatus,
    patch: Option<&[u8]>,
) -> Result<ChangedFile, Problem> {
    let patch = patch.map(FilePatch::parse).unwrap_or_default();
    let (diff, hunks) = match (file.kind, patch.text()) {
        (FileKind::Untracked, _) => (untracked(repository, &file.path).await?, Vec::new()),
        (_, Some(hunks)) => (rendering::patched(file.path.clone(), hunks).await?, patch.ids()),
        (FileKind::Conflict, None) => (rendering::none(&file.path, "this file has merge conflicts"), Vec::new()),
        (_, None) => (
            rendering::none(&file.path, "this file is not text, or only its mode changed"),
            Vec::new(),
        ),
    };
    Ok(ChangedFile {
        diff,
        hunks,
        untracked: file.kind == FileKind::Untracked,
        conflict: file.kind == FileKind::Conflict,
    })
}

/// An untracked file as one added hunk. A link is not followed.
async fn untracked(repository: &Repository, path: &str) -> Result<crate::api::Diff, Problem> {
    let file = repository.root.join(path);
    let read = tokio::task::spawn_blocking(move || {
        let about = std::fs::symlink_metadata(&file).map_err(|error| error.to_string())?;
        if about.is_symlink() {
            let target = std::fs::read_link(&file).map_err(|error| error.to_string())?;
            return Err(format!("a link to {}", target.display()));
        }
        if !about.is_file() {
            return Err("this is not a file".to_owned());
        }
        if about.len() > MAX_UNTRACKED {
            return Err("this file is too large to be shown".to_owned());
        }
        let bytes = std::fs::read(&file).map_err(|error| error.to_string())?;
        String::from_utf8(bytes).map_err(|_| "this file is not text".to_owned())
    });
    match read.await.map_err(Problem::internal)? {
        Ok(text) => rendering::difference(path.to_owned(), None, Some(text)).await,
        Err(why) => Ok(rendering::none(path, why)),
    }
}
