//! Estimates how many tokens content takes in the context window, from its size in bytes.

use crate::cost::Tokens;
use serde_json::Value;

/// The approximate number of tokens of an image or a document page, regardless of its size.
pub const IMAGE_TOKENS: u64 = 1600;

/// Estimates the tokens of a value: one token per four bytes.
pub fn tokens(value: &Value) -> u64 {
    let bytes = match value {
        Value::String(text) => text.len(),
        other => other.to_string().len(),
    };
    u64::try_from(bytes.div_ceil(4)).unwrap_or(u64::MAX)
}

/// Estimates the tokens of one block of a message.
pub fn block_tokens(block: &Value) -> u64 {
    match kind(block) {
        "image" | "document" => IMAGE_TOKENS,
        "text" => block.get("text").map(tokens).unwrap_or_default(),
        "tool_result" => match block.get("content") {
            Some(Value::Array(parts)) => parts.iter().map(block_tokens).sum(),
            other => other.map(tokens).unwrap_or_default(),
        },
        _ => tokens(block),
    }
}

/// Returns the type of a block.
pub fn kind(block: &Value) -> &str {
    block.get("type").and_then(Value::as_str).unwrap_or_default()
}

/// How full the context is, according to the usage of the last response.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Gauge {
    counted: u64,
    /// The number of messages that the count covers.
    messages: usize,
}

impl Gauge {
    /// Reads the usage of a response to a request with this number of messages. A server that reports no input tokens is
    /// ignored.
    pub fn read(usage: &Value, messages: usize) -> Self {
        let tokens = Tokens::read(usage);
        match tokens.input + tokens.cache_read + tokens.cache_write {
            0 => Self::default(),
            input => Self {
                counted: input + tokens.output,
                messages,
            },
        }
    }

    /// Returns the token count and the number of messages it covers, or `None` if nothing was counted yet.
    pub fn counted(self) -> Option<(u64, usize)> {
        (self.counted > 0).then_some((self.counted, self.messages))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn gauge_uses_the_counts_of_the_api() {
        let usage = json!({"input_tokens": 10, "cache_read_input_tokens": 100, "output_tokens": 12});
        assert_eq!(Gauge::read(&usage, 3).counted(), Some((122, 3)));
    }

    #[test]
    fn usage_without_input_tokens_is_ignored() {
        assert_eq!(
            Gauge::read(&json!({"input_tokens": 0, "output_tokens": 12}), 1).counted(),
            None
        );
    }
}
