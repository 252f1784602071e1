//! `structuredPatch`: what changed, as hunks with three lines around each change.

use std::time::Duration;

use serde_json::{Value, json};
use similar::{ChangeTag, TextDiff};

/// Lines around a change.
const CONTEXT: usize = 3;
/// After this a diff becomes coarser instead of better.
const PATIENCE: Duration = Duration::from_secs(2);

/// The hunks from `old` to `new`.
///
/// Starts count from 1 even where a side is empty, as recorded (`edit_variants`, creation through Edit).
pub(crate) fn structured(old: &str, new: &str) -> Value {
    let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(old, new);
    let hunks: Vec<Value> = diff
        .grouped_ops(CONTEXT)
        .iter()
        .filter_map(|group| {
            let (first, last) = (group.first()?, group.last()?);
            let (old_start, new_start) = (first.old_range().start, first.new_range().start);
            let mut lines = Vec::new();
            for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
                let sign = match change.tag() {
                    ChangeTag::Equal => ' ',
                    ChangeTag::Delete => '-',
                    ChangeTag::Insert => '+',
                };
                let text = change.value();
                match text.strip_suffix('\n') {
                    Some(line) => lines.push(format!("{sign}{line}")),
                    None => {
                        lines.push(format!("{sign}{text}"));
                        lines.push("\\ No newline at end of file".to_owned());
                    }
                }
            }
            Some(json!({
                "oldStart": old_start + 1,
                "oldLines": last.old_range().end - old_start,
                "newStart": new_start + 1,
                "newLines": last.new_range().end - new_start,
                "lines": lines,
            }))
        })
        .collect();
    Value::Array(hunks)
}

#[cfg(test)]
#[path = "patch_tests.rs"]
mod tests;
