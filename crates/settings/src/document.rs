//! Parses the text of a settings file and reports problems with their position.

use std::cell::Cell;
use std::collections::HashMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use serde::de::{DeserializeSeed, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use sluice_permission::Source;

use super::merge::merge_key;
use super::regular::read_regular;

/// Maximum size of a settings file, in bytes.
pub(super) const MAX_FILE_BYTES: u64 = 64 * 1024 * 1024;

/// A problem in a settings file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The scope of the file.
    pub source: Source,
    /// The file, or the flag that contained the text.
    pub path: PathBuf,
    /// The line, counted from 1; 0 if the problem has no position.
    pub line: usize,
    /// The character in the line, counted from 1; 0 if the problem has no position.
    pub column: usize,
    /// The description of the problem and how to fix it.
    pub message: String,
    /// The consequence of the problem.
    pub effect: Effect,
}

/// The consequence of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// The whole file is ignored.
    LeftOut,
    /// The earlier content of the file applies.
    Earlier,
    /// The entry does not apply.
    Ignored,
    /// The rule covers more than its text, so that a deny or ask rule is never lost.
    Stricter,
    /// The values of a duplicate key are merged.
    Together,
}

impl Problem {
    pub(super) fn unreadable(source: Source, path: &Path, message: impl Into<String>) -> Self {
        Self {
            source,
            path: path.to_owned(),
            line: 0,
            column: 0,
            message: message.into(),
            effect: Effect::LeftOut,
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        if self.line > 0 {
            write!(f, ":{}:{}", self.line, self.column)?;
        }
        write!(f, ": {}; until then ", self.message)?;
        f.write_str(match self.effect {
            Effect::LeftOut => "nothing in this file applies",
            Effect::Earlier => "the earlier content of the file applies",
            Effect::Ignored => "this entry does not apply",
            Effect::Stricter => "the strictest meaning is used",
            Effect::Together => "both are merged",
        })
    }
}

/// The result of reading a settings file.
pub(super) enum ReadOutcome {
    Missing,
    Invalid(Problem),
    Parsed {
        value: Map<String, Value>,
        text: String,
        name: PathBuf,
        problem: Option<Problem>,
    },
}

/// Reads a settings file.
pub(super) fn read(source: Source, path: &Path) -> ReadOutcome {
    match read_bytes(path) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => parse(source, path, &text),
            Err(_) => ReadOutcome::Invalid(Problem::unreadable(
                source,
                path,
                "the file is not UTF-8 text; save it as UTF-8",
            )),
        },
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            ReadOutcome::Missing
        }
        Err(error) => ReadOutcome::Invalid(Problem::unreadable(
            source,
            path,
            format!("the file cannot be read ({error}); make it a readable file"),
        )),
    }
}

/// Reads the bytes of a settings file.
pub(super) fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    read_regular(path, MAX_FILE_BYTES)
}

/// Parses the text of a settings file.
pub(super) fn parse(source: Source, path: &Path, text: &str) -> ReadOutcome {
    let problem = |fault: SyntaxError, effect: Effect| Problem {
        source,
        path: path.to_owned(),
        line: fault.line,
        column: fault.column,
        message: fault.what,
        effect,
    };
    let body = without_bom(text);
    match object(body, DuplicateKeys::Merge) {
        Err(fault) => ReadOutcome::Invalid(problem(fault, Effect::LeftOut)),
        Ok((value, duplicate_keys)) => ReadOutcome::Parsed {
            value,
            text: body.to_owned(),
            name: path.to_owned(),
            problem: duplicate_keys
                .then(|| object(body, DuplicateKeys::Reject).err())
                .flatten()
                .map(|fault| problem(fault, Effect::Together)),
        },
    }
}

/// Why a text cannot be parsed as a settings document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SyntaxError {
    pub(super) line: usize,
    pub(super) column: usize,
    pub(super) what: String,
}

/// How to handle a key that occurs twice in one object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DuplicateKeys {
    /// Merge the later value into the earlier one, so that no deny rule is lost.
    Merge,
    /// Fail with an error that names the key.
    Reject,
}

/// Removes the byte order mark that some editors write.
pub(super) fn without_bom(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// Parses a text as an object. Also returns whether a key occurred twice. Blank text is an empty object.
pub(super) fn object(text: &str, duplicate_keys: DuplicateKeys) -> Result<(Map<String, Value>, bool), SyntaxError> {
    if text.trim_ascii().is_empty() {
        return Ok((Map::new(), false));
    }
    let found_duplicate = Cell::new(false);
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let build = ValueBuilder {
        duplicate_keys,
        found_duplicate: &found_duplicate,
    };
    let parsed = build
        .deserialize(&mut deserializer)
        .and_then(|value| deserializer.end().map(|()| value));
    match parsed {
        Ok(Value::Object(map)) => Ok((map, found_duplicate.get())),
        Ok(_) => Err(SyntaxError {
            line: 1,
            column: 1,
            what: "settings must be one JSON object; enclose them in { and }".to_owned(),
        }),
        Err(error) => Err(fault(text, &error)),
    }
}

fn fault(text: &str, error: &serde_json::Error) -> SyntaxError {
    let line = error.line().max(1);
    let row = text.split('\n').nth(line - 1).unwrap_or_default();
    // At the end of the text the position is that of the missing character.
    let column = if error.is_eof() {
        row.len()
    } else {
        error.column().saturating_sub(1)
    };
    let bytes = row.as_bytes().get(..column).unwrap_or(row.as_bytes());
    let before = String::from_utf8_lossy(bytes);
    let next = row.get(bytes.len()..).unwrap_or_default();
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or_default();
    let what = if next.starts_with('/') || next.starts_with('#') {
        "JSON has no comments; remove this one".to_owned()
    } else if message == "trailing comma" {
        "there is a comma after the last entry; remove it".to_owned()
    } else if error.is_eof() {
        "the file ends too early; close the open brackets or quotes".to_owned()
    } else if message.starts_with("the key") {
        message.to_owned()
    } else {
        format!("this is not JSON ({message}); correct it here")
    };
    SyntaxError {
        line,
        column: before.chars().count() + 1,
        what,
    }
}

/// Returns line and character of the value under `keys`, or of an entry of the list under `keys`.
pub(super) fn position_of(text: &str, keys: &[&str], index: Option<usize>) -> Option<(usize, usize)> {
    let mut at: &str = text;
    for key in keys {
        let object: HashMap<String, &RawValue> = serde_json::from_str(at).ok()?;
        at = object.get(*key)?.get();
    }
    if let Some(index) = index {
        let list: Vec<&RawValue> = serde_json::from_str(at).ok()?;
        at = list.get(index)?.get();
    }
    let offset = (at.as_ptr() as usize).checked_sub(text.as_ptr() as usize)?;
    let before = text.get(..offset)?;
    let row = before.rsplit('\n').next().unwrap_or_default();
    Some((before.matches('\n').count() + 1, row.chars().count() + 1))
}

/// Builds a value like `serde_json`, but detects duplicate keys.
#[derive(Clone, Copy)]
struct ValueBuilder<'a> {
    duplicate_keys: DuplicateKeys,
    found_duplicate: &'a Cell<bool>,
}

impl<'de> DeserializeSeed<'de> for ValueBuilder<'_> {
    type Value = Value;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ValueBuilder<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(entry) = entries.next_element_seed(self)? {
            list.push(entry);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            let again = map.contains_key(&key);
            if again {
                self.found_duplicate.set(true);
                if self.duplicate_keys == DuplicateKeys::Reject {
                    return Err(A::Error::custom(format!(
                        "the key `{key}` appears twice in one object; keep one"
                    )));
                }
            }
            let value = entries.next_value_seed(self)?;
            merge_key(&mut map, key, value);
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
#[path = "document_tests.rs"]
mod tests;
