//! Blobs: long bodies of messages are stored apart, and fetched when somebody looks at them.

use base64::Engine as _;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use sluice_host::items::Blob;

/// From how many bytes on a text is stored as a blob.
pub(crate) const HEAVY: usize = 32 * 1024;
/// How much of the beginning and of the end of a text stays.
const SHOWN: usize = 2 * 1024;

/// The key that marks a blob in a message.
pub(crate) const MARK: &str = "$blob";

/// A body that was replaced by a blob.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Body {
    pub(crate) hash: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) mime: String,
}

/// A line without its heavy bodies.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Light {
    pub(crate) text: String,
    pub(crate) bodies: Vec<Body>,
}

/// Replaces the long bodies of a line by blobs; `None` for a line that has none.
pub(crate) fn lighten(line: &str) -> Option<Light> {
    if line.len() <= HEAVY && !line.contains("\"base64\"") {
        return None;
    }
    let mut value: Value = serde_json::from_str(line).ok()?;
    let mut bodies = Vec::new();
    take(&mut value, &mut bodies);
    if bodies.is_empty() {
        return None;
    }
    Some(Light {
        text: value.to_string(),
        bodies,
    })
}

fn take(value: &mut Value, bodies: &mut Vec<Body>) {
    match value {
        Value::String(text) if text.len() > HEAVY => *value = put_text(text, bodies),
        Value::Array(items) => items.iter_mut().for_each(|item| take(item, bodies)),
        Value::Object(fields) => {
            if let Some((key, mime)) = image(fields)
                && let Some(Value::String(data)) = fields.get(key)
                && let Some(reference) = put_image(data, &mime, bodies)
            {
                fields.insert(key.to_owned(), reference);
                return;
            }
            fields.values_mut().for_each(|field| take(field, bodies));
        }
        _ => {}
    }
}

/// Where an object holds an image in base64, and of which kind it is: as the API writes it, and as Read does.
fn image(fields: &Map<String, Value>) -> Option<(&'static str, String)> {
    let text = |key: &str| fields.get(key).and_then(Value::as_str);
    if text("type") == Some("base64") && fields.contains_key("data") {
        return Some((
            "data",
            text("media_type").unwrap_or("application/octet-stream").to_owned(),
        ));
    }
    if fields.contains_key("base64") {
        let mime = text("type").filter(|kind| kind.contains('/'));
        return Some(("base64", mime.unwrap_or("application/octet-stream").to_owned()));
    }
    // MCP: {"type": "image", "data": …, "mimeType": …}
    if fields.contains_key("data") && fields.contains_key("mimeType") {
        return Some(("data", text("mimeType").unwrap_or_default().to_owned()));
    }
    None
}

fn put_image(data: &str, mime: &str, bodies: &mut Vec<Body>) -> Option<Value> {
    let bytes = base64::engine::general_purpose::STANDARD.decode(data).ok()?;
    Some(put(bytes, mime, None, bodies))
}

fn put_text(text: &str, bodies: &mut Vec<Body>) -> Value {
    put(
        text.as_bytes().to_vec(),
        "text/plain; charset=utf-8",
        Some(ends(text)),
        bodies,
    )
}

/// The beginning and the end of a long text, and its number of lines.
pub(crate) fn ends(text: &str) -> (String, String, u64) {
    let mut at = text.len() - SHOWN.min(text.len());
    while !text.is_char_boundary(at) {
        at += 1;
    }
    let tail = text.get(at..).unwrap_or_default().to_owned();
    (cut(text, SHOWN).to_owned(), tail, text.lines().count() as u64)
}

fn put(bytes: Vec<u8>, mime: &str, text: Option<(String, String, u64)>, bodies: &mut Vec<Body>) -> Value {
    let hash = hash(&bytes);
    let (head, tail, lines) = match text {
        Some((head, tail, lines)) => (Some(head), Some(tail), Some(lines)),
        None => (None, None, None),
    };
    let blob = Blob {
        hash: hash.clone(),
        bytes: bytes.len() as u64,
        mime: mime.to_owned(),
        head,
        tail,
        lines,
    };
    bodies.push(Body {
        hash,
        bytes,
        mime: mime.to_owned(),
    });
    json!({ MARK: blob })
}

/// The name of a body: the hash of what it holds.
pub(crate) fn hash(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    let digest = Sha256::digest(bytes);
    digest.iter().fold(String::with_capacity(64), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The beginning of a text, cut between two letters.
pub(crate) fn cut(text: &str, bytes: usize) -> &str {
    let mut at = bytes.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    text.get(..at).unwrap_or_default()
}

/// The hash a value stands for, when it is a reference.
pub(crate) fn reference(value: &Value) -> Option<&str> {
    value.get(MARK)?.get("hash")?.as_str()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{HEAVY, lighten, reference};

    #[test]
    fn a_small_line_stays_as_it_is() {
        assert_eq!(lighten(r#"{"type":"user","n":1e2}"#), None);
    }

    #[test]
    fn a_long_text_is_taken_out_with_its_ends_left() {
        let long = "ä".repeat(HEAVY);
        let line = json!({"type": "user", "tool_use_result": {"stdout": long}}).to_string();
        let light = lighten(&line).unwrap();
        assert!(light.text.len() < HEAVY);
        let value: Value = serde_json::from_str(&light.text).unwrap();
        let stdout = value.pointer("/tool_use_result/stdout").unwrap();
        assert_eq!(reference(stdout), Some(light.bodies[0].hash.as_str()));
        assert_eq!(light.bodies[0].bytes, long.as_bytes());
        assert!(stdout["$blob"]["head"].as_str().unwrap().starts_with('ä'));
    }

    #[test]
    fn an_image_is_taken_out_however_small() {
        let line = json!({"content": [{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0="}}]});
        let light = lighten(&line.to_string()).unwrap();
        assert_eq!(light.bodies[0].mime, "image/png");
        assert_eq!(light.bodies[0].bytes, [137, 80, 78, 71, 13]);
    }
}
