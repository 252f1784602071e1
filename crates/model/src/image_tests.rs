#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use serde_json::json;

use super::*;

// One pixel each.
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
fn images_are_left_alone() {
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
fn junk_is_named_instead() {
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
        let said = sanitize(block);
        let said = text(&said);
        assert!(
            said.starts_with("[Image could not be processed: ") && said.ends_with(']'),
            "{said}"
        );
        assert!(said.contains(word), "{said}");
    }
}

#[test]
fn images_inside_results_are_looked_at() {
    let content = json!([{"type": "text", "text": "a"}, image("image/png", "AAAA"), image("image/png", PNG)]);
    let got = sanitize(json!({"type": "tool_result", "tool_use_id": "t", "content": content}));
    assert!(text(&got["content"][1]).starts_with("[Image could not be processed"));
    assert_eq!(got["content"][2], image("image/png", PNG));
}

#[test]
fn everything_else_passes() {
    for block in [
        json!({"type": "text", "text": "x"}),
        json!({"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="}}),
        json!({"type": "tool_result", "tool_use_id": "t", "content": "plain"}),
        json!("not a block"),
    ] {
        assert_eq!(sanitize(block.clone()), block);
    }
}
