//! Fields this version has no name for, and what it must remember to write a message back as it came.

use serde::Serialize;
use serde::ser::SerializeMap;
use serde_json::Value;

use crate::Raw;

/// The unknown fields of a message, in the order they came.
///
/// It also remembers which optional fields came as an explicit `null` and which nullable ones did not
/// come at all, so that a message that was read is written back as the same JSON value.
/// Those two notes take no part in comparisons.
#[derive(Debug, Clone, Default)]
pub struct Extra(Vec<(Box<str>, Slot)>);

#[derive(Debug, Clone)]
enum Slot {
    Unknown(Raw),
    Null,
    Absent,
}

impl Extra {
    /// The text of the unknown field `name`; the last one when it came twice, as in JavaScript.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Raw> {
        self.0.iter().rev().find_map(|(key, slot)| match slot {
            Slot::Unknown(raw) if **key == *name => Some(raw),
            _ => None,
        })
    }

    /// The value of the unknown field `name`.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<Value> {
        self.get(name).map(Raw::to_value)
    }

    /// Adds a field the struct has no name for, or replaces it.
    pub fn insert<T: Serialize + ?Sized>(&mut self, name: impl Into<Box<str>>, value: &T) {
        let name = name.into();
        self.0
            .retain(|(key, slot)| *key != name || !matches!(slot, Slot::Unknown(_)));
        self.0.push((name, Slot::Unknown(Raw::of(value))));
    }

    /// The unknown fields in their order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Raw)> {
        self.0.iter().filter_map(|(key, slot)| match slot {
            Slot::Unknown(raw) => Some((&**key, raw)),
            Slot::Null | Slot::Absent => None,
        })
    }

    /// Whether there is no unknown field.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }

    pub(crate) fn keep(&mut self, name: Box<str>, raw: Raw) {
        self.0.push((name, Slot::Unknown(raw)));
    }

    /// Lets the optional field `name` of the struct, when it is `None`, be written as `null` instead of
    /// being left out. `name` is the one on the wire.
    pub fn write_null(&mut self, name: impl Into<Box<str>>) {
        self.0.push((name.into(), Slot::Null));
    }

    /// Lets the nullable field `name` of the struct, when it is `None`, be left out instead of being written
    /// as `null`. `name` is the one on the wire.
    pub fn leave_out(&mut self, name: impl Into<Box<str>>) {
        self.0.push((name.into(), Slot::Absent));
    }

    pub(crate) fn was_null(&self, name: &str) -> bool {
        self.0
            .iter()
            .any(|(key, slot)| matches!(slot, Slot::Null) && **key == *name)
    }

    pub(crate) fn was_absent(&self, name: &str) -> bool {
        self.0
            .iter()
            .any(|(key, slot)| matches!(slot, Slot::Absent) && **key == *name)
    }

    pub(crate) fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        for (key, raw) in self.iter() {
            map.serialize_entry(key, raw)?;
        }
        Ok(())
    }
}

impl PartialEq for Extra {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl<K: Into<Box<str>>, V: Serialize> FromIterator<(K, V)> for Extra {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(fields: I) -> Self {
        let mut extra = Self::default();
        for (name, value) in fields {
            extra.insert(name, &value);
        }
        extra
    }
}
