//! `get_workspace_diff`: the changes in the working folder. Only CLI versions 2.1.210 to 2.1.229 declare it.

use crate::record::wire_struct;

wire_struct! {
    /// Requests the changes in the working folder.
    pub struct GetWorkspaceDiff ["subtype" = "get_workspace_diff"] {}
}

wire_struct! {
    /// The total size of the changes.
    pub struct DiffStats {
        files_count: u64 as "filesCount",
        lines_added: u64 as "linesAdded",
        lines_removed: u64 as "linesRemoved",
    }
}

wire_struct! {
    /// The size of the changes of a file.
    pub struct DiffFileStats {
        path: String,
        added: u64,
        removed: u64,
        is_binary: bool as "isBinary",
        is_untracked: bool as "isUntracked",
        /// `added`, `removed` or `modified`.
        status: String,
    }
}

wire_struct! {
    /// The number of changed files that are left out of the response.
    pub struct DiffOmitted {
        files: u64,
        exact: bool,
    }
}

wire_struct! {
    /// A hunk of a diff.
    pub struct DiffHunk {
        old_start: u64 as "oldStart",
        old_lines: u64 as "oldLines",
        new_start: u64 as "newStart",
        new_lines: u64 as "newLines",
        lines: Vec<String>,
    }
}

wire_struct! {
    /// The hunks of a file.
    pub struct DiffFileHunks {
        path: String,
        hunks: Vec<DiffHunk>,
    }
}

wire_struct! {
    /// The source of the diff.
    pub struct DiffSource {
        /// Always `working-tree`.
        kind: String,
    }
}

wire_struct! {
    /// The changes in the working folder.
    pub struct WorkspaceDiff {
        stats: DiffStats,
        per_file_stats: Vec<DiffFileStats> as "perFileStats",
        omitted: DiffOmitted,
        hunks: Vec<DiffFileHunks>,
        /// Files whose diff is too large and is left out.
        skipped_large: Vec<String> as "skippedLarge",
        /// Files whose content must not be shown.
        restricted: Vec<String>,
        source: DiffSource,
    }
}

wire_struct! {
    /// The changes, or the reason why there is no diff.
    pub struct GetWorkspaceDiffResponse {
        diff: Option<WorkspaceDiff> = null,
        no_diff_reason: Option<String> as "noDiffReason",
    }
}
