//! Rendering of items by kind.

use sluice_host::items::{
    Compaction, Item, ItemBody, ItemStatus, ModelChangeReason, Notice, NoticeKind, PromptItem, PromptSource, Thinking,
    ToolCall,
};

use super::{Feed, Kind, Pending, Retry};
use crate::text::{Role, Row, Style, wrap};
use crate::view::card::CallCard;
use crate::view::{amount, prompt};

impl Feed {
    /// Wraps a prompt at words, unless the terminal wraps it.
    fn wrapped(&self, rows: Vec<Row>) -> Vec<Row> {
        match self.flows {
            true => rows,
            false => rows.iter().flat_map(|row| wrap::words(row, self.width, 2)).collect(),
        }
    }

    pub(super) fn item(&mut self, item: &Item) {
        match &item.body {
            ItemBody::ToolCall(call) => return self.call(item, call),
            // Only the calls of subagents are shown.
            _ if item.parent.is_some() => return,
            ItemBody::Text { text, .. } if item.status == ItemStatus::Streaming => return self.stream(item.id, text),
            ItemBody::Thinking(thinking) if item.status == ItemStatus::Streaming => {
                self.thought = Some((item.id, thinking.text.to_string()));
                return;
            }
            ItemBody::Text { text, .. } if item.status == ItemStatus::Interrupted => {
                if let Some(streaming) = self.streaming.as_mut().filter(|it| it.item == item.id) {
                    (**text).clone_into(&mut streaming.text);
                }
                return self.stop_writing(item.id);
            }
            ItemBody::Thinking(_) if item.status == ItemStatus::Interrupted => return self.stop_writing(item.id),
            ItemBody::Retry(retry) => {
                let status = retry.status.map(|status| format!(" ({status})")).unwrap_or_default();
                self.retry = Some(Retry {
                    item: item.id,
                    why: format!("{}{status}", retry.error),
                    attempt: retry.attempt,
                    most: retry.max,
                    at: retry.next.0,
                });
                return;
            }
            _ => {}
        }
        if !item.status.is_open() && self.taken.insert(item.id) {
            self.complete(item);
        }
    }

    /// Processes a complete item.
    fn complete(&mut self, item: &Item) {
        match &item.body {
            ItemBody::Prompt(prompt) => self.prompt(prompt, item),
            ItemBody::Text { text, .. } => self.text(item, text),
            ItemBody::Thinking(thinking) => self.thought(item, thinking),
            ItemBody::Command(command) => {
                if let Some(output) = command.output.as_ref().filter(|output| !output.trim().is_empty()) {
                    (**output).clone_into(&mut self.answer);
                    self.items.push_back(Pending::Text(output.to_string()));
                } else {
                    // Its output follows in a separate item.
                    self.taken.remove(&item.id);
                }
            }
            ItemBody::Compaction(compaction) if item.status == ItemStatus::Done => self.compacted(compaction),
            ItemBody::Error(error) => {
                self.retry = None;
                self.streaming = None;
                error.text.clone_into(&mut self.shown_error);
                let mut rows = vec![Row::new().add("✗ ", Role::Bad).add(error.text.trim(), Style::TEXT)];
                rows.push(Row::faint(
                    "  Your prompt is saved: up restores it. /model selects another model.",
                ));
                self.say(Kind::End, rows);
            }
            ItemBody::Notice(notice) => self.notice(notice),
            ItemBody::ModelChange(change) if change.reason != ModelChangeReason::Chosen => self.tell(&change.text),
            ItemBody::TaskEnd(end) => self.say(Kind::Card, super::ending::job(end, self.width)),
            ItemBody::TurnEnd(end) => self.end(end),
            ItemBody::Suggestion { text } => self.suggestion = Some(text.clone()),
            ItemBody::Unknown { raw_type: None } => {
                let row = Row::faint("~ a message could not be read; see the transcript");
                self.say(Kind::Card, vec![row]);
            }
            _ => {}
        }
    }

    fn prompt(&mut self, prompt: &PromptItem, item: &Item) {
        match prompt.source {
            PromptSource::Host => {
                self.suggestion = None;
                let mut rows = self.wrapped(prompt::rows(&prompt.text, None));
                if let Some(first) = rows.first_mut().filter(|_| self.stamps) {
                    let time = self.clock.time(item.at.0, item.at.0);
                    first.push(&format!("  {time}"), Role::Faint);
                }
                self.say(Kind::Prompt, rows);
            }
            PromptSource::Other => {
                let sender = prompt.sender.as_ref().map_or("elsewhere", |sender| &*sender.name);
                let rows = self.wrapped(prompt::rows(&prompt.text, Some(sender)));
                self.say(Kind::Prompt, rows);
            }
            PromptSource::Replayed | PromptSource::Agent => {}
        }
    }

    fn text(&mut self, item: &Item, text: &str) {
        text.clone_into(&mut self.answer);
        let known = self.streaming.take_if(|it| it.item == item.id);
        match known {
            Some(mut streaming) if text.starts_with(streaming.begun()) && self.items.is_empty() => {
                // The committed part is kept; the rest is committed in the order of the items.
                let rest = text.get(streaming.given..).unwrap_or_default();
                let measure = self.measure(self.width);
                let mut rows = streaming.markdown.push(rest, measure);
                rows.extend(streaming.markdown.finish(measure));
                self.say(Kind::Text, rows);
            }
            Some(streaming) if !text.starts_with(streaming.begun()) => {
                self.streaming = Some(streaming);
                self.cut_off();
                self.items.push_back(Pending::Text(text.to_owned()));
            }
            Some(_) => self.items.push_back(Pending::Text(text.to_owned())),
            None => {
                self.cut_off();
                self.items.push_back(Pending::Text(text.to_owned()));
            }
        }
    }

    fn thought(&mut self, item: &Item, thinking: &Thinking) {
        self.thought = self.thought.take().filter(|(id, _)| *id != item.id);
        let text = match thinking.duration {
            Some(time) => format!("thought for {}", amount::time(time)),
            None => "thought".to_owned(),
        };
        self.say(
            Kind::Card,
            vec![Row::new().add("~ ", Role::Note).add(&text, Role::Faint)],
        );
    }

    fn call(&mut self, item: &Item, call: &ToolCall) {
        if item.status == ItemStatus::Streaming || self.taken.contains(&item.id) {
            return;
        }
        let is_new = !self.calls.contains_key(&item.id);
        let card = self
            .calls
            .entry(item.id)
            .or_insert_with(|| CallCard::new(call.clone(), item.status, &self.folder));
        card.call = call.clone();
        card.status = item.status;
        if !card.is_running() {
            card.refusal = self.refusals.remove(&*call.id);
            self.taken.insert(item.id);
        }
        if is_new {
            match item.parent {
                None => self.items.push_back(Pending::Call(item.id)),
                Some(parent) => self.inside.entry(parent).or_default().push(item.id),
            }
        }
    }

    fn compacted(&mut self, compaction: &Compaction) {
        let after = compaction.after.map(|after| format!(" to {}", amount::tokens(after)));
        let before = amount::tokens(compaction.before.unwrap_or_default());
        let took = compaction.duration.map(|time| format!(" ∙ {}", amount::running(time)));
        self.tell(&format!(
            "compacted {before}{} tokens{} ∙ the history above stays here and on disk",
            after.unwrap_or_default(),
            took.unwrap_or_default()
        ));
    }

    fn notice(&mut self, notice: &Notice) {
        match notice.kind {
            NoticeKind::Answered => {
                let card = notice.call.and_then(|call| self.calls.get(&call));
                match card.map(|card| card.call.id.clone()) {
                    Some(call) => self.note(&call, notice.text.clone()),
                    None => self.tell(&notice.text),
                }
            }
            NoticeKind::Message => self.tell(&notice.text),
            NoticeKind::WritesLost => {
                self.transcript_failing = true;
                self.write_failed = true;
                let text = "✗ the transcript cannot be written; new messages may be lost when sluice exits";
                self.say(Kind::Card, vec![Row::new().add(text, Role::Bad)]);
            }
            _ => {}
        }
    }

    /// Adds a notice of the agent.
    fn tell(&mut self, text: &str) {
        let mut rows = Vec::new();
        for (at, line) in text.trim().lines().enumerate() {
            let sign = if at == 0 { "~ " } else { "  " };
            let row = Row::new().add(sign, Role::Note).add(line, Role::Faint);
            rows.extend(crate::text::wrap::words(&row, self.width, 2));
        }
        self.say(Kind::Card, rows);
    }
}
