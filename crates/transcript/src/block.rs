//! The content blocks of a message, as the bytes in which they were saved: they are sent again unchanged. Only blocks
//! that need it (images, for example) are parsed; the caller says what becomes of them.

use serde::de::IgnoredAny;
use serde_json::{Value, json};

use super::envelope::{Key, Spelled, text};
use super::json_fields;

/// A block of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// The entry it is a part of, and which part.
    pub(super) from: (Key, usize),
    pub(super) kind: Kind,
    /// What is sent, to the byte.
    pub spelled: Box<[u8]>,
    /// Whether a cache mark may be put to it.
    pub can_carry: bool,
    /// About how many tokens it takes.
    pub tokens: u64,
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

/// What the resuming session makes of a block that is not sent again unchanged.
pub type Look = fn(Value) -> Looked;

/// A block that was looked into.
#[derive(Debug, Clone, PartialEq)]
pub struct Looked {
    /// What is sent.
    pub block: Value,
    /// Whether a cache mark may be put to it.
    pub can_carry: bool,
    /// About how many tokens it takes.
    pub tokens: u64,
}

/// The blocks of a content. None if it cannot be sent.
pub(super) fn blocks(content: &[u8], look: Look) -> Option<Vec<Block>> {
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
                    match block(spelled, doubtful, look) {
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
pub(super) fn block(spelled: &[u8], doubtful: bool, look: Look) -> Option<Block> {
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
        return looked_into(spelled, look);
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
    let spelled = serde_json::to_vec(&result).ok()?;
    let counted = result.get("content").and_then(Value::as_str).map_or(0, str::len);
    Some(Block {
        from: (key, LOST + at),
        kind: Kind::Result(id.to_owned()),
        can_carry: true,
        tokens: about(counted),
        spelled: spelled.into_boxed_slice(),
    })
}

/// A block that is read and written again.
fn looked_into(spelled: &[u8], look: Look) -> Option<Block> {
    let looked = look(serde_json::from_slice(spelled).ok()?);
    let (mut block, can_carry, tokens) = (looked.block, looked.can_carry, looked.tokens);
    let name = |block: &Value, key: &str| block.get(key).and_then(Value::as_str).map(str::to_owned);
    let kind = match block.get("type").and_then(Value::as_str) {
        Some("tool_use") => name(&block, "id").map(Kind::Call),
        Some("tool_result") => name(&block, "tool_use_id").map(Kind::Result),
        Some("thinking" | "redacted_thinking") => Some(Kind::Thinking),
        _ => None,
    };
    if let Value::Object(map) = &mut block {
        // Whose mark it was no longer matters.
        map.shift_remove("cache_control");
    }
    Some(Block {
        from: Default::default(),
        kind: kind.unwrap_or(Kind::Other),
        can_carry,
        tokens,
        spelled: serde_json::to_vec(&block).ok()?.into_boxed_slice(),
    })
}

/// Four bytes are about one token.
fn about(bytes: usize) -> u64 {
    u64::try_from(bytes.div_ceil(4)).unwrap_or(u64::MAX)
}
