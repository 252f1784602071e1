//! Diffs as lines.

use serde_json::Value;
use sluice_host::items::{Card, CardBody, Plan};

use crate::text::clean::one_line;
use crate::view::diff::{ChangeLine, Side};

/// Returns the full diff or command.
pub(super) fn details(card: &Card, input: &Value, file: Option<&str>) -> Vec<String> {
    if let Some(lines) = crate::view::ask::changed_lines(card, file) {
        return changes(&lines);
    }
    let text = |text: &str| {
        text.lines()
            .map(|line| format!("  {}", one_line(line)))
            .collect::<Vec<_>>()
    };
    match &card.body {
        CardBody::Shell(shell) if !shell.command.is_empty() => text(&shell.command),
        CardBody::Plan(Plan { text: Some(plan) }) => text(plan),
        _ => text(&serde_json::to_string_pretty(input).unwrap_or_default()),
    }
}

/// Pairs of removed and added lines are reported as changed ("was", "is now"); others as removed or added.
fn changes(lines: &[ChangeLine]) -> Vec<String> {
    let mut said = Vec::new();
    let mut rest = lines;
    while !rest.is_empty() {
        let run = |from: &[ChangeLine], side: Side| from.iter().take_while(|line| line.side == side).count();
        let removed = run(rest, Side::Removed);
        let (old, after) = rest.split_at(removed);
        let added = run(after, Side::Added);
        let (new, after) = after.split_at(added);
        if removed == 0 && added == 0 {
            rest = rest.get(1..).unwrap_or_default();
            continue;
        }
        rest = after;
        if removed == added {
            for (old, new) in old.iter().zip(new) {
                said.push(format!(
                    "  line {} was:     {}",
                    old.number,
                    one_line(&old.text).trim_start()
                ));
                said.push(format!(
                    "  line {} becomes: {}",
                    new.number,
                    one_line(&new.text).trim_start()
                ));
            }
            continue;
        }
        said.extend(
            old.iter()
                .map(|line| format!("  line {} removed: {}", line.number, one_line(&line.text))),
        );
        said.extend(
            new.iter()
                .map(|line| format!("  line {} added: {}", line.number, one_line(&line.text))),
        );
    }
    said
}
