//! Blocks of the model's messages: streamed, complete, cut off.

use sluice_wire::Frame;

use super::{Fold, leaf};
use crate::conversation::DraftBlock;
use crate::conversation::index::place;
use crate::conversation::read::{self, ApiEvent, Block, MessageFields};
use crate::items::list::{RecordBody, Source, Streamed, ThinkingRecord, WritingRecord};
use crate::items::{Card, ItemBody, ItemStatus, RequestError, Retry, ToolCall};

/// The model of messages that the agent itself makes.
const SYNTHETIC: &str = "<synthetic>";

impl Fold<'_> {
    /// A block of a model message began.
    pub(in super::super) fn block_started(&mut self, parent: Option<usize>, message: &str, event: &ApiEvent<'_>) {
        let Some(block) = &event.content_block.0 else { return };
        let index = event.index.count();
        let source = Source::Draft(parent.map(place), index);
        let body = match block.ty.text() {
            "text" => RecordBody::Text {
                source,
                synthetic: false,
            },
            "thinking" | "redacted_thinking" => RecordBody::Thinking(Box::new(ThinkingRecord {
                text: source,
                duration: None,
                tokens: self.state.items.current.thinking_tokens.take(),
            })),
            "tool_use" => RecordBody::Writing(Box::new(WritingRecord {
                id: block.id.text().into(),
                tool: block.name.text().into(),
                input: source,
            })),
            _ => return,
        };
        let item = self.add_item(ItemStatus::Streaming, body, parent);
        let (began, whole) = (self.state.now, self.state.items.revision);
        self.state.items.streamed.push(Streamed {
            item,
            parent: parent.map(place),
            message: message.into(),
            index,
            began,
            whole,
        });
    }

    /// A block begins at a position that another one already has: that one will not be said.
    pub(in super::super) fn block_restarts(&mut self, parent: Option<usize>, index: u64) {
        let draft = self.state.drafts.iter_mut().find(|it| it.parent == parent);
        let Some(draft) = draft else { return };
        let Some(at) = draft.blocks.iter().position(|block| block.index == index) else {
            return;
        };
        let block = draft.blocks.remove(at);
        self.keep_blocks(parent, vec![block]);
        let place = parent.map(place);
        let streamed = &mut self.state.items.streamed;
        let found = streamed.iter().rposition(|it| it.parent == place && it.index == index);
        if let Some(cut) = found.map(|at| streamed.remove(at)) {
            self.cut(cut.item);
        }
    }

    /// A block of a model message grew.
    pub(in super::super) fn block_grew(&mut self, parent: Option<usize>, index: u64) {
        let parent = parent.map(place);
        let streamed = self.state.items.streamed.iter().rev();
        let mut found = streamed.filter(|it| it.parent == parent && it.index == index);
        // The change of the draft reports it.
        if let Some(item) = found.next().map(|it| it.item) {
            self.state.items.change(item);
        }
    }

    /// The draft of a message ends. Blocks that were not said keep their text.
    pub(in super::super) fn keep_blocks(&mut self, parent: Option<usize>, blocks: Vec<DraftBlock>) {
        let parent = parent.map(place);
        for block in blocks {
            let streamed = self.state.items.streamed.iter().rev();
            let item = streamed
                .filter(|it| it.parent == parent && it.index == block.index)
                .map(|it| it.item)
                .next();
            let Some(record) = item.and_then(|item| self.state.items.get_mut(item)) else {
                continue;
            };
            let source = match &mut record.body {
                RecordBody::Text { source, .. } => source,
                RecordBody::Thinking(thinking) => &mut thinking.text,
                RecordBody::Writing(writing) => &mut writing.input,
                _ => continue,
            };
            if matches!(source, Source::Draft(..)) {
                *source = Source::Kept(block.text.into());
            }
        }
    }

    /// The model's message was cut off: what was not said by now will not be.
    pub(in super::super) fn cut_blocks(&mut self, parent: Option<usize>) {
        let parent = parent.map(place);
        let streamed = std::mem::take(&mut self.state.items.streamed);
        let (cut, kept) = streamed.into_iter().partition(|it| it.parent == parent);
        self.state.items.streamed = kept;
        let cut: Vec<Streamed> = cut;
        for Streamed { item, .. } in cut {
            self.cut(item);
        }
    }

    fn cut(&mut self, item: u32) {
        let empty = self.state.items.get(item).is_some_and(|record| match &record.body {
            RecordBody::Text {
                source: Source::Kept(text),
                ..
            } => text.is_empty(),
            _ => false,
        });
        if empty {
            self.remove_item(item);
        } else {
            self.item_status(item, ItemStatus::Interrupted);
        }
    }

    /// Every message is cut off.
    pub(in super::super) fn cut_all_blocks(&mut self) {
        while let Some(parent) = self.state.items.streamed.first().map(|it| it.parent) {
            self.cut_blocks(parent.map(|at| at as usize));
        }
    }

    /// Takes the item of a block that was streamed before it is said.
    pub(in super::super) fn take_streamed(
        &mut self,
        parent: Option<usize>,
        message: &str,
        is: impl Fn(&RecordBody) -> bool,
    ) -> Option<Streamed> {
        let parent = parent.map(place);
        let items = &self.state.items;
        let at = items.streamed.iter().position(|it| {
            it.parent == parent && &*it.message == message && items.get(it.item).is_some_and(|record| is(&record.body))
        })?;
        Some(self.state.items.streamed.remove(at))
    }

    /// A block was said that is no tool call.
    pub(in super::super) fn block_said(
        &mut self,
        (frame, entry): (&Frame, usize),
        parent: Option<usize>,
        message: &MessageFields<'_>,
        block: &Block<'_>,
    ) {
        let Some(inner) = &message.message.0 else { return };
        let id = inner.id.text();
        match block.ty.text() {
            "text" => {
                let synthetic = inner.model.get() == Some(SYNTHETIC);
                let streamed = self.take_streamed(parent, id, |body| matches!(body, RecordBody::Text { .. }));
                let failed = synthetic && (message.error.get().is_some() || message.is_api_error_message.0);
                let run = message.local_command_run.0.as_ref().filter(|_| synthetic);
                // Text of the agent itself becomes an item of another kind.
                if let Some(streamed) = streamed.as_ref().filter(|_| failed || run.is_some()) {
                    self.remove_item(streamed.item);
                }
                if failed {
                    return self.request_failed(parent, message, block);
                }
                if parent.is_none() {
                    self.retry_over();
                }
                if let Some(run) = run {
                    let output = read::later(block.text);
                    self.command_ran(run.command.text(), run.args.text(), output);
                    return;
                }
                let Some(text) = block.text else { return };
                let source = Source::Line(leaf(frame, entry, text));
                self.say(streamed.as_ref(), parent, RecordBody::Text { source, synthetic });
            }
            "thinking" | "redacted_thinking" => {
                let streamed = self.take_streamed(parent, id, |body| matches!(body, RecordBody::Thinking(_)));
                let told = message
                    .thinking_duration_ms
                    .0
                    .map(|_| message.thinking_duration_ms.count());
                let now = self.state.now;
                let passed = streamed.as_ref().map(|it| now.since(it.began));
                let passed = passed.and_then(|it| u64::try_from(it.as_millis()).ok());
                let known = streamed
                    .as_ref()
                    .and_then(|it| match &self.state.items.get(it.item)?.body {
                        RecordBody::Thinking(thinking) => thinking.tokens,
                        _ => None,
                    });
                let tokens = known.or_else(|| self.state.items.current.thinking_tokens.take());
                let text = match block.thinking {
                    Some(text) => Source::Line(leaf(frame, entry, text)),
                    None => Source::Kept("".into()),
                };
                let body = RecordBody::Thinking(Box::new(ThinkingRecord {
                    text,
                    duration: told.or(passed),
                    tokens,
                }));
                self.say(streamed.as_ref(), parent, body);
            }
            "server_tool_use" => self.server_call(parent, block),
            _ => {}
        }
    }

    /// A block is complete: it becomes the content of the item that was streamed, or of a new one.
    fn say(&mut self, streamed: Option<&Streamed>, parent: Option<usize>, body: RecordBody) {
        match streamed {
            Some(Streamed { item, .. }) => {
                if let Some(record) = self.state.items.get_mut(*item) {
                    record.body = body;
                }
                self.item_status(*item, ItemStatus::Done);
            }
            None => {
                self.add_item(ItemStatus::Done, body, parent);
            }
        }
    }

    /// A tool call that the API runs itself.
    fn server_call(&mut self, parent: Option<usize>, block: &Block<'_>) {
        let input: serde_json::Value = read::later(block.input).unwrap_or_default();
        let call = ToolCall {
            id: block.id.text().into(),
            tool: block.name.text().into(),
            card: Card::of_input(block.name.text(), &input),
            written: None,
            folder: None,
            original: None,
            permission: None,
            task: None,
            started: self.state.now,
            ended: Some(self.state.now),
            result: None,
        };
        self.add_item(ItemStatus::Done, ItemBody::ToolCall(Box::new(call)), parent);
    }

    /// Sets the number of tokens of the thinking block that is being streamed.
    pub(in super::super) fn thinking_tokens(&mut self, tokens: u64) {
        let streamed = self.state.items.streamed.iter().enumerate().rev();
        let mut main = streamed.filter(|(_, it)| it.parent.is_none());
        let Some((at, item)) = main.next().map(|(at, it)| (at, it.item)) else {
            self.state.items.current.thinking_tokens = Some(tokens);
            return;
        };
        if let Some(RecordBody::Thinking(thinking)) = self.state.items.get_mut(item).map(|it| &mut it.body) {
            thinking.tokens = Some(tokens);
            self.item_changed(item);
            let whole = self.state.items.revision;
            if let Some(streamed) = self.state.items.streamed.get_mut(at) {
                streamed.whole = whole;
            }
        }
    }

    /// A request to the model failed and is tried again.
    pub(in super::super) fn retrying(&mut self, retry: Retry) {
        let known = self.state.items.current.retry;
        match known {
            Some(at) => self.set_item(at, ItemStatus::Running, ItemBody::Retry(retry)),
            None => {
                let at = self.add_item(ItemStatus::Running, ItemBody::Retry(retry), None);
                self.state.items.current.retry = Some(at);
            }
        }
    }

    /// A later attempt succeeded, or the turn ended.
    pub(in super::super) fn retry_over(&mut self) {
        if let Some(at) = self.state.items.current.retry.take() {
            self.remove_item(at);
        }
    }

    /// A request to the model failed for good. The item of the retries becomes the error.
    fn request_failed(&mut self, parent: Option<usize>, message: &MessageFields<'_>, block: &Block<'_>) {
        let retry = self.state.items.current.retry.take().filter(|_| parent.is_none());
        let retries = match self.item_body(retry) {
            Some(ItemBody::Retry(retry)) => retry.attempt,
            _ => 0,
        };
        let error = ItemBody::Error(RequestError {
            text: read::later(block.text).unwrap_or_default(),
            kind: message.error.boxed(),
            status: message
                .api_error_status
                .0
                .and_then(|_| u16::try_from(message.api_error_status.count()).ok()),
            retries,
        });
        match retry {
            Some(at) => self.set_item(at, ItemStatus::Failed, error),
            None => {
                self.add_item(ItemStatus::Failed, error, parent);
            }
        }
    }
}
