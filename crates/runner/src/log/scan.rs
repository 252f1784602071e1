//! Scanning a segment: where its intact part ends, and whether intact records follow the damage.

use std::fs::File;
use std::io;

use super::{HEADER, HeadParse, has_valid_checksum, parse_head, read_at};

/// The result of scanning a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Scan {
    /// Offset of the end of the last intact record before any damage.
    pub(crate) end: u64,
    /// The number after that record.
    pub(crate) next: u64,
    /// The number after the last intact record behind the damage, if any. `None` means that only the tail is torn.
    pub(crate) after_damage: Option<u64>,
}

/// Scans a segment of `size` bytes whose first record has the number `first`.
pub(crate) fn scan(file: &File, first: u64, size: u64) -> io::Result<Scan> {
    let mut at = HEADER as u64;
    let mut next = first;
    let mut buffer = Vec::new();
    while at < size {
        match record_at(file, at, size, &mut buffer)? {
            Some((number, length)) if number == next => {
                at += length;
                next += 1;
            }
            _ => break,
        }
    }
    let after_damage = if at < size {
        after_damage(file, at + 1, next, size)?
    } else {
        None
    };
    Ok(Scan {
        end: at,
        next,
        after_damage,
    })
}

/// Returns the number and length of the intact record at this offset, if there is one.
fn record_at(file: &File, at: u64, size: u64, buffer: &mut Vec<u8>) -> io::Result<Option<(u64, u64)>> {
    let mut head = [0; 32];
    let read = read_at(file, &mut head, at)?;
    let HeadParse::Head { number, length } = parse_head(head.get(..read).unwrap_or_default()) else {
        return Ok(None);
    };
    if at + length as u64 > size {
        return Ok(None);
    }
    buffer.resize(length, 0);
    let whole = read_at(file, buffer, at)? == length && has_valid_checksum(buffer);
    Ok(whole.then_some((number, length as u64)))
}

/// Tries every offset for an intact record numbered `min_number` or higher. Returns the number after the last one found.
fn after_damage(file: &File, from: u64, min_number: u64, size: u64) -> io::Result<Option<u64>> {
    const WINDOW: usize = 64 << 10;
    const HEAD: usize = 32;
    let mut window = vec![0; WINDOW];
    let mut buffer = Vec::new();
    let mut at = from;
    let mut found = None;
    let mut wanted = min_number;
    while at < size {
        let read = read_at(file, &mut window, at)?;
        let bytes = window.get(..read).unwrap_or_default();
        let mut step = 0;
        while step < read {
            let here = bytes.get(step..).unwrap_or_default();
            // A head that crosses the end of the window is examined in the next window.
            if here.len() < HEAD && read == WINDOW {
                break;
            }
            let mut length = 1;
            // Bodies contain arbitrary bytes: a number far from the expected one is not a record number.
            if let HeadParse::Head { number, .. } = parse_head(here)
                && (wanted..wanted + (1 << 32)).contains(&number)
                && let Some((number, whole)) = record_at(file, at + step as u64, size, &mut buffer)?
            {
                wanted = number + 1;
                found = Some(wanted);
                length = usize::try_from(whole).unwrap_or(1);
            }
            step += length;
        }
        at += step.max(1) as u64;
    }
    Ok(found)
}
