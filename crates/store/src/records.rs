//! Records: what happened in a session, in order.

use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};

use crate::error::StoreError;
use crate::options::Sync;
use crate::search;
use crate::store::Store;
use crate::thread::Core;

/// A record to be kept.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewRecord {
    /// Its number for clients, above all before it in its epoch. `None`: internal, not shown to clients.
    pub seq: Option<i64>,
    pub at: i64,
    /// The bridge's meaning.
    pub kind: u8,
    pub turn: Option<i64>,
    pub body: String,
    /// What search shall find of it. Not kept for internal records: a hit could not be shown.
    pub text: Option<String>,
    pub role: Option<String>,
}

/// A record as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Record {
    /// Its place among all records of the session, without holes, from 1, whatever the epoch.
    pub n: i64,
    pub epoch: i64,
    pub seq: Option<i64>,
    pub at: i64,
    pub kind: u8,
    pub turn: Option<i64>,
    pub role: Option<String>,
    pub body: String,
}

/// A part of the records, oldest first, and whether there are more in the direction of reading.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Page {
    pub records: Vec<Record>,
    pub more: bool,
}

/// Columns of [`Record::read`].
pub(crate) const COLUMNS: &str = "n, epoch, seq, at, kind, turn, role, body";

impl Record {
    pub(crate) fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            n: row.get(0)?,
            epoch: row.get(1)?,
            seq: row.get(2)?,
            at: row.get(3)?,
            kind: row.get(4)?,
            turn: row.get(5)?,
            role: row.get(6)?,
            body: intact_body(row)?,
        })
    }
}

/// The body of a record, which is JSON. The pages that hold the rest of a long one have no structure that would show that
/// they were overwritten with zeros.
fn intact_body(row: &rusqlite::Row<'_>) -> rusqlite::Result<String> {
    let body: String = row.get(7)?;
    match body.contains('\0') {
        true => Err(rusqlite::Error::FromSqlConversionFailure(
            7,
            rusqlite::types::Type::Text,
            "the body of a record was overwritten".into(),
        )),
        false => Ok(body),
    }
}

/// What an append is about, beside the records.
#[derive(Debug, Clone)]
struct Append {
    session: String,
    epoch: i64,
    expected_last_n: i64,
    runner_committed: Option<i64>,
    runner_safe: Option<i64>,
}

impl Store {
    /// Appends, if the newest record still has the number `expected_last_n` (0: there is none), and answers the new
    /// newest number. A higher epoch than the session's begins that one. Durable as [`Sync::Normal`] says.
    ///
    /// # Errors
    /// [`StoreError::Stale`] or [`StoreError::StaleEpoch`] when somebody else wrote; nothing is kept then.
    pub async fn append_records(
        &self,
        session: &str,
        epoch: i64,
        expected_last_n: i64,
        records: Vec<NewRecord>,
        runner_committed: Option<i64>,
        runner_safe: Option<i64>,
    ) -> Result<i64, StoreError> {
        let append = Append {
            session: session.to_owned(),
            epoch,
            expected_last_n,
            runner_committed,
            runner_safe,
        };
        self.write(Sync::Normal, move |core| write(core, &append, &records))
            .await
    }

    /// Number of the session's newest record; 0: none.
    pub async fn last_n(&self, session: &str) -> Result<i64, StoreError> {
        let session = session.to_owned();
        self.read(move |core| Ok(Newest::of(&core.connection, &session)?.n))
            .await
    }
}

/// Where a session's records end.
struct Newest {
    key: i64,
    n: i64,
    epoch: i64,
    live_bytes: u64,
}

impl Newest {
    fn of(connection: &Connection, session: &str) -> Result<Self, StoreError> {
        let sql = "SELECT key, last_n, epoch, live_bytes FROM sessions WHERE id = ?1";
        let mut statement = connection.prepare_cached(sql)?;
        let found = statement.query_row([session], |row| {
            Ok(Self {
                key: row.get(0)?,
                n: row.get(1)?,
                epoch: row.get(2)?,
                live_bytes: row.get(3)?,
            })
        });
        found
            .optional()?
            .ok_or_else(|| StoreError::not_found("session", session))
    }
}

fn write(core: &Core, append: &Append, records: &[NewRecord]) -> Result<i64, StoreError> {
    let connection = &core.connection;
    let newest = Newest::of(connection, &append.session)?;
    if newest.n != append.expected_last_n {
        return Err(StoreError::Stale { actual: newest.n });
    }
    if append.epoch < newest.epoch {
        return Err(StoreError::StaleEpoch { actual: newest.epoch });
    }
    let mut last_seq = last_seq(connection, newest.key, append.epoch)?;
    let (mut n, mut live_bytes) = (newest.n, newest.live_bytes);
    let sql = "INSERT INTO records (session, n, epoch, seq, at, kind, turn, role, body)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    let mut insert = connection.prepare_cached(sql)?;
    for record in records {
        n += 1;
        live_bytes += record.body.len() as u64;
        if let Some(seq) = record.seq {
            if seq <= last_seq {
                return Err(StoreError::Invalid(format!(
                    "record {seq} comes after record {last_seq}: numbers must rise"
                )));
            }
            last_seq = seq;
            if let Some(text) = record.text.as_deref().filter(|text| !text.is_empty()) {
                search::keep(connection, newest.key, append.epoch, seq, record, text)?;
            }
        }
        insert.execute(params![
            newest.key,
            n,
            append.epoch,
            record.seq,
            record.at,
            record.kind,
            record.turn,
            record.role,
            record.body
        ])?;
    }
    let sql = "UPDATE sessions SET last_n = ?2, epoch = ?3, last_seq = ?4, live_bytes = ?5,
        runner_committed = coalesce(?6, runner_committed), runner_safe = coalesce(?7, runner_safe) WHERE key = ?1";
    connection.prepare_cached(sql)?.execute(params![
        newest.key,
        n,
        append.epoch,
        last_seq,
        live_bytes,
        append.runner_committed,
        append.runner_safe
    ])?;
    if live_bytes > core.options.record_cap {
        core.is_crowded(newest.key);
    }
    Ok(n)
}

/// Number of the newest shown record of an epoch, wherever it lies; 0: none.
fn last_seq(connection: &Connection, key: i64, epoch: i64) -> Result<i64, StoreError> {
    let sql = "SELECT max(seq) FROM records WHERE session = ?1 AND epoch = ?2 AND seq IS NOT NULL";
    let live: Option<i64> = connection
        .prepare_cached(sql)?
        .query_row([key, epoch], |row| row.get(0))?;
    if let Some(seq) = live {
        return Ok(seq);
    }
    let sql = "SELECT max(last_seq) FROM segments WHERE session = ?1 AND epoch = ?2";
    let moved: Option<i64> = connection
        .prepare_cached(sql)?
        .query_row([key, epoch], |row| row.get(0))?;
    Ok(moved.unwrap_or_default())
}
