//! The content blocks of messages: text, thinking, tool calls, tool results, images and documents.

use std::fmt;

use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Raw;
use crate::field::Field;
use crate::record::wire_struct;
use crate::union::wire_union;

/// The content of a message or of a tool result: one string, or a list of blocks.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// A string.
    Text(String),
    /// A list of content blocks.
    Blocks(Vec<Block>),
}

impl Content {
    /// Returns the text. Text blocks are joined with newlines; other blocks are skipped.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Blocks(blocks) => {
                let texts: Vec<&str> = blocks.iter().filter_map(Block::as_text).collect();
                texts.join("\n")
            }
        }
    }

    /// Returns the blocks. A string becomes one text block.
    #[must_use]
    pub fn into_blocks(self) -> Vec<Block> {
        match self {
            Self::Text(text) => vec![Block::text(text)],
            Self::Blocks(blocks) => blocks,
        }
    }
}

impl Default for Content {
    fn default() -> Self {
        Self::Blocks(Vec::new())
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Vec<Block>> for Content {
    fn from(blocks: Vec<Block>) -> Self {
        Self::Blocks(blocks)
    }
}

impl Field for Content {}

impl Serialize for Content {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => serializer.serialize_str(text),
            Self::Blocks(blocks) => blocks.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ContentVisitor;
        impl<'de> Visitor<'de> for ContentVisitor {
            type Value = Content;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string or an array of blocks")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Content, E> {
                Ok(Content::Text(text.to_owned()))
            }

            fn visit_string<E: Error>(self, text: String) -> Result<Content, E> {
                Ok(Content::Text(text))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Content, A::Error> {
                let mut blocks = Vec::new();
                while let Some(block) = seq.next_element()? {
                    blocks.push(block);
                }
                Ok(Content::Blocks(blocks))
            }
        }
        deserializer.deserialize_any(ContentVisitor)
    }
}

wire_struct! {
    /// A block of text.
    pub struct Text ["type" = "text"] {
        text: String,
        citations: Option<Raw>,
        cache_control: Option<Raw>,
    }
}

wire_struct! {
    /// The thinking of the model, signed by the API.
    pub struct Thinking ["type" = "thinking"] {
        thinking: String,
        signature: Option<String>,
    }
}

wire_struct! {
    /// Encrypted thinking, which only the API can read.
    pub struct RedactedThinking ["type" = "redacted_thinking"] {
        data: String,
    }
}

wire_struct! {
    /// A tool call of the model.
    pub struct ToolUse ["type" = "tool_use"] {
        id: String,
        name: String,
        input: Raw,
        cache_control: Option<Raw>,
    }
}

wire_struct! {
    /// The result of a tool call.
    pub struct ToolResult ["type" = "tool_result"] {
        tool_use_id: String,
        content: Option<Content>,
        is_error: Option<bool>,
        cache_control: Option<Raw>,
    }
}

wire_struct! {
    /// An image.
    pub struct Image ["type" = "image"] {
        source: Source,
        cache_control: Option<Raw>,
    }
}

wire_struct! {
    /// A document, such as a PDF.
    pub struct Document ["type" = "document"] {
        source: Source,
        title: Option<String>,
        context: Option<String>,
        citations: Option<Raw>,
        cache_control: Option<Raw>,
    }
}

wire_struct! {
    /// A tool call that the API runs itself.
    pub struct ServerToolUse ["type" = "server_tool_use"] {
        id: String,
        name: String,
        input: Raw,
    }
}

wire_struct! {
    /// The result of a web search run by the API.
    pub struct WebSearchToolResult ["type" = "web_search_tool_result"] {
        tool_use_id: String,
        content: Raw,
    }
}

wire_struct! {
    /// The result of the API's advisor tool.
    pub struct AdvisorToolResult ["type" = "advisor_tool_result"] {
        tool_use_id: String,
        content: Raw,
    }
}

wire_struct! {
    /// A tool found by a tool search.
    pub struct ToolReference ["type" = "tool_reference"] {
        tool_name: String,
    }
}

wire_union! {
    /// A content block.
    pub enum Block by "type", else Other {
        Text(Text) = "text",
        Thinking(Thinking) = "thinking",
        RedactedThinking(RedactedThinking) = "redacted_thinking",
        ToolUse(ToolUse) = "tool_use",
        ToolResult(ToolResult) = "tool_result",
        Image(Image) = "image",
        Document(Document) = "document",
        ServerToolUse(ServerToolUse) = "server_tool_use",
        WebSearchToolResult(WebSearchToolResult) = "web_search_tool_result",
        AdvisorToolResult(AdvisorToolResult) = "advisor_tool_result",
        ToolReference(ToolReference) = "tool_reference",
    }
}

impl Block {
    /// Creates a text block.
    pub fn text(text: impl Into<String>) -> Self {
        Text {
            text: text.into(),
            ..Text::default()
        }
        .into()
    }

    /// Returns the text of a text block, `None` for other blocks.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(block) => Some(&block.text),
            _ => None,
        }
    }
}

wire_struct! {
    /// Data encoded as base64.
    pub struct Base64Source ["type" = "base64"] {
        media_type: String,
        data: String,
    }
}

wire_struct! {
    /// Data that the API downloads from a URL.
    pub struct UrlSource ["type" = "url"] {
        url: String,
    }
}

wire_struct! {
    /// A plain text document.
    pub struct TextSource ["type" = "text"] {
        media_type: String,
        data: String,
    }
}

wire_struct! {
    /// A file that was uploaded to the API.
    pub struct FileSource ["type" = "file"] {
        file_id: String,
    }
}

wire_union! {
    /// The source of an image or document.
    pub enum Source by "type", else Other {
        Base64(Base64Source) = "base64",
        Url(UrlSource) = "url",
        Text(TextSource) = "text",
        File(FileSource) = "file",
    }
}
