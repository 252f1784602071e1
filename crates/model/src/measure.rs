//! How much room things take in the model's context. Nobody counts tokens here: they are estimated by bytes.

use crate::cost::Tokens;
use serde_json::Value;

/// About what a picture or a document page takes, whatever its bytes.
pub const PICTURE: u64 = 1600;

/// Four bytes are about one token.
pub fn tokens(value: &Value) -> u64 {
    let bytes = match value {
        Value::String(text) => text.len(),
        other => other.to_string().len(),
    };
    u64::try_from(bytes.div_ceil(4)).unwrap_or(u64::MAX)
}

/// One block of a message.
pub fn block_tokens(block: &Value) -> u64 {
    match kind(block) {
        "image" | "document" => PICTURE,
        "text" => block.get("text").map(tokens).unwrap_or_default(),
        "tool_result" => match block.get("content") {
            Some(Value::Array(parts)) => parts.iter().map(block_tokens).sum(),
            other => other.map(tokens).unwrap_or_default(),
        },
        _ => tokens(block),
    }
}

/// What a block is.
pub fn kind(block: &Value) -> &str {
    block.get("type").and_then(Value::as_str).unwrap_or_default()
}

/// How full the context is: what the API counted with its last answer, and an estimate of what was said since.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Gauge {
    counted: u64,
    /// How many messages that count covers.
    messages: usize,
}

impl Gauge {
    /// Takes the API's word; a server that counts nothing is not believed.
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

    /// What the API counted, and how many messages that covers. None when it has counted nothing yet.
    pub fn counted(self) -> Option<(u64, usize)> {
        (self.counted > 0).then_some((self.counted, self.messages))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_the_api_counted_is_taken_at_its_word() {
        let usage = json!({"input_tokens": 10, "cache_read_input_tokens": 100, "output_tokens": 12});
        assert_eq!(Gauge::read(&usage, 3).counted(), Some((122, 3)));
    }

    #[test]
    fn a_server_that_counts_nothing_is_not_believed() {
        assert_eq!(
            Gauge::read(&json!({"input_tokens": 0, "output_tokens": 12}), 1).counted(),
            None
        );
    }
}
