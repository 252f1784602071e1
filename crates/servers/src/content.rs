//! Converting the result of an MCP tool to what the model and the host receive.

use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};
use sluice_tools::{Effect, Outcome};

/// The default maximum length of a result in characters. A longer one is saved to a file and only its beginning shown.
const DEFAULT_MAX_LENGTH: usize = 50_000;

/// The maximum number of blocks of a result.
const MAX_BLOCKS: usize = 2_048;

/// The result for the model when a server returns none.
const NO_OUTPUT: &str = "(The tool has completed without output.)";

/// The context in which a result is converted.
#[derive(Debug, Clone)]
pub struct Frame<'a> {
    pub server: &'a str,
    /// The id of the call; part of the names of saved files.
    pub call_id: &'a str,
    /// The folder for saved files.
    pub folder: &'a Path,
    /// The maximum length of the result in characters, if configured.
    pub max_length: Option<usize>,
}

/// Converts the result of a `tools/call`.
pub async fn outcome(result: &Value, frame: &Frame<'_>) -> Outcome {
    let blocks = result.get("content").and_then(Value::as_array);
    let blocks = blocks.map(Vec::as_slice).unwrap_or_default();
    // The same limit as for an answer of the model.
    if blocks.len() > MAX_BLOCKS {
        let count = blocks.len();
        return Outcome::failed(format!(
            "The server returned {count} content blocks; the maximum is {MAX_BLOCKS}."
        ));
    }
    if result.get("isError") == Some(&Value::Bool(true)) {
        let mut failed = Outcome::failed(error_text(blocks));
        failed.effects.push(Effect::TeachSchema);
        return failed;
    }
    let structured = result.get("structuredContent").filter(|value| !value.is_null());
    let mut links = Vec::new();
    let content = match structured {
        Some(value) => Value::from(value.to_string()),
        None => {
            let mut shown = Vec::new();
            for block in blocks {
                shown.extend(block_for_model(block, frame, &mut links).await);
            }
            Value::from(shown)
        }
    };
    let mut for_host = Map::new();
    if let Some(meta) = result.get("_meta").filter(|meta| meta.is_object()) {
        for_host.insert("_meta".to_owned(), meta.clone());
    }
    if let Some(value) = structured {
        for_host.insert("structuredContent".to_owned(), value.clone());
    }
    if !links.is_empty() {
        for_host.insert("resourceLinks".to_owned(), Value::from(links));
    }
    let for_host = if for_host.is_empty() {
        content.clone()
    } else {
        let mut full = Map::from_iter([("content".to_owned(), content.clone())]);
        full.append(&mut for_host);
        Value::Object(full)
    };
    // The model must be able to tell an empty result from a missing one.
    let content = match content.as_array() {
        Some(blocks) if blocks.is_empty() => Value::from(NO_OUTPUT),
        _ => fitting(content, frame).await,
    };
    Outcome::ok(content, for_host)
}

/// Returns the text of a failed result.
fn error_text(blocks: &[Value]) -> String {
    let texts: Vec<&str> = blocks.iter().filter_map(|block| block.get("text")?.as_str()).collect();
    match texts.join("\n") {
        empty if empty.trim().is_empty() => "The tool failed without an error message.".to_owned(),
        text => text,
    }
}

/// Converts one block of a message from a server to blocks for the model.
pub async fn blocks(block: &Value, frame: &Frame<'_>) -> Vec<Value> {
    block_for_model(block, frame, &mut Vec::new()).await
}

fn text(text: impl Into<String>) -> Value {
    json!({"type": "text", "text": text.into()})
}

/// Converts one block to blocks for the model. Resource links are also added to `links`.
async fn block_for_model(block: &Value, frame: &Frame<'_>, links: &mut Vec<Value>) -> Vec<Value> {
    let field = |key: &str| block.get(key).and_then(Value::as_str).unwrap_or_default();
    match field("type") {
        "text" => vec![text(field("text"))],
        "image" => image(field("data"), field("mimeType"), frame).await,
        "audio" => {
            let about = format!("[Audio from {}]", frame.server);
            vec![text(
                saved_binary(&about, field("data"), field("mimeType"), frame).await,
            )]
        }
        "resource_link" => {
            links.push(only(block, &["uri", "name", "mimeType", "description"]));
            vec![text(format!("[Resource link: {}] {}", field("name"), field("uri")))]
        }
        "resource" => {
            let resource = block.get("resource").unwrap_or(&Value::Null);
            vec![text(resource_text(resource, frame).await)]
        }
        // The content of an unknown kind of block may still be useful to the model.
        _ => vec![text(block.to_string())],
    }
}

async fn image(data: &str, mime: &str, frame: &Frame<'_>) -> Vec<Value> {
    let block = json!({"type": "image", "source": {"type": "base64", "media_type": mime, "data": data}});
    let checked = sluice_model::sanitize(block);
    if checked.get("type").and_then(Value::as_str) != Some("image") {
        return vec![checked];
    }
    let saved_path = match STANDARD.decode(data) {
        Ok(bytes) => save(frame, &format!("mcp-{}-blob", frame.server), extension(mime), &bytes)
            .await
            .ok(),
        Err(_) => None,
    };
    let saved_path = saved_path.map(|path| text(format!("[Image: source: {}]", path.display())));
    std::iter::once(checked).chain(saved_path).collect()
}

/// Returns the text of a resource. Binary content is saved to a file.
pub async fn resource_text(resource: &Value, frame: &Frame<'_>) -> String {
    let field = |key: &str| resource.get(key).and_then(Value::as_str);
    let about = format!(
        "[Resource from {} at {}]",
        frame.server,
        field("uri").unwrap_or_default()
    );
    match (field("text"), field("blob")) {
        (Some(text), _) => format!("{about} {text}"),
        (None, Some(blob)) => saved_binary(&about, blob, field("mimeType").unwrap_or_default(), frame).await,
        (None, None) => format!("{about} (empty)"),
    }
}

/// Saves binary content and returns a text that names the file.
async fn saved_binary(about: &str, data: &str, mime: &str, frame: &Frame<'_>) -> String {
    let mime = if mime.is_empty() {
        "application/octet-stream"
    } else {
        mime
    };
    let Ok(bytes) = STANDARD.decode(data) else {
        return format!("{about} Binary content ({mime}) that cannot be decoded");
    };
    let size = bytes.len();
    match save(frame, &format!("mcp-{}-blob", frame.server), extension(mime), &bytes).await {
        Ok(path) => format!(
            "{about} Binary content ({mime}, {size} bytes) saved to {}",
            path.display()
        ),
        Err(error) => format!("{about} Binary content ({mime}, {size} bytes) that could not be saved: {error}"),
    }
}

/// Converts the contents of a resource to the result of `ReadMcpResourceTool`.
pub async fn contents(contents: &Value, frame: &Frame<'_>) -> Value {
    let mut for_host = Vec::new();
    for part in contents.as_array().into_iter().flatten() {
        let mut shown = only(part, &["uri", "mimeType", "text"]);
        if let Some(blob) = part.get("blob").and_then(Value::as_str) {
            let mime = part
                .get("mimeType")
                .and_then(Value::as_str)
                .unwrap_or("application/octet-stream");
            let saved = match STANDARD.decode(blob) {
                Ok(bytes) => save(frame, "mcp-resource", extension(mime), &bytes).await.ok(),
                Err(_) => None,
            };
            if let (Some(path), Some(object)) = (saved, shown.as_object_mut()) {
                let uri = part.get("uri").and_then(Value::as_str).unwrap_or_default();
                let notice = format!(
                    "[Resource from {} at {uri}] Binary content ({mime}) saved to {}",
                    frame.server,
                    path.display()
                );
                object.insert("blobSavedTo".to_owned(), json!(path.display().to_string()));
                object.insert("text".to_owned(), json!(notice));
            }
        }
        for_host.push(shown);
    }
    Value::from(for_host)
}

fn only(value: &Value, keys: &[&str]) -> Value {
    let saved_binary = keys
        .iter()
        .filter_map(|key| Some(((*key).to_owned(), value.get(*key)?.clone())));
    Value::Object(saved_binary.collect())
}

/// Saves content that is too long and returns a text with its beginning instead.
pub async fn fitting(content: Value, frame: &Frame<'_>) -> Value {
    let max_length = frame.max_length.unwrap_or(DEFAULT_MAX_LENGTH);
    let length: usize = match &content {
        Value::String(text) => text.chars().count(),
        Value::Array(blocks) => blocks
            .iter()
            .filter_map(|block| block.get("text")?.as_str())
            .map(|text| text.chars().count())
            .sum(),
        _ => 0,
    };
    if length <= max_length {
        return content;
    }
    let (full, extension) = match &content {
        Value::String(text) => (text.clone(), "txt"),
        blocks => (serde_json::to_string_pretty(blocks).unwrap_or_default(), "json"),
    };
    let saved = save_as(frame, &format!("{}.{extension}", frame.call_id), full.as_bytes()).await;
    let saved_path = saved.as_ref().map(PathBuf::as_path).map_err(String::as_str);
    Value::from(sluice_tools::stand_in(&full, saved_path))
}

async fn save(frame: &Frame<'_>, what: &str, extension: &str, bytes: &[u8]) -> Result<PathBuf, String> {
    let tail: String = uuid::Uuid::new_v4().simple().to_string().chars().take(8).collect();
    save_as(frame, &format!("{what}-{tail}.{extension}"), bytes).await
}

async fn save_as(frame: &Frame<'_>, name: &str, bytes: &[u8]) -> Result<PathBuf, String> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_' | '-');
    let name: String = name
        .chars()
        .map(|letter| if plain(letter) { letter } else { '_' })
        .collect();
    let path = frame.folder.join(name);
    let (to, bytes) = (path.clone(), bytes.to_vec());
    let written = tokio::task::spawn_blocking(move || sluice_transcript::private::write(&to, bytes)).await;
    written
        .map_err(|error| error.to_string())?
        .map_err(|error| error.to_string())?;
    Ok(path)
}

/// Returns the file extension for a MIME type.
fn extension(mime: &str) -> &'static str {
    match mime.split(';').next().unwrap_or_default().trim() {
        "image/png" => "png",
        "image/jpeg" => "jpg",
        "image/gif" => "gif",
        "image/webp" => "webp",
        "image/svg+xml" => "svg",
        "audio/wav" | "audio/x-wav" => "wav",
        "audio/mpeg" => "mp3",
        "audio/ogg" => "ogg",
        "application/pdf" => "pdf",
        "application/json" => "json",
        "application/zip" => "zip",
        mime if mime.starts_with("text/") => "txt",
        _ => "bin",
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]

    use pretty_assertions::assert_eq;

    use super::*;

    async fn convert(result: Value, max_length: Option<usize>) -> (Outcome, tempfile::TempDir) {
        let dir = tempfile::tempdir().unwrap();
        let frame = Frame {
            server: "tiny",
            call_id: "toolu_1",
            folder: &dir.path().join("new"),
            max_length,
        };
        (outcome(&result, &frame).await, dir)
    }

    #[tokio::test]
    async fn text_is_passed_to_model_and_host_unchanged() {
        let blocks = json!([{"type": "text", "text": "ok"}]);
        let annotated = json!({"content": [{"type": "text", "text": "ok", "annotations": {"priority": 1}}]});
        let (outcome, _dir) = convert(annotated, None).await;
        assert_eq!(
            (outcome.content, outcome.result, outcome.is_error),
            (blocks.clone(), blocks, None)
        );
    }

    #[tokio::test]
    async fn empty_result_is_named_to_the_model_only() {
        let (outcome, _) = convert(json!({"content": []}), None).await;
        assert_eq!(outcome.content, json!(NO_OUTPUT));
        assert_eq!(outcome.result, json!([]));
    }

    #[tokio::test]
    async fn structured_content_replaces_other_content() {
        let result =
            json!({"content": [{"type": "text", "text": "3"}], "structuredContent": {"sum": 3}, "_meta": {"k": 1}});
        let (outcome, _dir) = convert(result, None).await;
        assert_eq!(outcome.content, json!("{\"sum\":3}"));
        assert_eq!(
            outcome.result,
            json!({"content": "{\"sum\":3}", "_meta": {"k": 1}, "structuredContent": {"sum": 3}})
        );
    }

    #[tokio::test]
    async fn failure_contains_the_server_s_message() {
        let (outcome, _dir) = convert(
            json!({"content": [{"type": "text", "text": "it failed"}], "isError": true}),
            None,
        )
        .await;
        assert_eq!(outcome.content, json!("it failed"));
        assert_eq!(outcome.result, json!("Error: it failed"));
        assert_eq!(outcome.effects, [Effect::TeachSchema]);
        let (outcome, _dir) = convert(json!({"content": [], "isError": true}), None).await;
        assert!(outcome.content.as_str().unwrap().contains("without an error message"));
    }

    #[tokio::test]
    async fn binary_content_is_saved_and_the_file_named() {
        let (outcome, _dir) = convert(
            json!({"content": [
                {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"},
                {"type": "resource_link", "uri": "t://1", "name": "one", "mimeType": "text/plain"},
                {"type": "resource", "resource": {"uri": "t://2", "text": "two"}},
                {"type": "image", "data": "notbase64!", "mimeType": "image/png"},
                {"type": "hologram", "beam": 1},
            ]}),
            None,
        )
        .await;
        let texts: Vec<&str> = outcome
            .content
            .as_array()
            .unwrap()
            .iter()
            .map(|block| block["text"].as_str().unwrap())
            .collect();
        let [audio, link, resource, image, unknown] = texts.as_slice() else {
            panic!("{texts:?}")
        };
        let (about, path) = audio.split_once(" saved to ").unwrap();
        assert_eq!(about, "[Audio from tiny] Binary content (audio/wav, 3 bytes)");
        assert_eq!(std::fs::read(path).unwrap(), [0, 0, 0]);
        assert_eq!(*link, "[Resource link: one] t://1");
        assert_eq!(*resource, "[Resource from tiny at t://2] two");
        assert!(image.starts_with("[Image could not be processed"), "{image}");
        assert!(unknown.contains("hologram"));
        assert_eq!(
            outcome.result["resourceLinks"],
            json!([{"uri": "t://1", "name": "one", "mimeType": "text/plain"}])
        );
    }

    #[tokio::test]
    async fn too_long_content_is_saved_completely() {
        let long = "x".repeat(60_000);
        let result = json!({"content": [{"type": "text", "text": long}]});
        let (outcome, dir) = convert(result.clone(), None).await;
        let shown = outcome.content.as_str().unwrap();
        assert!(shown.starts_with("<persisted-output>") && shown.len() < 4000, "{shown}");
        let saved = std::fs::read_to_string(dir.path().join("new/toolu_1.json")).unwrap();
        assert!(saved.contains(&long));
        assert_eq!(
            outcome.result[0]["text"],
            json!(long),
            "the host receives the complete result"
        );
        let (outcome, _dir) = convert(result, Some(100_000)).await;
        assert!(outcome.content.is_array(), "a tool may raise the limit");
    }
}
