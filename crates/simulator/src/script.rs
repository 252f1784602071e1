//! The script of a model: replies as data, built in Rust or read from JSON.

mod fill;
pub(crate) mod parse;

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::brain::Brain;
use crate::error::ScriptError;
use crate::json_text::spaced;

/// One reply of the model, with the faults it shall have.
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

/// What stands in the content of a reply: blocks, and gates between them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Piece {
    Block(Value),
    Gate(String),
}

impl Reply {
    /// A reply that says nothing; the start of a chain.
    #[must_use]
    pub fn empty() -> Self {
        Self::default()
    }

    /// A reply of one text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::empty().and_text(text)
    }

    /// A reply of one thought; usually followed by [`Reply::and_text`].
    pub fn thinking(thought: impl Into<String>) -> Self {
        Self::empty().and_thinking(thought)
    }

    /// A reply that calls a tool; the id is made up.
    pub fn tool(name: impl Into<String>, input: Value) -> Self {
        Self::empty().and_tool(name, input)
    }

    /// A reply that calls a tool with this id.
    pub fn tool_with_id(id: impl Into<String>, name: impl Into<String>, input: Value) -> Self {
        Self::empty().and_tool_with_id(id, name, input)
    }

    /// An HTTP error with the error type that belongs to the status.
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

    /// A connection that is closed without an answer.
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

    /// Adds a thought.
    #[must_use]
    pub fn and_thinking(self, thought: impl Into<String>) -> Self {
        self.and_block(json!({"type": "thinking", "thinking": thought.into()}))
    }

    /// Adds a tool call; the id is made up.
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

    /// Adds any content block; it must have a `type`.
    #[must_use]
    pub fn and_block(mut self, block: Value) -> Self {
        self.content.push(Piece::Block(block));
        self
    }

    /// Waits at a gate here, between the blocks before and after.
    #[must_use]
    pub fn gate(mut self, name: impl Into<String>) -> Self {
        self.content.push(Piece::Gate(name.into()));
        self
    }

    /// Waits at a gate before every delta, so that a test opens the reply chunk by chunk.
    #[must_use]
    pub fn gate_each(mut self, name: impl Into<String>) -> Self {
        self.gate_each = Some(name.into());
        self
    }

    /// Waits at a gate before the head of the response.
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

    /// Falls silent after that many events for that long, then goes on.
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

    /// Sets fields of `usage`; the others keep their defaults.
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

    /// Sets the stop reason; otherwise `tool_use` if there is a call, else `end_turn`.
    #[must_use]
    pub fn stop_reason(mut self, reason: impl Into<String>) -> Self {
        self.stop_reason = Some(reason.into());
        self
    }

    /// Sets the model that is said to have answered.
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

    /// Never used up.
    #[must_use]
    pub fn repeat(mut self) -> Self {
        self.repeat = true;
        self
    }

    /// Only for a request whose last user message holds this text.
    #[must_use]
    pub fn when(mut self, text: impl Into<String>) -> Self {
        self.when = Some(text.into());
        self
    }
}

/// A whole script: the n-th main request gets the n-th reply that fits.
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
    /// An empty script; what is asked beyond its end gets the text `(end of script)`.
    #[must_use]
    pub fn new() -> Self {
        Self {
            replies: Vec::new(),
            used: Mutex::default(),
            tag: "sim".to_owned(),
            refuse: false,
        }
    }

    /// Reads a script, the `api` part of a scenario or a whole scenario.
    ///
    /// # Errors
    /// Says where the text is wrong and what to write instead.
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

    /// The same from a value.
    ///
    /// # Errors
    /// Says where the value is wrong and what to write instead.
    pub fn from_value(value: &Value) -> Result<Self, ScriptError> {
        parse::script(value)
    }

    /// Adds a reply.
    #[must_use]
    pub fn reply(mut self, reply: Reply) -> Self {
        self.replies.push(reply);
        self
    }

    /// Adds a reply of one text.
    #[must_use]
    pub fn text(self, text: impl Into<String>) -> Self {
        self.reply(Reply::text(text))
    }

    /// Adds a reply that calls a tool.
    #[must_use]
    pub fn tool(self, name: impl Into<String>, input: Value) -> Self {
        self.reply(Reply::tool(name, input))
    }

    /// Adds an HTTP error.
    #[must_use]
    pub fn error(self, status: u16) -> Self {
        self.reply(Reply::error(status))
    }

    /// Sets the middle of message and request ids.
    #[must_use]
    pub fn tag(mut self, tag: impl Into<String>) -> Self {
        self.tag = tag.into();
        self
    }

    /// Lets nothing listen on the port.
    #[must_use]
    pub fn refuse(mut self) -> Self {
        self.refuse = true;
        self
    }

    /// The replies in order.
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
