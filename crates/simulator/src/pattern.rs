//! Patterns for JSON values: subsets, regular expressions and absent keys.
//!
//! An object matches if all its keys match, a list if each of its patterns matches some element, a string `~re` if the
//! regular expression is found, and `{"$absent": true}` if the key is missing.

use regex::Regex;
use serde_json::Value;

use crate::error::ScriptError;
use crate::json_text::spaced;

/// Whether `value` matches `pattern`.
#[must_use]
pub fn matches(pattern: &Value, value: &Value) -> bool {
    match (pattern, value) {
        (Value::Object(wanted), Value::Object(found)) => wanted.iter().all(|(key, want)| {
            if is_absent(want) {
                !found.contains_key(key)
            } else {
                found.get(key).is_some_and(|have| matches(want, have))
            }
        }),
        (Value::Array(wanted), Value::Array(found)) => {
            wanted.iter().all(|want| found.iter().any(|have| matches(want, have)))
        }
        (Value::String(text), _) => match text.strip_prefix('~') {
            Some(expression) => Regex::new(expression).is_ok_and(|regex| match value {
                Value::String(found) => regex.is_match(found),
                other => regex.is_match(&spaced(other)),
            }),
            None => pattern == value,
        },
        (Value::Number(wanted), Value::Number(found)) => wanted.as_f64() == found.as_f64(),
        _ => pattern == value,
    }
}

/// Validates the regular expressions in `pattern`, so that errors are reported when a script is loaded.
pub(crate) fn check(pattern: &Value, at: &str) -> Result<(), ScriptError> {
    match pattern {
        Value::Object(map) => map
            .iter()
            .try_for_each(|(key, value)| check(value, &format!("{at}.{key}"))),
        Value::Array(list) => list
            .iter()
            .enumerate()
            .try_for_each(|(index, value)| check(value, &format!("{at}[{index}]"))),
        Value::String(text) => match text.strip_prefix('~').map(Regex::new) {
            Some(Err(error)) => Err(ScriptError::new(
                at,
                format!("{text:?} is not a regular expression ({error})"),
                "a string that begins with ~ is a regular expression; escape special characters",
            )),
            _ => Ok(()),
        },
        _ => Ok(()),
    }
}

fn is_absent(want: &Value) -> bool {
    matches!(want, Value::Object(map) if map.len() == 1 && map.get("$absent") == Some(&Value::Bool(true)))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{check, matches};

    #[test]
    fn patterns_are_subsets() {
        let value = json!({"type": "user", "n": 1, "message": {"content": [{"type": "text", "text": "go on"}]}});
        let cases: &[(Value, bool)] = &[
            (json!({}), true),
            (json!({"type": "user"}), true),
            (json!({"type": "result"}), false),
            (json!({"n": 1.0}), true),
            (json!({"missing": null}), false),
            (json!({"missing": {"$absent": true}}), true),
            (json!({"type": {"$absent": true}}), false),
            (json!({"message": {"content": [{"text": "~^go"}]}}), true),
            (json!({"message": {"content": [{"text": "~^on"}]}}), false),
            (json!({"message": "~\"text\": \"go"}), true),
            (json!({"message": []}), false),
            (json!(["user"]), false),
        ];
        for (pattern, wanted) in cases {
            assert_eq!(matches(pattern, &value), *wanted, "{pattern}");
        }
    }

    #[test]
    fn an_invalid_expression_is_reported_with_its_position() {
        let error = check(&json!({"a": [{"b": "~("}]}), "steps[0].expect").unwrap_err();
        assert_eq!(error.at, "steps[0].expect.a[0].b");
    }
}
