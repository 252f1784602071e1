//! The content of one transcript entry: the message for the model, or a line that records how it was sent.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::block::{Block, Look, block, blocks};
use super::envelope::{Key, text};
use super::json_fields;
use super::other_lines::SHOWN;

/// The content of an entry.
#[derive(Debug, Clone)]
pub(super) struct EntryContent {
    pub(super) key: Key,
    pub(super) by_model: bool,
    /// The model's message this is a part of.
    pub(super) message: Option<String>,
    pub(super) blocks: Vec<Block>,
    /// It says nothing itself, but how it was that the user's side spoke since the model's last message.
    pub(super) shown: Option<Vec<Vec<Part>>>,
}

/// Where a block comes from that was shown to the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    /// It is the entry's of this key.
    Kept(Key, usize),
    /// It stands nowhere else.
    Said(Block),
}

/// Reads what the entry of this key says to the model; none if it says nothing to it.
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
    let [mut error, mut unseen, mut summary] = [false; 3];
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
            b"isVisibleInTranscriptOnly" => unseen = value == b"true",
            b"isCompactSummary" => summary = value == b"true",
            _ => {}
        }
        true
    });
    let name = if shown.is_some() { leaf } else { uuid };
    if !whole || text(name).is_none_or(|name| Key::of(&name) != key) {
        return None;
    }
    let mut said = EntryContent {
        key,
        by_model: false,
        message: None,
        blocks: Vec::new(),
        shown: None,
    };
    let kind = text(kind)?;
    match &*kind {
        "user" | "assistant" if !error && (!unseen || summary) => {}
        "attachment" if is_mention(attachment?) => {
            said.blocks = numbered(key, blocks_of_attachment(rendered?, look)?);
            return Some(said);
        }
        SHOWN => {
            said.shown = Some(parts(shown?, look)?);
            return Some(said);
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
        // Our own words in the model's place.
        return None;
    }
    said.by_model = kind == "assistant";
    said.message = text(id).filter(|_| said.by_model).map(Cow::into_owned);
    said.blocks = numbered(key, blocks(content?, look)?);
    Some(said)
}

fn numbered(key: Key, mut blocks: Vec<Block>) -> Vec<Block> {
    for (at, block) in blocks.iter_mut().enumerate() {
        block.from = (key, at);
    }
    blocks
}

/// Whether this is what a prompt has mentioned. Other attachments tell of the program that made them.
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

/// The words in which an attachment was shown.
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
        match (&mut all, content.and_then(|content| blocks(content, look))) {
            (Some(all), Some(blocks)) => all.extend(blocks),
            _ => all = None,
        }
    });
    all.filter(|_| whole)
}

/// What the model was shown, block by block. Few lines say so: they are read in earnest.
fn parts(messages: &[u8], look: Look) -> Option<Vec<Vec<Part>>> {
    let messages: Vec<Vec<&RawValue>> = serde_json::from_slice(messages).ok()?;
    let part = |spelled: &RawValue| {
        let part: Address<'_> = serde_json::from_str(spelled.get()).ok()?;
        match part {
            Address {
                uuid: Some(uuid),
                block: Some(block),
                ..
            } => Some(Part::Kept(Key::of(&uuid), block)),
            Address {
                content: Some(content), ..
            } => {
                let doubtful = content.get().contains("\\u");
                block(content.get().as_bytes(), doubtful, look).map(Part::Said)
            }
            _ => None,
        }
    };
    messages
        .into_iter()
        .map(|message| message.into_iter().map(part).collect())
        .collect()
}

/// A block's place in an entry, or the block itself.
#[derive(Deserialize)]
struct Address<'a> {
    #[serde(borrow)]
    uuid: Option<Cow<'a, str>>,
    block: Option<usize>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
}

impl Part {
    /// As it is written.
    pub(super) fn line(&self) -> Value {
        match self {
            Self::Kept(key, block) => json!({"uuid": key.name(), "block": block}),
            Self::Said(block) => {
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

    fn as_it_is(block: Value) -> Looked {
        Looked {
            block,
            can_carry: true,
            tokens: 1,
        }
    }

    fn read(line: &[u8], key: Key) -> Option<EntryContent> {
        super::read(line, key, as_it_is)
    }

    #[test]
    fn what_no_server_would_take_is_left_out() {
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
    fn what_was_mentioned_is_shown_again_and_no_other_attachment() {
        let line = |kind: &str| {
            json!({"type": "attachment", "uuid": "u", "attachment": {"type": kind}, "rendered":
                [{"content": "a file"}, {"content": [{"type": "text", "text": "more"}]}], "renderedRole": "user"})
        };
        let said = read(line("file").to_string().as_bytes(), Key::of("u")).unwrap();
        assert_eq!((said.by_model, said.blocks.len()), (false, 2));
        assert_eq!(&*said.blocks[0].spelled, br#"{"type":"text","text":"a file"}"#);
        assert!(read(line("environment").to_string().as_bytes(), Key::of("u")).is_none());
    }

    #[test]
    fn what_the_model_was_shown_can_be_read_again() {
        let parts = vec![
            vec![
                Part::Kept(Key::of("u1"), 1),
                Part::Said(block(br#"{"type":"text","text":"\"x\""}"#, false, as_it_is).unwrap()),
            ],
            Vec::new(),
        ];
        let messages = parts
            .iter()
            .map(|parts| parts.iter().map(Part::line).collect::<Value>());
        let line = other_lines::shown(&messages.collect(), "u", "s").to_string();
        assert_eq!(read(line.as_bytes(), Key::of("u")).unwrap().shown, Some(parts));
    }

    #[test]
    fn a_line_that_is_another_by_now_says_nothing() {
        let line = json!({"type": "user", "uuid": "other", "message": {"content": "x"}}).to_string();
        assert!(read(line.as_bytes(), Key::of("u")).is_none());
    }
}
