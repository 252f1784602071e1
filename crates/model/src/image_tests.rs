#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use serde_json::json;

use super::*;

// Images of one pixel.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const GIF: &str = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";

fn image(media_type: &str, data: &str) -> Value {
    json!({"type": "image", "source": {"type": "base64", "media_type": media_type, "data": data}})
}

fn text(block: &Value) -> &str {
    assert_eq!(block["type"], "text", "{block}");
    block["text"].as_str().unwrap()
}

#[test]
fn valid_images_are_unchanged() {
    let jpeg = STANDARD.encode([0xFF, 0xD8, 0xFF, 0xE0, 0]);
    let webp = STANDARD.encode(b"RIFF\0\0\0\0WEBPVP8 ");
    for block in [
        image("image/png", PNG),
        image("image/gif", GIF),
        image("image/jpeg", &jpeg),
        image("image/webp", &webp),
        json!({"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}}),
        json!({"type": "image", "source": {"type": "file", "file_id": "f"}}),
    ] {
        assert_eq!(sanitize(block.clone()), block);
    }
}

#[test]
fn invalid_images_are_replaced_by_the_reason() {
    for (block, word) in [
        (image("image/png", "AAAA"), "not a PNG"),
        (image("image/png", "iVBORw0KGgo="), "not a PNG"),
        (image("image/png", "%%%"), "not base64"),
        (image("image/png", ""), "not a PNG"),
        (image("image/jpeg", PNG), "declared as image/jpeg but is image/png"),
        (
            json!({"type": "image", "source": {"type": "base64", "data": PNG}}),
            "no media type",
        ),
        (
            json!({"type": "image", "source": {"type": "base64", "media_type": "image/png"}}),
            "no data",
        ),
    ] {
        let message = sanitize(block);
        let message = text(&message);
        assert!(
            message.starts_with("[Image could not be processed: ") && message.ends_with(']'),
            "{message}"
        );
        assert!(message.contains(word), "{message}");
    }
}

#[test]
fn images_in_tool_results_are_checked() {
    let content = json!([{"type": "text", "text": "a"}, image("image/png", "AAAA"), image("image/png", PNG)]);
    let got = sanitize(json!({"type": "tool_result", "tool_use_id": "t", "content": content}));
    assert!(text(&got["content"][1]).starts_with("[Image could not be processed"));
    assert_eq!(got["content"][2], image("image/png", PNG));
}

#[test]
fn other_blocks_are_unchanged() {
    for block in [
        json!({"type": "text", "text": "x"}),
        json!({"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="}}),
        json!({"type": "tool_result", "tool_use_id": "t", "content": "plain"}),
        json!("not a block"),
    ] {
        assert_eq!(sanitize(block.clone()), block);
    }
}
