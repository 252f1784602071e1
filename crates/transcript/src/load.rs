//! The fields of entries, read from where they lie in the file.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt;

use serde_json::{Map, Value};

use super::entry_fields;
use super::envelope::Key;
use super::line::Line;
use super::other_lines::SHOWN;

/// How much is read at once of entries that stand one behind the other.
const AHEAD: usize = 128 * 1024;

/// Where an entry is read from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) key: Key,
    pub(super) at: u64,
    pub(super) length: u32,
}

impl Place {
    /// How long its line is.
    pub(super) fn length(&self) -> u64 {
        self.length.into()
    }
}

/// How much of an entry is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Much {
    /// The fields that a resume needs.
    Spoken,
    /// All of it.
    All,
}

/// Reads entries. One that cannot be read, or no longer exists, is left out.
pub(super) fn load(places: &[Place], much: Much, source: &mut (impl Read + Seek)) -> io::Result<Vec<Line>> {
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
        lines.push(Line { uuid, fields });
    }
    Ok(lines)
}

/// Shows entries as they stand in the file, one after the other.
pub(super) fn each(places: &[Place], source: &File, mut show: impl FnMut(Key, &[u8])) -> io::Result<()> {
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
