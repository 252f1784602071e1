//! Validates tool input against its schema: the subset of JSON Schema that the tools use.
//!
//! The schema shown to the model is the one that is checked. Issues have the form that hosts know: `code`, `path`,
//! `message`.

use std::path::Path;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::outcome::{Invalid, Outcome};
use crate::paths;
use crate::tool::Descriptor;

/// Problems of an input.
#[derive(Debug, Default)]
struct Issues {
    sentences: Vec<String>,
    list: Vec<Value>,
}

/// Returns the input with top-level defaults of the schema filled in.
pub(crate) fn fill(schema: &Value, input: &Value) -> Value {
    let (Some(properties), Some(given)) = (schema.get("properties").and_then(Value::as_object), input.as_object())
    else {
        return input.clone();
    };
    let mut filled = given.clone();
    for (name, property) in properties {
        if let Some(default) = property.get("default")
            && !filled.contains_key(name)
        {
            filled.insert(name.clone(), default.clone());
        }
    }
    Value::Object(filled)
}

/// Returns the input in schema order with defaults filled in and its path made absolute.
pub(crate) fn checked(tool: &Descriptor, input: &Value, cwd: &Path) -> Result<Value, Invalid> {
    let mut issues = Issues::default();
    let mut value = issues.value(&tool.schema, input, &mut Vec::new());
    if !issues.list.is_empty() {
        return Err(Invalid::new(&tool.name, &issues.sentences, &issues.list));
    }
    if let Some(field) = tool.touches.path().and_then(|key| value.get_mut(key))
        && let Some(path) = field.as_str()
    {
        *field = Value::from(paths::absolute(Path::new(path), cwd).to_string_lossy().into_owned());
    }
    Ok(value)
}

/// Parses the input into the tool's own type; validates it, because `run` may receive unchecked input.
pub(crate) fn parsed<T: DeserializeOwned>(tool: &Descriptor, input: &Value) -> Result<T, Outcome> {
    let mut issues = Issues::default();
    let value = issues.value(&tool.schema, input, &mut Vec::new());
    if !issues.list.is_empty() {
        return Err(Invalid::new(&tool.name, &issues.sentences, &issues.list).into());
    }
    serde_json::from_value(value).map_err(|error| {
        let issue = json!({"code": "custom", "path": [], "message": error.to_string()});
        Invalid::new(&tool.name, &[error.to_string()], &[issue]).into()
    })
}

impl Issues {
    fn value(&mut self, schema: &Value, value: &Value, path: &mut Vec<Value>) -> Value {
        let value = coerced(schema, value);
        let Some(expected) = schema.get("type").and_then(Value::as_str) else {
            return value;
        };
        let fits = match expected {
            "string" => value.is_string(),
            "number" => value.is_number(),
            "integer" => value.as_i64().is_some(),
            "boolean" => value.is_boolean(),
            "array" => value.is_array(),
            "object" => value.is_object(),
            _ => true,
        };
        if !fits {
            self.wrong_type(expected, Some(&value), path);
            return value;
        }
        self.limits(schema, &value, path);
        match &value {
            Value::Object(object) => Value::Object(self.object(schema, object, path)),
            Value::Array(items) => Value::Array(self.items(schema, items, path)),
            _ => value,
        }
    }

    fn object(&mut self, schema: &Value, given: &Map<String, Value>, path: &mut Vec<Value>) -> Map<String, Value> {
        let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
            return given.clone();
        };
        let required = schema.get("required").and_then(Value::as_array);
        let mut out = Map::new();
        for (name, property) in properties {
            path.push(Value::from(name.as_str()));
            match given.get(name) {
                // models write null for omitted values
                Some(Value::Null) | None => {
                    if let Some(default) = property.get("default") {
                        out.insert(name.clone(), default.clone());
                    } else if required.is_some_and(|required| required.iter().any(|wanted| wanted == name)) {
                        self.wrong_type(
                            property.get("type").and_then(Value::as_str).unwrap_or("value"),
                            given.get(name),
                            path,
                        );
                    }
                }
                Some(value) => {
                    let value = self.value(property, value, path);
                    out.insert(name.clone(), value);
                }
            }
            path.pop();
        }
        let unknown: Vec<_> = given
            .keys()
            .filter(|name| !properties.contains_key(*name))
            .cloned()
            .collect();
        if schema.get("additionalProperties") == Some(&Value::Bool(false)) {
            if !unknown.is_empty() {
                self.unrecognized(&unknown, path);
            }
        } else {
            out.extend(
                unknown
                    .into_iter()
                    .filter_map(|name| Some((name.clone(), given.get(&name)?.clone()))),
            );
        }
        out
    }

    fn items(&mut self, schema: &Value, items: &[Value], path: &mut Vec<Value>) -> Vec<Value> {
        let Some(of) = schema.get("items") else {
            return items.to_vec();
        };
        let mut out = Vec::with_capacity(items.len());
        for (at, item) in items.iter().enumerate() {
            path.push(Value::from(at));
            out.push(self.value(of, item, path));
            path.pop();
        }
        out
    }

    /// Checks `enum`, `minimum`, `minLength`, `minItems`, `maxItems`.
    fn limits(&mut self, schema: &Value, value: &Value, path: &[Value]) {
        if let Some(options) = schema.get("enum").and_then(Value::as_array)
            && !options.contains(value)
        {
            let list = options.iter().map(Value::to_string).collect::<Vec<_>>();
            self.add(
                format!("`{}` must be one of {}, not {value}", spelled(path), list.join(", ")),
                json!({"code": "invalid_value", "values": options, "path": path, "message": format!("Invalid option: expected one of {}", list.join("|"))}),
            );
        }
        let size = match value {
            Value::String(text) => Some(("string", text.chars().count(), "minLength", "maxLength")),
            Value::Array(items) => Some(("array", items.len(), "minItems", "maxItems")),
            _ => None,
        };
        if let Some((origin, size, least, most)) = size {
            if let Some(least) = schema.get(least).and_then(Value::as_u64)
                && (size as u64) < least
            {
                self.add(
                    format!("`{}` is too short: at least {least} wanted", spelled(path)),
                    json!({"origin": origin, "code": "too_small", "minimum": least, "inclusive": true, "path": path, "message": format!("Too small: expected {origin} to have >={least}")}),
                );
            }
            if let Some(most) = schema.get(most).and_then(Value::as_u64)
                && size as u64 > most
            {
                self.add(
                    format!("`{}` is too long: at most {most} allowed", spelled(path)),
                    json!({"origin": origin, "code": "too_big", "maximum": most, "inclusive": true, "path": path, "message": format!("Too big: expected {origin} to have <={most}")}),
                );
            }
        }
        if let (Some(least), Some(number)) = (schema.get("minimum").and_then(Value::as_f64), value.as_f64())
            && number < least
        {
            self.add(
                format!("`{}` is {number}, must be at least {least}", spelled(path)),
                json!({"origin": "number", "code": "too_small", "minimum": least, "inclusive": true, "path": path, "message": format!("Too small: expected number to be >={least}")}),
            );
        }
    }

    fn wrong_type(&mut self, expected: &str, got: Option<&Value>, path: &[Value]) {
        let received = got.map_or("undefined", kind);
        let sentence = match got {
            None => format!(
                "The required parameter `{}` is missing (a {expected} is expected)",
                spelled(path)
            ),
            Some(_) => format!(
                "The parameter `{}` must be a {expected}, not a {received}",
                spelled(path)
            ),
        };
        self.add(
            sentence,
            json!({"expected": expected, "code": "invalid_type", "path": path, "message": format!("Invalid input: expected {expected}, received {received}")}),
        );
    }

    fn unrecognized(&mut self, names: &[String], path: &[Value]) {
        let quoted = names
            .iter()
            .map(|name| format!("\"{name}\""))
            .collect::<Vec<_>>()
            .join(", ");
        let word = if names.len() == 1 { "key" } else { "keys" };
        self.add(
            format!("There is no parameter {quoted}"),
            json!({"code": "unrecognized_keys", "keys": names, "path": path, "message": format!("Unrecognized {word}: {quoted}")}),
        );
    }

    fn add(&mut self, sentence: String, issue: Value) {
        self.sentences.push(sentence);
        self.list.push(issue);
    }
}

/// Converts numbers and booleans that models sometimes write as text.
fn coerced(schema: &Value, value: &Value) -> Value {
    let Some(expected) = schema.get("type").and_then(Value::as_str) else {
        return value.clone();
    };
    let Some(text) = value.as_str() else {
        return match value.as_f64() {
            // 3.0 counts as an integer
            #[allow(clippy::cast_possible_truncation)]
            Some(number) if expected == "integer" && number.fract() == 0.0 && number.abs() < 9e15 => {
                Value::from(number as i64)
            }
            _ => value.clone(),
        };
    };
    match (expected, text) {
        ("boolean", "true") => Value::Bool(true),
        ("boolean", "false") => Value::Bool(false),
        ("number" | "integer", _) => match text.parse::<i64>() {
            Ok(number) => Value::from(number),
            Err(_) => value.clone(),
        },
        _ => value.clone(),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn spelled(path: &[Value]) -> String {
    if path.is_empty() {
        return "input".to_owned();
    }
    path.iter()
        .map(|part| part.as_str().map_or_else(|| part.to_string(), str::to_owned))
        .collect::<Vec<_>>()
        .join(".")
}

#[cfg(test)]
#[path = "input_tests.rs"]
mod tests;
