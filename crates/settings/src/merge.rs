//! Merges a settings document into another one.

use serde_json::{Map, Value};

use super::keys::{self, Merge};

/// Merges `over` into `under`: objects key by key, lists appended without duplicates, other values replaced.
pub(super) fn merge(under: &mut Map<String, Value>, over: &Map<String, Value>) {
    for (key, value) in over {
        merge_key(under, key.clone(), value.clone());
    }
}

pub(super) fn merge_key(under: &mut Map<String, Value>, key: String, value: Value) {
    let replaced = keys::find(&key).is_some_and(|key| key.merge == Merge::Replaced);
    match (under.get_mut(&key), value) {
        (Some(Value::Object(have)), Value::Object(more)) => merge(have, &more),
        (Some(Value::Array(have)), Value::Array(more)) if !replaced => {
            for entry in more {
                if !have.contains(&entry) {
                    have.push(entry);
                }
            }
        }
        (_, value) => {
            under.insert(key, value);
        }
    }
}
