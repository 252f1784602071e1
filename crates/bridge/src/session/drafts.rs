//! Drafts: stream events, told to screens as blocks and deltas.

use std::sync::Arc;

use serde::Deserialize;

use crate::api::{Block, ServerMessage};
use crate::outbox::escaped;

/// One event of a `stream_event`, as far as it is told on.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Stream {
    event: Event,
    parent_tool_use_id: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Event {
    r#type: String,
    index: u64,
    message: Option<Message>,
    content_block: Option<Content>,
    delta: Option<Growth>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Message {
    id: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Content {
    r#type: String,
    id: Option<String>,
    name: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Growth {
    r#type: String,
    text: Option<String>,
    thinking: Option<String>,
    partial_json: Option<String>,
}

/// A block that grows.
#[derive(Debug, Clone)]
struct Open {
    b: u32,
    parent: Option<String>,
    message: String,
    index: u64,
    kind: String,
    /// The beginning of its delta frames, at both levels.
    one: Arc<str>,
    zero: Option<Arc<str>>,
}

/// The blocks that grow in one session.
#[derive(Debug, Default)]
pub(crate) struct Drafts {
    open: Vec<Open>,
    /// The message each conversation is at: the main one, and those of subagents.
    messages: Vec<(Option<String>, String)>,
    next: u32,
}

/// What a screen is sent for a stream event.
#[derive(Debug)]
pub(crate) enum Told {
    /// A frame of level 1.
    One(String),
    /// More of a text.
    Delta {
        key: u64,
        one: Arc<str>,
        zero: Option<Arc<str>>,
        escaped: Arc<str>,
    },
}

impl Drafts {
    /// Takes a `stream_event` and gives what is to be told.
    pub(crate) fn event(&mut self, s: u32, session: &str, line: &str) -> Option<Told> {
        let stream: Stream = serde_json::from_str(line).ok()?;
        let parent = stream.parent_tool_use_id;
        let event = stream.event;
        match event.r#type.as_str() {
            "message_start" => {
                self.forget(parent.as_deref());
                self.messages.push((parent, event.message.unwrap_or_default().id));
                None
            }
            "content_block_start" => {
                let content = event.content_block.unwrap_or_default();
                Some(Told::One(self.begin(s, session, parent, event.index, content)))
            }
            "content_block_delta" => {
                let delta = event.delta?;
                let text = delta.text.or(delta.thinking).or(delta.partial_json)?;
                if delta.r#type == "signature_delta" || text.is_empty() {
                    return None;
                }
                let open = self
                    .open
                    .iter()
                    .find(|open| open.parent == parent && open.index == event.index)?;
                Some(Told::Delta {
                    key: (u64::from(s) << 32) | u64::from(open.b),
                    one: Arc::clone(&open.one),
                    zero: open.zero.clone(),
                    escaped: Arc::from(escaped(&text)),
                })
            }
            _ => None,
        }
    }

    fn begin(&mut self, s: u32, session: &str, parent: Option<String>, index: u64, content: Content) -> String {
        self.next = self.next.wrapping_add(1);
        let b = self.next;
        let current = self.messages.iter().find(|(of, _)| *of == parent);
        let message = current.map(|(_, id)| id.clone()).unwrap_or_default();
        let (kind, zero) = match content.r#type.as_str() {
            "text" => ("text", Some("stream_delta")),
            "thinking" => ("thinking", Some("thinking_delta")),
            "tool_use" | "server_tool_use" | "mcp_tool_use" => ("call", None),
            other => (other, None),
        };
        let kind = kind.to_owned();
        let zero = zero.map(|name| {
            let parent = match &parent {
                Some(id) => format!("\"{}\"", escaped(id)),
                None => "null".to_owned(),
            };
            let message = escaped(&message);
            Arc::from(format!(
                "{{\"type\":\"{name}\",\"sessionId\":\"{session}\",\"messageId\":\"{message}\",\"index\":{index},\"parentToolUseId\":{parent},\"text\":\""
            ))
        });
        self.open.retain(|open| !(open.parent == parent && open.index == index));
        self.open.push(Open {
            b,
            parent: parent.clone(),
            message: message.clone(),
            index,
            kind: kind.clone(),
            one: Arc::from(format!("{{\"type\":\"delta\",\"s\":{s},\"b\":{b},\"text\":\"")),
            zero,
        });
        let block = Block {
            s,
            b,
            message,
            parent,
            index,
            kind,
            id: content.id,
            name: content.name,
            text: String::new(),
        };
        json(&ServerMessage::Block(block))
    }

    /// A block of `message` was said for good: the first of them is done.
    pub(crate) fn said(&mut self, parent: Option<&str>, message: &str) {
        if let Some(at) = self
            .open
            .iter()
            .position(|open| open.parent.as_deref() == parent && open.message == message)
        {
            self.open.remove(at);
        }
    }

    /// Drops the draft. Gives whether there was one.
    pub(crate) fn forget(&mut self, parent: Option<&str>) -> bool {
        let before = self.open.len();
        self.open.retain(|open| open.parent.as_deref() != parent);
        self.messages.retain(|(of, _)| of.as_deref() != parent);
        before != self.open.len()
    }

    /// Whether nothing is being written.
    pub(crate) fn is_empty(&self) -> bool {
        self.open.is_empty() && self.messages.is_empty()
    }

    /// The blocks there are, for a screen that comes now. `text` gives what each holds so far.
    pub(crate) fn blocks(
        &self,
        s: u32,
        text: impl Fn(Option<&str>, u64) -> Option<(String, Option<String>, Option<String>)>,
    ) -> Vec<String> {
        let blocks = self.open.iter().map(|open| {
            let (text, id, name) = text(open.parent.as_deref(), open.index).unwrap_or_default();
            json(&ServerMessage::Block(Block {
                s,
                b: open.b,
                message: open.message.clone(),
                parent: open.parent.clone(),
                index: open.index,
                kind: open.kind.clone(),
                id,
                name,
                text,
            }))
        });
        blocks.collect()
    }
}

fn json(message: &ServerMessage) -> String {
    serde_json::to_string(message).unwrap_or_default()
}
