//! The content of one line of a transcript: a message for the model, or a record of what was sent to the model.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::block::{Block, Look, parse_block, parse_blocks};
use super::envelope::{Key, text};
use super::json_fields;
use super::other_lines::SHOWN;

/// The content of a line.
#[derive(Debug, Clone)]
pub(super) struct EntryContent {
    pub(super) key: Key,
    pub(super) by_model: bool,
    /// The id of the model message that this entry is a part of.
    pub(super) message: Option<String>,
    pub(super) blocks: Vec<Block>,
    /// For a `shown-to-model` line, which has no blocks: the user messages since the model's last message, as they were
    /// sent.
    pub(super) shown: Option<Vec<Vec<ShownPart>>>,
}

/// A block of a message that was sent to the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ShownPart {
    /// The block with this index of the entry with this key.
    Reference(Key, usize),
    /// A block that no entry contains.
    Inline(Block),
}

/// Reads the content of the entry with this key. Returns `None` if nothing of it is sent to the model, or if the line
/// is not that entry any more.
pub(super) fn read(line: &[u8], key: Key, look: Look) -> Option<EntryContent> {
    let [
        mut kind,
        mut uuid,
        mut message,
        mut attachment,
        mut rendered,
        mut leaf,
        mut shown,
    ] = [None; 7];
    let [mut error, mut hidden, mut summary] = [false; 3];
    let whole = json_fields::fields(line, |name, value| {
        match name {
            b"type" => kind = Some(value),
            b"uuid" => uuid = Some(value),
            b"message" => message = Some(value),
            b"attachment" => attachment = Some(value),
            b"rendered" => rendered = Some(value),
            b"leafUuid" => leaf = Some(value),
            b"messages" => shown = Some(value),
            b"isApiErrorMessage" => error = value == b"true",
            b"isVisibleInTranscriptOnly" => hidden = value == b"true",
            b"isCompactSummary" => summary = value == b"true",
            _ => {}
        }
        true
    });
    let name = if shown.is_some() { leaf } else { uuid };
    if !whole || text(name).is_none_or(|name| Key::of(&name) != key) {
        return None;
    }
    let mut content_of_entry = EntryContent {
        key,
        by_model: false,
        message: None,
        blocks: Vec::new(),
        shown: None,
    };
    let kind = text(kind)?;
    match &*kind {
        "user" | "assistant" if !error && (!hidden || summary) => {}
        "attachment" if is_mention(attachment?) => {
            content_of_entry.blocks = numbered(key, blocks_of_attachment(rendered?, look)?);
            return Some(content_of_entry);
        }
        SHOWN => {
            content_of_entry.shown = Some(parts(shown?, look)?);
            return Some(content_of_entry);
        }
        _ => return None,
    }
    let [mut id, mut model, mut content] = [None; 3];
    json_fields::fields(message?, |name, value| {
        match name {
            b"id" => id = Some(value),
            b"model" => model = Some(value),
            b"content" => content = Some(value),
            _ => {}
        }
        true
    });
    if model == Some(b"\"<synthetic>\"") {
        // Written by the agent in the name of the model.
        return None;
    }
    content_of_entry.by_model = kind == "assistant";
    content_of_entry.message = text(id).filter(|_| content_of_entry.by_model).map(Cow::into_owned);
    content_of_entry.blocks = numbered(key, parse_blocks(content?, look)?);
    Some(content_of_entry)
}

fn numbered(key: Key, mut blocks: Vec<Block>) -> Vec<Block> {
    for (at, block) in blocks.iter_mut().enumerate() {
        block.from = (key, at);
    }
    blocks
}

/// Whether the attachment is something that a prompt mentions. Other attachments are only for the program that wrote
/// them.
fn is_mention(attachment: &[u8]) -> bool {
    let mut kind = None;
    json_fields::fields(attachment, |name, value| {
        if name == b"type" {
            kind = Some(value);
        }
        kind.is_none()
    });
    matches!(kind, Some(b"\"file\"" | b"\"directory\"" | b"\"mcp_resource\""))
}

/// Returns the blocks in which an attachment was sent to the model.
fn blocks_of_attachment(rendered: &[u8], look: Look) -> Option<Vec<Block>> {
    let mut all = Some(Vec::new());
    let whole = json_fields::elements(rendered, |element| {
        let mut content = None;
        json_fields::fields(element, |name, value| {
            if name == b"content" {
                content = Some(value);
            }
            true
        });
        match (&mut all, content.and_then(|content| parse_blocks(content, look))) {
            (Some(all), Some(blocks)) => all.extend(blocks),
            _ => all = None,
        }
    });
    all.filter(|_| whole)
}

/// Parses the messages of a `shown-to-model` line. Such lines are rare, so they are fully parsed.
fn parts(messages: &[u8], look: Look) -> Option<Vec<Vec<ShownPart>>> {
    let messages: Vec<Vec<&RawValue>> = serde_json::from_slice(messages).ok()?;
    let part = |spelled: &RawValue| {
        let part: PartFields<'_> = serde_json::from_str(spelled.get()).ok()?;
        match part {
            PartFields {
                uuid: Some(uuid),
                block: Some(block),
                ..
            } => Some(ShownPart::Reference(Key::of(&uuid), block)),
            PartFields {
                content: Some(content), ..
            } => {
                let may_be_invalid = content.get().contains("\\u");
                parse_block(content.get().as_bytes(), may_be_invalid, look).map(ShownPart::Inline)
            }
            _ => None,
        }
    };
    messages
        .into_iter()
        .map(|message| message.into_iter().map(part).collect())
        .collect()
}

/// The JSON form of a [`ShownPart`]: a reference to a block of an entry, or the block itself.
#[derive(Deserialize)]
struct PartFields<'a> {
    #[serde(borrow)]
    uuid: Option<Cow<'a, str>>,
    block: Option<usize>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
}

impl ShownPart {
    /// Returns the part in the form in which it is written to the transcript.
    pub(super) fn line(&self) -> Value {
        match self {
            Self::Reference(key, block) => json!({"uuid": key.to_uuid(), "block": block}),
            Self::Inline(block) => {
                let block: Value = serde_json::from_slice(&block.spelled).unwrap_or_default();
                json!({ "content": block })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]

    use super::super::block::Looked;
    use super::super::other_lines;
    use super::*;

    fn unchanged(block: Value) -> Looked {
        Looked {
            block,
            can_carry: true,
            tokens: 1,
        }
    }

    fn read(line: &[u8], key: Key) -> Option<EntryContent> {
        super::read(line, key, unchanged)
    }

    #[test]
    fn content_that_the_api_would_reject_is_left_out() {
        for content in [
            r#""half \ud83d of it""#,
            r#"[{"type":"text","text":"\uD83D"}]"#,
            "[{\"type\":\"text\",\"text\":\"a\tb\"}]",
            r#"[{"type":"text","text":"a",}]"#,
            r#"[{"type":"tool_use","id":"t","input":{"a":01}}]"#,
            r#""\x""#,
        ] {
            let line = format!(r#"{{"type":"user","uuid":"u","message":{{"content":{content}}}}}"#);
            assert!(read(line.as_bytes(), Key::of("u")).is_none(), "{content}");
        }
        let bytes = b"{\"type\":\"user\",\"uuid\":\"u\",\"message\":{\"content\":\"\xff\"}}";
        assert!(read(bytes, Key::of("u")).is_none());
        let pair = br#"{"type":"user","uuid":"u","message":{"content":"\ud83e\udd80"}}"#;
        assert_eq!(read(pair, Key::of("u")).unwrap().blocks.len(), 1);
    }

    #[test]
    fn only_mentioned_files_are_sent_of_all_attachments() {
        let line = |kind: &str| {
            json!({"type": "attachment", "uuid": "u", "attachment": {"type": kind}, "rendered":
                [{"content": "a file"}, {"content": [{"type": "text", "text": "more"}]}], "renderedRole": "user"})
        };
        let content_of_entry = read(line("file").to_string().as_bytes(), Key::of("u")).unwrap();
        assert_eq!((content_of_entry.by_model, content_of_entry.blocks.len()), (false, 2));
        assert_eq!(
            &*content_of_entry.blocks[0].spelled,
            br#"{"type":"text","text":"a file"}"#
        );
        assert!(read(line("environment").to_string().as_bytes(), Key::of("u")).is_none());
    }

    #[test]
    fn shown_parts_survive_a_round_trip() {
        let parts = vec![
            vec![
                ShownPart::Reference(Key::of("u1"), 1),
                ShownPart::Inline(parse_block(br#"{"type":"text","text":"\"x\""}"#, false, unchanged).unwrap()),
            ],
            Vec::new(),
        ];
        let messages = parts
            .iter()
            .map(|parts| parts.iter().map(ShownPart::line).collect::<Value>());
        let line = other_lines::shown(&messages.collect(), "u", "s").to_string();
        assert_eq!(read(line.as_bytes(), Key::of("u")).unwrap().shown, Some(parts));
    }

    #[test]
    fn a_line_with_another_uuid_has_no_content() {
        let line = json!({"type": "user", "uuid": "other", "message": {"content": "x"}}).to_string();
        assert!(read(line.as_bytes(), Key::of("u")).is_none());
    }
}
