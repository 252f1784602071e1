//! Copies a session with new ids. Entries are copied as bytes and never parsed into a tree of values.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write as _};
use std::path::Path;

use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};

use super::error::Error;
use super::info::FirstPrompt;
use super::projects::Folders;
use super::{fresh_id, lines, other_lines, private, time};

/// Options for forking a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fork {
    /// The uuid of the last message to copy; `None` copies all messages.
    pub up_to: Option<String>,
    /// The title of the copy; `None` for the title of the original with the suffix ` (fork)`.
    pub title: Option<String>,
}

/// Fields that are removed from copied entries.
const REMOVED_FIELDS: &[&str] = &["teamName", "agentName", "slug", "sourceToolAssistantUUID"];

impl Folders {
    /// Copies a session, or the first part of it, and returns the id of the copy.
    ///
    /// # Errors
    /// If there is no such session or message, or the copy cannot be written.
    pub fn fork(&self, session_id: &str, how: &Fork) -> Result<String, Error> {
        let (_, file) = self.session(session_id)?;
        let failed = |error| Error::file(&file, error);
        let mut source = File::open(&file).map_err(failed)?;
        let mut plan = Plan::default();
        lines::each(&mut source, |_, line| plan.take(line, how.up_to.as_deref())).map_err(failed)?;
        if let Some(message) = how.up_to.clone().filter(|_| !plan.is_cut) {
            let session = session_id.to_owned();
            return Err(Error::NoMessage { message, session });
        }
        if plan.entries == 0 {
            return Err(Error::Empty(session_id.to_owned()));
        }
        let new_id = fresh_id();
        let target = file.with_file_name(format!("{new_id}.jsonl"));
        let mut copy = Copy {
            old_id: session_id,
            new_id: &new_id,
            written: 0,
            plan: &plan,
        };
        let written = copy.write(&file, &target, how.title.as_deref());
        written.map_err(|error| Error::file(&target, error))?;
        Ok(new_id)
    }
}

/// The fields of a line that determine how it is copied.
#[derive(Deserialize)]
struct Head<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow)]
    uuid: Option<Cow<'a, str>>,
    #[serde(borrow, rename = "parentUuid")]
    parent: Option<Cow<'a, str>>,
    #[serde(borrow, rename = "logicalParentUuid")]
    logical_parent: Option<Cow<'a, str>>,
    #[serde(rename = "isSidechain")]
    is_sidechain: Option<bool>,
    #[serde(borrow, rename = "customTitle")]
    custom_title: Option<Cow<'a, str>>,
    #[serde(borrow, rename = "aiTitle")]
    ai_title: Option<Cow<'a, str>>,
    #[serde(borrow)]
    texts: Option<&'a RawValue>,
    #[serde(borrow)]
    replacements: Option<Vec<&'a RawValue>>,
}

impl Head<'_> {
    fn is(&self, kind: &str) -> bool {
        self.kind.as_deref() == Some(kind)
    }

    /// Returns the uuid if the entry is copied.
    fn copied(&self) -> Option<&str> {
        let kinds = ["user", "assistant", "system", "attachment"];
        let is_message = kinds.iter().any(|kind| self.is(kind)) && self.is_sidechain != Some(true);
        self.uuid.as_deref().filter(|_| is_message)
    }
}

/// The result of the first pass over all lines.
#[derive(Debug, Default)]
struct Plan {
    /// New ids by old ids.
    ids: HashMap<String, String>,
    /// Progress entries, which are not copied, and their parents. Children of a progress entry become children of its
    /// parent.
    skipped: HashMap<String, Option<String>>,
    replacements: Vec<Box<RawValue>>,
    first: FirstPrompt,
    custom_title: Option<String>,
    ai_title: Option<String>,
    /// The system prompt.
    system_prompt: Option<Box<RawValue>>,
    /// Number of entries to copy.
    entries: usize,
    /// Whether the last entry to copy was found.
    is_cut: bool,
}

impl Plan {
    fn take(&mut self, line: &[u8], up_to: Option<&str>) {
        let line = String::from_utf8_lossy(line);
        let Ok(head) = serde_json::from_str::<Head<'_>>(&line) else {
            return;
        };
        self.first.take(&line);
        if let (Some(uuid), true) = (&head.uuid, head.is("progress")) {
            let parent = head.parent.as_deref().map(str::to_owned);
            self.skipped.insert(uuid.clone().into_owned(), parent);
        }
        if let Some(uuid) = head.copied().filter(|_| !self.is_cut) {
            self.ids.insert(uuid.to_owned(), fresh_id());
            self.entries += 1;
            self.is_cut = up_to == Some(uuid);
        }
        if head.is("content-replacement") {
            let replacements = head.replacements.iter().flatten();
            self.replacements.extend(replacements.map(|&one| one.to_owned()));
        }
        if head.is(other_lines::SYSTEM_PROMPT) && !self.is_cut {
            self.system_prompt = head.texts.map(ToOwned::to_owned);
        }
        let newest = |known: &mut Option<String>, title: Option<Cow<'_, str>>| {
            *known = title.map(Cow::into_owned).or_else(|| known.take());
        };
        newest(&mut self.custom_title, head.custom_title);
        newest(&mut self.ai_title, head.ai_title);
    }

    /// Returns the new id of an entry, or of its nearest ancestor that is copied.
    fn id(&self, old: Option<&str>) -> Option<&str> {
        let mut next = old;
        for _ in 0..=self.skipped.len() {
            match next.and_then(|uuid| self.skipped.get(uuid)) {
                Some(before) => next = before.as_deref(),
                None => break,
            }
        }
        self.ids.get(next?).map(String::as_str)
    }
}

/// A copy that is being written.
struct Copy<'a> {
    old_id: &'a str,
    new_id: &'a str,
    written: usize,
    plan: &'a Plan,
}

impl Copy<'_> {
    fn write(&mut self, source: &Path, target: &Path, title: Option<&str>) -> io::Result<()> {
        let open = private::create(target)?;
        let written = self.write_to(&mut BufWriter::new(open), source, title);
        if written.is_err() {
            // Remove an incomplete copy.
            fs::remove_file(target).ok();
        }
        written
    }

    fn write_to(&mut self, out: &mut BufWriter<File>, source: &Path, title: Option<&str>) -> io::Result<()> {
        let mut outcome = Ok(());
        lines::each(&mut File::open(source)?, |_, line| {
            if outcome.is_ok() && self.written < self.plan.entries {
                outcome = self.entry(line, out);
            }
        })?;
        outcome?;
        if !self.plan.replacements.is_empty() {
            let replacements = &self.plan.replacements;
            let id = to_raw_value(self.new_id)?;
            let replacements = to_raw_value(replacements)?;
            let kind = to_raw_value("content-replacement")?;
            let line = IndexMap::from([("type", kind), ("sessionId", id), ("replacements", replacements)]);
            serde_json::to_writer(&mut *out, &line)?;
            out.write_all(b"\n")?;
        }
        if let Some(texts) = &self.plan.system_prompt {
            let kind = to_raw_value(other_lines::SYSTEM_PROMPT)?;
            let id = to_raw_value(self.new_id)?;
            let line = IndexMap::from([("type", &kind), ("texts", texts), ("sessionId", &id)]);
            serde_json::to_writer(&mut *out, &line)?;
            out.write_all(b"\n")?;
        }
        if let Some(title) = self.title(title) {
            writeln!(out, "{}", other_lines::title(&title, self.new_id))?;
        }
        out.flush()
    }

    fn title(&self, given: Option<&str>) -> Option<String> {
        let plan = self.plan;
        let known = || plan.custom_title.as_deref().or(plan.ai_title.as_deref());
        let known = || known().or(plan.first.found()).map(|title| format!("{title} (fork)"));
        given.map(str::to_owned).or_else(known)
    }

    fn entry(&mut self, line: &[u8], out: &mut BufWriter<File>) -> io::Result<()> {
        let line = String::from_utf8_lossy(line);
        let Ok(head) = serde_json::from_str::<Head<'_>>(&line) else {
            return Ok(());
        };
        let Some(old) = head.copied() else { return Ok(()) };
        let Ok(mut fields) = serde_json::from_str::<IndexMap<String, &RawValue>>(&line) else {
            return Ok(());
        };
        self.written += 1;
        let mut new_fields = vec![
            ("uuid", json!(self.plan.ids.get(old))),
            ("parentUuid", json!(self.plan.id(head.parent.as_deref()))),
        ];
        if let Some(logical) = head.logical_parent.as_deref() {
            new_fields.push(("logicalParentUuid", json!(self.plan.id(Some(logical)))));
        }
        new_fields.push(("sessionId", json!(self.new_id)));
        new_fields.push(("forkedFrom", json!({"sessionId": self.old_id, "messageUuid": old})));
        if self.written == self.plan.entries {
            new_fields.push(("timestamp", json!(time::now())));
        }
        let new_fields: Vec<(&str, Box<RawValue>)> = new_fields
            .into_iter()
            .map(|(key, value)| Ok((key, to_raw_value(&value)?)))
            .collect::<io::Result<_>>()?;
        for (key, value) in &new_fields {
            fields.insert((*key).to_owned(), value);
        }
        for key in REMOVED_FIELDS {
            fields.shift_remove(*key);
        }
        serde_json::to_writer(&mut *out, &fields)?;
        out.write_all(b"\n")
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]

    use serde_json::Value;

    use super::super::projects::Projects;
    use super::*;

    const ID: &str = "11111111-2222-4333-8444-555555555555";

    #[test]
    fn only_ids_titles_and_links_of_a_copy_change() {
        let dir = tempfile::tempdir().unwrap();
        let project = dir.path().join("p");
        fs::create_dir(&project).unwrap();
        let text = [
            r#"{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"old","message":{ "n": 1.50e2, "t": "\u00e9" }}"#,
            r#"{"type":"progress","uuid":"p1","parentUuid":"u1"}"#,
            r#"{"type":"user","uuid":"s1","parentUuid":"u1","isSidechain":true}"#,
            "not json",
            r#"{"type":"system","uuid":"b1","parentUuid":null,"logicalParentUuid":"p1","slug":"x"}"#,
            r#"{"type":"content-replacement","sessionId":"old","replacements":[1.50]}"#,
            r#"{"type":"custom-title","customTitle":"T","sessionId":"old"}"#,
            r#"{"type":"assistant","uuid":"a1","parentUuid":"b1","timestamp":"then"}"#,
            "",
        ];
        fs::write(project.join(format!("{ID}.jsonl")), text.join("\n")).unwrap();
        let folders = Projects::new(dir.path().to_owned()).all().unwrap();
        let id = folders.fork(ID, &Fork::default()).unwrap();
        let copy = fs::read_to_string(project.join(format!("{id}.jsonl"))).unwrap();
        let lines: Vec<&str> = copy.lines().collect();
        let read: Vec<Value> = lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert!(
            lines[0].contains(r#""message":{ "n": 1.50e2, "t": "\u00e9" }"#),
            "{copy}"
        );
        let names = |at: usize| read[at]["type"].as_str().unwrap();
        assert_eq!(
            [0, 1, 2, 3, 4].map(names),
            ["user", "system", "assistant", "content-replacement", "custom-title"]
        );
        assert_eq!(read[0]["sessionId"], json!(id));
        assert_eq!(read[0]["forkedFrom"], json!({"sessionId": ID, "messageUuid": "u1"}));
        assert_eq!(
            read[1]["logicalParentUuid"], read[0]["uuid"],
            "progress entries are skipped"
        );
        assert!(read[1].get("slug").is_none());
        assert_eq!(read[2]["parentUuid"], read[1]["uuid"]);
        assert_ne!(
            read[2]["timestamp"],
            json!("then"),
            "the last entry gets a new timestamp"
        );
        assert_eq!(
            lines[3],
            format!(r#"{{"type":"content-replacement","sessionId":"{id}","replacements":[1.50]}}"#)
        );
        assert_eq!(read[4]["customTitle"], json!("T (fork)"));
    }
}
