//! The result of an MCP tool, as the model reads it and as the host reads it.

use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};
use sluice_tools::{Effect, Outcome};

/// How long a result may be, in letters, before it is saved and its beginning stands for it.
const LONGEST: usize = 50_000;

/// How many blocks a result may have.
const MOST_BLOCKS: usize = 2_048;

/// What a result is made for.
#[derive(Debug, Clone)]
pub struct Frame<'a> {
    pub server: &'a str,
    /// The call's id, which names what is saved of it.
    pub call_id: &'a str,
    /// Where things are saved.
    pub folder: &'a Path,
    /// How long the result may be, where that was said.
    pub longest: Option<usize>,
}

/// The outcome of a `tools/call`.
pub async fn outcome(result: &Value, frame: &Frame<'_>) -> Outcome {
    let blocks = result.get("content").and_then(Value::as_array);
    let blocks = blocks.map(Vec::as_slice).unwrap_or_default();
    // As many as an answer of the model may have.
    if blocks.len() > MOST_BLOCKS {
        let count = blocks.len();
        return Outcome::failed(format!(
            "The server answered with {count} blocks; no more than {MOST_BLOCKS} are taken."
        ));
    }
    if result.get("isError") == Some(&Value::Bool(true)) {
        let mut failed = Outcome::failed(said(blocks));
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
    let mut told = Map::new();
    if let Some(meta) = result.get("_meta").filter(|meta| meta.is_object()) {
        told.insert("_meta".to_owned(), meta.clone());
    }
    if let Some(value) = structured {
        told.insert("structuredContent".to_owned(), value.clone());
    }
    if !links.is_empty() {
        told.insert("resourceLinks".to_owned(), Value::from(links));
    }
    let told = if told.is_empty() {
        content.clone()
    } else {
        let mut whole = Map::from_iter([("content".to_owned(), content.clone())]);
        whole.append(&mut told);
        Value::Object(whole)
    };
    Outcome::ok(fitting(content, frame).await, told)
}

/// The words of a failure.
fn said(blocks: &[Value]) -> String {
    let texts: Vec<&str> = blocks.iter().filter_map(|block| block.get("text")?.as_str()).collect();
    match texts.join("\n") {
        empty if empty.trim().is_empty() => "The tool failed and did not say why.".to_owned(),
        said => said,
    }
}

/// One block of a server's message in the forms the model takes.
pub async fn blocks(block: &Value, frame: &Frame<'_>) -> Vec<Value> {
    block_for_model(block, frame, &mut Vec::new()).await
}

fn text(text: impl Into<String>) -> Value {
    json!({"type": "text", "text": text.into()})
}

/// One block in the forms the model takes.
async fn block_for_model(block: &Value, frame: &Frame<'_>, links: &mut Vec<Value>) -> Vec<Value> {
    let field = |key: &str| block.get(key).and_then(Value::as_str).unwrap_or_default();
    match field("type") {
        "text" => vec![text(field("text"))],
        "image" => image(field("data"), field("mimeType"), frame).await,
        "audio" => {
            let about = format!("[Audio from {}]", frame.server);
            vec![text(kept(&about, field("data"), field("mimeType"), frame).await)]
        }
        "resource_link" => {
            links.push(only(block, &["uri", "name", "mimeType", "description"]));
            vec![text(format!("[Resource link: {}] {}", field("name"), field("uri")))]
        }
        "resource" => {
            let resource = block.get("resource").unwrap_or(&Value::Null);
            vec![text(resource_text(resource, frame).await)]
        }
        // A kind nobody here knows: what it says may still be of use.
        _ => vec![text(block.to_string())],
    }
}

async fn image(data: &str, mime: &str, frame: &Frame<'_>) -> Vec<Value> {
    let block = json!({"type": "image", "source": {"type": "base64", "media_type": mime, "data": data}});
    let checked = sluice_model::sanitize(block);
    if checked.get("type").and_then(Value::as_str) != Some("image") {
        return vec![checked];
    }
    let place = match STANDARD.decode(data) {
        Ok(bytes) => save(frame, &format!("mcp-{}-blob", frame.server), extension(mime), &bytes)
            .await
            .ok(),
        Err(_) => None,
    };
    let place = place.map(|path| text(format!("[Image: source: {}]", path.display())));
    std::iter::once(checked).chain(place).collect()
}

/// The text of a resource; what is no text is saved.
pub async fn resource_text(resource: &Value, frame: &Frame<'_>) -> String {
    let field = |key: &str| resource.get(key).and_then(Value::as_str);
    let about = format!(
        "[Resource from {} at {}]",
        frame.server,
        field("uri").unwrap_or_default()
    );
    match (field("text"), field("blob")) {
        (Some(text), _) => format!("{about} {text}"),
        (None, Some(blob)) => kept(&about, blob, field("mimeType").unwrap_or_default(), frame).await,
        (None, None) => format!("{about} (empty)"),
    }
}

/// Saves binary content, and names the file.
async fn kept(about: &str, data: &str, mime: &str, frame: &Frame<'_>) -> String {
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

/// The contents of a resource as `ReadMcpResourceTool` returns them.
pub async fn contents(contents: &Value, frame: &Frame<'_>) -> Value {
    let mut told = Vec::new();
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
                let said = format!(
                    "[Resource from {} at {uri}] Binary content ({mime}) saved to {}",
                    frame.server,
                    path.display()
                );
                object.insert("blobSavedTo".to_owned(), json!(path.display().to_string()));
                object.insert("text".to_owned(), json!(said));
            }
        }
        told.push(shown);
    }
    Value::from(told)
}

fn only(value: &Value, keys: &[&str]) -> Value {
    let kept = keys
        .iter()
        .filter_map(|key| Some(((*key).to_owned(), value.get(*key)?.clone())));
    Value::Object(kept.collect())
}

/// Content that is too long is saved, and its beginning stands for it.
pub async fn fitting(content: Value, frame: &Frame<'_>) -> Value {
    let longest = frame.longest.unwrap_or(LONGEST);
    let length: usize = match &content {
        Value::String(text) => text.chars().count(),
        Value::Array(blocks) => blocks
            .iter()
            .filter_map(|block| block.get("text")?.as_str())
            .map(|text| text.chars().count())
            .sum(),
        _ => 0,
    };
    if length <= longest {
        return content;
    }
    let (whole, extension) = match &content {
        Value::String(text) => (text.clone(), "txt"),
        blocks => (serde_json::to_string_pretty(blocks).unwrap_or_default(), "json"),
    };
    let saved = save_as(frame, &format!("{}.{extension}", frame.call_id), whole.as_bytes()).await;
    let place = saved.as_ref().map(PathBuf::as_path).map_err(String::as_str);
    Value::from(sluice_tools::stand_in(&whole, place))
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

/// What a file of this kind is called.
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

    async fn made(result: Value, longest: Option<usize>) -> (Outcome, tempfile::TempDir) {
        let dir = tempfile::tempdir().unwrap();
        let frame = Frame {
            server: "tiny",
            call_id: "toolu_1",
            folder: &dir.path().join("new"),
            longest,
        };
        (outcome(&result, &frame).await, dir)
    }

    #[tokio::test]
    async fn text_goes_to_both_as_it_is() {
        let blocks = json!([{"type": "text", "text": "ok"}]);
        let annotated = json!({"content": [{"type": "text", "text": "ok", "annotations": {"priority": 1}}]});
        let (outcome, _dir) = made(annotated, None).await;
        assert_eq!(
            (outcome.content, outcome.result, outcome.is_error),
            (blocks.clone(), blocks, None)
        );
    }

    #[tokio::test]
    async fn structured_content_stands_for_the_rest() {
        let result =
            json!({"content": [{"type": "text", "text": "3"}], "structuredContent": {"sum": 3}, "_meta": {"k": 1}});
        let (outcome, _dir) = made(result, None).await;
        assert_eq!(outcome.content, json!("{\"sum\":3}"));
        assert_eq!(
            outcome.result,
            json!({"content": "{\"sum\":3}", "_meta": {"k": 1}, "structuredContent": {"sum": 3}})
        );
    }

    #[tokio::test]
    async fn a_failure_is_the_server_s_words() {
        let (outcome, _dir) = made(
            json!({"content": [{"type": "text", "text": "it failed"}], "isError": true}),
            None,
        )
        .await;
        assert_eq!(outcome.content, json!("it failed"));
        assert_eq!(outcome.result, json!("Error: it failed"));
        assert_eq!(outcome.effects, [Effect::TeachSchema]);
        let (outcome, _dir) = made(json!({"content": [], "isError": true}), None).await;
        assert!(outcome.content.as_str().unwrap().contains("did not say why"));
    }

    #[tokio::test]
    async fn what_the_model_cannot_read_is_saved_and_named() {
        let (outcome, _dir) = made(
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
    async fn what_is_too_long_is_saved_whole() {
        let long = "x".repeat(60_000);
        let result = json!({"content": [{"type": "text", "text": long}]});
        let (outcome, dir) = made(result.clone(), None).await;
        let shown = outcome.content.as_str().unwrap();
        assert!(shown.starts_with("<persisted-output>") && shown.len() < 4000, "{shown}");
        let saved = std::fs::read_to_string(dir.path().join("new/toolu_1.json")).unwrap();
        assert!(saved.contains(&long));
        assert_eq!(outcome.result[0]["text"], json!(long), "the host gets all of it");
        let (outcome, _dir) = made(result, Some(100_000)).await;
        assert!(outcome.content.is_array(), "a tool may say that its results are long");
    }
}
