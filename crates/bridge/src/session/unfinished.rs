//! Drafts that were unfinished when the agent ended.
//!
//! Deltas are no records: what they told is said again, whole, by the message they belong to. An agent that ends in
//! the middle of one never says it, so what people read of it is kept here, at the place where it broke off.

use sluice_host::conversation::{Draft, DraftKind};

use super::actor::Actor;
use super::archive::{Own, UnfinishedBlock};

impl Actor {
    /// Keeps what there is of the messages that are being written. The agent will not say them any more.
    pub(super) fn keep_unfinished(&mut self, at: i64) {
        let unfinished: Vec<Own> = self
            .state
            .drafts()
            .iter()
            .filter_map(|it| self.unfinished(it))
            .collect();
        for own in unfinished {
            self.keep_own(at, None, &own, None);
        }
    }

    fn unfinished(&self, draft: &Draft) -> Option<Own> {
        let blocks = draft.blocks.iter().filter_map(|block| {
            let kind = match block.kind {
                DraftKind::Text => "text",
                DraftKind::Thinking => "thinking",
                // The beginning of a call's input is nothing to read, and the call was never made.
                DraftKind::Call { .. } | DraftKind::Other(_) => return None,
            };
            let text = block.text.trim_end();
            (!text.is_empty()).then(|| UnfinishedBlock {
                kind: kind.to_owned(),
                text: text.to_owned(),
            })
        });
        let blocks: Vec<UnfinishedBlock> = blocks.collect();
        let parent = draft.parent.and_then(|at| self.state.calls().get(at));
        (!blocks.is_empty()).then(|| Own::Unfinished {
            message: draft.message.to_string(),
            parent: parent.map(|call| call.id.to_string()),
            blocks,
        })
    }
}
