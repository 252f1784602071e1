//! `get_workspace_diff`: what the session changed; declared from 2.1.210 to 2.1.229.

use crate::record::wire_struct;

wire_struct! {
    /// Asks what the session changed.
    pub struct GetWorkspaceDiff ["subtype" = "get_workspace_diff"] {}
}

wire_struct! {
    /// How much was changed in all.
    pub struct DiffStats {
        files_count: u64 as "filesCount",
        lines_added: u64 as "linesAdded",
        lines_removed: u64 as "linesRemoved",
    }
}

wire_struct! {
    /// How much was changed in one file.
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
    /// How many files are not told of.
    pub struct DiffOmitted {
        files: u64,
        exact: bool,
    }
}

wire_struct! {
    /// A stretch of changed lines.
    pub struct DiffHunk {
        old_start: u64 as "oldStart",
        old_lines: u64 as "oldLines",
        new_start: u64 as "newStart",
        new_lines: u64 as "newLines",
        lines: Vec<String>,
    }
}

wire_struct! {
    /// What was changed in one file.
    pub struct DiffFileHunks {
        path: String,
        hunks: Vec<DiffHunk>,
    }
}

wire_struct! {
    /// What it was compared with.
    pub struct DiffSource {
        /// `working-tree`.
        kind: String,
    }
}

wire_struct! {
    /// What was changed.
    pub struct WorkspaceDiff {
        stats: DiffStats,
        per_file_stats: Vec<DiffFileStats> as "perFileStats",
        omitted: DiffOmitted,
        hunks: Vec<DiffFileHunks>,
        /// Files with too many changed lines to show.
        skipped_large: Vec<String> as "skippedLarge",
        /// Files whose content is not shown.
        restricted: Vec<String>,
        source: DiffSource,
    }
}

wire_struct! {
    /// What was changed, or why that cannot be said.
    pub struct GetWorkspaceDiffResponse {
        diff: Option<WorkspaceDiff> = null,
        no_diff_reason: Option<String> as "noDiffReason",
    }
}
