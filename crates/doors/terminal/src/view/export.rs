//! `/export`: the conversation as a file.

use sluice_host::items::{Item, ItemBody};

use super::card;

/// Renders prompts as headings, answers unchanged, and calls with their results.
#[must_use]
pub fn markdown(items: &[Item]) -> String {
    let mut out = String::new();
    for item in items.iter().filter(|item| item.parent.is_none()) {
        match &item.body {
            ItemBody::Prompt(prompt) => out.push_str(&format!("## {}\n\n", prompt.text.trim())),
            ItemBody::Text { text, .. } => out.push_str(&format!("{}\n\n", text.trim_end())),
            ItemBody::Command(command) => {
                let output = command.output.as_deref().unwrap_or_default();
                out.push_str(&format!("{}\n\n", output.trim_end()));
            }
            ItemBody::ToolCall(call) => {
                let subject = card::subject(&call.card, "").replace('`', "'");
                out.push_str(&format!("- {}: `{subject}`\n\n", call.card.title));
                if let Some(result) = &call.result {
                    out.push_str(&format!("````\n{}\n````\n\n", result.text.trim_end()));
                }
            }
            _ => {}
        }
    }
    out
}
