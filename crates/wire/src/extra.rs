//! Unknown fields of a message, and notes about `null` and absent fields, so that a message is written back unchanged.

use serde::Serialize;
use serde::ser::SerializeMap;
use serde_json::Value;

use crate::Raw;

/// The unknown fields of a message, in their original order.
///
/// It also records which optional fields were an explicit `null` and which nullable fields were absent,
/// so that a message that was read is written back as the same JSON value.
/// Comparisons ignore these records.
#[derive(Debug, Clone, Default)]
pub struct Extra(Vec<(Box<str>, Slot)>);

#[derive(Debug, Clone)]
enum Slot {
    Unknown(Raw),
    Null,
    Absent,
}

impl Extra {
    /// Returns the JSON text of the unknown field `name`. If it occurs twice, the last one counts, as in JavaScript.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Raw> {
        self.0.iter().rev().find_map(|(key, slot)| match slot {
            Slot::Unknown(raw) if **key == *name => Some(raw),
            _ => None,
        })
    }

    /// Returns the value of the unknown field `name`.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<Value> {
        self.get(name).map(Raw::to_value)
    }

    /// Adds or replaces a field that is not part of the struct.
    pub fn insert<T: Serialize + ?Sized>(&mut self, name: impl Into<Box<str>>, value: &T) {
        let name = name.into();
        self.0
            .retain(|(key, slot)| *key != name || !matches!(slot, Slot::Unknown(_)));
        self.0.push((name, Slot::Unknown(Raw::of(value))));
    }

    /// Iterates over the unknown fields in their order.
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

    /// Makes the optional field `name` of the struct be written as `null`, instead of being left out, while it is
    /// `None`. `name` is the name on the wire.
    pub fn write_null(&mut self, name: impl Into<Box<str>>) {
        self.0.push((name.into(), Slot::Null));
    }

    /// Makes the nullable field `name` of the struct be left out, instead of being written as `null`, while it is
    /// `None`. `name` is the name on the wire.
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
