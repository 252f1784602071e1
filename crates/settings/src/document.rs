//! The text of one settings file, and the problems in it.

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

/// More than any settings file has a reason to hold.
pub(super) const LARGEST: u64 = 64 * 1024 * 1024;

/// Something wrong with a settings file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The scope of the file.
    pub source: Source,
    /// The file, or the flag the text came with.
    pub path: PathBuf,
    /// The line, from 1; 0 when it is not about a line.
    pub line: usize,
    /// The character in the line, from 1; 0 when it is not about a line.
    pub column: usize,
    /// What is wrong, and what to do about it.
    pub message: String,
    /// What follows from it.
    pub effect: Effect,
}

/// What follows from a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// The whole file is left out.
    LeftOut,
    /// The earlier content of the file applies.
    Earlier,
    /// The entry does not apply.
    Ignored,
    /// The entry covers more than it says: a deny or ask rule is never lost.
    Stricter,
    /// The two values of a repeated key are merged.
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

/// What there was at a path.
pub(super) enum Found {
    Nothing,
    Broken(Problem),
    Read {
        value: Map<String, Value>,
        text: String,
        name: PathBuf,
        problem: Option<Problem>,
    },
}

/// Reads a settings file.
pub(super) fn read(source: Source, path: &Path) -> Found {
    match read_bytes(path) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => parse(source, path, &text),
            Err(_) => Found::Broken(Problem::unreadable(
                source,
                path,
                "the file is not text in UTF-8; save it as UTF-8",
            )),
        },
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Found::Nothing,
        Err(error) => Found::Broken(Problem::unreadable(
            source,
            path,
            format!("the file cannot be read ({error}); make it a file you may read"),
        )),
    }
}

/// The bytes of a settings file.
pub(super) fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    read_regular(path, LARGEST)
}

/// Parses the text of a settings file.
pub(super) fn parse(source: Source, path: &Path, text: &str) -> Found {
    let problem = |fault: Fault, effect: Effect| Problem {
        source,
        path: path.to_owned(),
        line: fault.line,
        column: fault.column,
        message: fault.what,
        effect,
    };
    let body = without_mark(text);
    match object(body, Twice::Merge) {
        Err(fault) => Found::Broken(problem(fault, Effect::LeftOut)),
        Ok((value, twice)) => Found::Read {
            value,
            text: body.to_owned(),
            name: path.to_owned(),
            problem: twice
                .then(|| object(body, Twice::Refuse).err())
                .flatten()
                .map(|fault| problem(fault, Effect::Together)),
        },
    }
}

/// Why a text is not a settings document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) line: usize,
    pub(super) column: usize,
    pub(super) what: String,
}

/// What to do with a key that appears twice in one object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Twice {
    /// Merge the later value into the earlier one, so that no deny rule is lost.
    Merge,
    /// Name it.
    Refuse,
}

/// Without the byte order mark some editors put in front.
pub(super) fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// The object a text holds, and whether a key stood twice. A text without any is the empty object.
pub(super) fn object(text: &str, twice: Twice) -> Result<(Map<String, Value>, bool), Fault> {
    if text.trim_ascii().is_empty() {
        return Ok((Map::new(), false));
    }
    let seen = Cell::new(false);
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let build = Build { twice, seen: &seen };
    let parsed = build
        .deserialize(&mut deserializer)
        .and_then(|value| deserializer.end().map(|()| value));
    match parsed {
        Ok(Value::Object(map)) => Ok((map, seen.get())),
        Ok(_) => Err(Fault {
            line: 1,
            column: 1,
            what: "settings are one JSON object; put them between { and }".to_owned(),
        }),
        Err(error) => Err(fault(text, &error)),
    }
}

fn fault(text: &str, error: &serde_json::Error) -> Fault {
    let line = error.line().max(1);
    let row = text.split('\n').nth(line - 1).unwrap_or_default();
    // At the end there is nothing to point at but what would come next.
    let column = if error.is_eof() {
        row.len()
    } else {
        error.column().saturating_sub(1)
    };
    let bytes = row.as_bytes().get(..column).unwrap_or(row.as_bytes());
    let before = String::from_utf8_lossy(bytes);
    let next = row.get(bytes.len()..).unwrap_or_default();
    let said = error.to_string();
    let said = said.split(" at line ").next().unwrap_or_default();
    let what = if next.starts_with('/') || next.starts_with('#') {
        "JSON has no comments; take this one out".to_owned()
    } else if said == "trailing comma" {
        "there is a comma after the last entry; take it out".to_owned()
    } else if error.is_eof() {
        "the file ends too early; close the open brackets or quotes".to_owned()
    } else if said.starts_with("the key") {
        said.to_owned()
    } else {
        format!("this is not JSON ({said}); correct it here")
    };
    Fault {
        line,
        column: before.chars().count() + 1,
        what,
    }
}

/// Line and character of one entry of a list, or of what stands in the list's place.
pub(super) fn place(text: &str, keys: &[&str], index: Option<usize>) -> Option<(usize, usize)> {
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

/// Builds a value like `serde_json` does, but notices repeated keys.
#[derive(Clone, Copy)]
struct Build<'a> {
    twice: Twice,
    seen: &'a Cell<bool>,
}

impl<'de> DeserializeSeed<'de> for Build<'_> {
    type Value = Value;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Build<'_> {
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
                self.seen.set(true);
                if self.twice == Twice::Refuse {
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
