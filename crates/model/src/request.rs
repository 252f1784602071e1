//! A request and its JSON.

use serde_json::{Map, Value, json};

use crate::adjustments::Adjustments;
use crate::body::Body;
use crate::cache::{Cache, marked_messages, write_blocks, write_key, write_value};
use crate::message::Message;
use crate::models;

/// The maximum number of output tokens to request without streaming, as the response must arrive within one timeout.
const MAX_TOKENS_WITHOUT_STREAMING: u32 = 64_000;
/// The minimum thinking budget of the API in tokens.
const MIN_BUDGET: u32 = 1024;

/// The thinking mode of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Thinking {
    /// No thinking.
    #[default]
    Off,
    /// Up to this many tokens.
    Budget(u32),
    /// The model decides.
    Adaptive,
}

/// A request to the model. Blocks, messages and tools are in the JSON format of the API.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The model id. Aliases must be resolved with [`crate::Names::resolve`] first.
    pub model: String,
    /// The maximum number of output tokens.
    pub max_tokens: u32,
    /// System blocks.
    pub system: Vec<Value>,
    /// The conversation. Its messages are shared with their owner instead of copied, as they may be large.
    pub messages: Vec<Message>,
    /// The available tools.
    pub tools: Vec<Value>,
    /// The thinking mode.
    pub thinking: Thinking,
    /// `thinking.display`, if the server supports it.
    pub thinking_display: Option<String>,
    /// `output_config.effort`.
    pub effort: Option<String>,
    /// `output_config.task_budget`: the tokens the model should plan with.
    pub task_budget: Option<u64>,
    /// The `stream` field of [`Request::body`]. The methods of the client set it themselves.
    pub stream: bool,
    /// `metadata`.
    pub metadata: Option<Value>,
    /// The cache duration.
    pub cache: Cache,
    /// Values of `anthropic-beta` in addition to those of the configuration.
    pub betas: Vec<String>,
    /// Any other top-level field (`tool_choice`, `temperature`, …).
    pub extra: Map<String, Value>,
}

impl Request {
    /// Creates a streamed request with the limits of the model and defaults otherwise.
    pub fn new(model: impl Into<String>, messages: impl IntoIterator<Item: Into<Message>>) -> Self {
        let model = model.into();
        Self {
            max_tokens: models::facts(&model).max_output,
            model,
            system: Vec::new(),
            messages: messages.into_iter().map(Into::into).collect(),
            tools: Vec::new(),
            thinking: Thinking::Off,
            thinking_display: None,
            effort: None,
            task_budget: None,
            stream: true,
            metadata: None,
            cache: Cache::default(),
            betas: Vec::new(),
            extra: Map::new(),
        }
    }

    /// Returns the body. Fields that never change in a conversation come first, the messages last.
    pub fn body(&self) -> Vec<u8> {
        self.build_body(self.stream, &Adjustments::default()).into_bytes()
    }

    /// Returns the body without cache marks. Of two requests of one conversation, the body of the earlier one, without its
    /// closing `]}`, is a byte prefix of that of the later one.
    pub fn unmarked_body(&self) -> Vec<u8> {
        let without_marks = Adjustments {
            cache: Some(Cache::Off),
            ..Adjustments::default()
        };
        self.build_body(self.stream, &without_marks).into_bytes()
    }

    /// Returns the body for counting: the fields that contain or affect tokens.
    pub(crate) fn count_body(&self, adjustments: &Adjustments) -> Body {
        let mut out = self.open(adjustments);
        if let Some(choice) = self.extra.get("tool_choice") {
            write_field(&mut out, "tool_choice", choice);
        }
        self.close(out, adjustments)
    }

    /// Returns the body for [`crate::Client::stream`] or [`crate::Client::create`].
    pub(crate) fn build_body(&self, stream: bool, adjustments: &Adjustments) -> Body {
        let mut out = self.open(adjustments);
        let added = adjustments.body.iter().filter(|(key, _)| *key != "model");
        let replaced = |key: &str| adjustments.body.contains_key(key);
        let limit = if stream { u32::MAX } else { MAX_TOKENS_WITHOUT_STREAMING };
        if !replaced("max_tokens") {
            write_field(&mut out, "max_tokens", &self.max_tokens.min(limit));
        }
        write_field(&mut out, "stream", &stream);
        if let Some(config) = self.output_config().filter(|_| !replaced("output_config")) {
            write_field(&mut out, "output_config", &config);
        }
        if let Some(metadata) = self.metadata.as_ref().filter(|_| !replaced("metadata")) {
            write_field(&mut out, "metadata", metadata);
        }
        for (key, value) in self.extra.iter().filter(|(key, _)| !replaced(key)).chain(added) {
            write_field(&mut out, key, value);
        }
        self.close(out, adjustments)
    }

    fn output_config(&self) -> Option<Value> {
        let mut config = Map::new();
        if let Some(effort) = &self.effort {
            config.insert("effort".to_owned(), effort.clone().into());
        }
        if let Some(total) = self.task_budget {
            config.insert("task_budget".to_owned(), json!({"type": "tokens", "total": total}));
        }
        (!config.is_empty()).then_some(Value::Object(config))
    }

    fn open(&self, adjustments: &Adjustments) -> Vec<u8> {
        let mut out = Vec::with_capacity(4096);
        let replaced = |key: &str| adjustments.body.contains_key(key);
        out.push(b'{');
        write_key(&mut out, "model");
        match adjustments.body.get("model") {
            Some(model) => write_value(&mut out, model),
            None => write_value(&mut out, adjustments.model(models::api_name(&self.model))),
        }
        let thinking = self.thinking_value().filter(|_| !adjustments.no_thinking);
        if let Some(thinking) = thinking.filter(|_| !replaced("thinking")) {
            write_field(&mut out, "thinking", &thinking);
        }
        out
    }

    fn close(&self, mut out: Vec<u8>, adjustments: &Adjustments) -> Body {
        let mark = adjustments.cache(self.cache).mark();
        let eager = adjustments
            .eager_tool_input
            .then(|| self.tools.iter().map(with_eager_input).collect::<Vec<_>>());
        let tools = eager.as_ref().unwrap_or(&self.tools);
        for (key, blocks) in [("tools", tools), ("system", &self.system)] {
            if !blocks.is_empty() {
                out.push(b',');
                write_key(&mut out, key);
                write_blocks(&mut out, blocks, mark);
            }
        }
        out.extend_from_slice(br#","messages":["#);
        let marked = mark.map(|mark| (mark, marked_messages(&self.messages)));
        Body::new(out, self.messages.clone(), marked, b"]}")
    }

    fn thinking_value(&self) -> Option<Value> {
        let mut value = match self.thinking {
            Thinking::Off => return None,
            Thinking::Adaptive => json!({ "type": "adaptive" }),
            // The budget must leave tokens for the answer.
            Thinking::Budget(tokens) => {
                let max = self.max_tokens.saturating_sub(1).max(MIN_BUDGET);
                json!({ "type": "enabled", "budget_tokens": tokens.clamp(MIN_BUDGET, max) })
            }
        };
        if let (Some(display), Value::Object(map)) = (&self.thinking_display, &mut value) {
            map.insert("display".to_owned(), display.clone().into());
        }
        Some(value)
    }
}

/// Enables streaming of unvalidated input for a tool. Server tools (with a `type`) do not support it.
fn with_eager_input(tool: &Value) -> Value {
    let mut tool = tool.clone();
    if let Value::Object(map) = &mut tool
        && !map.contains_key("type")
    {
        map.insert("eager_input_streaming".to_owned(), true.into());
    }
    tool
}

fn write_field(out: &mut Vec<u8>, key: &str, value: &(impl serde::Serialize + ?Sized)) {
    out.push(b',');
    write_key(out, key);
    write_value(out, value);
}

#[cfg(test)]
#[path = "request_tests.rs"]
mod tests;
