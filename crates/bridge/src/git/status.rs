//! What `git status` and `git diff` report, parsed.

use sluice_render::diff::PatchHunk;

/// `git status --porcelain=v2 --branch -z`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Status {
    /// None for a detached `HEAD`.
    pub(super) branch: Option<String>,
    pub(super) upstream: Option<String>,
    pub(super) ahead: u32,
    pub(super) behind: u32,
    /// Whether there is no commit yet.
    pub(super) unborn: bool,
    pub(super) files: Vec<FileStatus>,
}

/// One file that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileStatus {
    pub(super) path: String,
    pub(super) kind: FileKind,
}

/// How a file differs from the last commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileKind {
    /// The last commit contains it.
    Changed,
    /// It is in the index, and not in the last commit.
    Added,
    Untracked,
    /// A merge left conflicts in it.
    Conflict,
}

/// Arguments of the report that [`parse`] reads.
pub(super) const STATUS: [&str; 7] = [
    "status",
    "--porcelain=v2",
    "--branch",
    "-z",
    "--untracked-files=all",
    "--no-renames",
    "--ignore-submodules=all",
];

/// Parses it. Names that are not UTF-8 are left out: they could not be named in a step.
pub(super) fn parse(output: &[u8]) -> Status {
    let mut status = Status::default();
    for entry in output.split(|byte| *byte == 0) {
        let Ok(entry) = std::str::from_utf8(entry) else {
            continue;
        };
        match entry.split_once(' ') {
            Some(("#", header)) => take_header(&mut status, header),
            Some(("1", rest)) => {
                let kind = match rest.starts_with('A') {
                    true => FileKind::Added,
                    false => FileKind::Changed,
                };
                take_file(&mut status, rest.splitn(8, ' ').nth(7), kind);
            }
            Some(("u", rest)) => take_file(&mut status, rest.splitn(10, ' ').nth(9), FileKind::Conflict),
            Some(("?", path)) => take_file(&mut status, Some(path), FileKind::Untracked),
            _ => {}
        }
    }
    status
}

fn take_header(status: &mut Status, header: &str) {
    match header.split_once(' ') {
        Some(("branch.oid", oid)) => status.unborn = oid == "(initial)",
        Some(("branch.head", name)) => status.branch = (name != "(detached)").then(|| name.to_owned()),
        Some(("branch.upstream", name)) => status.upstream = Some(name.to_owned()),
        Some(("branch.ab", counts)) => {
            let mut counts = counts
                .split(' ')
                .map(|count| count.get(1..).and_then(|it| it.parse().ok()));
            status.ahead = counts.next().flatten().unwrap_or(0);
            status.behind = counts.next().flatten().unwrap_or(0);
        }
        _ => {}
    }
}

fn take_file(status: &mut Status, path: Option<&str>, kind: FileKind) {
    if let Some(path) = path.filter(|path| !path.is_empty()) {
        status.files.push(FileStatus {
            path: path.to_owned(),
            kind,
        });
    }
}

/// The changes of one file in a patch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FilePatch {
    /// The lines before the first hunk.
    head: Vec<u8>,
    hunks: Vec<Vec<u8>>,
}

impl FilePatch {
    /// Parses the part of a patch that begins with `diff --git`.
    pub(super) fn parse(text: &[u8]) -> Self {
        let mut patch = Self::default();
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            if line.starts_with(b"@@ ") {
                patch.hunks.push(Vec::new());
            }
            patch
                .hunks
                .last_mut()
                .unwrap_or(&mut patch.head)
                .extend_from_slice(line);
        }
        patch
    }

    /// An id for each hunk: it changes with the content of the hunk.
    pub(super) fn ids(&self) -> Vec<String> {
        self.hunks
            .iter()
            .map(|hunk| crate::body::hash(hunk).chars().take(16).collect())
            .collect()
    }

    /// A patch with this hunk alone.
    pub(super) fn with_hunk(&self, id: &str) -> Option<Vec<u8>> {
        let at = self.ids().iter().position(|known| known == id)?;
        Some([self.head.as_slice(), self.hunks.get(at)?].concat())
    }

    /// The hunks as text; none for a binary file.
    pub(super) fn text(&self) -> Option<Vec<PatchHunk>> {
        let hunks: Vec<PatchHunk> = self.hunks.iter().filter_map(|hunk| hunk_text(hunk)).collect();
        (!hunks.is_empty()).then_some(hunks)
    }
}

fn hunk_text(hunk: &[u8]) -> Option<PatchHunk> {
    let text = String::from_utf8_lossy(hunk);
    let mut lines = text.lines();
    let ranges = lines.next()?.strip_prefix("@@ -")?.split(" @@").next()?.to_owned();
    let (old, new) = ranges.split_once(" +")?;
    let range = |range: &str| {
        let (start, count) = range.split_once(',').unwrap_or((range, "1"));
        Some((start.parse::<u32>().ok()?, count.parse::<u32>().ok()?))
    };
    let ((old_start, old_lines), (new_start, new_lines)) = (range(old)?, range(new)?);
    Some(PatchHunk {
        old_start,
        old_lines,
        new_start,
        new_lines,
        // The note about a missing line end is no line of the file.
        lines: lines
            .filter(|line| !line.starts_with('\\'))
            .map(str::to_owned)
            .collect(),
    })
}

/// Splits a patch into its files.
pub(super) fn files_of(patch: &[u8]) -> Vec<&[u8]> {
    let starts: Vec<usize> = std::iter::once(0)
        .chain(
            patch
                .iter()
                .enumerate()
                .filter(|(_, byte)| **byte == b'\n')
                .map(|(at, _)| at + 1),
        )
        .filter(|at| patch.get(*at..).is_some_and(|rest| rest.starts_with(b"diff --git ")))
        .collect();
    let ends = starts.iter().skip(1).copied().chain([patch.len()]);
    starts
        .iter()
        .zip(ends)
        .filter_map(|(start, end)| patch.get(*start..end))
        .collect()
}
