//! Parses the fields of a transcript entry that a resume needs. The other fields, which may be large, are skipped
//! without being copied.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::{Map, Value};

/// The fields that are read from an entry.
const ENTRY: &[&str] = &[
    "type",
    "uuid",
    "parentUuid",
    "message",
    "promptId",
    "promptSource",
    "origin",
    "isApiErrorMessage",
    "isVisibleInTranscriptOnly",
    "isCompactSummary",
];
/// The fields that are read from the message in an entry.
const MESSAGE: &[&str] = &["id", "model", "content", "usage"];

/// Reads the fields of an entry.
pub(super) fn read(line: &[u8]) -> serde_json::Result<Map<String, Value>> {
    let mut input = serde_json::Deserializer::from_slice(line);
    let fields = (&mut input).deserialize_map(SelectedFields(ENTRY))?;
    input.end()?;
    Ok(fields)
}

/// Reads the given fields of an object.
struct SelectedFields(&'static [&'static str]);

impl<'de> Visitor<'de> for SelectedFields {
    type Value = Map<String, Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut input: A) -> Result<Self::Value, A::Error> {
        let mut selected = Map::new();
        while let Some(key) = input.next_key::<String>()? {
            if !self.0.contains(&key.as_str()) {
                input.next_value::<IgnoredAny>()?;
            } else if key == "message" {
                selected.insert(key, input.next_value_seed(MessageSeed)?);
            } else {
                selected.insert(key, input.next_value()?);
            }
        }
        Ok(selected)
    }
}

/// Reads a message if it is an object; any other value becomes `null`.
struct MessageSeed;

impl<'de> DeserializeSeed<'de> for MessageSeed {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<Value, D::Error> {
        input.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for MessageSeed {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a message")
    }

    fn visit_map<A: MapAccess<'de>>(self, input: A) -> Result<Value, A::Error> {
        SelectedFields(MESSAGE).visit_map(input).map(Value::Object)
    }

    fn visit_str<E>(self, _: &str) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut input: A) -> Result<Value, A::Error> {
        while input.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Value::Null)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::json;

    use super::*;

    fn selected(line: &Value) -> Value {
        Value::Object(read(line.to_string().as_bytes()).unwrap())
    }

    #[test]
    fn only_the_fields_that_the_conversation_needs_are_read() {
        let line = json!({"parentUuid": null, "type": "user", "cwd": "/w", "uuid": "u", "isMeta": true,
            "message": {"role": "user", "id": "m", "content": [{"type": "text", "text": "x"}]},
            "toolUseResult": {"stdout": "x"}});
        let wanted = json!({"parentUuid": null, "type": "user", "uuid": "u",
            "message": {"id": "m", "content": [{"type": "text", "text": "x"}]}});
        assert_eq!(selected(&line), wanted);
    }

    #[test]
    fn a_message_that_is_not_an_object_becomes_null() {
        for message in [
            json!(null),
            json!("x"),
            json!(1),
            json!(-1),
            json!(1.5),
            json!(true),
            json!([1, {}]),
        ] {
            let line = json!({"uuid": "u", "message": message});
            assert_eq!(selected(&line), json!({"uuid": "u", "message": null}));
        }
        assert!(read(b"[1]").is_err());
        assert!(read(b"{} x").is_err());
    }
}
