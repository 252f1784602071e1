//! Tool results in MCP: the result object as JSON text and as structured content; a failure as plain text.

use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};
use sluice_tools::Outcome;

/// The maximum size of a result's text, in bytes. Tools limit their own output; this limits content that they quote,
/// such as a whole changed file.
const MAX_RESULT_BYTES: usize = 256 * 1024;

/// The result of a call that ran.
pub(crate) fn result(outcome: Outcome) -> CallToolResult {
    if outcome.is_error == Some(true) {
        return failure(without_error_tags(&texts(&outcome.content)));
    }
    let images = images(&outcome.content);
    let mut value = fit(outcome.result, MAX_RESULT_BYTES);
    if !images.is_empty() {
        // Image data is sent as an image only, not as text as well.
        drop_data(&mut value);
    }
    let text = match &value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let mut result = CallToolResult::success(std::iter::once(ContentBlock::text(text)).chain(images).collect());
    result.structured_content = value.is_object().then_some(value);
    result
}

/// The result of a call that failed.
pub(crate) fn failure(why: impl Into<String>) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(why)])
}

/// Removes the tags around an error, which are for models that read `tool_result` blocks.
fn without_error_tags(text: &str) -> &str {
    let inner = text.strip_prefix("<tool_use_error>");
    inner
        .and_then(|text| text.strip_suffix("</tool_use_error>"))
        .unwrap_or(text)
}

fn blocks(content: &Value) -> &[Value] {
    content.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn texts(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        _ => {
            let texts = blocks(content).iter().filter_map(|block| block.get("text")?.as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
    }
}

fn images(content: &Value) -> Vec<ContentBlock> {
    let image = |block: &Value| {
        let source = block
            .get("source")
            .filter(|_| block.get("type") == Some(&json!("image")))?;
        let text = |key: &str| source.get(key)?.as_str();
        Some(ContentBlock::image(text("data")?, text("media_type")?))
    };
    blocks(content).iter().filter_map(image).collect()
}

/// Removes encoded bytes from a result.
fn drop_data(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.shift_remove("base64");
            map.values_mut().for_each(drop_data);
        }
        Value::Array(list) => list.iter_mut().for_each(drop_data),
        _ => {}
    }
}

/// Shortens long texts until the value has at most `most` bytes.
fn fit(mut value: Value, most: usize) -> Value {
    let mut longest = most / 2;
    while longest > 256 && value.to_string().len() > most {
        shorten(&mut value, longest);
        longest /= 2;
    }
    value
}

fn shorten(value: &mut Value, longest: usize) {
    match value {
        Value::String(text) if text.len() > longest => {
            let mut end = longest;
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            let rest = text.len() - end;
            text.truncate(end);
            text.push_str(&format!("… [{rest} more bytes]"));
        }
        Value::Array(list) => list.iter_mut().for_each(|it| shorten(it, longest)),
        Value::Object(map) => map.values_mut().for_each(|it| shorten(it, longest)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn wire(outcome: Outcome) -> Value {
        let mut value = serde_json::to_value(result(outcome)).unwrap();
        value.as_object_mut().unwrap().remove("resultType");
        value
    }

    #[test]
    fn result_contains_text_and_structured_content() {
        let object = json!({"stdout": "hi", "stderr": "", "interrupted": false});
        assert_eq!(
            wire(Outcome::ok("hi", object.clone())),
            json!({"content": [{"type": "text", "text": object.to_string()}], "structuredContent": object, "isError": false})
        );
    }

    #[test]
    fn failure_is_plain_text() {
        let refused = json!({"content": [{"type": "text", "text": "no such file"}], "isError": true});
        assert_eq!(wire(Outcome::refused("no such file")), refused);
        assert_eq!(wire(Outcome::failed("no such file")), refused);
    }

    #[test]
    fn image_is_sent_as_image_content() {
        let content =
            json!([{"type": "image", "source": {"type": "base64", "data": "QUJD", "media_type": "image/png"}}]);
        let seen = wire(Outcome::ok(
            content,
            json!({"type": "image", "file": {"base64": "QUJD", "originalSize": 3}}),
        ));
        assert_eq!(
            seen["content"][1],
            json!({"type": "image", "data": "QUJD", "mimeType": "image/png"})
        );
        assert_eq!(
            seen["structuredContent"],
            json!({"type": "image", "file": {"originalSize": 3}})
        );
    }

    #[test]
    fn long_result_is_shortened() {
        let long = "ü".repeat(MAX_RESULT_BYTES);
        let value = fit(
            json!({"originalFile": long, "filePath": "/a", "hunks": [long]}),
            MAX_RESULT_BYTES,
        );
        assert!(
            value.to_string().len() <= MAX_RESULT_BYTES,
            "{}",
            value.to_string().len()
        );
        assert_eq!(value["filePath"], "/a");
        assert!(value["originalFile"].as_str().unwrap().ends_with("more bytes]"));
        let small = json!({"a": "b"});
        assert_eq!(fit(small.clone(), MAX_RESULT_BYTES), small);
    }
}
