//! A tool call that a hook deferred, as transcripts keep it.

use serde_json::{Map, Value, json};

/// A tool call that a hook deferred.
#[derive(Debug, Clone, PartialEq)]
pub struct Deferred {
    pub id: String,
    pub name: String,
    pub input: Value,
}

impl Deferred {
    /// As transcripts keep it.
    pub fn attachment(&self, mode: &str) -> Value {
        json!({
            "type": "hook_deferred_tool",
            "toolUseID": self.id,
            "toolName": self.name,
            "toolInput": self.input,
            "hookName": "settings",
            "hookEvent": "PreToolUse",
            "permissionMode": mode,
        })
    }

    /// Read from a transcript.
    pub fn read(attachment: &Value) -> Option<Self> {
        let text = |key: &str| attachment.get(key).and_then(Value::as_str).map(str::to_owned);
        Some(Self {
            id: text("toolUseID").filter(|_| text("type").as_deref() == Some("hook_deferred_tool"))?,
            name: text("toolName")?,
            input: attachment
                .get("toolInput")
                .cloned()
                .unwrap_or_else(|| Map::new().into()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_read_again() {
        let deferred_call = Deferred {
            id: "t".to_owned(),
            name: "Bash".to_owned(),
            input: json!({"command": "ls"}),
        };
        assert_eq!(
            Deferred::read(&deferred_call.attachment("default")),
            Some(deferred_call)
        );
        assert_eq!(
            Deferred::read(&json!({"type": "date", "toolUseID": "t", "toolName": "x"})),
            None
        );
    }
}
