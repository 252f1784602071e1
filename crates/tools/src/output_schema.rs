//! JSON Schema for structured output, and validation of values against it.
//!
//! The only module that uses the JSON Schema library.

use std::sync::Arc;

use jsonschema::Validator;
use jsonschema::error::{TypeKind, ValidationError, ValidationErrorKind};
use serde_json::{Value, json};

/// Maximum number of reported issues; models fix only a few at a time.
const MAX_ISSUES: usize = 8;
/// Maximum length of the description of an issue, in characters.
const MAX_DESCRIPTION: usize = 300;

/// Schema of the structured output of a turn.
#[derive(Debug, Clone)]
pub struct OutputSchema {
    schema: Value,
    validator: Arc<Validator>,
}

/// Why a schema cannot be used.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum SchemaError {
    /// The text is not JSON.
    #[error("the schema is not JSON: {0}")]
    NotJson(String),
    /// The output is the input of a tool, which must be an object.
    #[error("the schema must be a JSON object that describes an object (\"type\": \"object\")")]
    NotForObjects,
    /// Not a valid schema.
    #[error("the schema cannot be used: {at}{why}")]
    Invalid {
        /// Position in the schema followed by a colon; empty for the whole schema.
        at: String,
        /// Description of the problem.
        why: String,
    },
}

impl OutputSchema {
    /// Parses a schema.
    ///
    /// # Errors
    /// The text is not JSON, or [`Self::new`] fails.
    pub fn parse(text: &str) -> Result<Self, SchemaError> {
        let schema = serde_json::from_str(text).map_err(|error| SchemaError::NotJson(error.to_string()))?;
        Self::new(schema)
    }

    /// Compiles a schema.
    ///
    /// # Errors
    /// The schema is invalid, not for objects, or refers to external resources.
    pub fn new(schema: Value) -> Result<Self, SchemaError> {
        let kind = schema.as_object().map(|schema| schema.get("type"));
        if !matches!(kind, Some(None)) && kind.flatten().and_then(Value::as_str) != Some("object") {
            return Err(SchemaError::NotForObjects);
        }
        let validator = jsonschema::validator_for(&schema).map_err(|error| SchemaError::Invalid {
            at: place(&error).map(|at| format!("{at}: ")).unwrap_or_default(),
            why: shortened(error.to_string()),
        })?;
        Ok(Self {
            schema,
            validator: Arc::new(validator),
        })
    }

    /// Returns the schema as offered to the model.
    #[must_use]
    pub fn offered(&self) -> Value {
        let mut schema = self.schema.clone();
        if let Some(map) = schema.as_object_mut() {
            map.entry("type").or_insert_with(|| json!("object"));
        }
        schema
    }

    /// Validates a value.
    ///
    /// # Errors
    /// Positions and descriptions of the mismatches.
    pub fn check(&self, value: &Value) -> Result<(), String> {
        let issues: Vec<String> = self
            .validator
            .iter_errors(value)
            .take(MAX_ISSUES)
            .map(|error| {
                let at = place(&error).unwrap_or_else(|| "(the whole)".to_owned());
                format!("{at}: {}", reason(&error))
            })
            .collect();
        if issues.is_empty() {
            Ok(())
        } else {
            Err(issues.join("; "))
        }
    }
}

/// Returns the position as a JSON pointer; `None` for the whole value.
fn place(error: &ValidationError<'_>) -> Option<String> {
    Some(error.instance_path().to_string()).filter(|at| !at.is_empty())
}

/// Returns the expected value. The actual value is omitted: the model knows it, and it may be long.
fn reason(error: &ValidationError<'_>) -> String {
    let text = match error.kind() {
        ValidationErrorKind::Type {
            kind: TypeKind::Single(kind),
        } => format!("must be {kind}"),
        ValidationErrorKind::Required { property } => {
            format!("must have the property '{}'", property.as_str().unwrap_or_default())
        }
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            format!("must not have the property '{}'", unexpected.join("', '"))
        }
        ValidationErrorKind::Enum { options } => format!("must be one of {options}"),
        ValidationErrorKind::Constant { expected_value } => format!("must be {expected_value}"),
        _ => error.masked().to_string(),
    };
    shortened(text)
}

fn shortened(text: String) -> String {
    match text.char_indices().nth(MAX_DESCRIPTION) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn schema() -> OutputSchema {
        OutputSchema::new(json!({
            "type": "object",
            "properties": {"n": {"type": "number"}, "list": {"type": "array", "items": {"enum": ["a", "b"]}}},
            "required": ["n"],
            "additionalProperties": false,
        }))
        .unwrap()
    }

    #[test]
    fn valid_values_pass() {
        assert_eq!(schema().check(&json!({"n": 4, "list": ["a"]})), Ok(()));
    }

    #[test]
    fn mismatches_are_reported_with_their_position() {
        let check = |value| schema().check(&value).unwrap_err();
        assert_eq!(check(json!({"n": "four"})), "/n: must be number");
        assert_eq!(check(json!({})), "(the whole): must have the property 'n'");
        assert_eq!(
            check(json!({"n": 1, "m": 2})),
            "(the whole): must not have the property 'm'"
        );
        assert_eq!(
            check(json!({"n": "x", "list": ["c"]})),
            "/n: must be number; /list/0: must be one of [\"a\",\"b\"]"
        );
    }

    #[test]
    fn a_long_value_is_not_repeated() {
        let schema = OutputSchema::new(json!({"properties": {"s": {"maxLength": 3}}})).unwrap();
        let told = schema.check(&json!({"s": "x".repeat(10_000)})).unwrap_err();
        assert!(told.len() < 200, "{told}");
    }

    #[test]
    fn an_invalid_schema_is_refused() {
        assert!(matches!(OutputSchema::parse("{"), Err(SchemaError::NotJson(_))));
        for wrong in ["[]", "true", r#"{"type": "array"}"#, r#"{"type": ["object", "null"]}"#] {
            assert_eq!(
                OutputSchema::parse(wrong).unwrap_err(),
                SchemaError::NotForObjects,
                "{wrong}"
            );
        }
        let invalid = OutputSchema::parse(r#"{"type": "object", "required": "n"}"#).unwrap_err();
        assert!(invalid.to_string().contains("/required"), "{invalid}");
    }

    #[test]
    fn nothing_is_fetched_for_a_schema() {
        let outside = OutputSchema::parse(r#"{"type": "object", "$ref": "https://e.example/s.json"}"#);
        assert!(matches!(outside, Err(SchemaError::Invalid { .. })), "{outside:?}");
        let file = OutputSchema::parse(r#"{"type": "object", "$ref": "file:///etc/hostname"}"#);
        assert!(matches!(file, Err(SchemaError::Invalid { .. })), "{file:?}");
    }

    #[test]
    fn the_model_is_told_that_it_is_an_object() {
        let schema = OutputSchema::new(json!({"properties": {}})).unwrap();
        assert_eq!(schema.offered(), json!({"properties": {}, "type": "object"}));
    }
}
