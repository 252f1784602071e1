//! A parsed line of a transcript, and the title and tag of a session.

use serde_json::{Map, Value};

/// An entry of the conversation.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Line {
    pub(super) uuid: String,
    pub(super) fields: Map<String, Value>,
}

impl Line {
    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.fields.get(key).and_then(Value::as_str)
    }

    pub(super) fn flag(&self, key: &str) -> bool {
        self.fields.get(key).and_then(Value::as_bool) == Some(true)
    }

    pub(super) fn is(&self, kind: &str) -> bool {
        self.text("type") == Some(kind)
    }

    /// Whether the entry is a message of the model or the user.
    pub(super) fn is_message(&self) -> bool {
        self.is("user") || self.is("assistant")
    }

    pub(super) fn content(&self) -> &Value {
        self.fields
            .get("message")
            .and_then(|message| message.get("content"))
            .unwrap_or(&Value::Null)
    }

    /// Returns the line without the content of its message.
    pub(super) fn without_content(mut self) -> Self {
        if let Some(content) = self
            .fields
            .get_mut("message")
            .and_then(|message| message.get_mut("content"))
        {
            content.take();
        }
        self
    }

    /// Returns the id of the model message that this entry is a block of.
    pub(super) fn message_id(&self) -> Option<&str> {
        let message = self.fields.get("message").filter(|_| self.is("assistant"))?;
        message.get("id").and_then(Value::as_str)
    }

    /// Whether the entry contains a tool result.
    pub(super) fn is_result(&self) -> bool {
        let is_result = |block: &Value| block.get("type").and_then(Value::as_str) == Some("tool_result");
        self.is("user")
            && self
                .content()
                .as_array()
                .is_some_and(|blocks| blocks.iter().any(is_result))
    }
}

/// The title and the tag of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Names {
    pub(super) title: Option<String>,
    pub(super) tag: Option<String>,
}

impl Names {
    pub(super) fn take(&mut self, line: &Map<String, Value>) {
        let text = |key: &str| line.get(key).and_then(Value::as_str).map(str::to_owned);
        match line.get("type").and_then(Value::as_str) {
            Some("custom-title") => self.title = text("customTitle").or_else(|| self.title.take()),
            Some("tag") => self.tag = text("tag").or_else(|| self.tag.take()),
            _ => {}
        }
    }

    /// Returns these names, with missing ones taken from `older`.
    pub(super) fn or(self, older: Self) -> Self {
        Self {
            title: self.title.or(older.title),
            tag: self.tag.or(older.tag),
        }
    }
}

/// Returns the last title and tag in the lines of this text.
pub(super) fn names(text: &[u8]) -> Names {
    let mut names = Names::default();
    for line in text.split(|byte| *byte == b'\n') {
        // Most lines are long entries, which need not be parsed for this.
        if (line.starts_with(b"{\"type\":\"custom-title\"") || line.starts_with(b"{\"type\":\"tag\""))
            && let Ok(line) = serde_json::from_slice(line)
        {
            names.take(&line);
        }
    }
    names
}
