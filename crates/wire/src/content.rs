//! What messages are made of: text, thinking, calls, results, images.

use std::fmt;

use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Raw;
use crate::field::Field;
use crate::record::wire_struct;
use crate::union::wire_union;

/// The content of a message or of a tool's result: one string, or blocks.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// A plain string.
    Text(String),
    /// Blocks.
    Blocks(Vec<Block>),
}

impl Content {
    /// The text of it, blocks joined by line ends; what is not text is passed over.
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

    /// The blocks; a string counts as one text block.
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
    /// Text.
    pub struct Text ["type" = "text"] {
        text: String,
        citations: Option<Raw>,
        cache_control: Option<Raw>,
    }
}

wire_struct! {
    /// What the model thought, signed by the API.
    pub struct Thinking ["type" = "thinking"] {
        thinking: String,
        signature: Option<String>,
    }
}

wire_struct! {
    /// Thinking only the API can read.
    pub struct RedactedThinking ["type" = "redacted_thinking"] {
        data: String,
    }
}

wire_struct! {
    /// A call the model makes.
    pub struct ToolUse ["type" = "tool_use"] {
        id: String,
        name: String,
        input: Raw,
        cache_control: Option<Raw>,
    }
}

wire_struct! {
    /// What a call came to.
    pub struct ToolResult ["type" = "tool_result"] {
        tool_use_id: String,
        content: Option<Content>,
        is_error: Option<bool>,
        cache_control: Option<Raw>,
    }
}

wire_struct! {
    /// A picture.
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
    /// A call the API runs itself.
    pub struct ServerToolUse ["type" = "server_tool_use"] {
        id: String,
        name: String,
        input: Raw,
    }
}

wire_struct! {
    /// What a web search of the API found.
    pub struct WebSearchToolResult ["type" = "web_search_tool_result"] {
        tool_use_id: String,
        content: Raw,
    }
}

wire_struct! {
    /// What an advisor of the API answered.
    pub struct AdvisorToolResult ["type" = "advisor_tool_result"] {
        tool_use_id: String,
        content: Raw,
    }
}

wire_struct! {
    /// A tool that a search for tools turned up.
    pub struct ToolReference ["type" = "tool_reference"] {
        tool_name: String,
    }
}

wire_union! {
    /// One block of content.
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
    /// A text block.
    pub fn text(text: impl Into<String>) -> Self {
        Text {
            text: text.into(),
            ..Text::default()
        }
        .into()
    }

    /// The text of a text block.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(block) => Some(&block.text),
            _ => None,
        }
    }
}

wire_struct! {
    /// Bytes in base64.
    pub struct Base64Source ["type" = "base64"] {
        media_type: String,
        data: String,
    }
}

wire_struct! {
    /// Bytes elsewhere.
    pub struct UrlSource ["type" = "url"] {
        url: String,
    }
}

wire_struct! {
    /// Plain text as a document.
    pub struct TextSource ["type" = "text"] {
        media_type: String,
        data: String,
    }
}

wire_struct! {
    /// A file the API holds.
    pub struct FileSource ["type" = "file"] {
        file_id: String,
    }
}

wire_union! {
    /// Where an image or document is.
    pub enum Source by "type", else Other {
        Base64(Base64Source) = "base64",
        Url(UrlSource) = "url",
        Text(TextSource) = "text",
        File(FileSource) = "file",
    }
}
