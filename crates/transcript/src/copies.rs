//! The entries a fork starts with: those of the original session with the id of the fork. They are copied as bytes and
//! never parsed into a tree of values.

use std::fs::File;
use std::io;
use std::sync::Arc;

use indexmap::IndexMap;
use serde_json::Value;
use serde_json::value::RawValue;

use super::load::{self, EntryLocation};

/// Entries of another transcript that are to be copied.
#[derive(Debug, Clone)]
pub(super) struct Copies {
    pub(super) source: Arc<File>,
    pub(super) places: Vec<EntryLocation>,
}

impl Copies {
    /// Calls `show` with each entry as a line of the session with this id, without the line terminator.
    pub(super) fn each(&self, session_id: &str, mut show: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        let id = serde_json::value::to_raw_value(session_id)?;
        let mut outcome = Ok(());
        load::each(&self.places, &self.source, |_, line| {
            if outcome.is_ok() {
                outcome = with_session_id(line, &id).map_or(Ok(()), |line| show(&line));
            }
        })?;
        outcome
    }

    /// Returns the same lines as values, for a host that mirrors the transcript.
    pub(super) fn values(&self, session_id: &str) -> io::Result<Vec<Value>> {
        let mut values = Vec::with_capacity(self.places.len());
        self.each(session_id, |line| {
            values.push(serde_json::from_slice(line)?);
            Ok(())
        })?;
        Ok(values)
    }
}

/// Returns the line with another session id, or `None` if the line is not an entry.
fn with_session_id(line: &[u8], id: &RawValue) -> Option<Vec<u8>> {
    let mut fields: IndexMap<String, &RawValue> = serde_json::from_slice(line).ok()?;
    fields.insert("sessionId".to_owned(), id);
    serde_json::to_vec(&fields).ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn only_the_session_id_of_a_copied_line_changes() {
        let id = serde_json::value::to_raw_value("new").unwrap();
        let line = br#"{"type":"user","sessionId":"old","message":{ "n": 1.50e2, "t": "\u00e9" },"uuid":"u"}"#;
        let want = br#"{"type":"user","sessionId":"new","message":{ "n": 1.50e2, "t": "\u00e9" },"uuid":"u"}"#;
        assert_eq!(with_session_id(line, &id).unwrap(), want);
        assert_eq!(with_session_id(b"[1]", &id), None);
    }
}
