//! A tool call that a hook deferred, and its format in transcripts.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The `type` of the attachment.
const KIND: &str = "hook_deferred_tool";

/// A tool call that a hook deferred.
#[derive(Debug, Clone, PartialEq)]
pub struct Deferred {
    pub id: String,
    pub name: String,
    pub input: Value,
}

/// The attachment in a transcript. The order of the fields is that of the file.
#[derive(Serialize, Deserialize)]
struct Attachment {
    #[serde(rename = "type")]
    kind: String,
    #[serde(rename = "toolUseID")]
    tool_use_id: String,
    #[serde(rename = "toolName")]
    tool_name: String,
    #[serde(rename = "toolInput", default = "no_input")]
    tool_input: Value,
    #[serde(rename = "hookName", default)]
    hook_name: String,
    #[serde(rename = "hookEvent", default)]
    hook_event: String,
    #[serde(rename = "permissionMode", default)]
    permission_mode: String,
}

fn no_input() -> Value {
    Map::new().into()
}

impl Deferred {
    /// Returns the attachment for the transcript.
    pub fn attachment(&self, mode: &str) -> Value {
        let attachment = Attachment {
            kind: KIND.to_owned(),
            tool_use_id: self.id.clone(),
            tool_name: self.name.clone(),
            tool_input: self.input.clone(),
            hook_name: "settings".to_owned(),
            hook_event: "PreToolUse".to_owned(),
            permission_mode: mode.to_owned(),
        };
        serde_json::to_value(attachment).unwrap_or_default()
    }

    /// Parses an attachment of a transcript.
    pub fn read(attachment: &Value) -> Option<Self> {
        let attachment = Attachment::deserialize(attachment).ok()?;
        (attachment.kind == KIND).then(|| Self {
            id: attachment.tool_use_id,
            name: attachment.tool_name,
            input: attachment.tool_input,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_deferred_call_survives_a_round_trip() {
        let deferred_call = Deferred {
            id: "t".to_owned(),
            name: "Bash".to_owned(),
            input: json!({"command": "ls"}),
        };
        let attachment = deferred_call.attachment("default");
        assert_eq!(
            attachment.to_string(),
            r#"{"type":"hook_deferred_tool","toolUseID":"t","toolName":"Bash","toolInput":{"command":"ls"},"hookName":"settings","hookEvent":"PreToolUse","permissionMode":"default"}"#
        );
        assert_eq!(Deferred::read(&attachment), Some(deferred_call));
        assert_eq!(
            Deferred::read(&json!({"type": "date", "toolUseID": "t", "toolName": "x"})),
            None
        );
    }
}
