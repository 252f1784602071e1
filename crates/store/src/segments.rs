//! The oldest records of long sessions, compressed.

use std::io::{Read as _, Write as _};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use rusqlite::{Connection, params};

use crate::error::StoreError;
use crate::records::{COLUMNS, Record};
use crate::thread::Core;

/// Rows in one segment at most: many small records must not make one that takes long to read.
const ROWS: usize = 20_000;

/// Moves one segment's worth of the oldest rows, and says whether there are still too many.
pub(crate) fn move_oldest(core: &Core, key: i64) -> Result<bool, StoreError> {
    let connection = &core.connection;
    let live = |connection: &Connection| -> rusqlite::Result<u64> {
        let sql = "SELECT coalesce(max(live_bytes), 0) FROM sessions WHERE key = ?1";
        connection.prepare_cached(sql)?.query_row([key], |row| row.get(0))
    };
    let bytes_before = live(connection)?;
    if bytes_before <= core.options.record_cap {
        return Ok(false);
    }
    let (records, bytes) = oldest(connection, key, core.options.segment_bytes)?;
    let (Some(first), Some(last)) = (records.first(), records.last()) else {
        return Ok(false);
    };
    let shown: Vec<i64> = records.iter().filter_map(|record| record.seq).collect();
    let sql = "INSERT INTO segments (session, first_n, last_n, epoch, first_seq, last_seq, shown, bytes, data)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    connection.prepare_cached(sql)?.execute(params![
        key,
        first.n,
        last.n,
        first.epoch,
        shown.first(),
        shown.last(),
        shown.len(),
        bytes,
        pack(&records)?
    ])?;
    let sql = "DELETE FROM records WHERE session = ?1 AND n <= ?2";
    connection.prepare_cached(sql)?.execute([key, last.n])?;
    let left = bytes_before.saturating_sub(bytes);
    let sql = "UPDATE sessions SET live_bytes = ?2 WHERE key = ?1";
    connection.prepare_cached(sql)?.execute(params![key, left])?;
    Ok(left > core.options.record_cap)
}

/// The oldest rows, of one epoch, until they have so many bytes.
fn oldest(connection: &Connection, key: i64, enough: u64) -> Result<(Vec<Record>, u64), StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM records WHERE session = ?1 ORDER BY n");
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query([key])?;
    let (mut records, mut bytes): (Vec<Record>, u64) = (Vec::new(), 0);
    while let Some(row) = rows.next()? {
        let record = Record::read(row)?;
        if records.first().is_some_and(|first| first.epoch != record.epoch) {
            break;
        }
        bytes += record.body.len() as u64;
        records.push(record);
        if bytes >= enough || records.len() >= ROWS {
            break;
        }
    }
    Ok((records, bytes))
}

fn pack(records: &[Record]) -> Result<Vec<u8>, StoreError> {
    let failed = |error: &dyn std::fmt::Display| StoreError::Invalid(format!("records cannot be packed: {error}"));
    let mut packer = ZlibEncoder::new(Vec::new(), Compression::new(4));
    for record in records {
        serde_json::to_writer(&mut packer, record).map_err(|error| failed(&error))?;
        packer.write_all(b"\n").map_err(|error| failed(&error))?;
    }
    packer.finish().map_err(|error| failed(&error))
}

pub(crate) fn unpack(data: &[u8]) -> Result<Vec<Record>, StoreError> {
    let failed = |error: &dyn std::fmt::Display| StoreError::DamagedRecords {
        detail: format!("a segment cannot be read: {error}"),
    };
    let mut text = String::new();
    let mut unpacker = ZlibDecoder::new(data);
    unpacker.read_to_string(&mut text).map_err(|error| failed(&error))?;
    let records = text.lines().map(serde_json::from_str).collect::<Result<_, _>>();
    records.map_err(|error| failed(&error))
}
