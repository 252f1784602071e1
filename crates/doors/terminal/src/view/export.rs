//! `/export`: the conversation as a file.

use sluice_host::conversation::{Entry, EntryKind};
use sluice_wire::content::{Block, Content};
use sluice_wire::{ToAgent, ToHost};

use super::card;

/// Prompts as headings, answers as they are, calls with what came of them.
#[must_use]
pub fn markdown(entries: &[Entry]) -> String {
    let mut out = String::new();
    for entry in entries.iter().filter(|entry| entry.parent.is_none()) {
        if let EntryKind::Prompt(_) = entry.kind {
            if let Ok(ToAgent::User(user)) = entry.line.to_agent() {
                out.push_str(&format!("## {}\n\n", user.message.content.text().trim()));
            }
            continue;
        }
        match entry.line.to_host() {
            Ok(ToHost::Assistant(said)) => {
                for block in &said.message.content {
                    match block {
                        Block::Text(text) => out.push_str(&format!("{}\n\n", text.text.trim_end())),
                        Block::ToolUse(used) => {
                            let subject = card::subject(&used.name, &used.input.to_value());
                            out.push_str(&format!(
                                "- {}: `{}`\n\n",
                                card::name(&used.name),
                                subject.replace('`', "'")
                            ));
                        }
                        _ => {}
                    }
                }
            }
            Ok(ToHost::User(user)) if user.is_replay != Some(true) => {
                for block in user.message.content.into_blocks() {
                    if let Block::ToolResult(result) = block {
                        let text = result.content.as_ref().map(Content::text).unwrap_or_default();
                        out.push_str(&format!("````\n{}\n````\n\n", text.trim_end()));
                    }
                }
            }
            _ => {}
        }
    }
    out
}
