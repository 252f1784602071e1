//! Restores the conversation for the model from a transcript.

use std::io;

use serde_json::Value;
use sluice_model::measure::{block_tokens, kind};
use sluice_model::{Message, MessageBuilder, Role};
use sluice_transcript::{Block, Conversation, Earlier, Looked};

use crate::history::History;
use crate::tool_calls::for_model;

/// Returns the messages for the model that a transcript contains.
///
/// # Errors
/// Returns an error if the transcript cannot be read.
pub fn shown_to_model(earlier: &Earlier) -> io::Result<Vec<Message>> {
    let (history, _): (History, _) = earlier.tell(look)?;
    Ok(history.all())
}

/// Converts a stored block for the model: invalid images are replaced and structured results are flattened.
pub(crate) fn look(block: Value) -> Looked {
    let mut block = sluice_model::sanitize(block);
    if kind(&block) == "tool_result" {
        block = for_model(block);
    }
    Looked {
        can_carry: sluice_model::can_carry(&block),
        tokens: block_tokens(&block),
        block,
    }
}

impl Conversation for History {
    fn say(&mut self, by_model: bool, blocks: &[Block]) {
        let role = if by_model { Role::Assistant } else { Role::User };
        self.restore_message(message(role, blocks), blocks.iter().map(|block| block.tokens).sum());
    }

    fn take_back(&mut self, messages: usize) {
        Self::take_back(self, messages);
    }

    fn open(&mut self, blocks: &[Block]) {
        self.user(message(Role::User, blocks).blocks());
    }
}

fn message(role: Role, blocks: &[Block]) -> Message {
    let mut message = MessageBuilder::new(role);
    for block in blocks {
        message.raw_block(&block.spelled, block.can_carry);
    }
    message.build()
}

#[cfg(test)]
#[path = "shown_tests.rs"]
mod tests;
