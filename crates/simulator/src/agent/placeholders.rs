//! Placeholders of a script: `$SID`, `$UUID`, `$MSG` and `${name.path}`.

use regex::{Captures, Regex};
use serde_json::{Map, Value};
use uuid::Uuid;

/// The values of placeholders while a script is played.
#[derive(Debug)]
pub(super) struct Placeholders {
    pub(super) names: Map<String, Value>,
    session_id: String,
    seed: Option<u64>,
    created: u64,
    message: u64,
}

impl Placeholders {
    pub(super) fn new(session_id: Option<String>, seed: Option<u64>) -> Self {
        let mut placeholders = Self {
            names: Map::new(),
            session_id: String::new(),
            seed,
            created: 0,
            message: 0,
        };
        placeholders.session_id = session_id.unwrap_or_else(|| placeholders.uuid());
        placeholders
    }

    /// Returns a new id: random, or the next one for the seed.
    pub(super) fn uuid(&mut self) -> String {
        self.created += 1;
        let id = match self.seed {
            Some(seed) => uuid::Builder::from_u128(u128::from(seed) << 64 | u128::from(self.created))
                .with_version(uuid::Version::Random)
                .with_variant(uuid::Variant::RFC4122)
                .into_uuid(),
            None => Uuid::new_v4(),
        };
        id.to_string()
    }

    /// Changes the value of `$MSG` to the id of a new message.
    pub(super) fn next_message(&mut self) {
        self.message += 1;
    }

    /// Fills in all placeholders. A string that consists of a single `${name}` is replaced with the captured value.
    pub(super) fn fill(&mut self, value: &Value) -> Value {
        match value {
            Value::String(text) if text.contains('$') => self.fill_text(text),
            Value::Array(list) => list.iter().map(|item| self.fill(item)).collect(),
            Value::Object(map) => Value::Object(map.iter().map(|(key, item)| (key.clone(), self.fill(item))).collect()),
            other => other.clone(),
        }
    }

    fn fill_text(&mut self, text: &str) -> Value {
        let mut text = text.to_owned();
        // Compile the expression only if it is needed, because that is expensive.
        if text.contains("${")
            && let Ok(names) = Regex::new(r"\$\{([\w.]+)\}")
        {
            if let Some(whole) = names
                .captures(&text)
                .filter(|found| found.get(0).is_some_and(|all| all.len() == text.len()))
            {
                let found = whole.get(1).and_then(|path| self.lookup(path.as_str()));
                return found.cloned().unwrap_or(Value::String(text));
            }
            let filled = names.replace_all(&text, |found: &Captures<'_>| {
                let path = found.get(1).map_or("", |path| path.as_str());
                match self.lookup(path) {
                    Some(Value::String(placeholders)) => placeholders.clone(),
                    Some(other) => other.to_string(),
                    None => format!("${{{path}}}"),
                }
            });
            text = filled.into_owned();
        }
        while text.contains("$UUID") {
            text = text.replacen("$UUID", &self.uuid(), 1);
        }
        text = text.replace("$MSG", &format!("msg_sim_{}", self.message));
        Value::String(text.replace("$SID", &self.session_id))
    }

    fn lookup(&self, path: &str) -> Option<&Value> {
        let mut parts = path.split('.');
        let mut value = self.names.get(parts.next()?)?;
        for part in parts {
            value = match value {
                Value::Array(list) => list.get(part.parse::<usize>().ok()?)?,
                other => other.get(part)?,
            };
        }
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;
    use serde_json::json;

    use super::Placeholders;

    #[test]
    fn placeholders_are_filled_in() {
        let mut placeholders = Placeholders::new(Some("s-1".into()), Some(7));
        placeholders
            .names
            .insert("p".into(), json!({"n": 3, "list": [{"text": "hi"}]}));
        let filled = placeholders.fill(&json!({
            "whole": "${p.n}", "part": "say ${p.list.0.text} ${p.n}", "none": "${q}", "sid": "$SID/x", "ids": ["$UUID", "$UUID"],
        }));
        assert_eq!(
            filled,
            json!({
                "whole": 3, "part": "say hi 3", "none": "${q}", "sid": "s-1/x",
                "ids": ["00000000-0000-4007-8000-000000000001", "00000000-0000-4007-8000-000000000002"],
            })
        );
    }
}
