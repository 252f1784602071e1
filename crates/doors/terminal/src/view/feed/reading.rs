//! Entries of the conversation, one kind after the other.

use std::time::Duration;

use serde_json::Value;
use sluice_host::conversation::{Entry, EntryKind};
use sluice_wire::content::{Block, Content};
use sluice_wire::stdout::system::System;
use sluice_wire::stdout::{Assistant, User};
use sluice_wire::{ToAgent, ToHost};

use super::{Feed, Item, Kind, Retry, new_call};
use crate::text::{Role, Row, Style, link, wrap};
use crate::view::card::CardState;
use crate::view::picture::Picture;
use crate::view::{amount, prompt};

/// What the agent says of a call a person stopped.
const REJECTED: &str = "User rejected tool use";

impl Feed {
    /// A prompt in rows of whole words, unless the terminal shall break them.
    fn wrapped(&self, rows: Vec<Row>) -> Vec<Row> {
        match self.flows {
            true => rows,
            false => rows.iter().flat_map(|row| wrap::words(row, self.width, 2)).collect(),
        }
    }

    pub(super) fn entry(&mut self, entry: &Entry, picture: &Picture) {
        if let EntryKind::Prompt(_) = entry.kind {
            self.prompt(entry);
            return;
        }
        match entry.line.to_host() {
            Ok(ToHost::Assistant(said)) => self.assistant(&said),
            Ok(ToHost::User(user)) => self.user(&user, entry),
            Ok(ToHost::Result(result)) => {
                // A loss is told whenever there is one: after a turn without any the transcript is written again.
                self.writes_lost = std::mem::take(&mut self.loses_writes);
                self.end(&result, entry, picture);
            }
            Ok(ToHost::System(system)) => {
                if let System::TaskNotification(task) = &*system {
                    let known = picture.ended_jobs.iter().find(|known| *known.id == task.task_id);
                    self.say(Kind::Card, super::ending::job(task, known, self.width));
                }
                self.system(&system, entry);
            }
            Ok(ToHost::PromptSuggestion(suggestion)) => self.suggestion = Some(suggestion.suggestion.clone()),
            Ok(_) => {}
            Err(_) => {
                let row = Row::faint("~ something came that cannot be read; it is in the transcript");
                self.say(Kind::Card, vec![row]);
            }
        }
    }

    fn prompt(&mut self, entry: &Entry) {
        self.suggestion = None;
        self.retry = None;
        if let Ok(ToAgent::User(user)) = entry.line.to_agent() {
            let text = user.message.content.text();
            let mut rows = self.wrapped(prompt::rows(&text, None));
            if let Some(first) = rows.first_mut().filter(|_| self.stamps) {
                let time = self.clock.time(entry.at.0, entry.at.0);
                first.push(&format!("  {time}"), Role::Faint);
            }
            self.say(Kind::Prompt, rows);
        }
    }

    fn assistant(&mut self, said: &Assistant) {
        self.retry = None;
        let parent = said.parent_tool_use_id.as_deref();
        for block in &said.message.content {
            match block {
                Block::ToolUse(used) => {
                    let input = self.near(used.input.to_value());
                    let mut call = new_call(&used.id, &used.name, input);
                    call.link = self.link_of(&call.tool, &call.input);
                    self.calls.insert(used.id.clone(), call);
                    match parent {
                        None => self.items.push_back(Item::Call(used.id.clone())),
                        Some(parent) => self.inside.entry(parent.to_owned()).or_default().push(used.id.clone()),
                    }
                }
                Block::Text(text) if parent.is_none() => self.text(said, &text.text),
                Block::Thinking(_) | Block::RedactedThinking(_) if parent.is_none() => {
                    let time = said.thinking_duration_ms.as_ref().map(|ms| ms.get() / 1000.0);
                    let text = match time {
                        Some(seconds) => format!(
                            "thought for {}",
                            amount::time(Duration::from_secs_f64(seconds.max(0.0)))
                        ),
                        None => "thought".to_owned(),
                    };
                    self.say(
                        Kind::Card,
                        vec![Row::new().add("~ ", Role::Note).add(&text, Role::Faint)],
                    );
                }
                _ => {}
            }
        }
    }

    fn text(&mut self, said: &Assistant, text: &str) {
        if said.message.model == "<synthetic>" && (said.error.is_some() || said.is_api_error_message == Some(true)) {
            self.streaming = None;
            text.clone_into(&mut self.shown_error);
            let mut rows = vec![Row::new().add("✗ ", Role::Bad).add(text.trim(), Style::TEXT)];
            rows.push(Row::faint(
                "  Your prompt is kept: up brings it back. /model chooses another.",
            ));
            self.say(Kind::End, rows);
            return;
        }
        text.clone_into(&mut self.answer);
        match self.streaming.take() {
            Some(mut streaming) if text.starts_with(&streaming.given) && self.items.is_empty() => {
                // What was committed of it stays; the rest leaves with the items.
                let rest = text.get(streaming.given.len()..).unwrap_or_default();
                let measure = self.measure(self.width);
                let mut rows = streaming.markdown.push(rest, measure);
                rows.extend(streaming.markdown.finish(measure));
                self.say(Kind::Text, rows);
            }
            Some(streaming) if !streaming.given.is_empty() && !text.starts_with(&streaming.given) => {
                self.streaming = Some(streaming);
                self.cut_off();
                self.items.push_back(Item::Text(text.to_owned()));
            }
            _ => self.items.push_back(Item::Text(text.to_owned())),
        }
    }

    fn user(&mut self, user: &User, entry: &Entry) {
        if user.is_replay == Some(true) {
            return;
        }
        for block in &user.message.content.clone().into_blocks() {
            match block {
                Block::ToolResult(result) => {
                    let text = result.content.as_ref().map(Content::text).unwrap_or_default();
                    let value = user.tool_use_result.clone().unwrap_or(Value::Null);
                    let metas = user.tool_result_meta.iter().flatten();
                    let mut decisions = metas
                        .filter(|meta| meta.id == result.tool_use_id)
                        .filter_map(|meta| meta.permission_decision.as_ref());
                    let denied = decisions.any(|it| it.decision.starts_with("den") || it.decision == "reject");
                    self.result(&result.tool_use_id, text, value, result.is_error == Some(true), denied);
                }
                Block::Text(said) if user.is_synthetic != Some(true) && user.parent_tool_use_id.is_none() => {
                    self.local(&said.text, &sender(entry));
                }
                _ => {}
            }
        }
    }

    /// What a local command said, or a prompt of somebody else.
    fn local(&mut self, text: &str, sender: &str) {
        let inside = |tag: &str| {
            let (_, rest) = text.split_once(&format!("<{tag}>"))?;
            rest.split_once(&format!("</{tag}>"))
                .map(|(inside, _)| inside.to_owned())
        };
        if let Some(said) = inside("local-command-stdout").or_else(|| inside("local-command-stderr")) {
            if !said.trim().is_empty() {
                self.items.push_back(Item::Text(said));
            }
        } else if !text.starts_with('<') && !text.starts_with("[Request interrupted") {
            self.say(
                Kind::Prompt,
                self.wrapped(prompt::rows(text, Some(sender).filter(|sender| !sender.is_empty()))),
            );
        }
    }

    fn result(&mut self, id: &str, text: String, value: Value, is_error: bool, denied: bool) {
        let refusal = self.refusals.remove(id);
        let Some(call) = self.calls.get_mut(id) else { return };
        if !is_error {
            self.changed.take(&call.tool, &call.input, &value);
        }
        let rejected = value.as_str() == Some(REJECTED);
        call.state = match (refusal, is_error) {
            (Some(why), true) => CardState::Denied { why },
            _ if rejected => CardState::Stopped,
            (None, true) if denied => CardState::Denied {
                why: text.lines().next().unwrap_or("denied").to_owned(),
            },
            (None, true) => CardState::Failed { text, value },
            _ => CardState::Done { text, value },
        };
    }

    fn system(&mut self, system: &System, entry: &Entry) {
        match system {
            System::ApiRetry(retry) => {
                let status = retry
                    .error_status
                    .map(|status| format!(" ({status})"))
                    .unwrap_or_default();
                #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
                let delay = retry.retry_delay_ms.get().max(0.0) as u64;
                self.retry = Some(Retry {
                    why: format!("{}{status}", retry.error),
                    attempt: retry.attempt,
                    most: retry.max_retries,
                    at: entry.at.0 + delay,
                });
            }
            System::CompactBoundary(boundary) => {
                let made = &boundary.compact_metadata;
                let after = made
                    .post_tokens
                    .map(|after| format!(" to {}", amount::tokens(after)))
                    .unwrap_or_default();
                let before = amount::tokens(made.pre_tokens);
                let took = made
                    .duration_ms
                    .as_ref()
                    .map(|ms| Duration::from_secs_f64(ms.get().max(0.0) / 1000.0));
                let took = took
                    .map(|time| format!(" ∙ {}", amount::running(time)))
                    .unwrap_or_default();
                self.tell(&format!(
                    "compacted {before}{after} tokens{took} ∙ the history above stays here and on disk"
                ));
            }
            System::Informational(note) if note.tag.as_deref() == Some("answered") => match &note.tool_use_id {
                Some(call) if self.calls.contains_key(call) => self.note(call, note.content.clone()),
                _ => self.tell(&note.content),
            },
            System::Informational(note) if note.is_meta != Some(true) => self.tell(&note.content),
            System::ModelFallback(fallback) => self.tell(&fallback.content),
            System::LocalCommandOutput(output) => self.items.push_back(Item::Text(output.content.clone())),
            System::SessionWritesLost(_) => {
                self.writes_lost = true;
                self.loses_writes = true;
                let text = "✗ the transcript cannot be written; what follows may be lost with this process";
                self.say(Kind::Card, vec![Row::new().add(text, Role::Bad)]);
            }
            _ => {}
        }
    }

    /// A note of the agent.
    fn tell(&mut self, text: &str) {
        let mut rows = Vec::new();
        for (at, line) in text.trim().lines().enumerate() {
            let sign = if at == 0 { "~ " } else { "  " };
            let row = Row::new().add(sign, Role::Note).add(line, Role::Faint);
            rows.extend(crate::text::wrap::words(&row, self.width, 2));
        }
        self.say(Kind::Card, rows);
    }

    /// Where the subject of a call leads: the file it is about, or its address.
    fn link_of(&self, tool: &str, input: &Value) -> Option<String> {
        let word = |name: &str| input.get(name).and_then(Value::as_str);
        match tool {
            "Read" | "Edit" | "MultiEdit" | "Write" => link::of_file(&self.folder, word("file_path")?),
            "NotebookEdit" => link::of_file(&self.folder, word("notebook_path")?),
            "WebFetch" => word("url").filter(|url| url.is_ascii()).map(str::to_owned),
            _ => None,
        }
    }

    /// The input with paths as seen from the folder.
    fn near(&self, mut input: Value) -> Value {
        if let Some(fields) = input.as_object_mut() {
            for name in ["file_path", "notebook_path", "path"] {
                if let Some(Value::String(path)) = fields.get_mut(name)
                    && let Some(near) = path.strip_prefix(&self.folder).and_then(|rest| rest.strip_prefix('/'))
                {
                    *path = near.to_owned();
                }
            }
        }
        input
    }
}

/// Whose prompt it is, where a bridge says so.
fn sender(entry: &Entry) -> String {
    let line: Value = serde_json::from_str(&entry.line).unwrap_or_default();
    let named = line.get("sluice_by").and_then(Value::as_str);
    named.unwrap_or("elsewhere").to_owned()
}
