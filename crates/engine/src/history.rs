//! The conversation as it is sent to the model.
//!
//! Messages are only appended and never changed after they were sent. So each request is a byte prefix of the next one,
//! and the prompt cache applies. The exception is a compaction, which replaces all but the last messages by a summary.

use serde_json::{Value, json};
use sluice_model::measure::block_tokens;
use sluice_model::{Message, Role};

/// The messages so far, and the blocks of the next user message.
#[derive(Debug, Default, Clone)]
pub(crate) struct History {
    /// Messages in requests share their bytes with these.
    sent: Vec<SentMessage>,
    /// Blocks of the next user message. They are sent as one message, because some servers that implement this API
    /// reject consecutive user messages.
    pending: Vec<Value>,
    /// The reminders among them.
    reminders: Vec<String>,
    /// Whether `sent` contains an earlier conversation, whose reminders are not repeated.
    recalled: bool,
}

/// A message and its approximate number of tokens.
#[derive(Debug, Clone)]
struct SentMessage {
    message: Message,
    tokens: u64,
}

impl History {
    /// Adds blocks to the next user message.
    pub(crate) fn user(&mut self, blocks: impl IntoIterator<Item = Value>) {
        self.pending.extend(blocks);
    }

    /// Adds a text to the next user message.
    pub(crate) fn user_text(&mut self, text: &str) {
        self.pending.push(json!({"type": "text", "text": text}));
    }

    /// Adds a reminder to the next user message, unless the earlier conversation contains it.
    pub(crate) fn remind(&mut self, text: &str) {
        self.user_text(text);
        self.reminders.push(text.to_owned());
    }

    /// Adds a message of the model. A message that contains only thinking is dropped, because the API rejects it in a
    /// request.
    pub(crate) fn assistant(&mut self, blocks: &[Value]) {
        // The API rejects blank texts as well.
        let blocks: Vec<Value> = blocks.iter().filter(|block| !is_blank(block)).cloned().collect();
        if blocks.iter().all(is_thinking) {
            return;
        }
        self.flush_pending();
        self.push(Role::Assistant, &blocks);
    }

    /// Replaces images and documents that the server rejected by a text. Returns how many. Only those that the model
    /// has not answered yet are replaced, or all of them if `everywhere` is set or there are none.
    pub(crate) fn drop_media(&mut self, everywhere: bool, text: &str) -> usize {
        self.flush_pending();
        let reply = self.sent.iter().rposition(|sent| sent.message.is_assistant());
        let unanswered = reply.map_or(0, |at| at + 1);
        let mut dropped = 0;
        if !everywhere {
            dropped = self.drop_media_from(unanswered, text);
        }
        if dropped == 0 {
            dropped = self.drop_media_from(0, text);
        }
        dropped
    }

    fn drop_media_from(&mut self, from: usize, text: &str) -> usize {
        let mut dropped = 0;
        for sent in self.sent.iter_mut().skip(from).filter(|sent| sent.message.is_user()) {
            let mut blocks = sent.message.blocks();
            let found = replace_media(&mut blocks, text);
            if found > 0 {
                *sent = SentMessage {
                    message: Message::new(Role::User, &blocks),
                    tokens: blocks.iter().map(block_tokens).sum(),
                };
            }
            dropped += found;
        }
        dropped
    }

    /// Adds a message of an earlier conversation.
    pub(crate) fn restore_message(&mut self, message: Message, tokens: u64) {
        self.flush_pending();
        self.sent.push(SentMessage { message, tokens });
    }

    /// Inserts an earlier conversation before these messages.
    pub(crate) fn preceded_by(&mut self, mut earlier: Self) {
        if !self.sent.is_empty() {
            earlier.flush_pending();
        }
        earlier.sent.append(&mut self.sent);
        earlier.pending.append(&mut self.pending);
        earlier.reminders.append(&mut self.reminders);
        earlier.recalled = true;
        *self = earlier;
    }

    /// Removes the last `messages` messages.
    pub(crate) fn take_back(&mut self, messages: usize) {
        self.sent.truncate(self.sent.len().saturating_sub(messages));
    }

    /// Returns the messages since the last message of the model.
    pub(crate) fn since_reply(&mut self) -> Vec<Message> {
        self.flush_pending();
        let reply = self.sent.iter().rposition(|sent| sent.message.is_assistant());
        let since = self.sent.iter().skip(reply.map_or(0, |at| at + 1));
        since.map(|sent| sent.message.clone()).collect()
    }

    /// Returns the messages of the next request.
    pub(crate) fn messages(&mut self) -> Vec<Message> {
        self.flush_pending();
        self.sent.iter().map(|sent| sent.message.clone()).collect()
    }

    /// Returns all messages, including the pending user message.
    pub(crate) fn all(&self) -> Vec<Message> {
        self.clone().messages()
    }

    /// Returns all messages followed by a text that is not added to the conversation. Tool calls without a result at
    /// the end are left out, because the API rejects them.
    pub(crate) fn with_question(&self, text: &str) -> Vec<Message> {
        let mut copy = self.clone();
        if copy.pending.is_empty() {
            if copy.last().is_some_and(has_calls) {
                copy.sent.pop();
            }
            if copy.last().is_some_and(Message::is_user) {
                // Some servers reject consecutive messages of the same role.
                let before = copy.sent.pop();
                copy.pending = before.map(|sent| sent.message.blocks()).unwrap_or_default();
            }
        }
        copy.user_text(text);
        copy.messages()
    }

    fn last(&self) -> Option<&Message> {
        self.sent.last().map(|sent| &sent.message)
    }

    /// The first text of the conversation.
    pub(crate) fn first_words(&self) -> Option<String> {
        let sent = self.sent.first().map(|sent| sent.message.blocks()).unwrap_or_default();
        let text = |block: &Value| block.get("text").and_then(Value::as_str).map(str::to_owned);
        sent.iter().chain(&self.pending).find_map(text)
    }

    /// Number of messages, without the pending user message.
    pub(crate) fn len(&self) -> usize {
        self.sent.len()
    }

    /// True if there are no messages and no pending blocks.
    pub(crate) fn is_empty(&self) -> bool {
        self.sent.is_empty() && self.pending.is_empty()
    }

    /// The approximate number of tokens after the first `from` messages.
    pub(crate) fn tokens_since(&self, from: usize) -> u64 {
        let sent: u64 = self.sent.iter().skip(from).map(|sent| sent.tokens).sum();
        sent + self.pending.iter().map(block_tokens).sum::<u64>()
    }

    /// Splits the conversation for a compaction. `None` if the model has not responded enough for a summary.
    pub(crate) fn cut(&self) -> Option<Cut> {
        let mut head = self.all();
        let mut spoken = head
            .iter()
            .enumerate()
            .rev()
            .filter(|(_, message)| message.is_assistant());
        let (last, _) = spoken.next()?;
        // The last message of the model stays together with the messages that follow it, unless it is the only one.
        let with_reply = spoken.next().is_some();
        let at = if with_reply { last } else { last + 1 };
        let tail = head.split_off(at);
        Some(Cut { head, tail, with_reply })
    }

    /// Appends the messages that a compaction kept.
    pub(crate) fn append_kept(&mut self, tail: &[Message]) {
        for message in tail {
            let blocks = message.blocks();
            if message.is_assistant() {
                self.assistant(&blocks);
            } else {
                self.user(blocks);
            }
        }
    }

    /// Adds pending user blocks as a message.
    fn flush_pending(&mut self) {
        let reminders = std::mem::take(&mut self.reminders);
        if std::mem::take(&mut self.recalled) {
            self.drop_known_reminders(&reminders);
        }
        if !self.pending.is_empty() {
            let blocks = std::mem::take(&mut self.pending);
            self.push(Role::User, &blocks);
        }
    }

    /// Removes pending reminders that the earlier conversation contains.
    fn drop_known_reminders(&mut self, reminders: &[String]) {
        for text in reminders {
            let block = json!({"type": "text", "text": text});
            let spelled = block.to_string();
            let known = memchr::memmem::Finder::new(spelled.as_bytes());
            let mut sent = self.sent.iter().filter(|sent| sent.message.is_user());
            let again = |known: &Value| *known == block;
            if sent.any(|sent| known.find(sent.message.as_bytes()).is_some())
                && let Some(at) = self.pending.iter().rposition(again)
            {
                self.pending.remove(at);
            }
        }
    }

    fn push(&mut self, role: Role, blocks: &[Value]) {
        self.sent.push(SentMessage {
            message: Message::new(role, blocks),
            tokens: blocks.iter().map(block_tokens).sum(),
        });
    }
}

/// A conversation that is split for a compaction.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Cut {
    /// The messages that the summary replaces.
    pub(crate) head: Vec<Message>,
    /// The messages that are kept.
    pub(crate) tail: Vec<Message>,
    /// Whether the tail starts with the last message of the model.
    pub(crate) with_reply: bool,
}

fn has_calls(message: &Message) -> bool {
    let is_call = |block: &Value| block.get("type").and_then(Value::as_str) == Some("tool_use");
    message.blocks().iter().any(is_call)
}

/// Replaces images and documents, also within tool results, by a text. Returns how many.
fn replace_media(blocks: &mut [Value], text: &str) -> usize {
    let mut replaced = 0;
    for block in blocks {
        match block.get("type").and_then(Value::as_str) {
            Some("image" | "document") => {
                *block = json!({"type": "text", "text": text});
                replaced += 1;
            }
            Some("tool_result") => {
                if let Some(Value::Array(parts)) = block.get_mut("content") {
                    replaced += replace_media(parts, text);
                }
            }
            _ => {}
        }
    }
    replaced
}

/// True for a text block without visible characters.
pub(crate) fn is_blank(block: &Value) -> bool {
    let text = block.get("text").and_then(Value::as_str);
    block.get("type").and_then(Value::as_str) == Some("text") && text.is_none_or(|text| text.trim().is_empty())
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
    fn consecutive_user_blocks_form_one_message() {
        let mut history = History::default();
        history.user_text("[Request interrupted by user]");
        history.user_text("two");
        assert_eq!(history.messages().len(), 1);
        assert_eq!(history.messages()[0].blocks().len(), 2);
    }

    #[test]
    fn sent_messages_are_never_changed() {
        let mut history = History::default();
        history.user_text("one");
        let before = history.messages();
        history.user_text("two");
        history.assistant(&[json!({"type": "text", "text": "both"})]);
        assert_eq!(history.messages()[..before.len()], before[..]);
        assert_eq!(history.messages().len(), 3);
    }

    #[test]
    fn side_question_is_not_added_and_open_calls_are_left_out() {
        let mut history = History::default();
        history.user_text("one");
        assert_eq!(history.messages().len(), 1);
        assert_eq!(history.with_question("q").len(), 1);
        history.assistant(&[json!({"type": "tool_use", "id": "t", "name": "Bash", "input": {}})]);
        let asked = history.with_question("q");
        assert_eq!(asked.len(), 1);
        assert_eq!(asked[0].blocks()[1]["text"], "q");
        history.user([json!({"type": "tool_result", "tool_use_id": "t", "content": "x"})]);
        let asked = history.with_question("q");
        assert_eq!((asked.len(), asked[2].blocks().len()), (3, 2));
        assert_eq!(history.messages().len(), 3);
        assert_eq!(history.first_words().as_deref(), Some("one"));
    }

    fn reply(text: &str) -> Vec<Value> {
        vec![json!({"type": "text", "text": text})]
    }

    #[test]
    fn compaction_keeps_the_last_reply_and_what_follows() {
        let mut history = History::default();
        assert_eq!(history.cut(), None);
        history.user_text("one");
        assert_eq!(history.cut(), None, "the model has said nothing");
        history.assistant(&reply("first"));
        let cut = history.cut().unwrap();
        assert_eq!((cut.head.len(), cut.tail.len(), cut.with_reply), (2, 0, false));
        history.user_text("two");
        let cut = history.cut().unwrap();
        assert_eq!((cut.head.len(), cut.tail.len(), cut.with_reply), (2, 1, false));
        history.assistant(&[json!({"type": "tool_use", "id": "t", "name": "Bash", "input": {}})]);
        history.user([json!({"type": "tool_result", "tool_use_id": "t", "content": "x"})]);
        let cut = history.cut().unwrap();
        assert_eq!((cut.head.len(), cut.tail.len(), cut.with_reply), (3, 2, true));

        history = History::default();
        history.user(reply("summary"));
        history.append_kept(&cut.tail);
        let shown = history.messages();
        assert_eq!(shown.len(), 3);
        assert_eq!(shown[0].blocks()[0]["text"], "summary");
        assert_eq!(shown[1..], cut.tail[..]);
    }

    #[test]
    fn summary_and_kept_prompt_form_one_message() {
        let mut history = History::default();
        history.user_text("one");
        history.assistant(&reply("first"));
        history.user_text("two");
        let cut = history.cut().unwrap();
        history = History::default();
        history.user(reply("summary"));
        history.append_kept(&cut.tail);
        history.user_text("three");
        assert_eq!(history.messages().len(), 1);
        assert_eq!(history.messages()[0].blocks().len(), 3);
    }

    #[test]
    fn blank_texts_are_dropped() {
        let mut history = History::default();
        history.user_text("one");
        let blocks = [
            json!({"type": "text", "text": ""}),
            json!({"type": "text", "text": "two"}),
        ];
        history.assistant(&blocks);
        assert_eq!(history.messages()[1].blocks(), blocks[1..]);
        history.user_text("three");
        history.assistant(&[json!({"type": "text", "text": " \n"})]);
        assert_eq!(history.messages().len(), 3);
    }

    #[test]
    fn rejected_media_are_replaced_in_unanswered_messages_first() {
        let image = json!({"type": "image", "source": {}});
        let gone = json!({"type": "text", "text": "gone"});
        let mut history = History::default();
        history.user([image.clone()]);
        history.assistant(&reply("seen"));
        history.user([
            json!({"type": "tool_result", "tool_use_id": "t", "content": [image]}),
            image.clone(),
        ]);
        assert_eq!(history.drop_media(false, "gone"), 2);
        let messages = history.messages();
        assert_eq!(messages[0].blocks(), [image]);
        assert_eq!(messages[2].blocks()[0]["content"], json!([gone]));
        assert_eq!(messages[2].blocks()[1], gone);
        assert_eq!(history.drop_media(false, "gone"), 1, "then the others are left");
        assert_eq!(history.drop_media(true, "gone"), 0);
    }

    #[test]
    fn messages_with_only_thinking_are_dropped() {
        let mut history = History::default();
        history.user_text("one");
        history.assistant(&[json!({"type": "thinking", "thinking": "hm", "signature": "s"})]);
        history.user_text("go on");
        assert_eq!(history.messages().len(), 1);
    }
}
