//! Maintenance: retention, statistics, backups.

use std::path::Path;

use rusqlite::Connection;
use serde::{Deserialize, Serialize};

use crate::error::StoreError;
use crate::opening::{beside, copy_to};
use crate::store::Store;
use crate::{blobs, schema};

/// What [`Store::retain`] removed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Retained {
    /// Ids of the sessions that are gone.
    pub deleted: Vec<String>,
    /// Files no session knew of.
    pub files: u64,
}

/// Sizes and counts, for metrics and the doctor.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Stats {
    pub schema: i64,
    pub database_bytes: u64,
    pub wal_bytes: u64,
    /// Within the database, to be used again.
    pub free_bytes: u64,
    pub sessions: u64,
    /// Ever appended to the sessions that are there.
    pub records: u64,
    /// Bodies of the records kept as rows.
    pub record_bytes: u64,
    pub segments: u64,
    /// Bodies of the records in segments, before and after compression.
    pub segment_bytes: u64,
    pub segment_packed_bytes: u64,
    pub receipts: u64,
    pub prompts: u64,
    pub asks: u64,
    pub pending_asks: u64,
    pub devices: u64,
    pub audit: u64,
    pub turns: u64,
    pub blobs: u64,
    pub blob_bytes: u64,
    /// Since it was opened: transactions, and the calls that were in them.
    pub commits: u64,
    pub writes: u64,
}

impl Store {
    /// Deletes sessions without activity since `older_than` and without an agent process, one by
    /// one, so that others get their turn; then gives free pages back to the disk.
    pub async fn retain(&self, older_than: i64) -> Result<Retained, StoreError> {
        let wanted = "last_activity_at < ?1 AND status NOT IN ('starting', 'idle')";
        let old: Vec<String> = self
            .read(move |core| {
                let sql = format!("SELECT id FROM sessions WHERE {wanted} ORDER BY last_activity_at");
                let mut statement = core.connection.prepare_cached(&sql)?;
                let rows = statement.query_map([older_than], |row| row.get(0))?;
                Ok(rows.collect::<Result<_, _>>()?)
            })
            .await?;
        let mut deleted = Vec::new();
        for id in old {
            let one = id.clone();
            let gone = self
                .write(crate::options::Sync::Full, move |core| {
                    // It may have come to life since it was listed.
                    let sql = format!("SELECT count(*) FROM sessions WHERE id = ?2 AND {wanted}");
                    let still: i64 = core
                        .connection
                        .query_row(&sql, rusqlite::params![older_than, one], |row| row.get(0))?;
                    Ok(still > 0 && crate::sessions::delete(core, &one)?)
                })
                .await?;
            if gone {
                deleted.push(id);
            }
        }
        while self.read(|core| give_back(&core.connection)).await? {}
        let files = self.read(|core| Ok(blobs::sweep(core))).await?;
        Ok(Retained { deleted, files })
    }

    pub async fn stats(&self) -> Result<Stats, StoreError> {
        self.read(|core| {
            let mut stats = count(&core.connection)?;
            let size = |path: &Path| std::fs::metadata(path).map_or(0, |meta| meta.len());
            stats.database_bytes = size(&core.path);
            (stats.commits, stats.writes) = (core.commits.get(), core.writes.get());
            stats.wal_bytes = size(&beside(&core.path, "-wal"));
            Ok(stats)
        })
        .await
    }

    /// A whole copy of the database in a file that is not there yet. Blobs are files already, and not in it.
    /// Other calls wait for it.
    pub async fn backup(&self, to: &Path) -> Result<(), StoreError> {
        let to = to.to_owned();
        self.read(move |core| copy_to(&core.connection, &to)).await
    }
}

/// Gives some free pages back to the disk, and says whether there are more.
fn give_back(connection: &Connection) -> Result<bool, StoreError> {
    let free = |connection: &Connection| -> rusqlite::Result<u64> {
        connection.pragma_query_value(None, "freelist_count", |row| row.get(0))
    };
    let before = free(connection)?;
    // One page a step.
    let mut statement = connection.prepare("PRAGMA incremental_vacuum(1000)")?;
    let mut rows = statement.query([])?;
    while rows.next()?.is_some() {}
    let after = free(connection)?;
    Ok(after > 0 && after < before)
}

fn count(connection: &Connection) -> Result<Stats, StoreError> {
    let number =
        |sql: &str| -> rusqlite::Result<u64> { connection.prepare_cached(sql)?.query_row([], |row| row.get(0)) };
    let page: u64 = number("PRAGMA page_size")?;
    Ok(Stats {
        schema: schema::version(connection)?,
        database_bytes: 0,
        wal_bytes: 0,
        free_bytes: number("PRAGMA freelist_count")? * page,
        sessions: number("SELECT count(*) FROM sessions")?,
        records: number("SELECT coalesce(sum(last_n), 0) FROM sessions")?,
        record_bytes: number("SELECT coalesce(sum(live_bytes), 0) FROM sessions")?,
        segments: number("SELECT count(*) FROM segments")?,
        segment_bytes: number("SELECT coalesce(sum(bytes), 0) FROM segments")?,
        segment_packed_bytes: number("SELECT coalesce(sum(length(data)), 0) FROM segments")?,
        receipts: number("SELECT count(*) FROM receipts")?,
        prompts: number("SELECT count(*) FROM prompts")?,
        asks: number("SELECT count(*) FROM asks")?,
        pending_asks: number("SELECT count(*) FROM asks WHERE state = 'pending'")?,
        devices: number("SELECT count(*) FROM devices")?,
        audit: number("SELECT count(*) FROM audit")?,
        turns: number("SELECT count(*) FROM turns")?,
        blobs: number("SELECT count(*) FROM blobs")?,
        blob_bytes: number("SELECT coalesce(sum(bytes), 0) FROM blobs")?,
        commits: 0,
        writes: 0,
    })
}
