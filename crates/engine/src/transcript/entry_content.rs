//! The content of one transcript entry, in the bytes in which it is kept: they were sent once and are sent again as they
//! are. Only what needs a look inside (pictures, say) is read.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::entry::SHOWN;
use super::envelope::{Key, Spelled, text};
use super::json_fields;
use crate::measure::block_tokens;
use crate::tool_calls::for_model;

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

/// A block of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    /// The entry it is a part of, and which part.
    pub(super) from: (Key, usize),
    pub(super) kind: Kind,
    pub(super) spelled: Box<[u8]>,
    /// Whether a cache mark may be put to it.
    pub(super) can_carry: bool,
    pub(super) tokens: u64,
}

/// What a block is to its neighbours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    /// A call of this id.
    Call(String),
    /// What the call of this id came to.
    Result(String),
    Thinking,
    Other,
}

/// Reads what the entry of this key says to the model; none if it says nothing to it.
pub(super) fn read(line: &[u8], key: Key) -> Option<EntryContent> {
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
            said.blocks = numbered(key, blocks_of_attachment(rendered?)?);
            return Some(said);
        }
        SHOWN => {
            said.shown = Some(parts(shown?)?);
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
    said.blocks = numbered(key, blocks(content?)?);
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
fn blocks_of_attachment(rendered: &[u8]) -> Option<Vec<Block>> {
    let mut all = Some(Vec::new());
    let whole = json_fields::elements(rendered, |element| {
        let mut content = None;
        json_fields::fields(element, |name, value| {
            if name == b"content" {
                content = Some(value);
            }
            true
        });
        match (&mut all, content.and_then(blocks)) {
            (Some(all), Some(blocks)) => all.extend(blocks),
            _ => all = None,
        }
    });
    all.filter(|_| whole)
}

/// What the model was shown, block by block. Few lines say so: they are read in earnest.
fn parts(messages: &[u8]) -> Option<Vec<Vec<Part>>> {
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
                block(content.get().as_bytes(), doubtful).map(Part::Said)
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

/// The blocks of a content. None if it cannot be sent.
fn blocks(content: &[u8]) -> Option<Vec<Block>> {
    std::str::from_utf8(content).ok()?;
    // Half a character may be spelled so, and would be refused. A look inside finds out.
    let doubtful = memchr::memmem::find(content, b"\\ud").is_some() || memchr::memmem::find(content, b"\\uD").is_some();
    match content.first()? {
        b'"' => {
            let spelled = if doubtful {
                serde_json::to_vec(&serde_json::from_slice::<String>(content).ok()?).ok()?
            } else {
                serde_json::from_slice::<IgnoredAny>(content).ok()?;
                content.to_vec()
            };
            let block = [br#"{"type":"text","text":"#, spelled.as_slice(), b"}"].concat();
            Some(vec![Block {
                from: Default::default(),
                kind: Kind::Other,
                can_carry: spelled.len() > 2,
                tokens: about(spelled.len() - 2),
                spelled: block.into_boxed_slice(),
            }])
        }
        b'[' => {
            let mut blocks = Some(Vec::new());
            let whole = json_fields::elements(content, |spelled| {
                if let Some(found) = &mut blocks {
                    match block(spelled, doubtful) {
                        Some(block) => found.push(block),
                        None => blocks = None,
                    }
                }
            });
            blocks.filter(|_| whole)
        }
        _ => Some(Vec::new()),
    }
}

/// A block as it is spelled; `doubtful` ones are read in earnest. None if it cannot be sent.
pub(super) fn block(spelled: &[u8], doubtful: bool) -> Option<Block> {
    let [mut kind, mut id, mut call, mut words, mut content, mut mark] = [None; 6];
    let object = json_fields::fields(spelled, |name, value| {
        match name {
            b"type" => kind = Some(value),
            b"id" => id = Some(value),
            b"tool_use_id" => call = Some(value),
            b"text" => words = Some(value),
            b"content" => content = Some(value),
            b"cache_control" => mark = Some(value),
            _ => {}
        }
        true
    });
    let is_text = |field: Spelled<'_>| field.is_some_and(|value| value.first() == Some(&b'"'));
    let plain = match kind {
        Some(b"\"text\"") => is_text(words),
        Some(b"\"tool_result\"") => is_text(content),
        Some(b"\"tool_use\"" | b"\"thinking\"" | b"\"redacted_thinking\"") => true,
        _ => false,
    };
    if !object || !plain || doubtful || mark.is_some() {
        return looked_into(spelled);
    }
    serde_json::from_slice::<IgnoredAny>(spelled).ok()?;
    let counted = words.or(content).map_or(spelled.len(), |words| words.len() - 2);
    let name = |field| text(field).unwrap_or_default().into_owned();
    Some(Block {
        from: Default::default(),
        kind: match kind {
            Some(b"\"tool_use\"") if id.is_some() => Kind::Call(name(id)),
            Some(b"\"tool_result\"") if call.is_some() => Kind::Result(name(call)),
            Some(b"\"thinking\"" | b"\"redacted_thinking\"") => Kind::Thinking,
            _ => Kind::Other,
        },
        can_carry: match kind {
            Some(b"\"text\"") => words.is_some_and(|words| words.len() > 2),
            Some(b"\"thinking\"" | b"\"redacted_thinking\"") => false,
            _ => true,
        },
        tokens: about(counted),
        spelled: spelled.into(),
    })
}

/// Whether a block is a text without words, which no server takes back from the model.
pub(super) fn is_blank(block: &Block) -> bool {
    let [mut kind, mut words] = [None; 2];
    if block.kind == Kind::Other {
        json_fields::fields(&block.spelled, |name, value| {
            match name {
                b"type" => kind = Some(value),
                b"text" => words = Some(value),
                _ => {}
            }
            true
        });
    }
    // As they are spelled, words begin with a letter that is no space, nor part of how one is spelled.
    let could_be = |value: &[u8]| {
        value
            .iter()
            .all(|byte| !byte.is_ascii() || b" \"\\\nnrtu0123456789abcdefABCDEF".contains(byte))
    };
    kind == Some(b"\"text\"")
        && words.is_none_or(|words| could_be(words) && text(Some(words)).is_none_or(|text| text.trim().is_empty()))
}

/// The first number of a block that stands for the result a call never came to.
const LOST: usize = 1 << 20;

/// What a call came to whose process was ended before it came to anything.
pub(super) fn lost(id: &str, (key, at): (Key, usize)) -> Option<Block> {
    let result = json!({
        "type": "tool_result",
        "tool_use_id": id,
        "content": "[No result: the session was ended before this call was done. It may have had none, some or all of \
            its effects. Look before you repeat it.]",
        "is_error": true,
    });
    let mut block = block(&serde_json::to_vec(&result).ok()?, false)?;
    block.from = (key, LOST + at);
    Some(block)
}

/// A block that is read and written again.
fn looked_into(spelled: &[u8]) -> Option<Block> {
    let mut block = sluice_model::sanitize(serde_json::from_slice(spelled).ok()?);
    let name = |block: &Value, key: &str| block.get(key).and_then(Value::as_str).map(str::to_owned);
    let kind = match block.get("type").and_then(Value::as_str) {
        Some("tool_use") => name(&block, "id").map(Kind::Call),
        Some("tool_result") => name(&block, "tool_use_id").map(Kind::Result),
        Some("thinking" | "redacted_thinking") => Some(Kind::Thinking),
        _ => None,
    };
    let kind = kind.unwrap_or(Kind::Other);
    if matches!(kind, Kind::Result(_)) {
        block = for_model(block);
    }
    let can_carry = sluice_model::can_carry(&block);
    let tokens = block_tokens(&block);
    if let Value::Object(map) = &mut block {
        // Whose mark it was no longer matters.
        map.shift_remove("cache_control");
    }
    Some(Block {
        from: Default::default(),
        kind,
        can_carry,
        tokens,
        spelled: serde_json::to_vec(&block).ok()?.into_boxed_slice(),
    })
}

/// Four bytes are about one token.
fn about(bytes: usize) -> u64 {
    u64::try_from(bytes.div_ceil(4)).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]

    use proptest::prelude::*;
    use sluice_model::{Message, Role, Writing};

    use super::*;

    fn content_of(content: &Value) -> Option<EntryContent> {
        let line = json!({"type": "user", "uuid": "u", "message": {"role": "user", "content": content}});
        read(line.to_string().as_bytes(), Key::of("u"))
    }

    fn message(blocks: &[Block]) -> Message {
        let mut message = Writing::new(Role::User);
        for block in blocks {
            message.spelled(&block.spelled, block.can_carry);
        }
        message.done()
    }

    fn any_block() -> impl Strategy<Value = Value> {
        let words = "[a\"\\\\\n\u{e9}\u{1f600}]{0,6}";
        let mark = prop_oneof![Just(None), Just(Some(json!({"type": "ephemeral"})))];
        let block = prop_oneof![
            words.prop_map(|words| json!({"type": "text", "text": words})),
            words.prop_map(|words| json!({"type": "thinking", "thinking": words, "signature": "s"})),
            words.prop_map(|words| json!({"type": "tool_result", "tool_use_id": words, "content": words})),
            words.prop_map(|words| json!({"type": "tool_use", "id": words, "name": "n", "input": {"a": [1.5, words]}})),
            words.prop_map(|words| json!({"type": "tool_result", "tool_use_id": "t",
                "content": [{"type": "text", "text": words}, {"type": "tool_reference", "tool_name": words}]})),
            words.prop_map(|words| json!({"type": "image", "source": {"type": "base64", "data": words}})),
            words.prop_map(|words| json!({"type": words, "text": 1})),
            Just(json!({})),
            Just(json!({"type": "text"})),
        ];
        (block, mark).prop_map(|(mut block, mark)| {
            if let Some(mark) = mark {
                block["cache_control"] = mark;
            }
            block
        })
    }

    proptest! {
        /// The quick way and the thorough one lead to the same bytes, marks included.
        #[test]
        fn what_is_kept_is_sent_as_it_was(content in prop::collection::vec(any_block(), 0..5)) {
            let thorough: Vec<Value> = content.iter().cloned().map(sluice_model::sanitize).map(|block| {
                match block["type"].as_str() {
                    Some("tool_result") => for_model(block),
                    _ => block,
                }
            }).collect();
            let quick = content_of(&json!(content)).unwrap();
            prop_assert_eq!(message(&quick.blocks), Message::new(Role::User, &thorough));
        }

        #[test]
        fn a_text_is_a_block(words in "[a\"\\\\\n\u{e9}\u{1f600}\u{7}]{0,6}") {
            let quick = content_of(&json!(words)).unwrap();
            let wanted = Message::new(Role::User, &[json!({"type": "text", "text": words})]);
            prop_assert_eq!(message(&quick.blocks), wanted);
        }
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
                Part::Said(block(br#"{"type":"text","text":"\"x\""}"#, false).unwrap()),
            ],
            Vec::new(),
        ];
        let messages = parts
            .iter()
            .map(|parts| parts.iter().map(Part::line).collect::<Value>());
        let line = super::super::entry::shown(&messages.collect(), "u", "s").to_string();
        assert_eq!(read(line.as_bytes(), Key::of("u")).unwrap().shown, Some(parts));
    }

    #[test]
    fn a_line_that_is_another_by_now_says_nothing() {
        let line = json!({"type": "user", "uuid": "other", "message": {"content": "x"}}).to_string();
        assert!(read(line.as_bytes(), Key::of("u")).is_none());
    }
}
