//! Replaces the output of a tool with that of a `PostToolUse` hook. Pure.

use serde_json::Value;
use sluice_tools::Outcome;

/// Fields of a tool's output that may be missing in the replacement.
const OPTIONAL: &[&str] = &[
    "isImage",
    "noOutputExpected",
    "returnCodeInterpretation",
    "userModified",
    "contentNotInModelContext",
    "persistedOutputPath",
    "persistedOutputSize",
    "structuredContent",
    "timedOutAfterMs",
    "backgroundTaskId",
];

/// Replaces a tool's output with that of a hook if it has the same structure.
pub fn replace(outcome: &mut Outcome, updated: Value) -> Result<(), &'static str> {
    let content = match (&outcome.result, &updated) {
        // Outputs of MCP servers are content in one of several forms.
        (Value::Object(before), _) if !updated.is_object() && !before.contains_key("structuredContent") => {
            return Err("its type differs from the output of the tool");
        }
        (_, Value::String(text)) => Value::from(text.as_str()),
        (_, Value::Array(blocks)) if blocks.iter().all(|block| block.get("type").is_some()) => updated.clone(),
        (Value::Object(before), Value::Object(after)) => {
            let lacks = |key: &&String| !OPTIONAL.contains(&key.as_str()) && !after.contains_key(*key);
            if before.keys().any(|key| lacks(&key)) {
                return Err("it lacks fields of the tool's output");
            }
            model_content(&updated)
        }
        _ => return Err("its type differs from the output of the tool"),
    };
    outcome.content = content;
    outcome.result = updated;
    Ok(())
}

/// Returns the part of an output for the model: its text, if there is one.
fn model_content(output: &Value) -> Value {
    let text = |key: &str| output.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    if let Some(content) = output.get("content").filter(|content| content.is_array()) {
        return content.clone();
    }
    let streams: Vec<&str> = ["stdout", "stderr"].into_iter().filter_map(text).collect();
    if !streams.is_empty() {
        return streams.join("\n").into();
    }
    match text("content").or_else(|| output.pointer("/file/content").and_then(Value::as_str)) {
        Some(content) => content.into(),
        None => output.to_string().into(),
    }
}

pub fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts = blocks.iter().filter_map(|block| block.get("text")?.as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_output_is_replaced_if_the_structure_matches() {
        let ran = || Outcome::ok("out", json!({"stdout": "out", "stderr": "", "interrupted": false}));
        let mut outcome = ran();
        let updated = json!({"stdout": "new", "stderr": "err", "interrupted": false});
        assert_eq!(replace(&mut outcome, updated.clone()), Ok(()));
        assert_eq!((outcome.content, outcome.result), (json!("new\nerr"), updated));
        let mut outcome = ran();
        assert!(replace(&mut outcome, json!({"stdout": "new"})).is_err());
        assert!(replace(&mut outcome, json!(5)).is_err());
        assert!(replace(&mut outcome, json!("text")).is_err());
        assert_eq!(outcome.content, json!("out"));
        let mut outcome = Outcome::ok("out", json!([{"type": "text", "text": "out"}]));
        assert_eq!(replace(&mut outcome, json!("text")), Ok(()));
        assert_eq!(outcome.content, json!("text"));
    }

    #[test]
    fn optional_fields_may_be_missing() {
        let said =
            json!({"stdout": "out", "stderr": "", "interrupted": false, "isImage": false, "noOutputExpected": false});
        let mut outcome = Outcome::ok("out", said);
        let updated = json!({"stdout": "new", "stderr": "", "interrupted": false});
        assert_eq!(replace(&mut outcome, updated), Ok(()));
        assert_eq!(outcome.content, json!("new"));
    }
}
