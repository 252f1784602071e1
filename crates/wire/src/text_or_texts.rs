//! A field that is a string or a list of strings.

use std::fmt;

use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::field::Field;

/// A string or a list of strings. Older hosts send a string where newer ones send a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextOrTexts {
    /// A string.
    Text(String),
    /// A list of strings.
    Texts(Vec<String>),
}

impl TextOrTexts {
    /// Returns the texts in order.
    #[must_use]
    pub fn as_slice(&self) -> &[String] {
        match self {
            Self::Text(text) => std::slice::from_ref(text),
            Self::Texts(texts) => texts,
        }
    }
}

impl Default for TextOrTexts {
    fn default() -> Self {
        Self::Texts(Vec::new())
    }
}

impl Field for TextOrTexts {}

impl Serialize for TextOrTexts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => serializer.serialize_str(text),
            Self::Texts(texts) => texts.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for TextOrTexts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextsVisitor;
        impl<'de> Visitor<'de> for TextsVisitor {
            type Value = TextOrTexts;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string or an array of strings")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<TextOrTexts, E> {
                Ok(TextOrTexts::Text(text.to_owned()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<TextOrTexts, A::Error> {
                let mut texts = Vec::new();
                while let Some(text) = seq.next_element()? {
                    texts.push(text);
                }
                Ok(TextOrTexts::Texts(texts))
            }
        }
        deserializer.deserialize_any(TextsVisitor)
    }
}
