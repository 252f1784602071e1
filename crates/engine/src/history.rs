//! The conversation as the model is shown it.
//!
//! Messages are only ever appended, and what was sent once is never touched again, so that the
//! request of one turn is a byte prefix of the next one's and the prompt cache holds.

use serde_json::{Value, json};

/// The messages so far, and what the user side has said since the model last spoke.
#[derive(Debug, Default, Clone)]
pub(crate) struct History {
    sent: Vec<Value>,
    /// Blocks of the next user message. They join one message, since several in a row are
    /// refused by some servers that speak this API.
    pending: Vec<Value>,
}

impl History {
    /// Adds to what the user side says next.
    pub(crate) fn user(&mut self, blocks: impl IntoIterator<Item = Value>) {
        self.pending.extend(blocks);
    }

    /// Adds a text to what the user side says next.
    pub(crate) fn user_text(&mut self, text: &str) {
        self.pending.push(json!({"type": "text", "text": text}));
    }

    /// Adds what the model said. A message that holds nothing but thinking is left out: the API
    /// does not take it back.
    pub(crate) fn assistant(&mut self, blocks: &[Value]) {
        if blocks.iter().all(is_thinking) {
            return;
        }
        self.seal();
        self.sent.push(json!({"role": "assistant", "content": blocks}));
    }

    /// The messages of the next request.
    pub(crate) fn messages(&mut self) -> &[Value] {
        self.seal();
        &self.sent
    }

    fn seal(&mut self) {
        if !self.pending.is_empty() {
            let blocks = std::mem::take(&mut self.pending);
            self.sent.push(json!({"role": "user", "content": blocks}));
        }
    }
}

fn is_thinking(block: &Value) -> bool {
    matches!(
        block.get("type").and_then(Value::as_str),
        Some("thinking" | "redacted_thinking")
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]

    use serde_json::json;

    use super::*;

    #[test]
    fn what_the_user_side_says_in_a_row_is_one_message() {
        let mut history = History::default();
        history.user_text("[Request interrupted by user]");
        history.user_text("two");
        assert_eq!(history.messages().len(), 1);
        assert_eq!(history.messages()[0]["content"].as_array().unwrap().len(), 2);
    }

    #[test]
    fn what_was_sent_stays_as_it_was() {
        let mut history = History::default();
        history.user_text("one");
        let before = history.messages().to_vec();
        history.user_text("two");
        history.assistant(&[json!({"type": "text", "text": "both"})]);
        assert_eq!(history.messages()[..before.len()], before[..]);
        assert_eq!(history.messages().len(), 3);
    }

    #[test]
    fn bare_thinking_is_not_sent_back() {
        let mut history = History::default();
        history.user_text("one");
        history.assistant(&[json!({"type": "thinking", "thinking": "hm", "signature": "s"})]);
        history.user_text("go on");
        assert_eq!(history.messages().len(), 1);
    }
}
