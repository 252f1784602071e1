//! Scans every line of a transcript, with several threads if it is large.

use std::fs::File;
use std::io;
use std::num::NonZero;
use std::ops::Range;
use std::sync::mpsc;
use std::thread;

use serde_json::Value;

use super::envelope::{self, Entry, Envelope, Key};
use super::lines;
use super::record::{Record, UnresolvedLinks};

/// Files of at least this length, in bytes, are scanned by several threads.
const PARALLEL_SCAN_MIN_BYTES: u64 = 8 * 1024 * 1024;
/// Number of bytes of the parts into which a file is divided between the threads.
const PART_BYTES: u64 = 1024 * 1024;
/// Maximum number of threads. More would not be faster, because one thread merges the results in order.
const MAX_THREADS: usize = 4;

/// The kind of transcript, and which part of it is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ScanScope {
    /// A session's transcript. The part before the last compaction may be dropped.
    Live,
    /// A session's transcript, completely.
    Whole,
    /// A subagent's transcript, completely.
    Agent,
}

/// The part of a line that the record needs.
#[derive(Debug)]
enum ScannedLine {
    Entry(Entry),
    /// A compaction, and the keys of the entries that it preserves.
    Compaction(Entry, Vec<Key>),
    Cost(Vec<u8>),
    Name(Vec<u8>),
    SystemPrompt(Vec<u8>),
    Shown(Key),
    Rewound(Key),
    Broken,
}

/// Scans a file.
pub(super) fn file(source: &File, scope: ScanScope) -> io::Result<Record> {
    let length = source.metadata()?.len();
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(MAX_THREADS);
    if length < PARALLEL_SCAN_MIN_BYTES || threads < 2 {
        let mut builder = RecordBuilder::default();
        lines::each_within(source, &(0..u64::MAX), &mut Vec::new(), |at, line| {
            if let Some(seen) = scan_line(line, scope) {
                builder.take(at, line.len(), seen);
            }
        })?;
        return Ok(builder.finish());
    }
    scan_in_parallel(source, scope, (length, PART_BYTES), threads)
}

/// Scans a reader.
#[cfg(test)]
pub(super) fn stream(source: &mut impl io::Read, scope: ScanScope) -> io::Result<Record> {
    let mut builder = RecordBuilder::default();
    lines::each(source, |at, line| {
        if let Some(seen) = scan_line(line, scope) {
            builder.take(at, line.len(), seen);
        }
    })?;
    Ok(builder.finish())
}

fn scan_in_parallel(
    source: &File,
    scope: ScanScope,
    (length, piece): (u64, u64),
    threads: usize,
) -> io::Result<Record> {
    let parts = (0..length.div_ceil(piece)).map(|at| {
        let end = (at + 1) * piece;
        // The file may have grown since its length was read.
        at * piece..if end < length { end } else { u64::MAX }
    });
    thread::scope(|thread_scope| {
        let mut receivers = Vec::new();
        for own in 0..threads {
            let parts = parts.clone().skip(own).step_by(threads);
            let (sender, receiver) = mpsc::sync_channel(1);
            thread::Builder::new().spawn_scoped(thread_scope, move || {
                let mut buffer = Vec::new();
                for part in parts {
                    if sender.send(scan_part(source, &part, scope, &mut buffer)).is_err() {
                        break;
                    }
                }
            })?;
            receivers.push(receiver);
        }
        let mut builder = RecordBuilder::default();
        for (_, receiver) in parts.zip(receivers.iter().cycle()) {
            let seen = receiver.recv().map_err(io::Error::other)??;
            for (at, length, seen) in seen {
                builder.take(at, length, seen);
            }
        }
        Ok(builder.finish())
    })
}

type PartLines = Vec<(u64, usize, ScannedLine)>;

fn scan_part(source: &File, part: &Range<u64>, scope: ScanScope, buffer: &mut Vec<u8>) -> io::Result<PartLines> {
    let mut all = Vec::new();
    lines::each_within(source, part, buffer, |at, line| {
        if let Some(seen) = scan_line(line, scope) {
            all.push((at, line.len(), seen));
        }
    })?;
    Ok(all)
}

fn scan_line(line: &[u8], scope: ScanScope) -> Option<ScannedLine> {
    match envelope::classify(line, scope == ScanScope::Agent) {
        Envelope::Entry(entry) if entry.is_compaction && scope == ScanScope::Live => {
            Some(ScannedLine::Compaction(entry, preserved_keys(line)))
        }
        Envelope::Entry(entry) => Some(ScannedLine::Entry(entry)),
        Envelope::Cost => Some(ScannedLine::Cost(line.to_vec())),
        Envelope::Name => Some(ScannedLine::Name(line.to_vec())),
        Envelope::SystemPrompt => Some(ScannedLine::SystemPrompt(line.to_vec())),
        Envelope::Shown(key) => Some(ScannedLine::Shown(key)),
        Envelope::Rewound(key) => Some(ScannedLine::Rewound(key)),
        Envelope::Broken if !line.trim_ascii().is_empty() => Some(ScannedLine::Broken),
        Envelope::Other | Envelope::Broken => None,
    }
}

/// Returns the keys of the entries that a compaction preserves.
fn preserved_keys(line: &[u8]) -> Vec<Key> {
    let line: Value = serde_json::from_slice(line).unwrap_or_default();
    let uuids = line.pointer("/compactMetadata/preservedMessages/uuids");
    let uuids = uuids.and_then(Value::as_array).into_iter().flatten();
    uuids.filter_map(Value::as_str).map(Key::of).collect()
}

/// Builds a record from lines in their order in the file.
#[derive(Debug, Default)]
struct RecordBuilder {
    record: Record,
    cost: Option<Vec<u8>>,
    system_prompt: Option<Vec<u8>>,
    unresolved: UnresolvedLinks,
}

impl RecordBuilder {
    fn take(&mut self, at: u64, length: usize, seen: ScannedLine) {
        // The recorded system prompt applies until a compaction.
        if matches!(&seen, ScannedLine::Entry(entry) | ScannedLine::Compaction(entry, _) if entry.is_compaction) {
            self.system_prompt = None;
        }
        match seen {
            ScannedLine::Entry(entry) => self.record.take(at, length, &entry, &mut self.unresolved),
            ScannedLine::Compaction(entry, preserved) => {
                self.record.drop_before_compaction(&preserved, &mut self.unresolved);
                self.record.take(at, length, &entry, &mut self.unresolved);
            }
            ScannedLine::Shown(key) => self.record.take_shown(key, at, length),
            ScannedLine::Rewound(key) => self.record.rewound = Some((key, at)),
            ScannedLine::Broken => self.record.broken += 1,
            ScannedLine::Cost(line) => self.cost = Some(line),
            ScannedLine::SystemPrompt(line) => self.system_prompt = Some(line),
            ScannedLine::Name(line) => {
                if let Ok(line) = serde_json::from_slice(&line) {
                    self.record.names.take(&line);
                }
            }
        }
    }

    fn finish(mut self) -> Record {
        self.record.resolve(self.unresolved);
        self.record.cost = self.cost.and_then(|line| serde_json::from_slice(&line).ok());
        self.record.system_prompt = self.system_prompt.and_then(|line| texts(&line));
        self.record
    }
}

/// Returns the texts of a `system-prompt` line if all of them are strings.
fn texts(line: &[u8]) -> Option<Vec<String>> {
    let line: Value = serde_json::from_slice(line).ok()?;
    let texts = line.get("texts")?.as_array()?.iter();
    texts.map(|text| text.as_str().map(str::to_owned)).collect()
}

#[cfg(test)]
#[path = "scan_tests.rs"]
mod tests;
