//! Options of the store.

/// How sure a write is when its call is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sync {
    /// It survives the end of this process. A power cut may take the newest: somebody else still holds them.
    Normal,
    /// It is on the disk: it survives a power cut.
    Full,
}

/// Caps. All have a default that suits one machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Calls that may wait; the next caller waits for a place.
    pub queue: usize,
    /// Bytes of a session's records kept as rows. Older ones move to compressed segments.
    pub record_cap: u64,
    /// Bytes of records in one segment, before compression.
    pub segment_bytes: u64,
    /// Bytes of blobs beyond which those nobody references are removed, oldest first.
    pub blob_cap: u64,
    /// How long receipts are kept, in milliseconds.
    pub receipt_age: i64,
    /// How many receipts are kept at most.
    pub receipt_count: u64,
    /// The database may not grow beyond this many bytes; none: as far as the disk goes.
    pub database_cap: Option<u64>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            queue: 1024,
            record_cap: 64 << 20,
            segment_bytes: 1 << 20,
            blob_cap: 2 << 30,
            receipt_age: 7 * 24 * 3600 * 1000,
            receipt_count: 100_000,
            database_cap: None,
        }
    }
}
