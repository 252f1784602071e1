//! The conversation as the model is shown it.
//!
//! Messages are only ever appended, and what was sent once is never touched again, so that the
//! request of one turn is a byte prefix of the next one's and the prompt cache holds. The one
//! exception is a compaction, which puts a summary in the place of all but the last messages.

use serde_json::{Value, json};
use sluice_model::measure::block_tokens;
use sluice_model::{Message, Role};

/// The messages so far, and what the user side has said since the model last spoke.
#[derive(Debug, Default, Clone)]
pub(crate) struct History {
    /// Shared with the requests that hold them.
    sent: Vec<Sent>,
    /// Blocks of the next user message. They join one message, since several in a row are
    /// refused by some servers that speak this API.
    pending: Vec<Value>,
    /// What it is reminded of in them.
    reminders: Vec<String>,
    /// Whether all of this was said before to somebody who is not reminded of it again.
    recalled: bool,
}

/// A message, and about how many tokens it takes.
#[derive(Debug, Clone)]
struct Sent {
    message: Message,
    tokens: u64,
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

    /// Reminds the model of something, unless it was in what was recalled.
    pub(crate) fn remind(&mut self, text: &str) {
        self.user_text(text);
        self.reminders.push(text.to_owned());
    }

    /// Adds what the model said. A message that holds nothing but thinking is left out: the API
    /// does not take it back.
    pub(crate) fn assistant(&mut self, blocks: &[Value]) {
        // Nor does it take back a text that says nothing.
        let blocks: Vec<Value> = blocks.iter().filter(|block| !is_blank(block)).cloned().collect();
        if blocks.iter().all(is_thinking) {
            return;
        }
        self.seal();
        self.push(Role::Assistant, &blocks);
    }

    /// Puts a text in the place of images and documents that a server refused, and says how many they were: those the
    /// model has not answered yet, or all of them where `everywhere` says so or the former are none.
    pub(crate) fn drop_media(&mut self, everywhere: bool, text: &str) -> usize {
        self.seal();
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
                *sent = Sent {
                    message: Message::new(Role::User, &blocks),
                    tokens: blocks.iter().map(block_tokens).sum(),
                };
            }
            dropped += found;
        }
        dropped
    }

    /// Adds a message as it once was sent.
    pub(crate) fn again(&mut self, message: Message, tokens: u64) {
        self.seal();
        self.sent.push(Sent { message, tokens });
    }

    /// Puts what was said earlier before all of this.
    pub(crate) fn preceded_by(&mut self, mut earlier: Self) {
        if !self.sent.is_empty() {
            earlier.seal();
        }
        earlier.sent.append(&mut self.sent);
        earlier.pending.append(&mut self.pending);
        earlier.reminders.append(&mut self.reminders);
        earlier.recalled = true;
        *self = earlier;
    }

    /// Forgets the last messages.
    pub(crate) fn take_back(&mut self, messages: usize) {
        self.sent.truncate(self.sent.len().saturating_sub(messages));
    }

    /// What the user side has said since the model last spoke, as it is sent.
    pub(crate) fn since_reply(&mut self) -> Vec<Message> {
        self.seal();
        let reply = self.sent.iter().rposition(|sent| sent.message.is_assistant());
        let since = self.sent.iter().skip(reply.map_or(0, |at| at + 1));
        since.map(|sent| sent.message.clone()).collect()
    }

    /// The messages of the next request.
    pub(crate) fn messages(&mut self) -> Vec<Message> {
        self.seal();
        self.sent.iter().map(|sent| sent.message.clone()).collect()
    }

    /// Everything said so far, what the user side is about to say included.
    pub(crate) fn all(&self) -> Vec<Message> {
        self.clone().messages()
    }

    /// Everything said so far and one thing more, which does not become part of it. Calls that have no result yet
    /// are left out: a conversation that ends with them cannot be answered.
    pub(crate) fn with_aside(&self, text: &str) -> Vec<Message> {
        let mut copy = self.clone();
        if copy.pending.is_empty() {
            if copy.last().is_some_and(has_calls) {
                copy.sent.pop();
            }
            if copy.last().is_some_and(Message::is_user) {
                // Two messages of one side in a row are refused by some servers.
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

    /// The first words of the conversation.
    pub(crate) fn first_words(&self) -> Option<String> {
        let sent = self.sent.first().map(|sent| sent.message.blocks()).unwrap_or_default();
        let text = |block: &Value| block.get("text").and_then(Value::as_str).map(str::to_owned);
        sent.iter().chain(&self.pending).find_map(text)
    }

    /// How many messages there are, what the user side is about to say not counted.
    pub(crate) fn len(&self) -> usize {
        self.sent.len()
    }

    /// Whether nothing was said yet.
    pub(crate) fn is_empty(&self) -> bool {
        self.sent.is_empty() && self.pending.is_empty()
    }

    /// About how many tokens was said after the first `from` messages.
    pub(crate) fn tokens_since(&self, from: usize) -> u64 {
        let sent: u64 = self.sent.iter().skip(from).map(|sent| sent.tokens).sum();
        sent + self.pending.iter().map(block_tokens).sum::<u64>()
    }

    /// Where a compaction cuts: what is to be summarised, and what stays as it is. None when the model has not said
    /// enough for a summary.
    pub(crate) fn cut(&self) -> Option<Cut> {
        let mut head = self.all();
        let mut spoken = head
            .iter()
            .enumerate()
            .rev()
            .filter(|(_, message)| message.is_assistant());
        let (last, _) = spoken.next()?;
        // The model's last message stays with what answers it, unless it is all the model ever said.
        let with_reply = spoken.next().is_some();
        let at = if with_reply { last } else { last + 1 };
        let tail = head.split_off(at);
        Some(Cut { head, tail, with_reply })
    }

    /// Goes on with what was kept of a conversation.
    pub(crate) fn go_on_with(&mut self, tail: &[Message]) {
        for message in tail {
            let blocks = message.blocks();
            if message.is_assistant() {
                self.assistant(&blocks);
            } else {
                self.user(blocks);
            }
        }
    }

    fn seal(&mut self) {
        let reminders = std::mem::take(&mut self.reminders);
        if std::mem::take(&mut self.recalled) {
            self.spare(&reminders);
        }
        if !self.pending.is_empty() {
            let blocks = std::mem::take(&mut self.pending);
            self.push(Role::User, &blocks);
        }
    }

    /// Leaves out what the model was reminded of before the session was taken up.
    fn spare(&mut self, reminders: &[String]) {
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
        self.sent.push(Sent {
            message: Message::new(role, blocks),
            tokens: blocks.iter().map(block_tokens).sum(),
        });
    }
}

/// A conversation, cut in two.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Cut {
    /// What a summary takes the place of.
    pub(crate) head: Vec<Message>,
    /// What stays.
    pub(crate) tail: Vec<Message>,
    /// Whether the tail begins with the model's last message.
    pub(crate) with_reply: bool,
}

fn has_calls(message: &Message) -> bool {
    let is_call = |block: &Value| block.get("type").and_then(Value::as_str) == Some("tool_use");
    message.blocks().iter().any(is_call)
}

/// Puts a text in the place of every image and document, those in results included; says how many.
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

/// Whether a block is a text without words.
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
    fn what_the_user_side_says_in_a_row_is_one_message() {
        let mut history = History::default();
        history.user_text("[Request interrupted by user]");
        history.user_text("two");
        assert_eq!(history.messages().len(), 1);
        assert_eq!(history.messages()[0].blocks().len(), 2);
    }

    #[test]
    fn what_was_sent_stays_as_it_was() {
        let mut history = History::default();
        history.user_text("one");
        let before = history.messages();
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
        assert_eq!(asked[0].blocks()[1]["text"], "q");
        history.user([json!({"type": "tool_result", "tool_use_id": "t", "content": "x"})]);
        let asked = history.with_aside("q");
        assert_eq!((asked.len(), asked[2].blocks().len()), (3, 2));
        assert_eq!(history.messages().len(), 3);
        assert_eq!(history.first_words().as_deref(), Some("one"));
    }

    fn reply(text: &str) -> Vec<Value> {
        vec![json!({"type": "text", "text": text})]
    }

    #[test]
    fn a_compaction_keeps_the_last_message_of_the_model_and_what_answers_it() {
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
        history.go_on_with(&cut.tail);
        let shown = history.messages();
        assert_eq!(shown.len(), 3);
        assert_eq!(shown[0].blocks()[0]["text"], "summary");
        assert_eq!(shown[1..], cut.tail[..]);
    }

    #[test]
    fn a_summary_and_the_prompt_that_was_kept_are_one_message() {
        let mut history = History::default();
        history.user_text("one");
        history.assistant(&reply("first"));
        history.user_text("two");
        let cut = history.cut().unwrap();
        history = History::default();
        history.user(reply("summary"));
        history.go_on_with(&cut.tail);
        history.user_text("three");
        assert_eq!(history.messages().len(), 1);
        assert_eq!(history.messages()[0].blocks().len(), 3);
    }

    #[test]
    fn texts_without_words_are_not_sent_back() {
        let mut history = History::default();
        history.user_text("one");
        let said = [
            json!({"type": "text", "text": ""}),
            json!({"type": "text", "text": "two"}),
        ];
        history.assistant(&said);
        assert_eq!(history.messages()[1].blocks(), said[1..]);
        history.user_text("three");
        history.assistant(&[json!({"type": "text", "text": " \n"})]);
        assert_eq!(history.messages().len(), 3);
    }

    #[test]
    fn refused_media_are_taken_out_of_what_was_not_answered() {
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
    fn bare_thinking_is_not_sent_back() {
        let mut history = History::default();
        history.user_text("one");
        history.assistant(&[json!({"type": "thinking", "thinking": "hm", "signature": "s"})]);
        history.user_text("go on");
        assert_eq!(history.messages().len(), 1);
    }
}
