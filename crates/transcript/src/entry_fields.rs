//! The fields of a transcript entry that a resume needs. The rest may be larger; it is skipped without being copied.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::{Map, Value};

/// What is taken of an entry.
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
/// What is taken of the message in it.
const MESSAGE: &[&str] = &["id", "model", "content", "usage"];

/// Reads the fields of an entry.
pub(super) fn read(line: &[u8]) -> serde_json::Result<Map<String, Value>> {
    let mut input = serde_json::Deserializer::from_slice(line);
    let fields = (&mut input).deserialize_map(Taken(ENTRY))?;
    input.end()?;
    Ok(fields)
}

/// Takes these fields of an object.
struct Taken(&'static [&'static str]);

impl<'de> Visitor<'de> for Taken {
    type Value = Map<String, Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut input: A) -> Result<Self::Value, A::Error> {
        let mut taken = Map::new();
        while let Some(key) = input.next_key::<String>()? {
            if !self.0.contains(&key.as_str()) {
                input.next_value::<IgnoredAny>()?;
            } else if key == "message" {
                taken.insert(key, input.next_value_seed(Message)?);
            } else {
                taken.insert(key, input.next_value()?);
            }
        }
        Ok(taken)
    }
}

/// A message, if it is an object; whatever else it is, as it is.
struct Message;

impl<'de> DeserializeSeed<'de> for Message {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<Value, D::Error> {
        input.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Message {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a message")
    }

    fn visit_map<A: MapAccess<'de>>(self, input: A) -> Result<Value, A::Error> {
        Taken(MESSAGE).visit_map(input).map(Value::Object)
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

    fn taken(line: &Value) -> Value {
        Value::Object(read(line.to_string().as_bytes()).unwrap())
    }

    #[test]
    fn what_the_conversation_needs_is_taken_and_nothing_else() {
        let line = json!({"parentUuid": null, "type": "user", "cwd": "/w", "uuid": "u", "isMeta": true,
            "message": {"role": "user", "id": "m", "content": [{"type": "text", "text": "x"}]},
            "toolUseResult": {"stdout": "x"}});
        let wanted = json!({"parentUuid": null, "type": "user", "uuid": "u",
            "message": {"id": "m", "content": [{"type": "text", "text": "x"}]}});
        assert_eq!(taken(&line), wanted);
    }

    #[test]
    fn a_message_that_is_none_says_nothing() {
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
            assert_eq!(taken(&line), json!({"uuid": "u", "message": null}));
        }
        assert!(read(b"[1]").is_err());
        assert!(read(b"{} x").is_err());
    }
}
