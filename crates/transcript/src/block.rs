//! The content blocks of a message, as the bytes in which they were saved, so that they are sent again unchanged. Only
//! blocks that may have to change (images, for example) are parsed and passed to a function of the caller.

use serde::de::IgnoredAny;
use serde_json::{Value, json};

use super::envelope::{Key, RawField, text};
use super::json_fields;

/// A content block of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// The key of the entry that contains the block, and the index of the block in it.
    pub(super) from: (Key, usize),
    pub(super) kind: BlockKind,
    /// The JSON text that is sent.
    pub spelled: Box<[u8]>,
    /// Whether the block may have a `cache_control` field.
    pub can_carry: bool,
    /// Estimated number of tokens.
    pub tokens: u64,
}

/// The kind of a block, as far as it matters for the pairing of calls and results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum BlockKind {
    /// The tool call with this id.
    Call(String),
    /// The result of the tool call with this id.
    Result(String),
    Thinking,
    Other,
}

/// Function of the resuming session that converts a block which is not sent again unchanged.
pub type Look = fn(Value) -> Looked;

/// The result of converting a block.
#[derive(Debug, Clone, PartialEq)]
pub struct Looked {
    /// The block to send.
    pub block: Value,
    /// Whether the block may have a `cache_control` field.
    pub can_carry: bool,
    /// Estimated number of tokens.
    pub tokens: u64,
}

/// Returns the blocks of a message content, or `None` if it cannot be sent.
pub(super) fn parse_blocks(content: &[u8], look: Look) -> Option<Vec<Block>> {
    std::str::from_utf8(content).ok()?;
    // May be an unpaired surrogate, which the API would reject. Full parsing finds out.
    let may_be_invalid =
        memchr::memmem::find(content, b"\\ud").is_some() || memchr::memmem::find(content, b"\\uD").is_some();
    match content.first()? {
        b'"' => {
            let spelled = if may_be_invalid {
                serde_json::to_vec(&serde_json::from_slice::<String>(content).ok()?).ok()?
            } else {
                serde_json::from_slice::<IgnoredAny>(content).ok()?;
                content.to_vec()
            };
            let block = [br#"{"type":"text","text":"#, spelled.as_slice(), b"}"].concat();
            Some(vec![Block {
                from: Default::default(),
                kind: BlockKind::Other,
                can_carry: spelled.len() > 2,
                tokens: estimate_tokens(spelled.len() - 2),
                spelled: block.into_boxed_slice(),
            }])
        }
        b'[' => {
            let mut blocks = Some(Vec::new());
            let whole = json_fields::elements(content, |spelled| {
                if let Some(found) = &mut blocks {
                    match parse_block(spelled, may_be_invalid, look) {
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

/// Returns a block from its JSON text, or `None` if it cannot be sent. With `may_be_invalid` the text is fully parsed.
pub(super) fn parse_block(spelled: &[u8], may_be_invalid: bool, look: Look) -> Option<Block> {
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
    let is_text = |field: RawField<'_>| field.is_some_and(|value| value.first() == Some(&b'"'));
    let plain = match kind {
        Some(b"\"text\"") => is_text(words),
        Some(b"\"tool_result\"") => is_text(content),
        Some(b"\"tool_use\"" | b"\"thinking\"" | b"\"redacted_thinking\"") => true,
        _ => false,
    };
    if !object || !plain || may_be_invalid || mark.is_some() {
        return converted(spelled, look);
    }
    serde_json::from_slice::<IgnoredAny>(spelled).ok()?;
    let counted = words.or(content).map_or(spelled.len(), |words| words.len() - 2);
    let name = |field| text(field).unwrap_or_default().into_owned();
    Some(Block {
        from: Default::default(),
        kind: match kind {
            Some(b"\"tool_use\"") if id.is_some() => BlockKind::Call(name(id)),
            Some(b"\"tool_result\"") if call.is_some() => BlockKind::Result(name(call)),
            Some(b"\"thinking\"" | b"\"redacted_thinking\"") => BlockKind::Thinking,
            _ => BlockKind::Other,
        },
        can_carry: match kind {
            Some(b"\"text\"") => words.is_some_and(|words| words.len() > 2),
            Some(b"\"thinking\"" | b"\"redacted_thinking\"") => false,
            _ => true,
        },
        tokens: estimate_tokens(counted),
        spelled: spelled.into(),
    })
}

/// Whether the block is a blank text, which the API rejects in a message of the model.
pub(super) fn is_blank(block: &Block) -> bool {
    let [mut kind, mut words] = [None; 2];
    if block.kind == BlockKind::Other {
        json_fields::fields(&block.spelled, |name, value| {
            match name {
                b"type" => kind = Some(value),
                b"text" => words = Some(value),
                _ => {}
            }
            true
        });
    }
    // Text with a character that occurs neither in whitespace nor in an escape sequence of whitespace is not blank.
    let could_be = |value: &[u8]| {
        value
            .iter()
            .all(|byte| !byte.is_ascii() || b" \"\\\nnrtu0123456789abcdefABCDEF".contains(byte))
    };
    kind == Some(b"\"text\"")
        && words.is_none_or(|words| could_be(words) && text(Some(words)).is_none_or(|text| text.trim().is_empty()))
}

/// Block indexes from this one on are results that were added for calls without one.
const FIRST_ADDED_INDEX: usize = 1 << 20;

/// Returns the result for a call whose process ended before the call had a result.
pub(super) fn missing_result(id: &str, (key, at): (Key, usize)) -> Option<Block> {
    let result = json!({
        "type": "tool_result",
        "tool_use_id": id,
        "content": "[No result: the session ended before this call finished. It may have had none, some or all of \
            its effects. Check before you repeat it.]",
        "is_error": true,
    });
    let spelled = serde_json::to_vec(&result).ok()?;
    let counted = result.get("content").and_then(Value::as_str).map_or(0, str::len);
    Some(Block {
        from: (key, FIRST_ADDED_INDEX + at),
        kind: BlockKind::Result(id.to_owned()),
        can_carry: true,
        tokens: estimate_tokens(counted),
        spelled: spelled.into_boxed_slice(),
    })
}

/// Parses a block, converts it with the function of the caller, and serialises it again.
fn converted(spelled: &[u8], look: Look) -> Option<Block> {
    let looked = look(serde_json::from_slice(spelled).ok()?);
    let (mut block, can_carry, tokens) = (looked.block, looked.can_carry, looked.tokens);
    let name = |block: &Value, key: &str| block.get(key).and_then(Value::as_str).map(str::to_owned);
    let kind = match block.get("type").and_then(Value::as_str) {
        Some("tool_use") => name(&block, "id").map(BlockKind::Call),
        Some("tool_result") => name(&block, "tool_use_id").map(BlockKind::Result),
        Some("thinking" | "redacted_thinking") => Some(BlockKind::Thinking),
        _ => None,
    };
    if let Value::Object(map) = &mut block {
        // Cache marks of earlier requests no longer apply.
        map.shift_remove("cache_control");
    }
    Some(Block {
        from: Default::default(),
        kind: kind.unwrap_or(BlockKind::Other),
        can_carry,
        tokens,
        spelled: serde_json::to_vec(&block).ok()?.into_boxed_slice(),
    })
}

/// Estimates the number of tokens: four bytes are about one token.
fn estimate_tokens(bytes: usize) -> u64 {
    u64::try_from(bytes.div_ceil(4)).unwrap_or(u64::MAX)
}
