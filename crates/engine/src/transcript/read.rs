//! What a transcript says: its lines, and the one branch of them that is the conversation.
//!
//! Lines that cannot be read or are not known are passed over, a uuid counts where it stands first, and what no longer
//! leads to the end of the conversation is left out. A line is looked at once, and read only if it is part of that.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt;

use hashbrown::HashTable;
use serde_json::{Map, Value};

use super::entry::SHOWN;
use super::entry_fields;
use super::envelope::{self, Key};

/// How much is read at once of entries that stand one behind the other.
const AHEAD: usize = 128 * 1024;

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

    /// The same, without what is said in it.
    pub(crate) fn without_words(mut self) -> Self {
        if let Some(content) = self
            .fields
            .get_mut("message")
            .and_then(|message| message.get_mut("content"))
        {
            content.take();
        }
        self
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
    pub(super) fn take(&mut self, line: &Map<String, Value>) {
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
    /// Where it stands what the model was shown up to an entry.
    shown: HashMap<Key, (u64, u32)>,
    /// What the user's side said in the part that is forgotten.
    forgotten: Vec<Key>,
    /// Whether there is such a part: it stands before a compaction, and hardly anybody asks for it.
    has_forgotten: bool,
    /// Whether the last compaction keeps something of it.
    lacks: bool,
    /// Where that compaction stands.
    anew: usize,
    pub(crate) names: Names,
    /// The last word about the cost.
    pub(crate) cost: Option<Value>,
    /// How many lines cannot be read.
    pub(crate) broken: u64,
}

/// What names an entry that has not been seen yet; hardly any does.
#[derive(Debug, Default)]
pub(super) struct Early(Vec<(usize, envelope::Entry)>);

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
    aside: bool,
    is_result: bool,
    deferred_call: bool,
    /// It follows something that is not there.
    is_orphan: bool,
}

impl Slot {
    fn place(&self) -> Place {
        Place {
            key: self.key,
            at: self.at,
            length: self.length,
        }
    }
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
    pub(super) key: Key,
    at: u64,
    length: u32,
}

impl Place {
    /// How long its line is.
    pub(crate) fn length(&self) -> u64 {
        self.length.into()
    }
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
    /// A uuid counts where it stands first.
    pub(super) fn take(&mut self, at: u64, length: usize, entry: &envelope::Entry, early: &mut Early) {
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
            early.0.push((self.slots.len(), entry.clone()));
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
            aside: entry.aside,
            is_result: entry.is_result,
            deferred_call: entry.deferred_call,
            is_orphan: false,
        });
    }

    /// What the model was shown up to an entry: the last word counts.
    pub(super) fn take_shown(&mut self, key: Key, at: u64, length: usize) {
        if let Ok(length) = u32::try_from(length) {
            self.shown.insert(key, (at, length));
        }
    }

    /// Resolves what named an entry before it was there.
    pub(super) fn settle(&mut self, early: Early) {
        for (at, entry) in early.0 {
            let parent = entry.parent.and_then(|key| self.link_to(key));
            let source = entry.source.and_then(|key| self.link_to(key));
            if let Some(slot) = self.slots.get_mut(at) {
                (slot.parent, slot.source) = (parent, source);
                slot.is_orphan = parent.is_none() && entry.parent.is_some();
            }
        }
    }

    /// Forgets what stands before a compaction, except for what it keeps in its own words and all behind that.
    pub(super) fn forget(&mut self, kept: &[Key], early: &mut Early) {
        let message = |at: usize| self.slots.get(at).and_then(|slot| slot.message);
        let mut first = kept
            .iter()
            .filter_map(|key| self.place(*key))
            .min()
            .unwrap_or(self.slots.len());
        while first > 0 && message(first).is_some() && message(first) == message(first - 1) {
            first -= 1;
        }
        self.lacks = self.has_forgotten && kept.iter().any(|key| self.place(*key).is_none());
        self.has_forgotten |= first > 0;
        let forgotten = self.slots.drain(..first).filter(|slot| slot.is_user);
        self.forgotten.extend(forgotten.map(|slot| slot.key));
        early.0.retain_mut(|(at, _)| match at.checked_sub(first) {
            Some(moved) => {
                *at = moved;
                true
            }
            None => false,
        });
        let moved = |old: Option<Link>| link(u32::try_from(linked(old)?.checked_sub(first)?).ok()?);
        self.index.clear();
        for at in 0..self.slots.len() {
            let Some(slot) = self.slots.get_mut(at) else { break };
            let parent = moved(slot.parent);
            slot.is_orphan |= parent.is_none() && slot.parent.is_some();
            (slot.parent, slot.source) = (parent, moved(slot.source));
            let key = slot.key;
            let slots = &self.slots;
            let spread = |at: &u32| key_at(slots, *at).map_or(0, Key::spread);
            if let Ok(number) = u32::try_from(at) {
                self.index.insert_unique(key.spread(), number, spread);
            }
        }
        self.anew = self.slots.len();
        let mut shown = std::mem::take(&mut self.shown);
        shown.retain(|key, _| self.place(*key).is_some());
        self.shown = shown;
    }

    /// Whether all is known that leads to this entry.
    pub(crate) fn reaches(&self, leaf: usize) -> bool {
        let root = self.up(leaf).last().filter(|root| *root >= self.anew);
        let root = root.and_then(|root| self.slots.get(root));
        !self.has_forgotten || (!self.lacks && root.is_some_and(|root| !root.is_orphan))
    }

    /// Whether a part of it was forgotten.
    pub(crate) fn has_forgotten(&self) -> bool {
        self.has_forgotten
    }

    /// What the user's side said, all of it, dead or alive; in order of the keys.
    pub(crate) fn users(&mut self) -> Vec<Key> {
        let users = self.slots.iter().filter(|slot| slot.is_user);
        let mut keys: Vec<Key> = std::mem::take(&mut self.forgotten);
        keys.extend(users.map(|slot| slot.key));
        keys.sort_unstable();
        keys.dedup();
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

    /// The last thing the model was told behind this entry, by the session itself; else the entry.
    pub(crate) fn with_asides(&self, leaf: usize) -> usize {
        let slot = |at: usize| self.slots.get(at);
        let behind = |at: &usize| {
            let said = |up: &usize| slot(*up).is_some_and(|slot| slot.said);
            slot(*at).is_some_and(|slot| slot.aside) && self.up(*at).find(said) == Some(leaf)
        };
        (leaf + 1..self.slots.len()).rev().find(behind).unwrap_or(leaf)
    }

    /// The last thing said, by whomever: the end of a subagent's conversation, which has its file for itself.
    pub(crate) fn last_word(&self) -> Option<usize> {
        self.slots.iter().rposition(|slot| slot.speaks)
    }

    /// Where it stands that a call was put off with which the conversation ends here.
    pub(crate) fn deferred_call(&self, end: &Place) -> Option<Place> {
        let end = self.place(end.key)?;
        let at = self.slots.iter().rposition(|slot| slot.deferred_call)?;
        let leads_up = self.up(at).any(|up| up == end);
        self.slots.get(at).map(Slot::place).filter(|_| leads_up)
    }

    /// The conversation that ends with this entry, from its beginning or from the last compaction on.
    pub(crate) fn branch(&self, leaf: usize, source: &mut (impl Read + Seek)) -> io::Result<Vec<usize>> {
        let mut seen = HashSet::new();
        let mut chain: Vec<usize> = self.up(leaf).take_while(|at| seen.insert(*at)).collect();
        chain.reverse();
        let chain = self.with_preserved(chain, source)?;
        Ok(self.with_parallel(&chain))
    }

    /// Where these entries are read from, and what the model was shown up to them. With it nothing else of the record is
    /// needed.
    pub(crate) fn places(&self, branch: &[usize]) -> Vec<Place> {
        let mut places = Vec::with_capacity(branch.len());
        // A message stands before its results, wherever it ended. What was shown then was shown with them.
        let mut held: Option<(Option<Link>, Place)> = None;
        for slot in branch.iter().filter_map(|at| self.slots.get(*at)) {
            let goes_on = |(message, _): &mut (Option<Link>, Place)| !slot.is_result && slot.message != *message;
            places.extend(held.take_if(goes_on).map(|(_, place)| place));
            places.push(slot.place());
            if let Some((at, length)) = self.shown.get(&slot.key).copied() {
                let key = slot.key;
                let place = Place { key, at, length };
                match slot.message {
                    Some(_) => held = Some((slot.message, place)),
                    None => places.push(place),
                }
            }
        }
        places.extend(held.map(|(_, place)| place));
        places
    }

    /// From an entry up to its root, step by step. A chain that bites its tail has as many steps as there are entries.
    fn up(&self, from: usize) -> impl Iterator<Item = usize> {
        let parent = |at: &usize| linked(self.slots.get(*at)?.parent);
        std::iter::successors(Some(from), parent).take(self.slots.len())
    }

    /// What a compaction kept in its own words stands behind the summary.
    fn with_preserved(&self, chain: Vec<usize>, source: &mut (impl Read + Seek)) -> io::Result<Vec<usize>> {
        let root = chain.first().and_then(|at| self.slots.get(*at)).map(Slot::place);
        let root = load(root.as_slice(), Much::All, source)?;
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
        let message = |at: usize| self.slots.get(at).and_then(|slot| slot.message);
        let id = message(from)?;
        // A call may come to its result while the model still speaks.
        let between = |at: usize| {
            let source = self.slots.get(at).and_then(|slot| linked(slot.source));
            source.and_then(message) == Some(id)
        };
        let up = self.up(from).take_while(|at| message(*at) == Some(id) || between(*at));
        up.filter(|at| message(*at) == Some(id)).last()
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
            Much::Spoken => entry_fields::read(text),
            Much::All => serde_json::from_slice::<Map<String, Value>>(text),
        };
        let Ok(fields) = fields else { continue };
        let field = |key: &str| fields.get(key).and_then(Value::as_str).map(str::to_owned);
        // What the model was shown up to an entry goes by the name of that.
        let name = if fields.get("type").is_some_and(|kind| kind == SHOWN) {
            "leafUuid"
        } else {
            "uuid"
        };
        let Some(uuid) = field(name).filter(|uuid| Key::of(uuid) == place.key) else {
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

/// Shows entries as they stand in the file, one after the other.
pub(crate) fn each(places: &[Place], source: &File, mut show: impl FnMut(Key, &[u8])) -> io::Result<()> {
    // `held` is what was read from `from` on: most entries stand one behind the other.
    let (mut held, mut from) = (Vec::new(), 0);
    for place in places {
        let length = usize::try_from(place.length).unwrap_or(usize::MAX);
        let within = |from: u64| usize::try_from(place.at.checked_sub(from)?).ok();
        let mut at = within(from).filter(|at| at.saturating_add(length) <= held.len());
        if at.is_none() {
            held.resize(length.max(AHEAD), 0);
            let read = read_at(source, &mut held, place.at)?;
            held.truncate(read);
            from = place.at;
            at = Some(0);
        }
        // What is gone meanwhile says nothing.
        if let Some(line) = at.and_then(|at| held.get(at..at + length)) {
            show(place.key, line);
        }
    }
    Ok(())
}

/// Reads as much as there is.
fn read_at(source: &File, into: &mut [u8], at: u64) -> io::Result<usize> {
    let mut read = 0;
    while let Some(rest) = into.get_mut(read..).filter(|rest| !rest.is_empty()) {
        let at = at + u64::try_from(read).unwrap_or(u64::MAX);
        match source.read_at(rest, at) {
            Ok(0) => break,
            Ok(more) => read += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(read)
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
