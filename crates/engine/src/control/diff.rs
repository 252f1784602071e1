//! The differences between the working folder and its last commit.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use sluice_settings::read_regular;
use sluice_tools::git;
use sluice_wire::control::{
    DiffFileHunks, DiffFileStats, DiffHunk, DiffOmitted, DiffSource, DiffStats, GetWorkspaceDiffResponse, RequestId,
    WorkspaceDiff,
};
use tokio::process::Command;

use crate::messages;
use crate::session::Session;

/// The maximum run time of git.
const GIT_TIMEOUT: Duration = Duration::from_secs(10);
/// The maximum number of files in the response.
const MAX_FILES: usize = 500;
/// The maximum number of changed lines of a file; larger diffs are skipped.
const MAX_LINES: usize = 2_000;

/// The maximum size of an untracked file whose content is shown.
const MAX_UNTRACKED_BYTES: u64 = 1024 * 1024;
/// The maximum total size of the untracked files whose content is shown.
const MAX_UNTRACKED_TOTAL: u64 = 16 * 1024 * 1024;

impl Session {
    /// Responds with the changes since the last commit.
    pub(super) fn workspace_diff(&mut self, id: &RequestId) {
        let (cwd, hidden) = (self.tooling.cwd().get(), self.hidden());
        let request_id = id.clone();
        self.requests.concurrent.spawn(id, async move {
            let found = tokio::time::timeout(GIT_TIMEOUT, state(&cwd, &*hidden)).await;
            match found {
                Ok(Ok(state)) => {
                    let response = answer(&state, &|path: &Path| hidden(&state.top.join(path)));
                    messages::success(&request_id, &response).into()
                }
                Ok(Err(reason)) => {
                    let response = GetWorkspaceDiffResponse {
                        no_diff_reason: Some(reason.to_owned()),
                        ..GetWorkspaceDiffResponse::default()
                    };
                    messages::success(&request_id, &response).into()
                }
                Err(_) => messages::error(&request_id, "get_workspace_diff: git timed out").into(),
            }
        });
    }
}

/// Output of git, and the untracked files.
struct GitState {
    /// Root of the work tree; all paths are relative to it.
    top: PathBuf,
    numbers: String,
    names: String,
    patch: String,
    untracked: Vec<Untracked>,
}

/// A file that git does not track and does not ignore.
#[derive(Debug, PartialEq, Eq)]
struct Untracked {
    path: String,
    content: Content,
}

/// Content of an untracked file, as far as it can be shown.
#[derive(Debug, PartialEq, Eq)]
enum Content {
    Text(String),
    Binary,
    TooLarge,
    /// A rule denies reading the file; it was not opened.
    Restricted,
    /// Beyond the limits on the number of files or their total size.
    Omitted,
}

impl Untracked {
    /// Reads a file of at most `limit` bytes.
    fn read(top: &Path, path: String, limit: u64, hidden: &(dyn Fn(&Path) -> bool + Send + Sync)) -> Self {
        let file = top.join(&path);
        // The target of a link is not part of the work tree.
        let regular = || file.symlink_metadata().is_ok_and(|metadata| metadata.is_file());
        let content = if hidden(&file) {
            Content::Restricted
        } else if !regular() {
            Content::Binary
        } else {
            match read_regular(&file, limit) {
                Ok(bytes) if !bytes.contains(&0) => Content::Text(String::from_utf8_lossy(&bytes).into_owned()),
                Ok(_) => Content::Binary,
                Err(_) => Content::TooLarge,
            }
        };
        Self { path, content }
    }

    /// Reads the first [`MAX_FILES`] of the named files, as long as their total size permits.
    fn read_all(top: &Path, names: &str, hidden: &(dyn Fn(&Path) -> bool + Send + Sync)) -> Vec<Self> {
        let mut left = MAX_UNTRACKED_TOTAL;
        // Git lists another repository below this one, such as one of its work trees, as a folder.
        let files = names.split_terminator('\0').filter(|path| !path.ends_with('/'));
        let files = files.map(str::to_owned).enumerate();
        let read = |(at, path)| {
            if at >= MAX_FILES || left == 0 {
                return Self {
                    path,
                    content: Content::Omitted,
                };
            }
            let file = Self::read(top, path, MAX_UNTRACKED_BYTES.min(left), hidden);
            if let Content::Text(text) = &file.content {
                left = left.saturating_sub(u64::try_from(text.len()).unwrap_or(u64::MAX));
            }
            file
        };
        files.map(read).collect()
    }

    fn lines(&self) -> impl Iterator<Item = &str> {
        match &self.content {
            Content::Text(text) => text.lines(),
            _ => "".lines(),
        }
    }

    /// The whole file as one added hunk.
    fn hunk(&self) -> DiffHunk {
        DiffHunk {
            new_start: 1,
            new_lines: self.lines().count().try_into().unwrap_or(u64::MAX),
            lines: self.lines().map(|line| format!("+{line}")).collect(),
            ..DiffHunk::default()
        }
    }
}

async fn state(cwd: &Path, hidden: &(dyn Fn(&Path) -> bool + Send + Sync)) -> Result<GitState, &'static str> {
    let top = git(cwd, &[], &["rev-parse", "--show-toplevel"]).await;
    let top = PathBuf::from(top.ok_or("no-repository")?.trim_end_matches('\n'));
    let has_commit = git(cwd, &[], &["rev-parse", "--verify", "-q", "HEAD"]).await.is_some();
    let base = if has_commit { "HEAD" } else { "--cached" };
    let listed = git(cwd, &[], &["config", "-z", "--name-only", "--get-regexp", "^filter\\."]).await;
    let unfiltered = &unfiltered(&listed.unwrap_or_default())?;
    let diff = |kind: &'static str| async move {
        let with = [
            "diff",
            base,
            // Git would read the configuration of each submodule.
            "--ignore-submodules=all",
            "--no-ext-diff",
            "--no-textconv",
            "--no-color",
            "--no-renames",
            kind,
        ];
        git(cwd, unfiltered, &with).await.unwrap_or_default()
    };
    let others = git(&top, &[], &["ls-files", "-z", "--others", "--exclude-standard"]).await;
    Ok(GitState {
        numbers: diff("--numstat").await,
        names: diff("--name-status").await,
        patch: diff("--unified=3").await,
        untracked: Untracked::read_all(&top, &others.unwrap_or_default(), hidden),
        top,
    })
}

/// Returns options that disable all configured filters. Each filter is a program that git would run on changed files.
fn unfiltered(names: &str) -> Result<Vec<String>, &'static str> {
    let mut off = Vec::new();
    for name in names.split('\0').filter(|name| !name.is_empty()) {
        if name.contains('=') {
            return Err(
                "the repository configures a git filter (a program) that cannot be disabled, so git is not run",
            );
        }
        off.extend(["-c".to_owned(), format!("{name}=")]);
    }
    Ok(off)
}

async fn git(cwd: &Path, settings: &[String], arguments: &[&str]) -> Option<String> {
    let env: Vec<_> = std::env::vars_os().collect();
    let ran = Command::from(git::command(&env))
        .args(["-c", "core.quotepath=off"])
        .args(settings)
        .args(arguments)
        .current_dir(cwd)
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .output()
        .await
        .ok()?;
    let output = String::from_utf8_lossy(&ran.stdout).into_owned();
    ran.status.success().then_some(output)
}

fn answer(state: &GitState, hidden: &dyn Fn(&Path) -> bool) -> GetWorkspaceDiffResponse {
    let mut per_file_stats = file_stats(state);
    let count = per_file_stats.len();
    let stats = DiffStats {
        files_count: number(count),
        lines_added: per_file_stats.iter().map(|file| file.added).sum(),
        lines_removed: per_file_stats.iter().map(|file| file.removed).sum(),
        ..DiffStats::default()
    };
    per_file_stats.sort_by(|one, two| one.path.cmp(&two.path));
    per_file_stats.truncate(MAX_FILES);
    let (mut hunks, mut skipped_large, mut restricted) = (Vec::new(), Vec::new(), Vec::new());
    let untracked = state.untracked.iter().filter_map(|file| match file.content {
        Content::Binary | Content::Omitted => None,
        Content::Restricted => Some((file.path.clone(), Vec::new())),
        Content::Text(_) if file.lines().next().is_none() => None,
        Content::Text(_) => Some((file.path.clone(), vec![file.hunk()])),
        Content::TooLarge => {
            skipped_large.push(file.path.clone());
            None
        }
    });
    let files: Vec<_> = patches(&state.patch).into_iter().chain(untracked).collect();
    for (path, parts) in files {
        if hidden(Path::new(&path)) {
            restricted.push(path);
        } else if parts.iter().map(|part| part.lines.len()).sum::<usize>() > MAX_LINES {
            skipped_large.push(path);
        } else if !parts.is_empty() && hunks.len() < MAX_FILES {
            hunks.push(DiffFileHunks {
                path,
                hunks: parts,
                ..DiffFileHunks::default()
            });
        }
    }
    let diff = WorkspaceDiff {
        stats,
        per_file_stats,
        omitted: DiffOmitted {
            files: number(count.saturating_sub(MAX_FILES)),
            exact: true,
            ..DiffOmitted::default()
        },
        hunks,
        skipped_large,
        restricted,
        source: DiffSource {
            kind: "working-tree".to_owned(),
            ..DiffSource::default()
        },
        ..WorkspaceDiff::default()
    };
    GetWorkspaceDiffResponse {
        diff: Some(diff),
        ..GetWorkspaceDiffResponse::default()
    }
}

fn number(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

/// The numbers of changed lines, for tracked and then untracked files.
fn file_stats(state: &GitState) -> Vec<DiffFileStats> {
    let mut per_file_stats = Vec::new();
    for line in state.numbers.lines() {
        let mut parts = line.splitn(3, '\t');
        let (Some(plus), Some(minus), Some(path)) = (parts.next(), parts.next(), parts.next()) else {
            continue;
        };
        per_file_stats.push(DiffFileStats {
            path: path.to_owned(),
            added: plus.parse().unwrap_or(0),
            removed: minus.parse().unwrap_or(0),
            is_binary: plus == "-",
            status: status(&state.names, path).to_owned(),
            ..DiffFileStats::default()
        });
    }
    for file in &state.untracked {
        per_file_stats.push(DiffFileStats {
            path: file.path.clone(),
            added: number(file.lines().count()),
            is_binary: file.content == Content::Binary,
            is_untracked: true,
            status: "added".to_owned(),
            ..DiffFileStats::default()
        });
    }
    per_file_stats
}

/// The status of a changed file.
fn status(names: &str, path: &str) -> &'static str {
    let letter = names
        .lines()
        .find_map(|line| line.split_once('\t').filter(|(_, name)| *name == path));
    match letter.map(|(letter, _)| letter) {
        Some("A") => "added",
        Some("D") => "removed",
        _ => "modified",
    }
}

/// Parses a patch into the hunks of each file.
fn patches(patch: &str) -> Vec<(String, Vec<DiffHunk>)> {
    let mut files: Vec<(String, Vec<DiffHunk>)> = Vec::new();
    // Numbers of lines of the current hunk that are still missing, in the old and the new file.
    let mut open = (0, 0);
    for line in patch.lines() {
        let sign = line.as_bytes().first();
        if open != (0, 0)
            && let Some(hunk) = files.last_mut().and_then(|(_, hunks)| hunks.last_mut())
        {
            match sign {
                Some(b'-') => open.0 -= 1,
                Some(b'+') => open.1 -= 1,
                Some(b'\\') => {}
                _ => open = (open.0 - 1, open.1 - 1),
            }
            if sign != Some(&b'\\') {
                hunk.lines.push(line.to_owned());
            }
            open = (open.0.max(0), open.1.max(0));
            continue;
        }
        if line.starts_with("diff --git ") {
            files.push(Default::default());
        } else if let Some((path, hunks)) = files.last_mut() {
            let named = line.strip_prefix("+++ b/").or_else(|| line.strip_prefix("--- a/"));
            if let Some(named) = named {
                named.trim_end_matches('\t').clone_into(path);
            } else if let Some(hunk) = line.strip_prefix("@@ ").and_then(heading) {
                let lines = |count: u64| i64::try_from(count).unwrap_or(0);
                open = (lines(hunk.old_lines), lines(hunk.new_lines));
                hunks.push(hunk);
            }
        }
    }
    files.retain(|(path, _)| !path.is_empty());
    files
}

/// Parses a hunk header such as `-1,2 +1 @@`.
fn heading(text: &str) -> Option<DiffHunk> {
    let mut words = text.split(' ');
    let span = |word: &str, sign: char| {
        let word = word.strip_prefix(sign)?;
        let (start, lines) = word.split_once(',').unwrap_or((word, "1"));
        Some((start.parse::<u64>().ok()?, lines.parse::<u64>().ok()?))
    };
    let (old_start, old_lines) = span(words.next()?, '-')?;
    let (new_start, new_lines) = span(words.next()?, '+')?;
    Some(DiffHunk {
        old_start,
        old_lines,
        // Git reports line 0 for a deleted file; clients expect line numbers from 1.
        new_start: new_start.max(1),
        new_lines,
        lines: Vec::new(),
        ..DiffHunk::default()
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing, clippy::unwrap_used)]

    use serde_json::json;

    use super::*;

    const PATCH: &str = "diff --git a/a.txt b/a.txt\nindex 1..2 100644\n--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1 @@\n-one\n--- a/no\n+changed\n\\ No newline at end of file\ndiff --git a/gone.txt b/gone.txt\ndeleted file mode 100644\n--- a/gone.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-g\ndiff --git a/x.png b/x.png\nBinary files a/x.png and b/x.png differ\n";

    #[tokio::test]
    async fn diff_runs_no_program_from_the_repository() {
        let dir = tempfile::tempdir().unwrap();
        let (cwd, ran) = (dir.path(), dir.path().join("ran"));
        let git = |arguments: &[&str]| {
            let mut command = std::process::Command::new("git");
            command
                .args(["-c", "user.name=x", "-c", "user.email=x@y"])
                .args(arguments);
            command
                .current_dir(cwd)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status()
                .unwrap();
        };
        git(&["init", "-q"]);
        std::fs::write(cwd.join("a.txt"), "one\n").unwrap();
        git(&["add", "."]);
        git(&["commit", "-q", "-m", "one"]);
        let evil = format!("touch {}", ran.display());
        for key in [
            "filter.evil.clean",
            "filter.evil.process",
            "core.fsmonitor",
            "diff.external",
            "core.pager",
            "diff.evil.textconv",
        ] {
            git(&["config", key, &evil]);
        }
        git(&["config", "filter.evil.required", "true"]);
        std::fs::write(cwd.join(".gitattributes"), "* filter=evil diff=evil\n").unwrap();
        std::fs::write(cwd.join("a.txt"), "two\n").unwrap();
        let state = state(cwd, &|_| false).await.map_err(str::to_owned).unwrap();
        assert_eq!(state.numbers, "1\t1\ta.txt\n");
        assert!(!ran.exists());
    }

    #[tokio::test]
    async fn untracked_files_are_read_below_the_root_and_links_are_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().canonicalize().unwrap();
        let init = std::process::Command::new("git")
            .args(["init", "-q"])
            .current_dir(&top)
            .status();
        assert!(init.unwrap().success());
        std::fs::create_dir(top.join("below")).unwrap();
        std::fs::write(top.join("new.txt"), "one\n").unwrap();
        std::fs::write(top.join("secret"), "key").unwrap();
        std::os::unix::fs::symlink("/etc/hostname", top.join("link")).unwrap();
        let secret = top.join("secret");
        let state = state(&top.join("below"), &move |path| path == secret).await;
        let files = state.map_err(str::to_owned).unwrap().untracked;
        let found: Vec<_> = files.iter().map(|file| (file.path.as_str(), &file.content)).collect();
        let text = Content::Text("one\n".to_owned());
        assert_eq!(
            found,
            [
                ("link", &Content::Binary),
                ("new.txt", &text),
                ("secret", &Content::Restricted)
            ]
        );
    }

    #[test]
    fn patch_is_parsed_into_files_and_hunks() {
        let files = patches(PATCH);
        assert_eq!(files.len(), 2);
        assert_eq!(files[0].0, "a.txt");
        assert_eq!(files[0].1[0].lines, ["-one", "--- a/no", "+changed"]);
        assert_eq!((files[1].0.as_str(), files[1].1[0].new_start), ("gone.txt", 1));
    }

    #[test]
    fn all_changed_files_are_counted_and_restricted_ones_not_shown() {
        let state = GitState {
            numbers: "1\t2\ta.txt\n0\t1\tgone.txt\n-\t-\tx.png\n".to_owned(),
            names: "M\ta.txt\nD\tgone.txt\nA\tx.png\n".to_owned(),
            patch: PATCH.to_owned(),
            untracked: vec![
                Untracked {
                    path: "new.txt".to_owned(),
                    content: Content::Text("a\nb\n".to_owned()),
                },
                Untracked {
                    path: "secret.txt".to_owned(),
                    content: Content::Restricted,
                },
            ],
            top: PathBuf::new(),
        };
        let diff = answer(&state, &|path| {
            ["a.txt", "secret.txt"].iter().any(|name| path == Path::new(name))
        });
        let diff = serde_json::to_value(diff.diff).unwrap();
        assert_eq!(
            diff["stats"],
            json!({"filesCount": 5, "linesAdded": 3, "linesRemoved": 3})
        );
        assert_eq!(diff["perFileStats"][1]["status"], "removed");
        assert_eq!(diff["perFileStats"][2]["isUntracked"], true);
        assert_eq!(diff["perFileStats"][4]["isBinary"], true);
        assert_eq!(diff["restricted"], json!(["a.txt", "secret.txt"]));
        assert_eq!(diff["hunks"][0]["path"], "gone.txt");
        assert_eq!(diff["hunks"][1]["path"], "new.txt");
        assert_eq!(diff["hunks"][1]["hunks"][0]["lines"], json!(["+a", "+b"]));
    }
}
