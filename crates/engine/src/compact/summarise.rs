//! The request for a summary: the conversation followed by the task. The bytes before the task are unchanged, so that
//! the prompt cache applies.

use std::pin::pin;
use std::time::Instant;

use serde_json::{Value, json};
use sluice_model::{Accumulator, Client, Failure, Message, Request, Role};

use super::{Uncompacted, words};
use crate::retries::{Attempts, RetryOutcome};
use crate::session::Session;
use crate::session_loop::SessionLoop;
use crate::session_loop::WaitOutcome;

/// The maximum number of tokens of a summary, including thinking.
const MAX_SUMMARY_TOKENS: u32 = 20_000;

/// The response of the model.
struct Answer {
    text: String,
    model: Option<String>,
    usage: Value,
}

impl Session {
    fn accept(&mut self, answer: &Answer) -> Result<String, Uncompacted> {
        let model = answer.model.as_deref().unwrap_or(&self.model.name);
        self.account.ledger().add(model, &answer.usage);
        words::summary(&answer.text).ok_or_else(|| Uncompacted::Failed("the model gave no summary".to_owned()))
    }
}

impl SessionLoop {
    /// Asks the model for a summary of the conversation.
    pub(super) async fn summarise(
        &mut self,
        head: &[Message],
        instructions: Option<&str>,
    ) -> Result<String, Uncompacted> {
        let task = words::task(instructions);
        let mut head = head;
        let mut attempts = Attempts::default();
        loop {
            let mut request = self.session.request_of(with_task(head, &task));
            request.max_tokens = request.max_tokens.min(MAX_SUMMARY_TOKENS);
            let client = self.session.model.client.clone();
            let began = Instant::now();
            let outcome = self
                .wait_for(Some(pin!(ask(&client, &request, attempts.streaming))))
                .await;
            self.session.account.add_api_ms(super::millis(began));
            let failure = match outcome {
                WaitOutcome::Ready(Ok(answer)) => return self.session.accept(&answer),
                WaitOutcome::Ready(Err(failure)) => failure,
                WaitOutcome::CallsDone | WaitOutcome::Stopped => return Err(Uncompacted::Stopped),
            };
            if failure.is_prompt_too_long()
                && let Some(rest) = shorter(head)
            {
                // A summary of the later part is better than none.
                head = rest;
                continue;
            }
            match self.retry_or_give_up(&mut attempts, &failure).await {
                RetryOutcome::Try => {}
                RetryOutcome::Stopped => return Err(Uncompacted::Stopped),
                RetryOutcome::GiveUp => {
                    let why = self.session.model.client.explain(&failure, &self.session.model.name);
                    return Err(Uncompacted::Failed(why));
                }
            }
        }
    }
}

/// Returns the conversation with the task added to its last user message, or as a new one.
fn with_task(head: &[Message], task: &str) -> Vec<Message> {
    let mut messages = head.to_vec();
    let mut blocks = match messages.pop_if(|last| last.is_user()) {
        Some(open) => open.blocks(),
        None => Vec::new(),
    };
    blocks.push(json!({"type": "text", "text": task}));
    messages.push(Message::new(Role::User, &blocks));
    messages
}

/// Returns the later part of a conversation, starting at a prompt, without about a fifth. None if that is impossible.
fn shorter(head: &[Message]) -> Option<&[Message]> {
    let is_result = |block: &Value| block.get("type").and_then(Value::as_str) == Some("tool_result");
    let begins = |message: &Message| message.is_user() && !message.blocks().iter().any(is_result);
    let least = head.len().div_ceil(5).max(1);
    let at = (least..head.len()).find(|at| head.get(*at).is_some_and(begins))?;
    head.get(at..)
}

/// Sends one request.
async fn ask(client: &Client, request: &Request, streaming: bool) -> Result<Answer, Failure> {
    if !streaming {
        let (message, _) = client.create(request).await?;
        let blocks = message.get("content").and_then(Value::as_array);
        return Ok(Answer {
            text: texts(blocks.into_iter().flatten()),
            model: message.get("model").and_then(Value::as_str).map(str::to_owned),
            usage: message.get("usage").cloned().unwrap_or_default(),
        });
    }
    let mut stream = client.stream(request).await?;
    let mut message = Accumulator::new();
    while let Some(event) = stream.next().await? {
        message.feed(&event);
    }
    Ok(Answer {
        text: texts(message.finished().iter().map(|finished| &finished.block)),
        model: message.model().map(str::to_owned),
        usage: message.usage(),
    })
}

fn texts<'a>(blocks: impl Iterator<Item = &'a Value>) -> String {
    let texts: Vec<&str> = blocks.filter_map(|block| block.get("text")?.as_str()).collect();
    texts.join("\n")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]

    use super::*;

    fn message(role: &str, kind: &str) -> Message {
        Message::from(json!({"role": role, "content": [{"type": kind, "text": "x"}]}))
    }

    #[test]
    fn task_joins_the_last_user_message() {
        let with = with_task(&[message("user", "text")], "sum up");
        assert_eq!((with.len(), with[0].blocks()[1]["text"].as_str()), (1, Some("sum up")));
        let with = with_task(&[message("user", "text"), message("assistant", "text")], "sum up");
        assert_eq!(with.len(), 3);
    }

    #[test]
    fn conversation_is_shortened_only_at_a_prompt() {
        let head = [
            message("user", "text"),
            message("assistant", "tool_use"),
            message("user", "tool_result"),
            message("assistant", "text"),
            message("user", "text"),
            message("assistant", "text"),
        ];
        let rest = shorter(&head).unwrap();
        assert_eq!(rest.len(), 2);
        assert_eq!(shorter(rest), None);
        assert_eq!(shorter(&[]), None);
    }
}
