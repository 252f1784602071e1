//! JSON values stored as their original text.

use std::fmt;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

/// One JSON value as text. Numbers, key order and nesting are preserved, and writing it only copies the text.
#[derive(Clone)]
pub struct Raw(Box<RawValue>);

impl Raw {
    /// Serialises `value`. A value that JSON cannot represent becomes `null`.
    #[must_use]
    pub fn of<T: Serialize + ?Sized>(value: &T) -> Self {
        serde_json::value::to_raw_value(value).map(Self).unwrap_or_default()
    }

    /// Creates a value from its JSON text.
    ///
    /// # Errors
    /// If `text` is not JSON.
    pub fn from_text(text: String) -> Result<Self, serde_json::Error> {
        RawValue::from_string(text).map(Self)
    }

    /// Returns the JSON text.
    #[must_use]
    pub fn get(&self) -> &str {
        self.0.get()
    }

    /// Parses the text as a `T`.
    ///
    /// # Errors
    /// If the text is not a `T`.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self.get())
    }

    /// Parses the text as a [`Value`]; `null` if it is nested too deeply for that.
    #[must_use]
    pub fn to_value(&self) -> Value {
        self.parse().unwrap_or_default()
    }

    /// Whether the value is `null`.
    #[must_use]
    pub fn is_null(&self) -> bool {
        self.get() == "null"
    }
}

impl Default for Raw {
    fn default() -> Self {
        Self(RawValue::NULL.to_owned())
    }
}

impl PartialEq for Raw {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl Eq for Raw {}

impl fmt::Debug for Raw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Raw({})", self.get())
    }
}

impl fmt::Display for Raw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.get())
    }
}

impl From<Value> for Raw {
    fn from(value: Value) -> Self {
        Self::of(&value)
    }
}

impl From<&Value> for Raw {
    fn from(value: &Value) -> Self {
        Self::of(value)
    }
}

impl From<crate::Object> for Raw {
    fn from(value: crate::Object) -> Self {
        Self::of(&value)
    }
}

impl From<Box<RawValue>> for Raw {
    fn from(value: Box<RawValue>) -> Self {
        Self(value)
    }
}

impl Serialize for Raw {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(Self)
    }
}
