//! `/diff`: the changes of the work tree since the last commit, as the agent reports them.

use sluice_wire::control::{GetWorkspaceDiff, WorkspaceDiff};

use super::{Executor, REPLY_TIMEOUT, error_text};
use crate::app::ActOutcome;
use crate::text::{Role, Row, clean};
use crate::view::amount;

impl Executor {
    pub(super) async fn diff(&self) -> Result<ActOutcome, String> {
        let answer = self
            .client
            .request_within(GetWorkspaceDiff::default(), REPLY_TIMEOUT)
            .await;
        let answer = answer.map_err(error_text)?;
        match (answer.diff, answer.no_diff_reason.as_deref()) {
            (Some(diff), _) if diff.stats.files_count > 0 => Ok(ActOutcome::Rows(rows(&diff))),
            (Some(_), _) => Err("nothing differs from the last commit".to_owned()),
            (None, Some("no-repository")) => Err("this folder is not in a git repository".to_owned()),
            (None, reason) => Err(reason.unwrap_or("the agent reports no changes").to_owned()),
        }
    }
}

/// One heading per file, with its changed lines below.
fn rows(diff: &WorkspaceDiff) -> Vec<Row> {
    let mut rows = Vec::new();
    for file in &diff.per_file_stats {
        let lines = amount::lines(file.added, file.removed);
        let contains = |paths: &[String]| paths.contains(&file.path);
        let note = if contains(&diff.restricted) {
            "a rule denies reading it"
        } else if contains(&diff.skipped_large) {
            "too large to show"
        } else if file.is_binary {
            "binary"
        } else if file.is_untracked {
            "untracked"
        } else {
            &file.status
        };
        let facts = [lines.as_str(), note].join("  ");
        rows.push(
            Row::new()
                .add(&clean::output_line(&file.path), Role::Text)
                .add(&format!("  {}", facts.trim_start()), Role::Faint),
        );
        let hunks = diff.hunks.iter().filter(|it| it.path == file.path);
        for hunk in hunks.flat_map(|it| &it.hunks) {
            let place = format!(
                "@@ -{},{} +{},{} @@",
                hunk.old_start, hunk.old_lines, hunk.new_start, hunk.new_lines
            );
            rows.push(Row::new().add(&place, Role::Faint));
            rows.extend(hunk.lines.iter().map(|line| {
                let role = match line.as_bytes().first() {
                    Some(b'+') => Role::Good,
                    Some(b'-') => Role::Bad,
                    _ => Role::Text,
                };
                Row::new().add(&clean::output_line(line), role)
            }));
        }
    }
    if diff.omitted.files > 0 {
        let text = format!("{} not shown", amount::count(diff.omitted.files, "more file"));
        rows.push(Row::new().add(&text, Role::Faint));
    }
    rows
}
