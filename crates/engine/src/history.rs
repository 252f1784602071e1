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

    /// Everything said so far, what the user side is about to say included.
    pub(crate) fn all(&self) -> Vec<Value> {
        let mut copy = self.clone();
        copy.seal();
        copy.sent
    }

    /// Everything said so far and one thing more, which does not become part of it. Calls that have no result yet
    /// are left out: a conversation that ends with them cannot be answered.
    pub(crate) fn with_aside(&self, text: &str) -> Vec<Value> {
        let mut copy = self.clone();
        if copy.pending.is_empty() && copy.sent.last().is_some_and(has_calls) {
            copy.sent.pop();
        }
        if copy.pending.is_empty() && copy.sent.last().is_some_and(is_user) {
            // Two messages of one side in a row are refused by some servers.
            let before = copy.sent.pop();
            let blocks = before.as_ref().and_then(|message| message.get("content")?.as_array());
            copy.pending = blocks.cloned().unwrap_or_default();
        }
        copy.user_text(text);
        copy.seal();
        copy.sent
    }

    /// The first words of the conversation.
    pub(crate) fn first_words(&self) -> Option<String> {
        let sent = self.sent.first().and_then(|message| message.get("content")?.as_array());
        let text = |block: &Value| block.get("text").and_then(Value::as_str).map(str::to_owned);
        sent.into_iter().flatten().chain(&self.pending).find_map(text)
    }

    fn seal(&mut self) {
        if !self.pending.is_empty() {
            let blocks = std::mem::take(&mut self.pending);
            self.sent.push(json!({"role": "user", "content": blocks}));
        }
    }
}

fn is_user(message: &Value) -> bool {
    message.get("role").and_then(Value::as_str) == Some("user")
}

fn has_calls(message: &Value) -> bool {
    let is_call = |block: &Value| block.get("type").and_then(Value::as_str) == Some("tool_use");
    let blocks = message.get("content").and_then(Value::as_array);
    blocks.is_some_and(|blocks| blocks.iter().any(is_call))
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
    fn an_aside_is_no_part_of_the_conversation_and_needs_no_results() {
        let mut history = History::default();
        history.user_text("one");
        assert_eq!(history.messages().len(), 1);
        assert_eq!(history.with_aside("q").len(), 1);
        history.assistant(&[json!({"type": "tool_use", "id": "t", "name": "Bash", "input": {}})]);
        let asked = history.with_aside("q");
        assert_eq!(asked.len(), 1);
        assert_eq!(asked[0]["content"][1]["text"], "q");
        history.user([json!({"type": "tool_result", "tool_use_id": "t", "content": "x"})]);
        let asked = history.with_aside("q");
        assert_eq!((asked.len(), asked[2]["content"].as_array().unwrap().len()), (3, 2));
        assert_eq!(history.messages().len(), 3);
        assert_eq!(history.first_words().as_deref(), Some("one"));
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
