//! The whole conversation, for the pager.

use std::collections::HashMap;
use std::time::Duration;

use serde_json::Value;
use sluice_host::conversation::{Entry, EntryKind};
use sluice_wire::content::{Block, Content};
use sluice_wire::{ToAgent, ToHost};

use super::card::{self, CallCard, CardState};
use super::{markdown, prompt};
use crate::text::{Role, Row, Style, wrap};

/// All rows, and where each prompt stands among them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Whole {
    pub rows: Vec<Row>,
    pub prompts: Vec<usize>,
    /// Paths below it are shown as seen from there.
    folder: String,
}

/// What a call came to.
type Results = HashMap<String, (String, Value, bool)>;

/// Every entry of the conversation, in rows that fit.
#[must_use]
pub fn rows(entries: &[Entry], folder: &str, width: usize) -> Whole {
    let results = results(entries);
    let mut whole = Whole {
        folder: format!("{folder}/"),
        ..Whole::default()
    };
    for entry in entries {
        if let EntryKind::Prompt(_) = entry.kind {
            if let Ok(ToAgent::User(user)) = entry.line.to_agent() {
                whole.ask(&user.message.content.text(), width);
            }
            continue;
        }
        match entry.line.to_host() {
            Ok(ToHost::Assistant(said)) => {
                let depth = if said.parent_tool_use_id.is_some() { 4 } else { 0 };
                for block in &said.message.content {
                    whole.block(block, &results, width, depth);
                }
            }
            Ok(ToHost::User(user)) if user.is_replay != Some(true) => {
                let text = user.message.content.text();
                let is_result = matches!(user.message.content, Content::Blocks(ref blocks)
                    if blocks.iter().any(|block| matches!(block, Block::ToolResult(_))));
                if text.starts_with("[Request interrupted") {
                    whole.put(
                        vec![Row::new().add("✗ ", Role::Bad).add("stopped", Style::FAINT)],
                        width,
                        0,
                    );
                } else if !is_result && !text.trim().is_empty() {
                    whole.put(text.lines().map(Row::faint).collect(), width, 0);
                }
            }
            _ => {}
        }
    }
    whole
}

fn results(entries: &[Entry]) -> Results {
    let mut results = Results::new();
    for entry in entries.iter().filter(|entry| entry.kind == EntryKind::Result) {
        let Ok(ToHost::User(user)) = entry.line.to_host() else {
            continue;
        };
        let value = user.tool_use_result.clone().unwrap_or(Value::Null);
        for block in user.message.content.into_blocks() {
            if let Block::ToolResult(result) = block {
                let text = result.content.as_ref().map(Content::text).unwrap_or_default();
                results.insert(result.tool_use_id, (text, value.clone(), result.is_error == Some(true)));
            }
        }
    }
    results
}

impl Whole {
    fn ask(&mut self, text: &str, width: usize) {
        self.apart();
        self.prompts.push(self.rows.len());
        self.put(prompt::rows(text, None), width, 0);
        self.rows.push(Row::new());
    }

    /// A blank row, where there is none yet.
    fn apart(&mut self) {
        if self.rows.last().is_some_and(|row| !row.is_blank()) {
            self.rows.push(Row::new());
        }
    }

    fn put(&mut self, rows: Vec<Row>, width: usize, depth: usize) {
        for row in rows {
            self.rows
                .extend(wrap::whole(&row.indented(depth), width, depth.min(width / 2)));
        }
    }

    fn block(&mut self, block: &Block, results: &Results, width: usize, depth: usize) {
        match block {
            Block::Text(text) => {
                self.apart();
                let rows = markdown::rows(&text.text, width.saturating_sub(depth).max(10));
                self.put(rows, width, depth);
                self.rows.push(Row::new());
            }
            Block::Thinking(thought) => {
                let mut rows = vec![Row::new().add("~ ", Role::Note).add("thought", Role::Faint)];
                rows.extend(thought.thinking.lines().map(|line| Row::faint(&format!("    {line}"))));
                self.put(rows, width, depth);
            }
            Block::ToolUse(used) => {
                let state = match results.get(&used.id) {
                    Some((text, value, true)) => CardState::Failed {
                        text: text.clone(),
                        value: value.clone(),
                    },
                    Some((text, value, false)) => CardState::Done {
                        text: text.clone(),
                        value: value.clone(),
                    },
                    None => CardState::Running,
                };
                let call = CallCard {
                    id: used.id.clone(),
                    tool: used.name.clone(),
                    input: self.near(used.input.to_value()),
                    time: Duration::ZERO,
                    state,
                    note: None,
                    inside: Vec::new(),
                    link: None,
                    moves: String::new(),
                    used: None,
                };
                self.put(card::whole(&call, width.saturating_sub(depth).max(20)), width, depth);
            }
            _ => {}
        }
    }

    fn near(&self, mut input: Value) -> Value {
        for name in ["file_path", "notebook_path", "path"] {
            if let Some(Value::String(path)) = input.get_mut(name)
                && let Some(near) = path.strip_prefix(&self.folder)
            {
                *path = near.to_owned();
            }
        }
        input
    }

    /// The text of the rows, without what makes them fit.
    #[must_use]
    pub fn text(&self, rows: std::ops::Range<usize>) -> String {
        let rows = self.rows.get(rows).unwrap_or_default();
        let lines: Vec<String> = rows.iter().map(|row| row.text().trim_end().to_owned()).collect();
        lines.join("\n")
    }
}

/// The row of a pager's end: where one is, and what can be done.
#[must_use]
pub fn foot(title: &str, percent: usize, hints: &str, columns: usize) -> Row {
    let mut row = Row::new().add(title, Style::TEXT.bold());
    row = row.cut(columns.saturating_sub(crate::text::width::of(hints) + 8).max(8));
    row.push(&format!("  {percent}%"), Role::Faint);
    row.push(&format!("  {hints}"), Role::Faint);
    row.cut(columns)
}
