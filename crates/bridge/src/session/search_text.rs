//! The searchable text of a message, and its role.

use serde_json::Value;
use sluice_host::wire::MessageType;

use crate::body::cut;

/// How much of a tool's output can be found.
const OUTPUT: usize = 8 * 1024;

/// The role and the text of a message; `None` when it has no text.
pub(crate) fn of(line: &str) -> Option<(&'static str, String)> {
    let value: Value = serde_json::from_str(line).ok()?;
    match MessageType::of(value.get("type")?.as_str()?) {
        MessageType::Assistant => words(value.pointer("/message/content")?).map(|text| ("assistant", text)),
        MessageType::User => {
            let content = value.pointer("/message/content")?;
            let output = results(content);
            match output.is_empty() {
                true => words(content).map(|text| ("user", text)),
                false => Some(("tool", cut(&output, OUTPUT).to_owned())),
            }
        }
        _ => None,
    }
}

/// Text of blocks, and the inputs of calls: commands and paths are looked for too.
fn words(content: &Value) -> Option<String> {
    let mut found = String::new();
    match content {
        Value::String(text) => found.push_str(text),
        Value::Array(blocks) => {
            for block in blocks {
                match block.get("type").and_then(Value::as_str) {
                    Some("text") => add(&mut found, block.get("text")),
                    Some("tool_use") => {
                        for key in [
                            "command",
                            "file_path",
                            "pattern",
                            "path",
                            "url",
                            "query",
                            "prompt",
                            "description",
                        ] {
                            add(&mut found, block.get("input").and_then(|input| input.get(key)));
                        }
                    }
                    _ => {}
                }
            }
        }
        _ => {}
    }
    Some(found).filter(|text| !text.trim().is_empty())
}

fn results(content: &Value) -> String {
    let mut found = String::new();
    for block in content.as_array().into_iter().flatten() {
        if block.get("type").and_then(Value::as_str) != Some("tool_result") {
            continue;
        }
        match block.get("content") {
            Some(Value::Array(parts)) => parts.iter().for_each(|part| add(&mut found, part.get("text"))),
            other => add(&mut found, other),
        }
    }
    found
}

fn add(found: &mut String, text: Option<&Value>) {
    let text = match text {
        Some(Value::String(text)) => text.as_str(),
        // A body that is kept aside has its beginning here.
        Some(other) => other.pointer("/$blob/head").and_then(Value::as_str).unwrap_or_default(),
        None => "",
    };
    if !text.is_empty() {
        if !found.is_empty() {
            found.push('\n');
        }
        found.push_str(text);
    }
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn words_of_answers_commands_and_outputs_are_found() {
        let answer = r#"{"type":"assistant","message":{"content":[{"type":"text","text":"Done"},{"type":"tool_use","input":{"command":"ls -la"}}]}}"#;
        assert_eq!(of(answer), Some(("assistant", "Done\nls -la".to_owned())));
        let output = r#"{"type":"user","message":{"content":[{"type":"tool_result","content":"a\nb"}]}}"#;
        assert_eq!(of(output), Some(("tool", "a\nb".to_owned())));
        assert_eq!(of(r#"{"type":"result"}"#), None);
    }
}
