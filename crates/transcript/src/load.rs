//! Reads entries from their locations in the file.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt;

use serde_json::{Map, Value};

use super::entry_fields;
use super::envelope::Key;
use super::line::Line;
use super::other_lines::SHOWN;

/// Number of bytes per read: consecutive entries are read together.
const READ_SIZE: usize = 128 * 1024;

/// The location of an entry in the file.
#[derive(Debug, Clone, Copy)]
pub(super) struct EntryLocation {
    pub(super) key: Key,
    pub(super) at: u64,
    pub(super) length: u32,
}

impl EntryLocation {
    /// Returns the length of the line in bytes.
    pub(super) fn length(&self) -> u64 {
        self.length.into()
    }
}

/// Which fields of an entry are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FieldSelection {
    /// The fields that a resume needs.
    Resume,
    /// All fields.
    All,
}

/// Reads entries. Entries that cannot be parsed, or that are no longer at their location, are left out.
pub(super) fn load(
    places: &[EntryLocation],
    much: FieldSelection,
    source: &mut (impl Read + Seek),
) -> io::Result<Vec<Line>> {
    let mut lines = Vec::with_capacity(places.len());
    let mut text = Vec::new();
    let mut previous_end = None;
    for place in places {
        // Most entries are consecutive, with only a line terminator between them.
        let ahead = usize::from(previous_end.is_some() && previous_end == place.at.checked_sub(1));
        if ahead == 0 {
            source.seek(SeekFrom::Start(place.at))?;
        }
        text.resize(usize::try_from(place.length).unwrap_or(usize::MAX) + ahead, 0);
        source.read_exact(&mut text)?;
        previous_end = Some(place.at + u64::from(place.length));
        let text = text.get(ahead..).unwrap_or_default();
        let fields = match much {
            FieldSelection::Resume => entry_fields::read(text),
            FieldSelection::All => serde_json::from_slice::<Map<String, Value>>(text),
        };
        let Ok(fields) = fields else { continue };
        let field = |key: &str| fields.get(key).and_then(Value::as_str).map(str::to_owned);
        // The key of a `shown-to-model` line is that of the entry up to which it applies.
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

/// Calls `show` with the line of each entry.
pub(super) fn each(places: &[EntryLocation], source: &File, mut show: impl FnMut(Key, &[u8])) -> io::Result<()> {
    // `buffer` contains the bytes that were read from position `from` on. Most entries are consecutive.
    let (mut buffer, mut from) = (Vec::new(), 0);
    for place in places {
        let length = usize::try_from(place.length).unwrap_or(usize::MAX);
        let within = |from: u64| usize::try_from(place.at.checked_sub(from)?).ok();
        let mut at = within(from).filter(|at| at.saturating_add(length) <= buffer.len());
        if at.is_none() {
            buffer.resize(length.max(READ_SIZE), 0);
            let read = read_at(source, &mut buffer, place.at)?;
            buffer.truncate(read);
            from = place.at;
            at = Some(0);
        }
        // An entry that is no longer there is skipped.
        if let Some(line) = at.and_then(|at| buffer.get(at..at + length)) {
            show(place.key, line);
        }
    }
    Ok(())
}

/// Fills the buffer, unless the file ends before.
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
