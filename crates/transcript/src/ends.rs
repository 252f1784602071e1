//! Finds fields at the start and the end of a file without parsing all of it, for lists of many large files.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;

use serde_json::Value;

/// Number of bytes that are searched at the start and at the end of a file.
pub(super) const WINDOW: u64 = 64 * 1024;

/// The start and the end of a file, and its length in bytes.
#[derive(Debug, Clone)]
pub(super) struct Ends {
    pub(super) head: String,
    pub(super) tail: String,
    pub(super) size: u64,
}

impl Ends {
    pub(super) fn of(path: &Path) -> std::io::Result<Self> {
        let mut file = File::open(path)?;
        let size = file.metadata()?.len();
        let mut head = Vec::new();
        file.by_ref().take(WINDOW).read_to_end(&mut head)?;
        let mut tail = Vec::new();
        if size > WINDOW {
            file.seek(SeekFrom::Start(size - WINDOW))?;
            file.read_to_end(&mut tail)?;
        } else {
            tail.clone_from(&head);
        }
        Ok(Self {
            head: String::from_utf8_lossy(&head).into_owned(),
            tail: String::from_utf8_lossy(&tail).into_owned(),
            size,
        })
    }
}

/// Returns the first string value of a field.
pub(super) fn first(text: &str, key: &str) -> Option<String> {
    values(text, key).next()
}

/// Returns the last string value of a field.
pub(super) fn last(text: &str, key: &str) -> Option<String> {
    values(text, key).last()
}

/// Iterates over the string values of a field, in order. A space after the colon is allowed.
fn values<'a>(text: &'a str, key: &'a str) -> impl Iterator<Item = String> + 'a {
    let quoted = format!("\"{key}\":");
    let length = quoted.len();
    let places: Vec<usize> = text.match_indices(&quoted).map(|(at, _)| at + length).collect();
    places.into_iter().filter_map(move |at| {
        let rest = text.get(at..)?;
        let rest = rest.strip_prefix(' ').unwrap_or(rest);
        string(rest)
    })
}

/// Parses the JSON string at the start of the text.
fn string(text: &str) -> Option<String> {
    let inside = text.strip_prefix('"')?;
    let mut escaped = false;
    let end = inside.bytes().position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    })?;
    let whole = text.get(..end + 2)?;
    serde_json::from_str::<Value>(whole).ok()?.as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::{first, last};

    #[test]
    fn fields_are_found_in_text() {
        let text = r#"{"a":"one","b":1}
{"a": "t\"wo","c":"\\"}
{"a":3}"#;
        assert_eq!(first(text, "a").as_deref(), Some("one"));
        assert_eq!(last(text, "a").as_deref(), Some("t\"wo"));
        assert_eq!(first(text, "c").as_deref(), Some("\\"));
        assert_eq!(first(text, "d"), None);
    }
}
