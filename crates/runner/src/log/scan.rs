//! Scanning a segment: how far it is whole, and whether anything whole lies beyond.

use std::fs::File;
use std::io;

use super::{Glance, HEADER, glance, holds, read_at};

/// What a segment holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Scan {
    /// Where the last whole record before any damage ends.
    pub(crate) end: u64,
    /// The number after that record.
    pub(crate) next: u64,
    /// The number after the last whole record beyond damage, if there is one: a damaged middle, no torn tail.
    pub(crate) beyond: Option<u64>,
}

/// Looks at a segment of `size` bytes whose first record is `first`.
pub(crate) fn scan(file: &File, first: u64, size: u64) -> io::Result<Scan> {
    let mut at = HEADER as u64;
    let mut next = first;
    let mut buffer = Vec::new();
    while at < size {
        match whole_at(file, at, size, &mut buffer)? {
            Some((number, length)) if number == next => {
                at += length;
                next += 1;
            }
            _ => break,
        }
    }
    let beyond = if at < size {
        beyond(file, at + 1, next, size)?
    } else {
        None
    };
    Ok(Scan { end: at, next, beyond })
}

/// The number and length of the whole record at this place, if there is one.
fn whole_at(file: &File, at: u64, size: u64, buffer: &mut Vec<u8>) -> io::Result<Option<(u64, u64)>> {
    let mut head = [0; 32];
    let read = read_at(file, &mut head, at)?;
    let Glance::Head { number, length } = glance(head.get(..read).unwrap_or_default()) else {
        return Ok(None);
    };
    if at + length as u64 > size {
        return Ok(None);
    }
    buffer.resize(length, 0);
    let whole = read_at(file, buffer, at)? == length && holds(buffer);
    Ok(whole.then_some((number, length as u64)))
}

/// Tries every place for a record numbered `least` or more.
fn beyond(file: &File, from: u64, least: u64, size: u64) -> io::Result<Option<u64>> {
    const WINDOW: usize = 64 << 10;
    const HEAD: usize = 32;
    let mut window = vec![0; WINDOW];
    let mut buffer = Vec::new();
    let mut at = from;
    let mut found = None;
    let mut wanted = least;
    while at < size {
        let read = read_at(file, &mut window, at)?;
        let bytes = window.get(..read).unwrap_or_default();
        let mut step = 0;
        while step < read {
            let here = bytes.get(step..).unwrap_or_default();
            // A head that is cut by the window's end is looked at in the next window.
            if here.len() < HEAD && read == WINDOW {
                break;
            }
            let mut length = 1;
            // A number far away is no number: bodies hold all sorts of bytes.
            if let Glance::Head { number, .. } = glance(here)
                && (wanted..wanted + (1 << 32)).contains(&number)
                && let Some((number, whole)) = whole_at(file, at + step as u64, size, &mut buffer)?
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
