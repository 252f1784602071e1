//! What a transcript says: its lines, and the one branch of them that is the conversation.
//!
//! Lines that cannot be read or are not known are passed over, a uuid counts where it stands first, and what no longer
//! leads to the end of the conversation is left out. A line is looked at once, and read only if it is part of that.

use std::collections::{HashMap, HashSet};
use std::io::{self, Read, Seek, SeekFrom};

use hashbrown::HashTable;
use serde_json::{Map, Value};

use super::envelope::{self, Envelope, Key};
use super::lines;
use super::spoken;

/// An entry of the conversation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Line {
    pub(crate) uuid: String,
    parent: Option<String>,
    pub(crate) fields: Map<String, Value>,
}

impl Line {
    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        self.fields.get(key).and_then(Value::as_str)
    }

    pub(crate) fn flag(&self, key: &str) -> bool {
        self.fields.get(key).and_then(Value::as_bool) == Some(true)
    }

    pub(crate) fn is(&self, kind: &str) -> bool {
        self.text("type") == Some(kind)
    }

    /// Something the model or the user's side said.
    pub(crate) fn speaks(&self) -> bool {
        self.is("user") || self.is("assistant")
    }

    pub(crate) fn content(&self) -> &Value {
        self.fields
            .get("message")
            .and_then(|message| message.get("content"))
            .unwrap_or(&Value::Null)
    }

    /// Takes what is said out of it.
    pub(crate) fn take_content(&mut self) -> Value {
        let message = self.fields.get_mut("message");
        let content = message.and_then(|message| message.get_mut("content"));
        content.map(Value::take).unwrap_or_default()
    }

    /// The id of the model's message this is a block of.
    pub(crate) fn message_id(&self) -> Option<&str> {
        let message = self.fields.get("message").filter(|_| self.is("assistant"))?;
        message.get("id").and_then(Value::as_str)
    }

    /// Whether this brings the result of a call.
    pub(crate) fn is_result(&self) -> bool {
        let is_result = |block: &Value| block.get("type").and_then(Value::as_str) == Some("tool_result");
        self.is("user")
            && self
                .content()
                .as_array()
                .is_some_and(|blocks| blocks.iter().any(is_result))
    }
}

/// The names a session was given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Names {
    pub(crate) title: Option<String>,
    pub(crate) tag: Option<String>,
}

impl Names {
    fn take(&mut self, line: &Map<String, Value>) {
        let text = |key: &str| line.get(key).and_then(Value::as_str).map(str::to_owned);
        match line.get("type").and_then(Value::as_str) {
            Some("custom-title") => self.title = text("customTitle").or_else(|| self.title.take()),
            Some("tag") => self.tag = text("tag").or_else(|| self.tag.take()),
            _ => {}
        }
    }

    /// These, where newer ones say nothing.
    pub(crate) fn or(self, older: Self) -> Self {
        Self {
            title: self.title.or(older.title),
            tag: self.tag.or(older.tag),
        }
    }
}

/// A transcript as far as it was looked at: where each entry stands and which one it follows. What an entry says is read
/// only for those that are part of the conversation. There may be far more of the others, so that each of them takes as
/// little room as it can.
#[derive(Debug, Default)]
pub(crate) struct Record {
    slots: Vec<Slot>,
    /// The places in `slots`, by key.
    index: HashTable<u32>,
    pub(crate) names: Names,
    /// The last word about the cost.
    pub(crate) cost: Option<Value>,
    /// How many lines cannot be read.
    pub(crate) broken: u64,
}

/// An entry's place in the file and in the conversation.
#[derive(Debug, Clone)]
struct Slot {
    key: Key,
    at: u64,
    length: u32,
    /// The entries it names, as places in `slots`.
    parent: Option<Link>,
    source: Option<Link>,
    /// Enough to tell neighbours apart.
    message: Option<Link>,
    is_user: bool,
    speaks: bool,
    said: bool,
    is_result: bool,
    put_off: bool,
}

/// A number that leaves room for its absence.
type Link = std::num::NonZeroU32;

fn link(number: u32) -> Option<Link> {
    Link::new(number.wrapping_add(1))
}

fn linked(link: Option<Link>) -> Option<usize> {
    usize::try_from(link?.get() - 1).ok()
}

/// Where an entry is read from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    key: Key,
    at: u64,
    length: u32,
}

/// How much of an entry is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Much {
    /// What it takes to go on with the conversation.
    Spoken,
    /// All of it.
    All,
}

impl Record {
    /// Looks at every line of a transcript once.
    pub(crate) fn scan(source: &mut impl Read) -> io::Result<Self> {
        Self::scan_with(source, envelope::look)
    }

    /// The same for the file of a subagent.
    pub(crate) fn scan_agent(source: &mut impl Read) -> io::Result<Self> {
        Self::scan_with(source, |line| envelope::look_at(line, true))
    }

    fn scan_with(source: &mut impl Read, look: impl Fn(&[u8]) -> Envelope) -> io::Result<Self> {
        let mut record = Self::default();
        let mut cost = None;
        // What names an entry that has not been seen yet; hardly any does.
        let mut early = Vec::new();
        lines::each(source, |at, line| match look(line) {
            Envelope::Entry(entry) => record.take(at, line.len(), &entry, &mut early),
            Envelope::Cost => cost = Some(line.to_vec()),
            Envelope::Name => {
                if let Ok(line) = serde_json::from_slice(line) {
                    record.names.take(&line);
                }
            }
            Envelope::Other => {}
            Envelope::Broken => record.broken += u64::from(!line.trim_ascii().is_empty()),
        })?;
        for (at, entry) in early {
            let parent = entry.parent.and_then(|key| record.link_to(key));
            let source = entry.source.and_then(|key| record.link_to(key));
            if let Some(slot) = record.slots.get_mut(at) {
                (slot.parent, slot.source) = (parent, source);
            }
        }
        record.cost = cost.and_then(|line| serde_json::from_slice(&line).ok());
        Ok(record)
    }

    /// A uuid counts where it stands first.
    fn take(&mut self, at: u64, length: usize, entry: &envelope::Entry, early: &mut Vec<(usize, envelope::Entry)>) {
        let (Ok(number), Ok(length)) = (u32::try_from(self.slots.len()), u32::try_from(length)) else {
            return;
        };
        if self.place(entry.key).is_some() {
            return;
        }
        let slots = &self.slots;
        let spread = |at: &u32| key_at(slots, *at).map_or(0, Key::spread);
        self.index.insert_unique(entry.key.spread(), number, spread);
        let parent = entry.parent.and_then(|key| self.link_to(key));
        let source = entry.source.and_then(|key| self.link_to(key));
        if parent.is_none() != entry.parent.is_none() || source.is_none() != entry.source.is_none() {
            early.push((self.slots.len(), entry.clone()));
        }
        self.slots.push(Slot {
            key: entry.key,
            at,
            length,
            parent,
            source,
            message: entry
                .message
                .and_then(|hash| link(u32::try_from(hash >> 32).unwrap_or_default())),
            is_user: entry.is_user,
            speaks: entry.speaks,
            said: entry.said,
            is_result: entry.is_result,
            put_off: entry.put_off,
        });
    }

    /// What the user's side said, all of it, dead or alive; in order of the keys.
    pub(crate) fn users(&self) -> Vec<Key> {
        let users = self.slots.iter().filter(|slot| slot.is_user);
        let mut keys: Vec<Key> = users.map(|slot| slot.key).collect();
        keys.sort_unstable();
        keys
    }

    /// Where the entry of this uuid stands.
    pub(crate) fn find(&self, uuid: &str) -> Option<usize> {
        self.place(Key::of(uuid))
    }

    fn place(&self, key: Key) -> Option<usize> {
        let found = self
            .index
            .find(key.spread(), |at| key_at(&self.slots, *at) == Some(key));
        usize::try_from(*found?).ok()
    }

    fn link_to(&self, key: Key) -> Option<Link> {
        link(u32::try_from(self.place(key)?).ok()?)
    }

    /// The last thing said that anything leads to.
    pub(crate) fn leaf(&self) -> Option<usize> {
        let mut leads_on = vec![false; self.slots.len()];
        for parent in self.slots.iter().filter_map(|slot| linked(slot.parent)) {
            if let Some(leads_on) = leads_on.get_mut(parent) {
                *leads_on = true;
            }
        }
        let is_end = |at: &usize| leads_on.get(*at) == Some(&false);
        let said = |at: &usize| self.slots.get(*at).is_some_and(|slot| slot.said);
        let mut last: Option<usize> = None;
        for end in (0..self.slots.len()).rev().filter(is_end) {
            // What stands before the best so far leads to nothing better.
            if last.is_some_and(|last| end < last) {
                break;
            }
            last = last.max(self.up(end).find(said));
        }
        last
    }

    /// The last thing said, by whomever: the end of a subagent's conversation, which has its file for itself.
    pub(crate) fn last_word(&self) -> Option<usize> {
        self.slots.iter().rposition(|slot| slot.speaks)
    }

    /// Where it stands that a call was put off with which the conversation ends here.
    pub(crate) fn put_off(&self, end: &Place) -> Option<Place> {
        let end = self.place(end.key)?;
        let at = self.slots.iter().rposition(|slot| slot.put_off)?;
        let leads_up = self.up(at).any(|up| up == end);
        self.places(&[at]).pop().filter(|_| leads_up)
    }

    /// The conversation that ends with this entry, from its beginning or from the last compaction on.
    pub(crate) fn branch(&self, leaf: usize, source: &mut (impl Read + Seek)) -> io::Result<Vec<usize>> {
        let mut seen = HashSet::new();
        let mut chain: Vec<usize> = self.up(leaf).take_while(|at| seen.insert(*at)).collect();
        chain.reverse();
        let chain = self.with_preserved(chain, source)?;
        Ok(self.with_parallel(&chain))
    }

    /// Where these entries are read from. With it nothing else of the record is needed.
    pub(crate) fn places(&self, branch: &[usize]) -> Vec<Place> {
        let slots = branch.iter().filter_map(|at| self.slots.get(*at));
        slots
            .map(|slot| Place {
                key: slot.key,
                at: slot.at,
                length: slot.length,
            })
            .collect()
    }

    /// From an entry up to its root, step by step. A chain that bites its tail has as many steps as there are entries.
    fn up(&self, from: usize) -> impl Iterator<Item = usize> {
        let parent = |at: &usize| linked(self.slots.get(*at)?.parent);
        std::iter::successors(Some(from), parent).take(self.slots.len())
    }

    /// What a compaction kept in its own words stands behind the summary.
    fn with_preserved(&self, chain: Vec<usize>, source: &mut (impl Read + Seek)) -> io::Result<Vec<usize>> {
        let root = self.places(chain.get(..1).unwrap_or_default());
        let root = load(&root, Much::All, source)?;
        let kept = root
            .first()
            .and_then(|line| line.fields.get("compactMetadata"))
            .and_then(|meta| meta.get("preservedMessages"));
        let Some(kept) = kept else { return Ok(chain) };
        let anchor = kept
            .get("anchorUuid")
            .and_then(Value::as_str)
            .and_then(|uuid| self.find(uuid));
        let uuids = kept.get("uuids").and_then(Value::as_array).into_iter().flatten();
        let mut seen: HashSet<usize> = chain.iter().copied().collect();
        let places: Vec<usize> = uuids
            .filter_map(|uuid| self.find(uuid.as_str()?))
            .filter(|at| seen.insert(*at))
            .collect();
        let mut all = Vec::with_capacity(chain.len() + places.len());
        for at in chain {
            all.push(at);
            if Some(at) == anchor {
                all.extend(&places);
            }
        }
        Ok(all)
    }

    /// Calls made side by side have one parent each, so that a walk sees one of them: where it passes through a result,
    /// the whole message and all its results belong to it.
    fn with_parallel(&self, chain: &[usize]) -> Vec<usize> {
        let slots = || chain.iter().filter_map(|at| Some((*at, self.slots.get(*at)?)));
        let results = slots().filter(|(_, slot)| slot.is_result);
        let passed: HashSet<usize> = results.filter_map(|(at, slot)| self.first_of(at, slot)).collect();
        // A message and its results follow its first block.
        let from = passed.iter().copied().min().unwrap_or(self.slots.len());
        let mut members: HashMap<usize, (Vec<usize>, Vec<usize>)> = HashMap::new();
        for (at, slot) in self.slots.iter().enumerate().skip(from).filter(|(_, slot)| slot.speaks) {
            if let Some(first) = self.first_of(at, slot).filter(|first| passed.contains(first)) {
                let (blocks, results) = members.entry(first).or_default();
                if slot.is_result {
                    results.push(at);
                } else {
                    blocks.push(at);
                }
            }
        }
        let mut all = Vec::with_capacity(chain.len());
        for (at, slot) in slots() {
            match self.first_of(at, slot).filter(|first| passed.contains(first)) {
                Some(first) => {
                    if let Some((blocks, results)) = members.remove(&first) {
                        all.extend(blocks);
                        all.extend(results);
                    }
                }
                None => all.push(at),
            }
        }
        all
    }

    /// Where the model's message begins that this entry is a block of, or the result of a call in.
    fn first_of(&self, at: usize, slot: &Slot) -> Option<usize> {
        let from = match slot.source {
            Some(_) => linked(slot.source)?,
            None => at,
        };
        let id = self.slots.get(from)?.message?;
        let same = |at: &usize| self.slots.get(*at).and_then(|slot| slot.message) == Some(id);
        self.up(from).take_while(same).last()
    }
}

fn key_at(slots: &[Slot], at: u32) -> Option<Key> {
    slots.get(usize::try_from(at).ok()?).map(|slot| slot.key)
}

/// Reads what entries say. One that cannot be read, or is gone meanwhile, is left out.
pub(crate) fn load(places: &[Place], much: Much, source: &mut (impl Read + Seek)) -> io::Result<Vec<Line>> {
    let mut lines = Vec::with_capacity(places.len());
    let mut text = Vec::new();
    let mut here = None;
    for place in places {
        // Most entries stand one behind the other, with nothing but the end of a line between them.
        let ahead = usize::from(here.is_some() && here == place.at.checked_sub(1));
        if ahead == 0 {
            source.seek(SeekFrom::Start(place.at))?;
        }
        text.resize(usize::try_from(place.length).unwrap_or(usize::MAX) + ahead, 0);
        source.read_exact(&mut text)?;
        here = Some(place.at + u64::from(place.length));
        let text = text.get(ahead..).unwrap_or_default();
        let fields = match much {
            Much::Spoken => spoken::read(text),
            Much::All => serde_json::from_slice::<Map<String, Value>>(text),
        };
        let Ok(fields) = fields else { continue };
        let field = |key: &str| fields.get(key).and_then(Value::as_str).map(str::to_owned);
        let Some(uuid) = field("uuid").filter(|uuid| Key::of(uuid) == place.key) else {
            continue;
        };
        lines.push(Line {
            uuid,
            parent: field("parentUuid"),
            fields,
        });
    }
    Ok(lines)
}

/// The names given in this text.
pub(crate) fn names(text: &[u8]) -> Names {
    let mut names = Names::default();
    for line in text.split(|byte| *byte == b'\n') {
        // Most lines are entries, and long: they need not be understood for this.
        if (line.starts_with(b"{\"type\":\"custom-title\"") || line.starts_with(b"{\"type\":\"tag\""))
            && let Ok(line) = serde_json::from_slice(line)
        {
            names.take(&line);
        }
    }
    names
}

#[cfg(test)]
#[path = "read_tests.rs"]
mod tests;
