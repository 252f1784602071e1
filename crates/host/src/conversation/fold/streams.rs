//! `stream_event`: drafts grow until their blocks arrive or they are void.

use super::Fold;
use crate::conversation::read::{ApiEvent, Block, Stream, Usage};
use crate::conversation::seen::MessageIdentity;
use crate::conversation::{Change, Draft, DraftBlock, DraftKind, Evidence};

impl Fold<'_> {
    /// `stream_event`: one event of the Messages API.
    pub(super) fn stream(&mut self, stream: Stream<'_>) {
        let parent = self.parent(stream.parent_tool_use_id.get());
        let Some(event) = stream.event.0 else { return };
        if event.ty.get() == Some("message_start") {
            if !self.is_new(stream.uuid.get()) {
                return;
            }
            self.begin_draft(parent, &event);
            return;
        }
        let uuid = stream.uuid.get().map(|uuid| MessageIdentity::new(uuid, &self.line));
        let Some(draft) = self.state.drafts.iter_mut().find(|it| it.parent == parent) else {
            self.sign();
            return;
        };
        if let Some(uuid) = uuid {
            // A line that came twice; the last few are enough, pipes do not repeat older ones.
            if draft.seen.contains(&uuid) {
                self.state.drift.repeated += 1;
                return;
            }
            if draft.seen.len() >= 32 {
                draft.seen.remove(0);
            }
            draft.seen.push(uuid);
        }
        if event.ty.get() == Some("content_block_start") {
            self.block_restarts(parent, event.index.count());
        }
        let Some(draft) = self.state.drafts.iter_mut().find(|it| it.parent == parent) else {
            return;
        };
        draft.event(&event);
        let message = draft.message.clone();
        match event.ty.text() {
            "content_block_start" => self.block_started(parent, &message, &event),
            "content_block_delta" => self.block_grew(parent, event.index.count()),
            _ => {}
        }
        let stops = match event.ty.text() {
            "message_delta" => event.delta.0.as_ref().and_then(|it| it.stop_reason.get()),
            _ => None,
        };
        let over = event.ty.get() == Some("message_stop");
        if over {
            self.void(parent);
        } else {
            self.change(Change::Draft(parent));
        }
        if parent.is_some() {
            self.sign();
            return;
        }
        match stops {
            // With these the turn goes on: a call runs, or the agent asks again.
            Some("tool_use" | "max_tokens" | "pause_turn" | "refusal" | "model_context_window_exceeded") => self.sign(),
            Some(_) => self.evidence(Evidence::Stopped),
            None if over => self.sign(),
            None => {
                let calling = self.state.index.open.and_then(|at| self.state.turns.get(at));
                if calling.is_some_and(|it| !matches!(it.evidence, Evidence::Calling | Evidence::Stopped)) {
                    self.evidence(Evidence::Streaming);
                } else {
                    self.sign();
                }
            }
        }
        if let Some(usage) = event.usage.0 {
            self.grown(usage);
        }
    }

    fn begin_draft(&mut self, parent: Option<usize>, event: &ApiEvent<'_>) {
        self.void(parent);
        self.cut_blocks(parent);
        if parent.is_none() {
            self.open(Evidence::Streaming);
            self.evidence(Evidence::Streaming);
            self.retry_over();
        } else {
            self.sign();
        }
        let Some(message) = &event.message.0 else { return };
        self.state.drafts.push(Draft {
            message: message.id.text().into(),
            parent,
            began: self.state.now,
            blocks: Vec::new(),
            said: 0,
            seen: Vec::new(),
        });
        self.change(Change::Draft(parent));
        if parent.is_none() {
            self.context(message.usage.0);
        }
    }

    /// A block of the message `id` was said: it is no longer a draft. Drafts of another message are void.
    pub(super) fn commit(&mut self, parent: Option<usize>, id: &str) {
        let Some(draft) = self.state.drafts.iter_mut().find(|it| it.parent == parent) else {
            return;
        };
        if &*draft.message != id {
            self.void(parent);
            return;
        }
        if !draft.blocks.is_empty() {
            let block = draft.blocks.remove(0);
            draft.said = block.index + 1;
            self.keep_blocks(parent, vec![block]);
        }
        self.change(Change::Draft(parent));
    }

    /// The draft will not be said, or was.
    pub(super) fn void(&mut self, parent: Option<usize>) {
        if let Some(at) = self.state.drafts.iter().position(|it| it.parent == parent) {
            let draft = self.state.drafts.remove(at);
            self.keep_blocks(parent, draft.blocks);
            self.change(Change::Draft(parent));
        }
    }

    /// How full the context is, from the account of a request.
    pub(super) fn context(&mut self, usage: Option<Usage>) {
        let Some(usage) = usage else { return };
        let tokens = usage.input_tokens.count()
            + usage.cache_read_input_tokens.count()
            + usage.cache_creation_input_tokens.count()
            + usage.output_tokens.count();
        if tokens > 0 && tokens != self.state.context.tokens {
            self.state.context.tokens = tokens;
            self.change(Change::Context);
        }
    }

    /// `message_delta` counts what was given in the end; some also repeat what was read.
    fn grown(&mut self, usage: Usage) {
        if usage.input_tokens.count() > 0 {
            self.context(Some(usage));
        }
    }
}

impl Draft {
    fn event(&mut self, event: &ApiEvent<'_>) {
        let index = event.index.count();
        match event.ty.text() {
            "content_block_start" => {
                if let Some(block) = &event.content_block.0 {
                    self.blocks.retain(|it| it.index != index);
                    self.blocks.push(DraftBlock {
                        index,
                        kind: DraftKind::from(block),
                        text: String::new(),
                        whole: false,
                    });
                }
            }
            "content_block_delta" => {
                let block = self.blocks.iter_mut().find(|it| it.index == index);
                if let (Some(block), Some(delta)) = (block, &event.delta.0) {
                    block.text.push_str(delta.text.text());
                    block.text.push_str(delta.thinking.text());
                    block.text.push_str(delta.partial_json.text());
                }
            }
            "content_block_stop" => {
                if let Some(block) = self.blocks.iter_mut().find(|it| it.index == index) {
                    block.whole = true;
                }
            }
            _ => {}
        }
    }
}

impl From<&Block<'_>> for DraftKind {
    fn from(block: &Block<'_>) -> Self {
        match block.ty.text() {
            "text" => Self::Text,
            "thinking" => Self::Thinking,
            "tool_use" => Self::Call {
                id: block.id.text().into(),
                name: block.name.text().into(),
            },
            other => Self::Other(other.into()),
        }
    }
}
