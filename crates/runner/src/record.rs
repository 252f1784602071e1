//! Records: numbered lines and events of an agent, stored in the log and sent to bridges.

/// A line or event. Numbers start at 1 and have no gaps, across all agent processes of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The number in the session.
    pub number: u64,
    /// The time of logging in microseconds since 1970.
    pub at: u64,
    /// The kind of line or event.
    pub kind: Kind,
    /// The line, or JSON that describes the event.
    pub body: Vec<u8>,
}

/// The kind of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Kind {
    /// A line of the agent's standard output, without its line end.
    Said = 1,
    /// A line for the agent's standard input, without its line end.
    Wrote = 2,
    /// A line of the agent's standard error, converted to UTF-8. A very long line is split into several records.
    Stderr = 3,
    /// JSON `{pid, started, program}`: an agent process was started.
    Started = 4,
    /// JSON `{code, signal}`: the agent process ended. All of its output precedes this record.
    Exited = 5,
    /// JSON `{what, …}`: an event of the runner itself.
    Note = 6,
}

impl Kind {
    /// Returns the kind with this number.
    #[must_use]
    pub fn of(number: u8) -> Option<Self> {
        Some(match number {
            1 => Self::Said,
            2 => Self::Wrote,
            3 => Self::Stderr,
            4 => Self::Started,
            5 => Self::Exited,
            6 => Self::Note,
            _ => return None,
        })
    }
}

/// Length in bytes of a record's head: frame length, tag, checksum, number, time, kind.
pub(crate) const HEAD: usize = 4 + 1 + 4 + 8 + 8 + 1;
/// The frame tag of a record.
pub(crate) const TAG: u8 = 3;

/// Appends a record as a frame. The log and the socket use the same bytes.
pub(crate) fn encode(number: u64, at: u64, kind: Kind, body: &[u8], out: &mut Vec<u8>) {
    let length = u32::try_from(HEAD - 4 + body.len()).unwrap_or(u32::MAX);
    let mut head = [0_u8; 17];
    let (numbers, of_kind) = head.split_at_mut(16);
    let (first, second) = numbers.split_at_mut(8);
    first.copy_from_slice(&number.to_le_bytes());
    second.copy_from_slice(&at.to_le_bytes());
    of_kind.copy_from_slice(&[kind as u8]);
    let mut sum = crc32fast::Hasher::new();
    sum.update(&head);
    sum.update(body);
    out.reserve(HEAD + body.len());
    out.extend_from_slice(&length.to_le_bytes());
    out.push(TAG);
    out.extend_from_slice(&sum.finalize().to_le_bytes());
    out.extend_from_slice(&head);
    out.extend_from_slice(body);
}

/// Decodes a record from the payload of its frame (after the tag), if its checksum matches.
pub(crate) fn decode(payload: &[u8]) -> Option<Record> {
    let (sum, summed) = payload.split_first_chunk::<4>()?;
    if crc32fast::hash(summed) != u32::from_le_bytes(*sum) {
        return None;
    }
    let (number, rest) = summed.split_first_chunk::<8>()?;
    let (at, rest) = rest.split_first_chunk::<8>()?;
    let (kind, body) = rest.split_first()?;
    Some(Record {
        number: u64::from_le_bytes(*number),
        at: u64::from_le_bytes(*at),
        kind: Kind::of(*kind)?,
        body: body.to_vec(),
    })
}
