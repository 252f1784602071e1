//! One request, and its JSON.

use serde_json::{Map, Value, json};

use crate::adjustments::Adjustments;
use crate::body::Body;
use crate::cache::{Cache, marked_messages, write_blocks, write_key, write_value};
use crate::message::Message;
use crate::models;

/// Most output tokens asked for without streaming: such an answer must fit into one wait.
const MAX_TOKENS_WITHOUT_STREAMING: u32 = 64_000;
/// Fewest thinking tokens the API takes.
const LEAST_BUDGET: u32 = 1024;

/// How the model may think.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Thinking {
    /// Not at all.
    #[default]
    Off,
    /// Up to so many tokens.
    Budget(u32),
    /// As much as it finds right.
    Adaptive,
}

/// One request to the model. Blocks, messages and tools are the API's own JSON.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Model id; aliases are resolved by [`crate::Names::resolve`] beforehand.
    pub model: String,
    /// Most output tokens.
    pub max_tokens: u32,
    /// System blocks.
    pub system: Vec<Value>,
    /// The conversation. It is shared with whoever keeps it: one may be large, and every request holds all of it.
    pub messages: Vec<Message>,
    /// Tools on offer.
    pub tools: Vec<Value>,
    /// How to think.
    pub thinking: Thinking,
    /// `thinking.display`, where the server knows it.
    pub thinking_display: Option<String>,
    /// `output_config.effort`.
    pub effort: Option<String>,
    /// `output_config.task_budget`: the tokens the model should plan with.
    pub task_budget: Option<u64>,
    /// What [`Request::body`] says; the client's calls each set their own.
    pub stream: bool,
    /// `metadata`.
    pub metadata: Option<Value>,
    /// Where cache marks go.
    pub cache: Cache,
    /// Values of `anthropic-beta` besides those of the configuration.
    pub betas: Vec<String>,
    /// Any other top-level field (`tool_choice`, `temperature`, …).
    pub extra: Map<String, Value>,
}

impl Request {
    /// A streamed request with the model's own limits and nothing else.
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

    /// The body: what never changes in a conversation first, the messages last.
    pub fn body(&self) -> Vec<u8> {
        self.body_as(self.stream, &Adjustments::default()).whole()
    }

    /// The body without cache marks: of two requests in one conversation, the earlier one's, without its
    /// closing `]}`, is a byte prefix of the later one's.
    pub fn unmarked_body(&self) -> Vec<u8> {
        let without_marks = Adjustments {
            cache: Some(Cache::Off),
            ..Adjustments::default()
        };
        self.body_as(self.stream, &without_marks).whole()
    }

    /// The body for counting: the fields that have tokens, or decide about them.
    pub(crate) fn count_body(&self, adjustments: &Adjustments) -> Body {
        let mut out = self.open(adjustments);
        if let Some(choice) = self.extra.get("tool_choice") {
            write_field(&mut out, "tool_choice", choice);
        }
        self.close(out, adjustments)
    }

    /// The body for [`crate::Client::stream`] or [`crate::Client::create`].
    pub(crate) fn body_as(&self, stream: bool, adjustments: &Adjustments) -> Body {
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
            .then(|| self.tools.iter().map(eager_tool).collect::<Vec<_>>());
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
            // The budget must leave room for an answer.
            Thinking::Budget(tokens) => {
                let most = self.max_tokens.saturating_sub(1).max(LEAST_BUDGET);
                json!({ "type": "enabled", "budget_tokens": tokens.clamp(LEAST_BUDGET, most) })
            }
        };
        if let (Some(display), Value::Object(map)) = (&self.thinking_display, &mut value) {
            map.insert("display".to_owned(), display.clone().into());
        }
        Some(value)
    }
}

/// A tool whose input is streamed as the model writes it. Tools of the server (with a `type`) have no such choice.
fn eager_tool(tool: &Value) -> Value {
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
