//! Images: sent unchanged if the model accepts them, otherwise scaled down.

use std::fs::File;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use super::Reading;
use crate::image::{self, Shrunk};
use crate::outcome::Outcome;

/// Maximum size of an image file.
const MAX_FILE_SIZE: u64 = 48 << 20;

pub(super) fn read(file: &mut File, reading: &Reading) -> Outcome {
    let path = &reading.input.file_path;
    let bytes = match reading.bytes(file, MAX_FILE_SIZE) {
        Ok(bytes) => bytes,
        Err(outcome) => return outcome,
    };
    let Some(header) = image::header(&bytes) else {
        return Outcome::refused(format!(
            "{path} is named like an image but is not a PNG, JPEG, GIF or WebP file."
        ));
    };
    let shrunk = match image::shrunk(&bytes, header) {
        Ok(shrunk) => shrunk,
        Err(why) => return Outcome::refused(format!("{path} cannot be shown: {why}.")),
    };
    let media_type = shrunk
        .as_ref()
        .map_or(header.format, |shrunk| shrunk.format)
        .media_type();
    let data = STANDARD.encode(shrunk.as_ref().map_or(bytes.as_slice(), |shrunk| &shrunk.bytes));
    let mut shown = json!({"base64": data, "type": media_type, "originalSize": bytes.len()});
    let mut content = json!([{"type": "image", "source": {"type": "base64", "data": data, "media_type": media_type}}]);
    if let (Some((width, height)), Some(fields)) = (header.size, shown.as_object_mut()) {
        let (display_width, display_height) = shrunk.as_ref().map_or((width, height), |shrunk| shrunk.size);
        fields.insert(
            "dimensions".to_owned(),
            json!({"originalWidth": width, "originalHeight": height, "displayWidth": display_width, "displayHeight": display_height}),
        );
        if let (Some(Shrunk { size, .. }), Some(blocks)) = (&shrunk, content.as_array_mut())
            && *size != (width, height)
        {
            blocks.push(json!({"type": "text", "text": format!(
                "[The image measures {width}x{height} pixels and is shown at {display_width}x{display_height}.]"
            )}));
        }
    }
    reading.files.saw(&reading.path, &bytes);
    Outcome::ok(content, json!({"type": "image", "file": shown}))
}
