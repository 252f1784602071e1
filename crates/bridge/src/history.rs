//! Transcripts of other programs, imported as records.

use serde_json::{Value, json};
use sluice_host::sessions::{MessageKind, SessionMessage};
use sluice_store::{Store, StoreError};

use crate::session::Own;
use crate::session::records::kind;

/// A record of an imported message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Past {
    pub(crate) at: i64,
    pub(crate) kind: u8,
    pub(crate) turn: Option<i64>,
    pub(crate) body: String,
    pub(crate) text: Option<String>,
    pub(crate) role: Option<&'static str>,
    /// Whether it is a prompt, which begins a turn.
    pub(crate) is_prompt: bool,
}

impl Past {
    /// Stores large bodies separately; the record then refers to them.
    pub(crate) async fn store_bodies(&mut self, store: &Store, session: &str) -> Result<(), StoreError> {
        if let Some(light) = crate::body::lighten(&self.body) {
            for heavy in light.bodies {
                store.put_blob(session, heavy.bytes, &heavy.mime, self.at).await?;
            }
            self.body = light.text;
        }
        Ok(())
    }
}

/// The records of a conversation, in order. A prompt of a person begins a turn.
pub(crate) fn of(messages: &[SessionMessage], began: i64) -> Vec<Past> {
    let mut turn = 0;
    let mut past = Vec::with_capacity(messages.len());
    for message in messages {
        let at = message.timestamp.and_then(|at| i64::try_from(at).ok()).unwrap_or(began);
        let inner: Value = message.message.to_value();
        let content = inner.get("content").cloned().unwrap_or_default();
        let prompt = message.kind == MessageKind::User && !has_results(&content);
        if prompt {
            turn += 1;
            past.push(prompt_of(at, turn, &message.uuid, &content));
            continue;
        }
        let kind_word = match message.kind {
            MessageKind::User => "user",
            MessageKind::Assistant => "assistant",
        };
        let mut line = json!({
            "type": kind_word, "message": inner, "uuid": message.uuid, "session_id": message.session_id,
            "parent_tool_use_id": null,
        });
        if let (Some(result), Some(fields)) = (&message.tool_use_result, line.as_object_mut()) {
            fields.insert("tool_use_result".to_owned(), result.to_value());
        }
        let body = line.to_string();
        let found = crate::session::search_text(&body);
        let (role, text) = found.unzip();
        past.push(Past {
            at,
            // Not folded: no process said it to us.
            kind: kind::OWN,
            turn: Some(turn.max(1)),
            body,
            text,
            role,
            is_prompt: false,
        });
    }
    past
}

fn has_results(content: &Value) -> bool {
    let blocks = content.as_array();
    blocks.is_some_and(|blocks| {
        blocks
            .iter()
            .any(|block| block.get("type").and_then(Value::as_str) == Some("tool_result"))
    })
}

fn prompt_of(at: i64, turn: i64, uuid: &str, content: &Value) -> Past {
    let text = match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts = blocks
                .iter()
                .filter_map(|block| block.get("text").and_then(Value::as_str));
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    };
    let own = Own::Prompt {
        uuid: uuid.to_owned(),
        text: text.clone(),
        images: Vec::new(),
        state: "delivered".to_owned(),
        by: String::new(),
        device: String::new(),
    };
    Past {
        at,
        kind: kind::OWN,
        turn: Some(turn),
        body: serde_json::to_string(&own).unwrap_or_default(),
        text: Some(text),
        role: Some("user"),
        is_prompt: true,
    }
}
