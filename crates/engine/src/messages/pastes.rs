//! Text that a person pasted into a prompt, which hosts send beside it (`pasted_content`).

use serde_json::{Value, json};
use sluice_wire::Raw;

/// The maximum number of entries and blocks in all; a longer list is ignored.
const MAX_PASTES: usize = 1000;

/// Appends the pasted texts to the last text of a prompt, in order.
pub(super) fn append(content: &mut Value, pasted: Option<&Raw>) {
    let pasted: Value = pasted
        .and_then(|raw| serde_json::from_str(raw.get()).ok())
        .unwrap_or_default();
    let Some(texts) = pasted.as_array().and_then(|entries| texts(entries)) else {
        return;
    };
    for text in texts.into_iter().filter(|text| !text.is_empty()) {
        push(content, &text);
    }
}

/// The text of each entry: a string, or blocks of which only texts count. None if there are too many.
fn texts(entries: &[Value]) -> Option<Vec<String>> {
    let blocks: usize = entries.iter().filter_map(Value::as_array).map(Vec::len).sum();
    if entries.len() + blocks > MAX_PASTES {
        return None;
    }
    let text = |block: &Value| Some(block.get("text")?.as_str()?.to_owned());
    let entry = |entry: &Value| match entry {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => blocks.iter().filter_map(text).collect::<Vec<_>>().join("\n\n"),
        _ => String::new(),
    };
    Some(entries.iter().map(entry).collect())
}

fn push(content: &mut Value, text: &str) {
    match content {
        Value::String(typed) => join(typed, text),
        Value::Array(blocks) => {
            let last = blocks.iter_mut().rev().find_map(|block| match block.get_mut("text") {
                Some(Value::String(typed)) => Some(typed),
                _ => None,
            });
            match last {
                Some(typed) => join(typed, text),
                None => blocks.push(json!({"type": "text", "text": text})),
            }
        }
        _ => {}
    }
}

fn join(typed: &mut String, text: &str) {
    if !typed.is_empty() {
        typed.push_str("\n\n");
    }
    typed.push_str(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn appended(mut content: Value, pasted: &Value) -> Value {
        append(&mut content, Some(&Raw::of(pasted)));
        content
    }

    #[test]
    fn strings_and_blocks_follow_the_typed_text() {
        let image = json!({"type": "image"});
        let pasted = json!(["one", [{"type": "text", "text": "two"}, image, {"type": "text", "text": "three"}], 5]);
        assert_eq!(appended(json!("look"), &pasted), json!("look\n\none\n\ntwo\n\nthree"));
        assert_eq!(
            appended(json!([{"type": "text", "text": "look"}, image]), &json!(["one"])),
            json!([{"type": "text", "text": "look\n\none"}, image])
        );
        assert_eq!(
            appended(json!([image]), &json!(["one"])),
            json!([image, {"type": "text", "text": "one"}])
        );
    }

    #[test]
    fn non_lists_and_overlong_lists_are_ignored() {
        assert_eq!(appended(json!("look"), &json!("text")), json!("look"));
        assert_eq!(appended(json!("look"), &json!(vec!["x"; 1001])), json!("look"));
    }
}
