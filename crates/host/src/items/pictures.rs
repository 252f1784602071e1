//! Texts and images of content: of prompts, of results, and of what tools return besides.

use serde_json::Value;

use super::{Picture, Text};

/// Returns the text of content: a string or a list of blocks.
pub(crate) fn text(content: &Value) -> Text {
    if let Some(text) = Text::of(content) {
        return text;
    }
    let blocks = content.as_array().into_iter().flatten();
    let mut texts: Vec<Text> = blocks.filter_map(block_text).collect();
    if texts.len() == 1 {
        return texts.remove(0);
    }
    texts.iter().map(|text| &**text).collect::<Vec<_>>().join("\n").into()
}

fn block_text(block: &Value) -> Option<Text> {
    let inner = match block.get("type").and_then(Value::as_str) {
        Some("resource") => block.pointer("/resource/text"),
        _ => block.get("text"),
    };
    Text::of(inner?)
}

/// Returns the images of content.
pub(crate) fn pictures(content: &Value) -> Vec<Picture> {
    let blocks = content.as_array().into_iter().flatten();
    let images = blocks.filter(|block| block.get("type").and_then(Value::as_str) == Some("image"));
    images
        .filter_map(|block| of_source(block.get("source").unwrap_or(block)))
        .collect()
}

/// Returns the image of the `source` of an image block.
pub(crate) fn of_source(source: &Value) -> Option<Picture> {
    picture(source, "data", &["media_type", "mimeType"])
}

/// Returns the images in the structured result of a tool: a file, or the pages of one.
pub(crate) fn of_result(value: &Value) -> Vec<Picture> {
    let file = value.get("file");
    let pages = value.get("pages").and_then(Value::as_array).into_iter().flatten();
    let file = file.and_then(|file| picture(file, "base64", &["type"]));
    let pages = pages.filter_map(|page| picture(page, "base64", &["mediaType"]));
    file.into_iter().chain(pages).collect()
}

fn picture(source: &Value, data: &str, types: &[&str]) -> Option<Picture> {
    let mut types = types.iter().filter_map(|name| source.get(name)?.as_str());
    Some(Picture {
        mime_type: types.find(|it| it.contains('/')).unwrap_or("image/png").into(),
        data: Text::of(source.get(data)?)?,
    })
}
