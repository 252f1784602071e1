//! The entries a fork starts with: those of the original session, under its own id. They are copied as bytes and never
//! become a tree of values.

use std::fs::File;
use std::io;
use std::sync::Arc;

use indexmap::IndexMap;
use serde_json::Value;
use serde_json::value::RawValue;

use super::load::{self, Place};

/// Entries that stand in another transcript and are to be written out once more.
#[derive(Debug, Clone)]
pub(super) struct Copies {
    pub(super) source: Arc<File>,
    pub(super) places: Vec<Place>,
}

impl Copies {
    /// Shows each of them as a line of the session of this id, without the end of the line.
    pub(super) fn each(&self, session_id: &str, mut show: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        let id = serde_json::value::to_raw_value(session_id)?;
        let mut outcome = Ok(());
        load::each(&self.places, &self.source, |_, line| {
            if outcome.is_ok() {
                outcome = renamed(line, &id).map_or(Ok(()), |line| show(&line));
            }
        })?;
        outcome
    }

    /// The same lines as values, for a host that mirrors the transcript.
    pub(super) fn values(&self, session_id: &str) -> io::Result<Vec<Value>> {
        let mut values = Vec::with_capacity(self.places.len());
        self.each(session_id, |line| {
            values.push(serde_json::from_slice(line)?);
            Ok(())
        })?;
        Ok(values)
    }
}

/// The line with another session's id. None for one that is no entry.
fn renamed(line: &[u8], id: &RawValue) -> Option<Vec<u8>> {
    let mut fields: IndexMap<String, &RawValue> = serde_json::from_slice(line).ok()?;
    fields.insert("sessionId".to_owned(), id);
    serde_json::to_vec(&fields).ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn all_but_the_id_stays_as_it_was_written() {
        let id = serde_json::value::to_raw_value("new").unwrap();
        let line = br#"{"type":"user","sessionId":"old","message":{ "n": 1.50e2, "t": "\u00e9" },"uuid":"u"}"#;
        let want = br#"{"type":"user","sessionId":"new","message":{ "n": 1.50e2, "t": "\u00e9" },"uuid":"u"}"#;
        assert_eq!(renamed(line, &id).unwrap(), want);
        assert_eq!(renamed(b"[1]", &id), None);
    }
}
