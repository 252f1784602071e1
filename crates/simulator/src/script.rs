//! The script of a model: a list of replies, built in Rust or parsed from JSON.

mod fill;
pub(crate) mod parse;

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::brain::Brain;
use crate::error::ScriptError;
use crate::json_text::spaced;

/// A reply of the model, with its faults.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reply {
    pub(crate) content: Vec<Piece>,
    pub(crate) delay: Duration,
    pub(crate) first_delay: Duration,
    pub(crate) usage: Map<String, Value>,
    pub(crate) output_tokens: Option<u64>,
    pub(crate) stop_reason: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) repeat: bool,
    pub(crate) when: Option<String>,
    pub(crate) status: Option<u16>,
    pub(crate) kind: Option<String>,
    pub(crate) message: Option<String>,
    pub(crate) cut_before_headers: bool,
    pub(crate) cut_after: Option<usize>,
    pub(crate) error_after: Option<usize>,
    pub(crate) hang: Option<(usize, Duration)>,
    pub(crate) gate_head: Option<String>,
    pub(crate) gate_each: Option<String>,
}

/// An element of a reply's content: a block, or a gate between blocks.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Piece {
    Block(Value),
    Gate(String),
}

impl Reply {
    /// Creates an empty reply, to which content can be added.
    #[must_use]
    pub fn empty() -> Self {
        Self::default()
    }

    /// Creates a reply with a text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::empty().and_text(text)
    }

    /// Creates a reply with thinking, usually followed by [`Reply::and_text`].
    pub fn thinking(thought: impl Into<String>) -> Self {
        Self::empty().and_thinking(thought)
    }

    /// Creates a reply with a tool call. The id is generated.
    pub fn tool(name: impl Into<String>, input: Value) -> Self {
        Self::empty().and_tool(name, input)
    }

    /// Creates a reply with a tool call with this id.
    pub fn tool_with_id(id: impl Into<String>, name: impl Into<String>, input: Value) -> Self {
        Self::empty().and_tool_with_id(id, name, input)
    }

    /// Creates an HTTP error with the error type of the status.
    #[must_use]
    pub fn error(status: u16) -> Self {
        let kind = match status {
            400 => "invalid_request_error",
            401 => "authentication_error",
            403 => "permission_error",
            404 => "not_found_error",
            413 => "request_too_large",
            429 => "rate_limit_error",
            529 => "overloaded_error",
            _ => "api_error",
        };
        Self {
            status: Some(status),
            kind: Some(kind.to_owned()),
            ..Self::default()
        }
    }

    /// Creates a reply that closes the connection without a response.
    #[must_use]
    pub fn cut_before_headers() -> Self {
        Self {
            cut_before_headers: true,
            ..Self::default()
        }
    }

    /// Adds a text.
    #[must_use]
    pub fn and_text(self, text: impl Into<String>) -> Self {
        self.and_block(json!({"type": "text", "text": text.into()}))
    }

    /// Adds thinking.
    #[must_use]
    pub fn and_thinking(self, thought: impl Into<String>) -> Self {
        self.and_block(json!({"type": "thinking", "thinking": thought.into()}))
    }

    /// Adds a tool call. The id is generated.
    #[must_use]
    pub fn and_tool(self, name: impl Into<String>, input: Value) -> Self {
        let mut block = Map::new();
        block.insert("type".into(), "tool_use".into());
        block.insert("name".into(), name.into().into());
        block.insert("input".into(), input);
        self.and_block(Value::Object(block))
    }

    /// Adds a tool call with this id.
    #[must_use]
    pub fn and_tool_with_id(self, id: impl Into<String>, name: impl Into<String>, input: Value) -> Self {
        let mut reply = self.and_tool(name, input);
        if let Some(Piece::Block(Value::Object(block))) = reply.content.last_mut() {
            block.shift_insert(1, "id".into(), id.into().into());
        }
        reply
    }

    /// Adds a content block, which must have a `type`.
    #[must_use]
    pub fn and_block(mut self, block: Value) -> Self {
        self.content.push(Piece::Block(block));
        self
    }

    /// Adds a gate between the blocks before and after.
    #[must_use]
    pub fn gate(mut self, name: impl Into<String>) -> Self {
        self.content.push(Piece::Gate(name.into()));
        self
    }

    /// Adds a gate before every delta, so that a test can release the reply chunk by chunk.
    #[must_use]
    pub fn gate_each(mut self, name: impl Into<String>) -> Self {
        self.gate_each = Some(name.into());
        self
    }

    /// Adds a gate before the head of the response.
    #[must_use]
    pub fn gate_head(mut self, name: impl Into<String>) -> Self {
        self.gate_head = Some(name.into());
        self
    }

    /// Waits this long before every delta.
    #[must_use]
    pub fn delay(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// Waits this long before the head of the response.
    #[must_use]
    pub fn first_delay(mut self, delay: Duration) -> Self {
        self.first_delay = delay;
        self
    }

    /// Drops the connection after that many events.
    #[must_use]
    pub fn cut_after(mut self, events: usize) -> Self {
        self.cut_after = Some(events);
        self
    }

    /// Sends an `error` event after that many events, then drops the connection.
    #[must_use]
    pub fn error_after(mut self, events: usize) -> Self {
        self.error_after = Some(events);
        self
    }

    /// Sends nothing for that long after that many events, then continues.
    #[must_use]
    pub fn hang_after(mut self, events: usize, silence: Duration) -> Self {
        self.hang = Some((events, silence));
        self
    }

    /// Adds a response header.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Sets fields of `usage`. Other fields keep their defaults.
    #[must_use]
    pub fn usage(mut self, usage: &Value) -> Self {
        if let Value::Object(fields) = usage {
            self.usage.extend(fields.clone());
        }
        self
    }

    /// Sets the output tokens that the end of the stream reports.
    #[must_use]
    pub fn output_tokens(mut self, tokens: u64) -> Self {
        self.output_tokens = Some(tokens);
        self
    }

    /// Sets the stop reason. The default is `tool_use` if there is a call, otherwise `end_turn`.
    #[must_use]
    pub fn stop_reason(mut self, reason: impl Into<String>) -> Self {
        self.stop_reason = Some(reason.into());
        self
    }

    /// Sets the model in the response.
    #[must_use]
    pub fn model(mut self, model: impl Into<String>) -> Self {
        self.model = Some(model.into());
        self
    }

    /// Sets the error type of an HTTP error or an `error` event.
    #[must_use]
    pub fn kind(mut self, kind: impl Into<String>) -> Self {
        self.kind = Some(kind.into());
        self
    }

    /// Sets the text of an HTTP error or an `error` event.
    #[must_use]
    pub fn message(mut self, message: impl Into<String>) -> Self {
        self.message = Some(message.into());
        self
    }

    /// Makes the reply reusable any number of times.
    #[must_use]
    pub fn repeat(mut self) -> Self {
        self.repeat = true;
        self
    }

    /// Restricts the reply to requests whose last user message contains this text.
    #[must_use]
    pub fn when(mut self, text: impl Into<String>) -> Self {
        self.when = Some(text.into());
        self
    }
}

/// A script: the n-th main request gets the n-th matching reply.
#[derive(Debug)]
pub struct Script {
    replies: Vec<Reply>,
    used: Mutex<Vec<bool>>,
    tag: String,
    refuse: bool,
}

impl Default for Script {
    fn default() -> Self {
        Self::new()
    }
}

impl Script {
    /// Creates an empty script. Requests after the end of a script get the text `(end of script)`.
    #[must_use]
    pub fn new() -> Self {
        Self {
            replies: Vec::new(),
            used: Mutex::default(),
            tag: "sim".to_owned(),
            refuse: false,
        }
    }

    /// Parses a script, the `api` part of a scenario, or a whole scenario.
    ///
    /// # Errors
    /// If the text is invalid. The error contains the position and a hint.
    pub fn parse(text: &str) -> Result<Self, ScriptError> {
        let value = serde_json::from_str(text).map_err(|error| {
            ScriptError::new(
                format!("line {}, column {}", error.line(), error.column()),
                format!("not JSON ({error})"),
                "a script is one JSON object: {\"replies\": [[{\"type\": \"text\", \"text\": \"Hello\"}]]}",
            )
        })?;
        Self::from_value(&value)
    }

    /// Converts a JSON value to a script.
    ///
    /// # Errors
    /// If the value is invalid. The error contains the position and a hint.
    pub fn from_value(value: &Value) -> Result<Self, ScriptError> {
        parse::script(value)
    }

    /// Adds a reply.
    #[must_use]
    pub fn reply(mut self, reply: Reply) -> Self {
        self.replies.push(reply);
        self
    }

    /// Adds a reply with a text.
    #[must_use]
    pub fn text(self, text: impl Into<String>) -> Self {
        self.reply(Reply::text(text))
    }

    /// Adds a reply with a tool call.
    #[must_use]
    pub fn tool(self, name: impl Into<String>, input: Value) -> Self {
        self.reply(Reply::tool(name, input))
    }

    /// Adds an HTTP error.
    #[must_use]
    pub fn error(self, status: u16) -> Self {
        self.reply(Reply::error(status))
    }

    /// Sets the middle part of message and request ids.
    #[must_use]
    pub fn tag(mut self, tag: impl Into<String>) -> Self {
        self.tag = tag.into();
        self
    }

    /// Makes the server refuse all connections.
    #[must_use]
    pub fn refuse(mut self) -> Self {
        self.refuse = true;
        self
    }

    /// Returns the replies in order.
    #[must_use]
    pub fn replies(&self) -> &[Reply] {
        &self.replies
    }

    fn pick(&self, request: &Value) -> Option<&Reply> {
        let said = last_user_text(request);
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.resize(self.replies.len(), false);
        let (reply, used) = self
            .replies
            .iter()
            .zip(used.iter_mut())
            .find(|(reply, used)| !**used && reply.when.as_ref().is_none_or(|when| said.contains(when)))?;
        *used = !reply.repeat;
        Some(reply)
    }
}

impl Brain for Script {
    fn reply(&self, request: &Value, _n: usize) -> Reply {
        match self.pick(request) {
            Some(reply) => fill::from_request(reply, request),
            None => Reply::text("(end of script)"),
        }
    }

    fn tag(&self) -> &str {
        &self.tag
    }

    fn refuses(&self) -> bool {
        self.refuse
    }
}

fn last_user_text(request: &Value) -> String {
    let messages = request.get("messages").and_then(Value::as_array);
    messages
        .into_iter()
        .flatten()
        .rev()
        .find(|message| message.get("role").and_then(Value::as_str) == Some("user"))
        .and_then(|message| message.get("content"))
        .map(spaced)
        .unwrap_or_default()
}
