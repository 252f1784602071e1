//! Items as clients see them, decoded from the records.

use std::ops::Bound;
use std::time::Duration;

use serde_json::Value;

use super::cards::Outcome;
use super::list::{CallRecord, Leaf, Record, RecordBody, Source};
use super::{
    CallResult, CallTask, Card, CardBody, Delivery, FileCount, Item, ItemBody, ItemChange, ItemCursor, ItemField,
    ItemId, ItemStatus, PromptItem, PromptSource, Text, Thinking, ToolCall, TurnEnd, TurnOutcome, partial, pictures,
};
use crate::conversation::{Call, ConversationState, PromptState};

impl ConversationState {
    /// Returns the transcript: every item, in order.
    pub fn items(&self) -> impl Iterator<Item = Item> + '_ {
        (0_u32..)
            .zip(&self.items.list)
            .filter_map(|(at, record)| self.view(at, record))
    }

    /// Returns an item. `None` if it was removed.
    #[must_use]
    pub fn item(&self, id: ItemId) -> Option<Item> {
        self.view(id.0, self.items.get(id.0)?)
    }

    /// Returns the item of a tool call, by the id that the model gave the call.
    #[must_use]
    pub fn item_of_call(&self, call: &str) -> Option<Item> {
        self.item(ItemId(self.items.of_call(self.find_call(call)?)?))
    }

    /// Returns the items from `first` on and before `end`, in order.
    pub fn items_between(&self, first: ItemId, end: ItemId) -> impl Iterator<Item = Item> + '_ {
        let last = u32::try_from(self.items.list.len()).unwrap_or(u32::MAX).min(end.0);
        (first.0..last).filter_map(|at| self.view(at, self.items.get(at)?))
    }

    /// Returns the first item of the last `turns` turns that have items before `end`.
    #[must_use]
    pub fn first_of_turns(&self, end: ItemId, turns: usize) -> ItemId {
        let last = u32::try_from(self.items.list.len()).unwrap_or(u32::MAX).min(end.0);
        let mut seen: Vec<u32> = Vec::new();
        for at in (0..last).rev() {
            let Some(turn) = self.items.get(at).and_then(|record| self.turn_of(record)) else {
                continue;
            };
            if !seen.contains(&turn) {
                if seen.len() >= turns {
                    return ItemId(at + 1);
                }
                seen.push(turn);
            }
        }
        ItemId(0)
    }

    /// Returns the first item of a turn.
    #[must_use]
    pub fn first_of_turn(&self, turn: u32) -> Option<ItemId> {
        let mut records = (0_u32..).zip(&self.items.list);
        let found = records.find(|(_, record)| self.turn_of(record) == Some(turn));
        found.map(|(at, _)| ItemId(at))
    }

    /// Returns the newest item, also if it was removed.
    #[must_use]
    pub fn last_item(&self) -> Option<ItemId> {
        let last = self.items.list.len().checked_sub(1)?;
        u32::try_from(last).ok().map(ItemId)
    }

    /// Returns the item that changed last.
    #[must_use]
    pub fn last_changed_item(&self) -> Option<ItemId> {
        self.items.index.by_revision.last_key_value().map(|(_, at)| ItemId(*at))
    }

    /// Returns the id of the tool call whose subagent an item belongs to.
    #[must_use]
    pub fn parent_call(&self, item: ItemId) -> Option<&str> {
        let call = self.items.get(item.0)?.parent?;
        self.calls.get(call as usize).map(|call| &*call.id)
    }

    /// Returns the lines of the agent that an item was made from, as far as they are still in memory.
    #[must_use]
    pub fn lines_of(&self, item: ItemId) -> Vec<&str> {
        let Some(record) = self.items.get(item.0) else {
            return Vec::new();
        };
        let mut entries = record.entries();
        entries.sort_unstable();
        entries.dedup();
        let lines = entries.iter().filter_map(|at| self.entries.get(*at as usize));
        lines
            .map(|entry| entry.line.as_str())
            .filter(|line| !line.is_empty())
            .collect()
    }

    /// Returns the id of the item of a tool call, by the id that the model gave the call.
    #[must_use]
    pub fn item_id_of_call(&self, call: &str) -> Option<ItemId> {
        self.items.of_call(self.find_call(call)?).map(ItemId)
    }

    /// Returns the revision of the last change of any item.
    #[must_use]
    pub fn item_revision(&self) -> u64 {
        self.items.revision
    }

    /// Returns the files that tool calls have changed in this session, ordered by path.
    #[must_use]
    pub fn files_changed(&self) -> Vec<FileCount> {
        self.items.files.list()
    }

    /// Returns what has changed since the cursor, ordered by revision, and moves the cursor.
    ///
    /// ```
    /// use sluice_host::conversation::{ConversationEvent, ConversationState, What, step};
    /// use sluice_host::items::ItemCursor;
    ///
    /// let (mut state, mut cursor, mut items) = (ConversationState::default(), ItemCursor::default(), Vec::new());
    /// step(&mut state, ConversationEvent::new(0, What::Up));
    /// for change in state.item_changes(&mut cursor) {
    ///     change.apply(&mut items);
    /// }
    /// assert_eq!(items, state.items().collect::<Vec<_>>());
    /// ```
    pub fn item_changes(&self, cursor: &mut ItemCursor) -> Vec<ItemChange> {
        let since = (Bound::Excluded(cursor.revision), Bound::Unbounded);
        let changed = self.items.index.by_revision.range(since);
        let changes: Vec<ItemChange> = changed.filter_map(|(_, at)| self.item_change(*at, cursor)).collect();
        cursor.revision = self.items.revision;
        cursor.streaming.clear();
        for streamed in &self.items.streamed {
            let record = self.items.get(streamed.item);
            let growing = record.filter(|record| record.status == ItemStatus::Streaming);
            if let Some(length) = growing.and_then(|record| Some(self.growing(record)?.1.len())) {
                cursor.streaming.push((ItemId(streamed.item), length));
            }
        }
        changes
    }

    fn item_change(&self, at: u32, cursor: &ItemCursor) -> Option<ItemChange> {
        let record = self.items.get(at)?;
        let (id, revision) = (ItemId(at), record.revision);
        let known = cursor.streaming.iter().find(|(known, _)| *known == id);
        let streamed = self.items.streamed.iter().find(|streamed| streamed.item == at);
        if let (Some((_, read)), Some(streamed)) = (known, streamed)
            && streamed.whole <= cursor.revision
            && let Some((field, text)) = self.growing(record)
            && let Some(more) = text.get(*read..)
        {
            return Some(ItemChange::Delta {
                item: id,
                revision,
                field,
                text: more.to_owned(),
            });
        }
        Some(match self.view(at, record) {
            Some(item) => ItemChange::Item(item),
            None => ItemChange::Removed { item: id, revision },
        })
    }

    /// The text of an item that is being streamed.
    fn growing<'a>(&'a self, record: &'a Record) -> Option<(ItemField, &'a str)> {
        let (field, source) = match &record.body {
            RecordBody::Text { source, .. } => (ItemField::Text, source),
            RecordBody::Thinking(thinking) => (ItemField::Thinking, &thinking.text),
            RecordBody::Writing(writing) => (ItemField::Input, &writing.input),
            _ => return None,
        };
        let text = match source {
            Source::Draft(parent, index) => self.drafted(*parent, *index)?,
            Source::Kept(text) => text,
            Source::Line(_) => return None,
        };
        Some((field, text))
    }

    fn drafted(&self, parent: Option<u32>, index: u64) -> Option<&str> {
        let parent = parent.map(|at| at as usize);
        let draft = self.drafts.iter().find(|draft| draft.parent == parent)?;
        let block = draft.blocks.iter().find(|block| block.index == index)?;
        Some(&block.text)
    }

    fn view(&self, at: u32, record: &Record) -> Option<Item> {
        Some(Item {
            id: ItemId(at),
            revision: record.revision,
            turn: self.turn_of(record),
            parent: record
                .parent
                .and_then(|call| self.items.of_call(call as usize))
                .map(ItemId),
            at: record.at,
            status: record.status,
            body: self.body(record)?,
        })
    }

    /// The turn of a prompt may become known later.
    fn turn_of(&self, record: &Record) -> Option<u32> {
        match record.body {
            RecordBody::Prompt(at) => {
                let turn = self.prompts.get(at as usize).and_then(|prompt| prompt.turn);
                turn.and_then(|turn| u32::try_from(turn).ok())
            }
            _ => record.turn,
        }
    }

    fn body(&self, record: &Record) -> Option<ItemBody> {
        Some(match &record.body {
            RecordBody::Prompt(at) => ItemBody::Prompt(self.prompt_item(*at)?),
            RecordBody::Text { source, synthetic } => ItemBody::Text {
                text: self.text(source),
                synthetic: *synthetic,
            },
            RecordBody::Thinking(thinking) => ItemBody::Thinking(Thinking {
                text: self.text(&thinking.text),
                duration: thinking.duration.map(Duration::from_millis),
                tokens: thinking.tokens,
            }),
            RecordBody::Writing(writing) => {
                let written = self.text(&writing.input).to_string();
                ItemBody::ToolCall(Box::new(ToolCall {
                    id: writing.id.clone(),
                    tool: writing.tool.clone(),
                    card: Card::of(&writing.tool, &partial::complete(&written), None),
                    written: Some(written),
                    folder: None,
                    original: None,
                    permission: None,
                    task: None,
                    started: record.at,
                    ended: None,
                    result: None,
                }))
            }
            RecordBody::Call(call) => ItemBody::ToolCall(Box::new(self.tool_call(call)?)),
            RecordBody::Other(body) => match (**body).clone() {
                ItemBody::TurnEnd(mut end) => {
                    end.cost = self.cost_of(record, &end);
                    ItemBody::TurnEnd(end)
                }
                body => body,
            },
            RecordBody::Removed => return None,
        })
    }

    /// The cost of a turn. An agent that stops a turn may report nothing of it.
    fn cost_of(&self, record: &Record, end: &TurnEnd) -> Option<f64> {
        let turn = self.turns.get(record.turn? as usize)?;
        turn.cost
            .filter(|cost| *cost > 0.0 || end.outcome == TurnOutcome::Completed)
    }

    fn tool_call(&self, record: &CallRecord) -> Option<ToolCall> {
        // A call that is only known by its id is not shown.
        let call = self
            .calls
            .get(record.call as usize)
            .filter(|call| !call.name.is_empty())?;
        let result = record.result.as_ref();
        let content = result.map(|result| self.content(result.content.as_ref()));
        let value = result.and_then(|result| self.value(result.value.as_ref()));
        let value = value.unwrap_or(Value::Null);
        let outcome = content.as_ref().zip(result).map(|(content, result)| Outcome {
            text: &content.text,
            value: &value,
            failed: !matches!(result.status, ItemStatus::Done),
        });
        let asked = self.value(record.input.as_ref()).unwrap_or(Value::Null);
        let changed = record.changed.as_deref().and_then(|it| serde_json::from_str(it).ok());
        let original = changed.is_some().then(|| Box::new(Card::of_input(&call.name, &asked)));
        let mut card = Card::of(&call.name, changed.as_ref().unwrap_or(&asked), outcome);
        self.complete(&mut card, record);
        // A tool whose result is only structured may contain pictures there.
        let content = content.map(|mut content| {
            if content.images.is_empty() {
                content.images = pictures::of_result(&value);
            }
            content
        });
        Some(ToolCall {
            id: call.id.clone(),
            tool: call.name.clone(),
            card,
            written: None,
            folder: self.items.folder(record.folder).map(Into::into),
            original,
            permission: record.permission.as_deref().cloned(),
            task: self.call_task(call),
            started: record
                .permission
                .as_ref()
                .and_then(|permission| permission.decided)
                .map_or(call.at, |decided| decided.max(call.at)),
            ended: call.ended,
            result: content,
        })
    }

    /// Adds to a card what other messages than the call and its result contain.
    fn complete(&self, card: &mut Card, record: &CallRecord) {
        match &mut card.body {
            CardBody::Mcp(mcp) => {
                if let Some(titles) = &record.titles {
                    mcp.server_title = titles.server.as_deref().map(str::to_owned);
                    mcp.tool_title = titles.tool.as_deref().map(str::to_owned);
                }
            }
            CardBody::Skill(skill) => skill.text = record.loaded.as_deref().map(Text::from),
            CardBody::Tasks(tasks) => {
                if let Some(one) = tasks.one.as_mut().filter(|one| one.subject.is_empty()) {
                    one.subject = record.task.as_deref().unwrap_or_default().to_owned();
                }
            }
            _ => {}
        }
    }

    /// The item of a prompt of this host.
    fn prompt_item(&self, at: u32) -> Option<PromptItem> {
        let prompt = self.prompts.get(at as usize)?;
        let line: Value = serde_json::from_str(&prompt.line).unwrap_or_default();
        let content = line.pointer("/message/content").unwrap_or(&Value::Null);
        Some(PromptItem {
            uuid: Some(prompt.id.clone()),
            text: pictures::text(content),
            images: pictures::pictures(content),
            source: PromptSource::Host,
            sender: prompt.sender.clone(),
            delivery: match prompt.state {
                PromptState::Failed(_) => Delivery::Failed,
                PromptState::Indeterminate => Delivery::Indeterminate,
                _ => Delivery::Delivered,
            },
            steered: prompt.joined,
        })
    }

    fn call_task(&self, call: &Call) -> Option<CallTask> {
        let task = self.tasks.iter().find(|task| task.call.as_deref() == Some(&*call.id))?;
        Some(CallTask {
            id: task.id.clone(),
            kind: task.kind.clone(),
            background: task.background,
            tokens: task.tokens,
            calls: task.calls,
            last_tool: task.last_tool.clone(),
            summary: task.summary.clone(),
            ended: task.ended,
        })
    }

    /// The text of a JSON value in a line.
    pub(crate) fn leaf<'a>(&'a self, leaf: &'a Leaf) -> &'a str {
        match leaf {
            Leaf::At { entry, start, end } => self
                .entries
                .get(*entry as usize)
                .and_then(|entry| entry.line.get(*start as usize..*end as usize))
                .unwrap_or_default(),
            Leaf::Own(text) => text,
        }
    }

    fn text(&self, source: &Source) -> Text {
        match source {
            Source::Line(leaf) => serde_json::from_str(self.leaf(leaf)).unwrap_or_default(),
            Source::Draft(parent, index) => self.drafted(*parent, *index).unwrap_or_default().into(),
            Source::Kept(text) => Text::from(&**text),
        }
    }

    pub(crate) fn value(&self, leaf: Option<&Leaf>) -> Option<Value> {
        serde_json::from_str(self.leaf(leaf?)).ok()
    }

    /// What the model reads of a result: a string or blocks.
    fn content(&self, leaf: Option<&Leaf>) -> CallResult {
        let content = self.value(leaf).unwrap_or(Value::Null);
        CallResult {
            text: pictures::text(&content),
            images: pictures::pictures(&content),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::{Value, json};

    use crate::conversation::{ConversationEvent, ConversationState, step};
    use crate::items::{ItemStatus, Subject};

    fn said(state: &mut ConversationState, ty: &str, block: &Value) {
        let line = json!({"type": ty, "message": {"id": "m", "model": "x", "content": [block]}});
        step(state, ConversationEvent::line(1, &line.to_string()));
    }

    #[test]
    fn text_that_was_read_is_released_but_not_that_of_open_or_changed_items() {
        let mut state = ConversationState::default();
        let text = |state: &ConversationState| state.entries().iter().map(|entry| entry.line.len()).sum::<usize>();
        said(&mut state, "assistant", &json!({"type": "text", "text": "words"}));
        let call = json!({"type": "tool_use", "id": "c1", "name": "Bash", "input": {"command": "make"}});
        said(&mut state, "assistant", &call);
        let (seen, before) = (state.item_revision(), text(&state));
        state.let_go(seen);
        assert!(text(&state) < before, "the text is released");
        said(
            &mut state,
            "user",
            &json!({"type": "tool_result", "tool_use_id": "c1", "content": "ok"}),
        );
        let shown = |state: &ConversationState| {
            let item = state.item_of_call("c1").unwrap();
            (item.status, item.call().unwrap().card.subject.clone())
        };
        // The client has not seen the result.
        state.let_go(seen);
        assert_eq!(shown(&state), (ItemStatus::Done, Subject::Command("make".into())));
        state.let_go(state.item_revision());
        assert_eq!(text(&state), 0);
        assert_eq!(state.items().count(), 2);
    }
}
