//! A tool's output that a `PostToolUse` hook replaces. Pure.

use serde_json::Value;
use sluice_tools::Outcome;

/// What of a tool's output may be missing in one that takes its place.
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

/// Replaces a tool's output by that of a hook, if it has the same form.
pub fn replace(outcome: &mut Outcome, updated: Value) -> Result<(), &'static str> {
    let content = match (&outcome.result, &updated) {
        // What servers give is content, in whichever form it is kept.
        (Value::Object(before), _) if !updated.is_object() && !before.contains_key("structuredContent") => {
            return Err("it is not of the kind the tool gives");
        }
        (_, Value::String(text)) => Value::from(text.as_str()),
        (_, Value::Array(blocks)) if blocks.iter().all(|block| block.get("type").is_some()) => updated.clone(),
        (Value::Object(before), Value::Object(after)) => {
            let lacks = |key: &&String| !OPTIONAL.contains(&key.as_str()) && !after.contains_key(*key);
            if before.keys().any(|key| lacks(&key)) {
                return Err("it lacks fields the tool's has");
            }
            spoken(&updated)
        }
        _ => return Err("it is not of the kind the tool gives"),
    };
    outcome.content = content;
    outcome.result = updated;
    Ok(())
}

/// What the model reads of an output: its text where there is one.
fn spoken(output: &Value) -> Value {
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
    fn an_output_is_replaced_by_one_of_its_kind() {
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
    fn what_a_tool_need_not_say_may_be_missing() {
        let said =
            json!({"stdout": "out", "stderr": "", "interrupted": false, "isImage": false, "noOutputExpected": false});
        let mut outcome = Outcome::ok("out", said);
        let updated = json!({"stdout": "new", "stderr": "", "interrupted": false});
        assert_eq!(replace(&mut outcome, updated), Ok(()));
        assert_eq!(outcome.content, json!("new"));
    }
}
