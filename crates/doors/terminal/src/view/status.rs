//! Status rows: activity, queue, and status line.

use std::time::Duration;

use sluice_wire::mode::PermissionMode;

use super::amount;
use super::feed::Retry;
use super::snapshot::{Phase, Snapshot};
use crate::text::{Role, Row, Style, width};

/// Returns the label of a permission mode.
#[must_use]
pub fn mode_word(mode: &PermissionMode) -> &'static str {
    match mode {
        PermissionMode::AcceptEdits => "edits",
        PermissionMode::Plan => "plan",
        PermissionMode::Auto => "auto",
        PermissionMode::DontAsk => "deny",
        PermissionMode::BypassPermissions => "bypass",
        _ => "ask",
    }
}

/// Shortens `claude-sonnet-4-5-20250929` to `sonnet-4.5`.
#[must_use]
pub fn model_word(model: &str) -> String {
    let bare = model.strip_prefix("claude-").unwrap_or(model);
    let mut words: Vec<&str> = bare.split('-').collect();
    if words
        .last()
        .is_some_and(|word| word.len() == 8 && word.chars().all(|it| it.is_ascii_digit()))
    {
        words.pop();
    }
    match words.as_slice() {
        [name, major, minor] if major.len() == 1 && minor.len() == 1 => format!("{name}-{major}.{minor}"),
        words => words.join("-"),
    }
}

/// Facts of the status line that are not part of the conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StatusContext {
    /// Model, if the conversation does not name one.
    pub model: String,
    /// Branch, followed by `*` if there are uncommitted changes.
    pub branch: Option<String>,
    /// True if the process runs as root.
    pub root: bool,
    /// True if a bridge runs the session.
    pub served: bool,
    /// True if the transcript cannot be written.
    pub transcript_failing: bool,
    /// Vim mode, if vim key bindings are enabled.
    pub vim: Option<&'static str>,
}

/// Renders `sonnet-4.5 ∙ ask ∙ 18% ∙ $0.42 ∙ main*`.
#[must_use]
pub fn row(snapshot: &Snapshot, around: &StatusContext, columns: usize) -> Row {
    let mut parts: Vec<(String, Style)> = Vec::new();
    if let Some(vim) = around.vim {
        parts.push((vim.to_owned(), Style::FAINT));
    }
    let model = if around.model == "demo" {
        None
    } else {
        snapshot.model.as_deref()
    };
    let model = model.map_or_else(|| around.model.clone(), model_word);
    if !model.is_empty() {
        parts.push((model, Style::FAINT));
    }
    if around.transcript_failing {
        parts.push(("not saved".to_owned(), Style::of(Role::Bad)));
    }
    let mode = snapshot.mode.as_ref().unwrap_or(&PermissionMode::Default);
    let word = mode_word(mode);
    let style = match mode {
        PermissionMode::BypassPermissions => Style::of(Role::Bad),
        PermissionMode::Plan => Style::of(Role::Note),
        _ => Style::FAINT,
    };
    parts.push((word.to_owned(), style));
    if let Some(window) = snapshot
        .context
        .window
        .filter(|window| *window > 0 && snapshot.context.tokens > 0)
    {
        let percent = snapshot.context.tokens * 100 / window;
        let style = match percent {
            0..80 => Style::FAINT,
            80..95 => Style::of(Role::Ask),
            _ => Style::of(Role::Bad),
        };
        parts.push((format!("{percent}%"), style));
    }
    if snapshot.cost >= 0.005 && around.model != "demo" {
        parts.push((amount::dollars(snapshot.cost), Style::FAINT));
    }
    if let Some(branch) = &around.branch {
        parts.push((branch.clone(), Style::FAINT));
    }
    if !snapshot.jobs.is_empty() {
        parts.push((amount::count(snapshot.jobs.len() as u64, "job"), Style::FAINT));
    }
    if snapshot.asks.len() > 1 {
        parts.push((amount::count(snapshot.asks.len() as u64, "ask"), Style::of(Role::Ask)));
    }
    if around.served {
        parts.push(("served".to_owned(), Style::FAINT));
    }
    if snapshot.failed_servers > 0 {
        parts.push((format!("mcp: {} failed", snapshot.failed_servers), Style::of(Role::Bad)));
    }
    if around.root {
        parts.push(("root".to_owned(), Style::of(Role::Bad)));
    }
    let mut row = Row::faint("  ");
    for (at, (text, style)) in parts.into_iter().enumerate() {
        let more = width::of(&text) + if at > 0 { 3 } else { 0 };
        if row.width() + more > columns {
            break;
        }
        if at > 0 {
            row.push(" ∙ ", Role::Faint);
        }
        row.push(&text, style);
    }
    row
}

/// Renders `⠹ writing ∙ 12s ∙ 840 tokens ∙ esc stops`; `None` while idle.
#[must_use]
pub fn activity(
    snapshot: &Snapshot,
    retry: Option<&Retry>,
    tool: Option<&str>,
    now: u64,
    spinner: &str,
    columns: usize,
) -> Option<Row> {
    let what = match snapshot.phase {
        Phase::Idle if snapshot.turn.is_none() => return None,
        Phase::Waiting => return None,
        Phase::Retrying => {
            let retry = retry?;
            let left = Duration::from_millis(retry.at.saturating_sub(now));
            let text = format!(
                "{} ∙ again in {} ∙ {} of {} ∙ esc stops",
                retry.why,
                amount::running(left),
                retry.attempt,
                retry.most
            );
            return Some(
                Row::new()
                    .add(spinner, Role::Accent)
                    .add(" ", Style::TEXT)
                    .add(&text, Role::Faint)
                    .cut(columns),
            );
        }
        Phase::Stopping(since) => {
            let text = format!("stopping ∙ {}", amount::running(since));
            return Some(
                Row::new()
                    .add(spinner, Role::Accent)
                    .add(" ", Style::TEXT)
                    .add(&text, Role::Faint),
            );
        }
        Phase::Idle | Phase::Asking => tool.unwrap_or("asking the model").to_owned(),
        Phase::Thinking => "thinking".to_owned(),
        Phase::Writing => "writing".to_owned(),
        Phase::Compacting => "compacting".to_owned(),
        Phase::Calling => format!("running {}", tool.unwrap_or("a call")),
        Phase::Stalled => "no response from the agent".to_owned(),
    };
    let mut facts = vec![what, amount::running(snapshot.turn.unwrap_or_default())];
    if snapshot.written > 0 && columns >= 60 {
        facts.push(format!("{} tokens", amount::tokens(snapshot.written)));
    }
    if snapshot.silent.as_secs() >= 15 {
        facts.push(format!("silent for {}", amount::running(snapshot.silent)));
    }
    facts.push(match snapshot.queue.len() {
        0 => "esc stops".to_owned(),
        waiting if columns >= 60 => format!("esc stops and sends the {waiting} below"),
        _ => "esc stops".to_owned(),
    });
    let row = Row::new()
        .add(spinner, Role::Accent)
        .add(" ", Style::TEXT)
        .add(&facts.join(" ∙ "), Role::Faint);
    Some(row.cut(columns))
}

/// Renders the queued prompts.
#[must_use]
pub fn queue(snapshot: &Snapshot, columns: usize) -> Vec<Row> {
    const MAX_QUEUE_ROWS: usize = 4;
    let mut rows = Vec::new();
    for (_, text) in snapshot.queue.iter().take(MAX_QUEUE_ROWS) {
        let mut lines = text.trim().lines();
        let first = lines.next().unwrap_or_default();
        let more = lines.count();
        let more = if more > 0 {
            format!(" ⋯ {} lines", more + 1)
        } else {
            String::new()
        };
        let room = columns.saturating_sub(8 + width::of(&more));
        let mut row = Row::faint("  next  ");
        row.append(&Row::plain(first).cut(room));
        row.push(&more, Role::Faint);
        rows.push(row);
    }
    if snapshot.queue.len() > MAX_QUEUE_ROWS {
        rows.push(Row::faint(&format!(
            "  ⋯ {} more",
            snapshot.queue.len() - MAX_QUEUE_ROWS
        )));
    }
    rows
}

/// Renders the task list.
#[must_use]
pub fn todos(snapshot: &Snapshot, columns: usize) -> Vec<Row> {
    let open = snapshot.todos.iter().filter(|todo| &*todo.status != "completed");
    let done = snapshot
        .todos
        .iter()
        .filter(|todo| &*todo.status == "completed")
        .count();
    if snapshot.todos.is_empty() {
        return Vec::new();
    }
    let mut rows = vec![Row::faint(&format!("  Tasks  {done} of {} done", snapshot.todos.len()))];
    for todo in open.take(5) {
        let (sign, text) = match &*todo.status {
            "in_progress" => ("[>]", todo.active.as_deref().unwrap_or(&todo.subject)),
            _ => ("[ ]", &*todo.subject),
        };
        rows.push(super::card::todo_row(sign, text).cut(columns));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn model_names_are_shortened() {
        assert_eq!(model_word("claude-sonnet-4-5-20250929"), "sonnet-4.5");
        assert_eq!(model_word("claude-opus-4-1"), "opus-4.1");
        assert_eq!(model_word("qwen2.5-coder"), "qwen2.5-coder");
    }

    #[test]
    fn the_idle_screen_s_status() {
        let snapshot = Snapshot {
            model: Some("claude-sonnet-4-5".to_owned()),
            cost: 0.42,
            context: sluice_host::conversation::Context {
                tokens: 36_000,
                window: Some(200_000),
            },
            ..Snapshot::default()
        };
        let around = StatusContext {
            branch: Some("main*".to_owned()),
            ..StatusContext::default()
        };
        assert_eq!(
            row(&snapshot, &around, 80).text(),
            "  sonnet-4.5 ∙ ask ∙ 18% ∙ $0.42 ∙ main*"
        );
        assert_eq!(row(&snapshot, &around, 25).text(), "  sonnet-4.5 ∙ ask ∙ 18%");
    }

    #[test]
    fn the_activity_of_the_streaming_screen() {
        let snapshot = Snapshot {
            phase: Phase::Writing,
            turn: Some(Duration::from_secs(12)),
            written: 840,
            ..Snapshot::default()
        };
        let shown = activity(&snapshot, None, None, 0, "⠹", 80).map(|row| row.text());
        assert_eq!(shown.as_deref(), Some("⠹ writing ∙ 12s ∙ 840 tokens ∙ esc stops"));
        let narrow = activity(&snapshot, None, None, 0, "⠹", 40).map(|row| row.text());
        assert_eq!(narrow.as_deref(), Some("⠹ writing ∙ 12s ∙ esc stops"));
    }
}
