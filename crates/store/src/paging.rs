//! Reading records: forwards, backwards in whole turns, wherever they lie.

use std::ops::ControlFlow;

use rusqlite::{Connection, OptionalExtension, params};

use crate::error::StoreError;
use crate::records::{COLUMNS, Page, Record};
use crate::store::Store;
use crate::{segments, sessions};

impl Store {
    /// Shown records after `after_seq`, oldest first. At least one, if there is one, whatever its size.
    pub async fn records_after(
        &self,
        session: &str,
        epoch: i64,
        after_seq: i64,
        limit_rows: usize,
        limit_bytes: usize,
    ) -> Result<Page, StoreError> {
        let session = session.to_owned();
        self.read(move |core| {
            let key = sessions::key(&core.connection, &session)?;
            let mut page = Filling::new(limit_rows, limit_bytes);
            forwards(&core.connection, key, epoch, From::Seq(after_seq), |record| {
                page.take(record)
            })?;
            Ok(page.done())
        })
        .await
    }

    /// Shown records before `before_seq`, oldest first: as many whole turns as fit. A turn that does not fit by
    /// itself is cut, its newest part given.
    pub async fn records_before(
        &self,
        session: &str,
        epoch: i64,
        before_seq: i64,
        limit_rows: usize,
        limit_bytes: usize,
    ) -> Result<Page, StoreError> {
        let session = session.to_owned();
        self.read(move |core| {
            let key = sessions::key(&core.connection, &session)?;
            let mut page = Filling::new(limit_rows, limit_bytes);
            backwards(&core.connection, key, epoch, before_seq, |record| page.take(record))?;
            Ok(page.done_backwards())
        })
        .await
    }

    /// The last turns, whole, oldest record first: as many as fit, at most `turns`. The newest is given even if it
    /// does not fit, its newest part then.
    pub async fn last_turns(
        &self,
        session: &str,
        epoch: i64,
        turns: usize,
        limit_bytes: usize,
    ) -> Result<Vec<Record>, StoreError> {
        let session = session.to_owned();
        self.read(move |core| {
            let key = sessions::key(&core.connection, &session)?;
            let mut page = Filling::new(usize::MAX, limit_bytes);
            if turns == 0 {
                return Ok(Vec::new());
            }
            let (mut seen, mut newest) = (0, None);
            backwards(&core.connection, key, epoch, i64::MAX, |record| {
                if record.turn.is_some() && record.turn != newest {
                    newest = record.turn;
                    seen += 1;
                }
                let within = seen <= turns;
                let flow = page.take(record);
                if within { flow } else { page.overflow() }
            })?;
            Ok(page.done_backwards().records)
        })
        .await
    }

    /// Records after the number `after_n`, internal ones too, oldest first. At least one, if there is one.
    pub async fn all_records(
        &self,
        session: &str,
        epoch: i64,
        after_n: i64,
        limit_bytes: usize,
    ) -> Result<Page, StoreError> {
        let session = session.to_owned();
        self.read(move |core| {
            let key = sessions::key(&core.connection, &session)?;
            let mut page = Filling::new(usize::MAX, limit_bytes);
            forwards(&core.connection, key, epoch, From::N(after_n), |record| {
                page.take(record)
            })?;
            Ok(page.done())
        })
        .await
    }

    /// How many shown records come after `seq`.
    pub async fn count_after(&self, session: &str, epoch: i64, seq: i64) -> Result<u64, StoreError> {
        let session = session.to_owned();
        self.read(move |core| {
            let connection = &core.connection;
            let key = sessions::key(connection, &session)?;
            let sql = "SELECT count(*) FROM records
                WHERE session = ?1 AND epoch = ?2 AND seq IS NOT NULL AND seq > ?3";
            let live: u64 = connection
                .prepare_cached(sql)?
                .query_row([key, epoch, seq], |row| row.get(0))?;
            let sql = "SELECT coalesce(sum(shown), 0) FROM segments
                WHERE session = ?1 AND epoch = ?2 AND first_seq > ?3";
            let moved: u64 = connection
                .prepare_cached(sql)?
                .query_row([key, epoch, seq], |row| row.get(0))?;
            let sql = "SELECT data FROM segments
                WHERE session = ?1 AND epoch = ?2 AND first_seq <= ?3 AND last_seq > ?3";
            let mut statement = connection.prepare_cached(sql)?;
            let data: Option<Vec<u8>> = statement.query_row([key, epoch, seq], |row| row.get(0)).optional()?;
            let across = data.map_or(Ok(Vec::new()), |data| segments::unpack(&data))?;
            let across = across.iter().filter(|record| record.seq > Some(seq)).count();
            Ok(live + moved + across as u64)
        })
        .await
    }
}

/// Where to begin, the number itself not included.
#[derive(Clone, Copy)]
enum From {
    /// Shown records only.
    Seq(i64),
    /// Internal ones too.
    N(i64),
}

/// Oldest first. Segments hold only what is older than every row.
fn forwards(
    connection: &Connection,
    key: i64,
    epoch: i64,
    from: From,
    mut each: impl FnMut(Record) -> ControlFlow<()>,
) -> Result<(), StoreError> {
    let (number, after) = match from {
        From::Seq(seq) => ("seq", seq),
        From::N(n) => ("n", n),
    };
    let sql =
        format!("SELECT data FROM segments WHERE session = ?1 AND epoch = ?2 AND last_{number} > ?3 ORDER BY first_n");
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query(params![key, epoch, after])?;
    while let Some(row) = rows.next()? {
        let wanted = |record: &Record| match from {
            From::Seq(seq) => record.seq > Some(seq),
            From::N(n) => record.n > n,
        };
        for record in segments::unpack(&row.get::<_, Vec<u8>>(0)?)?.into_iter().filter(wanted) {
            if each(record).is_break() {
                return Ok(());
            }
        }
    }
    let sql = format!(
        "SELECT {COLUMNS} FROM records
        WHERE session = ?1 AND epoch = ?2 AND {number} IS NOT NULL AND {number} > ?3 ORDER BY {number}"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query(params![key, epoch, after])?;
    while let Some(row) = rows.next()? {
        if each(Record::read(row)?).is_break() {
            break;
        }
    }
    Ok(())
}

/// Shown records, newest first.
fn backwards(
    connection: &Connection,
    key: i64,
    epoch: i64,
    before: i64,
    mut each: impl FnMut(Record) -> ControlFlow<()>,
) -> Result<(), StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM records
        WHERE session = ?1 AND epoch = ?2 AND seq IS NOT NULL AND seq < ?3 ORDER BY seq DESC"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query([key, epoch, before])?;
    while let Some(row) = rows.next()? {
        if each(Record::read(row)?).is_break() {
            return Ok(());
        }
    }
    let sql = "SELECT data FROM segments WHERE session = ?1 AND epoch = ?2 AND first_seq < ?3 ORDER BY first_n DESC";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params![key, epoch, before])?;
    while let Some(row) = rows.next()? {
        let records = segments::unpack(&row.get::<_, Vec<u8>>(0)?)?;
        let wanted = |record: &Record| record.seq.is_some_and(|seq| seq < before);
        for record in records.into_iter().rev().filter(wanted) {
            if each(record).is_break() {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// A page that fills up.
struct Filling {
    records: Vec<Record>,
    rows: usize,
    bytes: usize,
    /// The first record that was not taken.
    beyond: Option<Record>,
}

impl Filling {
    fn new(rows: usize, bytes: usize) -> Self {
        Self {
            records: Vec::new(),
            rows: rows.max(1),
            bytes,
            beyond: None,
        }
    }

    fn take(&mut self, record: Record) -> ControlFlow<()> {
        let full = self.records.len() >= self.rows || record.body.len() > self.bytes;
        if full && !self.records.is_empty() {
            self.beyond = Some(record);
            return ControlFlow::Break(());
        }
        self.bytes = self.bytes.saturating_sub(record.body.len());
        self.records.push(record);
        ControlFlow::Continue(())
    }

    /// The record taken last is one too many.
    fn overflow(&mut self) -> ControlFlow<()> {
        if self.beyond.is_none() && self.records.len() > 1 {
            self.beyond = self.records.pop();
        }
        ControlFlow::Break(())
    }

    fn done(self) -> Page {
        let more = self.beyond.is_some();
        let records = self.records;
        Page { records, more }
    }

    /// Taken newest first: turned round, and cut where a turn begins if there is more.
    fn done_backwards(mut self) -> Page {
        self.records.reverse();
        if let Some(beyond) = &self.beyond {
            let cut = first_whole_turn(beyond, &self.records);
            self.records.drain(..cut);
        }
        self.done()
    }
}

/// Where the oldest turn that is there as a whole begins; 0 if none is: then there is nothing to cut at. Records
/// without a turn belong to the turn before them.
fn first_whole_turn(beyond: &Record, records: &[Record]) -> usize {
    let mut before = beyond.turn;
    for (position, record) in records.iter().enumerate() {
        if record.turn.is_some() {
            if before.is_some() && before != record.turn {
                return position;
            }
            before = record.turn;
        }
    }
    0
}
