//! Validates images from hosts: an image that no model accepts is replaced by a text with the reason.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// Returns a content block unchanged, unless it is an invalid image, which is replaced by a text block with the reason.
/// Images inside tool results are checked too. The server would reject this request and, since the history is sent
/// again, every later one.
pub fn sanitize(mut block: Value) -> Value {
    match block.get("type").and_then(Value::as_str) {
        Some("image") => match problem(&block) {
            Some(problem) => json!({ "type": "text", "text": format!("[Image could not be processed: {problem}]") }),
            None => block,
        },
        Some("tool_result") => {
            if let Some(Value::Array(content)) = block.get_mut("content") {
                for inner in content.iter_mut() {
                    *inner = sanitize(inner.take());
                }
            }
            block
        }
        _ => block,
    }
}

/// Returns what is wrong with an image block. Only inline data can be checked.
fn problem(block: &Value) -> Option<String> {
    let source = block.get("source")?;
    if source.get("type")?.as_str()? != "base64" {
        return None;
    }
    let Some(data) = source.get("data").and_then(Value::as_str) else {
        return Some("it has no data".to_owned());
    };
    let Ok(bytes) = STANDARD.decode(data) else {
        return Some("its data is not base64".to_owned());
    };
    let Some(found) = media_type(&bytes) else {
        return Some("its data is not a PNG, JPEG, GIF or WebP image".to_owned());
    };
    match source.get("media_type").and_then(Value::as_str) {
        Some(declared) if declared == found => None,
        Some(declared) => Some(format!("it is declared as {declared} but is {found}")),
        None => Some("it has no media type".to_owned()),
    }
}

/// Detects the media type by the first bytes. Supports the four formats of the API.
fn media_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        // Signature, then the header chunk with width and height.
        [
            0x89,
            b'P',
            b'N',
            b'G',
            0x0D,
            0x0A,
            0x1A,
            0x0A,
            _,
            _,
            _,
            _,
            b'I',
            b'H',
            b'D',
            b'R',
            _,
            _,
            _,
            _,
            _,
            _,
            _,
            _,
            ..,
        ] => Some("image/png"),
        [0xFF, 0xD8, 0xFF, _, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', _, _, _, _, ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}

#[cfg(test)]
#[path = "image_tests.rs"]
mod tests;
