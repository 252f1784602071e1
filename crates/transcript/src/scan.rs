//! A scan over every line of a transcript, on several threads if it is large.

use std::fs::File;
use std::io;
use std::num::NonZero;
use std::ops::Range;
use std::sync::mpsc;
use std::thread;

use serde_json::Value;

use super::envelope::{self, Entry, Envelope, Key};
use super::lines;
use super::record::{Early, Record};

/// A file of this length is looked at by several threads.
const LARGE: u64 = 8 * 1024 * 1024;
/// How much of it one of them takes at once.
const PIECE: u64 = 1024 * 1024;
/// More of them hardly help: the lines are put in order by one.
const MOST_THREADS: usize = 4;

/// Whose file it is, and how much of it is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// A session's conversation as it goes on: what stands before its last compaction may be forgotten.
    Live,
    /// A session's file, all of it.
    Whole,
    /// A subagent's file, all of it.
    Agent,
}

/// What a line is good for.
#[derive(Debug)]
enum Seen {
    Entry(Entry),
    /// The conversation begins anew, and keeps these.
    Anew(Entry, Vec<Key>),
    Cost(Vec<u8>),
    Name(Vec<u8>),
    SystemPrompt(Vec<u8>),
    Shown(Key),
    Rewound(Key),
    Broken,
}

/// Looks at every line of a transcript.
pub(super) fn file(source: &File, wanted: Wanted) -> io::Result<Record> {
    let length = source.metadata()?.len();
    let threads = thread::available_parallelism()
        .map_or(1, NonZero::get)
        .min(MOST_THREADS);
    if length < LARGE || threads < 2 {
        let mut gathered = Gathered::default();
        lines::each_within(source, &(0..u64::MAX), &mut Vec::new(), |at, line| {
            if let Some(seen) = look(line, wanted) {
                gathered.take(at, line.len(), seen);
            }
        })?;
        return Ok(gathered.done());
    }
    in_pieces(source, wanted, (length, PIECE), threads)
}

/// The same for whatever can be read.
#[cfg(test)]
pub(super) fn stream(source: &mut impl io::Read, wanted: Wanted) -> io::Result<Record> {
    let mut gathered = Gathered::default();
    lines::each(source, |at, line| {
        if let Some(seen) = look(line, wanted) {
            gathered.take(at, line.len(), seen);
        }
    })?;
    Ok(gathered.done())
}

fn in_pieces(source: &File, wanted: Wanted, (length, piece): (u64, u64), threads: usize) -> io::Result<Record> {
    let parts = (0..length.div_ceil(piece)).map(|at| {
        let end = (at + 1) * piece;
        // The last line of all may have grown meanwhile.
        at * piece..if end < length { end } else { u64::MAX }
    });
    thread::scope(|scope| {
        let mut lookers = Vec::new();
        for own in 0..threads {
            let parts = parts.clone().skip(own).step_by(threads);
            let (tell, told) = mpsc::sync_channel(1);
            thread::Builder::new().spawn_scoped(scope, move || {
                let mut held = Vec::new();
                for part in parts {
                    if tell.send(within(source, &part, wanted, &mut held)).is_err() {
                        break;
                    }
                }
            })?;
            lookers.push(told);
        }
        let mut gathered = Gathered::default();
        for (_, looker) in parts.zip(lookers.iter().cycle()) {
            let seen = looker.recv().map_err(io::Error::other)??;
            for (at, length, seen) in seen {
                gathered.take(at, length, seen);
            }
        }
        Ok(gathered.done())
    })
}

type Piece = Vec<(u64, usize, Seen)>;

fn within(source: &File, part: &Range<u64>, wanted: Wanted, held: &mut Vec<u8>) -> io::Result<Piece> {
    let mut all = Vec::new();
    lines::each_within(source, part, held, |at, line| {
        if let Some(seen) = look(line, wanted) {
            all.push((at, line.len(), seen));
        }
    })?;
    Ok(all)
}

fn look(line: &[u8], wanted: Wanted) -> Option<Seen> {
    match envelope::look_at(line, wanted == Wanted::Agent) {
        Envelope::Entry(entry) if entry.begins_anew && wanted == Wanted::Live => Some(Seen::Anew(entry, kept(line))),
        Envelope::Entry(entry) => Some(Seen::Entry(entry)),
        Envelope::Cost => Some(Seen::Cost(line.to_vec())),
        Envelope::Name => Some(Seen::Name(line.to_vec())),
        Envelope::SystemPrompt => Some(Seen::SystemPrompt(line.to_vec())),
        Envelope::Shown(key) => Some(Seen::Shown(key)),
        Envelope::Rewound(key) => Some(Seen::Rewound(key)),
        Envelope::Broken if !line.trim_ascii().is_empty() => Some(Seen::Broken),
        Envelope::Other | Envelope::Broken => None,
    }
}

/// What a compaction keeps in its own words.
fn kept(line: &[u8]) -> Vec<Key> {
    let line: Value = serde_json::from_slice(line).unwrap_or_default();
    let uuids = line.pointer("/compactMetadata/preservedMessages/uuids");
    let uuids = uuids.and_then(Value::as_array).into_iter().flatten();
    uuids.filter_map(Value::as_str).map(Key::of).collect()
}

/// What was seen so far, in the order of the lines.
#[derive(Debug, Default)]
struct Gathered {
    record: Record,
    cost: Option<Vec<u8>>,
    system_prompt: Option<Vec<u8>>,
    early: Early,
}

impl Gathered {
    fn take(&mut self, at: u64, length: usize, seen: Seen) {
        // It holds until the conversation begins anew.
        if matches!(&seen, Seen::Entry(entry) | Seen::Anew(entry, _) if entry.begins_anew) {
            self.system_prompt = None;
        }
        match seen {
            Seen::Entry(entry) => self.record.take(at, length, &entry, &mut self.early),
            Seen::Anew(entry, kept) => {
                self.record.forget(&kept, &mut self.early);
                self.record.take(at, length, &entry, &mut self.early);
            }
            Seen::Shown(key) => self.record.take_shown(key, at, length),
            Seen::Rewound(key) => self.record.rewound = Some((key, at)),
            Seen::Broken => self.record.broken += 1,
            Seen::Cost(line) => self.cost = Some(line),
            Seen::SystemPrompt(line) => self.system_prompt = Some(line),
            Seen::Name(line) => {
                if let Ok(line) = serde_json::from_slice(&line) {
                    self.record.names.take(&line);
                }
            }
        }
    }

    fn done(mut self) -> Record {
        self.record.settle(self.early);
        self.record.cost = self.cost.and_then(|line| serde_json::from_slice(&line).ok());
        self.record.system_prompt = self.system_prompt.and_then(|line| texts(&line));
        self.record
    }
}

/// What such a line says, if it is whole.
fn texts(line: &[u8]) -> Option<Vec<String>> {
    let line: Value = serde_json::from_slice(line).ok()?;
    let texts = line.get("texts")?.as_array()?.iter();
    texts.map(|text| text.as_str().map(str::to_owned)).collect()
}

#[cfg(test)]
#[path = "scan_tests.rs"]
mod tests;
