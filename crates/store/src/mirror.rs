//! The second copy of what cannot be rebuilt: devices, open prompts and single values.
//!
//! Sessions and records come back from the logs of the runners; these rows would be lost with a damaged page of the
//! database. Triggers note the keys of changed rows, which are copied to a second file before the change is acknowledged.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};

use crate::error::StoreError;
use crate::opening::{beside, make_file};

/// A table that is copied: its key, and the rows of interest.
struct Copied {
    table: &'static str,
    key: &'static str,
    rows: &'static str,
}

const COPIED: [Copied; 3] = [
    Copied {
        table: "devices",
        key: "id",
        rows: "TRUE",
    },
    Copied {
        table: "prompts",
        key: "uuid",
        rows: "state IN ('queued', 'sent', 'indeterminate')",
    },
    Copied {
        table: "meta",
        key: "key",
        rows: "TRUE",
    },
];

/// The tables that the second file holds.
pub(crate) fn tables() -> impl Iterator<Item = &'static str> {
    COPIED.iter().map(|copied| copied.table)
}

/// The file with the copies, beside the database.
pub(crate) fn file_of(database: &Path) -> PathBuf {
    beside(database, ".spare")
}

/// Fills the second file from the database and keeps it up to date while this connection is open. A second file that
/// cannot be used is recreated.
pub(crate) fn attach(connection: &Connection, database: &Path) -> Result<(), StoreError> {
    let file = file_of(database);
    match attach_file(connection, &file) {
        Err(StoreError::Damaged { .. } | StoreError::Sqlite(_)) => {
            // Not attached when the attaching itself failed.
            drop(connection.execute_batch("ROLLBACK"));
            drop(connection.execute_batch("DETACH spare"));
            for part in ["", "-wal", "-shm"] {
                drop(fs::remove_file(beside(&file, part)));
            }
            attach_file(connection, &file)
        }
        attached => attached,
    }
}

fn attach_file(connection: &Connection, file: &Path) -> Result<(), StoreError> {
    make_file(file)?;
    let name = file
        .to_str()
        .ok_or_else(|| StoreError::Invalid(format!("{} is no UTF-8", file.display())))?;
    connection.execute("ATTACH ?1 AS spare", [name])?;
    // A power cut may take the newest changes of the copy; the database itself is synced.
    connection.execute_batch("PRAGMA spare.journal_mode = WAL; PRAGMA spare.synchronous = NORMAL")?;
    let verdict: String = connection.query_row("PRAGMA spare.quick_check(1)", [], |row| row.get(0))?;
    if verdict != "ok" {
        return Err(StoreError::Damaged { detail: verdict });
    }
    connection.execute_batch("BEGIN IMMEDIATE")?;
    for copied in &COPIED {
        connection.execute_batch(&fill(copied))?;
    }
    connection.execute_batch(
        "COMMIT; CREATE TEMP TABLE IF NOT EXISTS spare_changes (name TEXT, key TEXT, PRIMARY KEY (name, key));
        DELETE FROM temp.spare_changes",
    )?;
    for copied in &COPIED {
        connection.execute_batch(&triggers(copied))?;
    }
    Ok(())
}

/// Recreates the copy of a table from the table.
fn fill(copied: &Copied) -> String {
    let Copied { table, key, rows } = copied;
    format!(
        "DROP TABLE IF EXISTS spare.spare_{table};
        CREATE TABLE spare.spare_{table} AS SELECT * FROM main.{table} WHERE {rows};
        CREATE UNIQUE INDEX spare.spare_{table}_by_key ON spare_{table} ({key});"
    )
}

/// Notes the keys of changed rows in memory, as part of the transaction that changes them.
fn triggers(copied: &Copied) -> String {
    let Copied { table, key, .. } = copied;
    let note = |row: &str| format!("INSERT OR IGNORE INTO spare_changes VALUES ('{table}', {row}.{key});");
    let (new, old) = (note("new"), note("old"));
    format!(
        "CREATE TEMP TRIGGER IF NOT EXISTS spare_{table}_insert AFTER INSERT ON main.{table} BEGIN {new} END;
        CREATE TEMP TRIGGER IF NOT EXISTS spare_{table}_update AFTER UPDATE ON main.{table} BEGIN {new} {old} END;
        CREATE TEMP TRIGGER IF NOT EXISTS spare_{table}_delete AFTER DELETE ON main.{table} BEGIN {old} END;"
    )
}

/// Copies what the last transactions changed. A transaction of its own: SQLite commits to several files one after the
/// other, so a failure of the second file would leave half of a transaction in the first one. What could not be copied
/// is copied with the next changes.
pub(crate) fn copy_changes(connection: &Connection) -> Result<(), StoreError> {
    let mut statement = connection.prepare_cached("SELECT count(*) FROM temp.spare_changes")?;
    let changes: i64 = statement.query_row([], |row| row.get(0))?;
    if changes == 0 {
        return Ok(());
    }
    let copied = connection.execute_batch("BEGIN").and_then(|()| {
        for Copied { table, key, rows } in &COPIED {
            let changed = format!("{key} IN (SELECT key FROM temp.spare_changes WHERE name = '{table}')");
            connection
                .prepare_cached(&format!("DELETE FROM spare.spare_{table} WHERE {changed}"))?
                .execute([])?;
            let sql = format!("INSERT INTO spare.spare_{table} SELECT * FROM main.{table} WHERE {changed} AND {rows}");
            connection.prepare_cached(&sql)?.execute([])?;
        }
        connection.execute_batch("DELETE FROM temp.spare_changes; COMMIT")
    });
    copied.map_err(|error| {
        if !connection.is_autocommit() {
            drop(connection.execute_batch("ROLLBACK"));
        }
        StoreError::from(error)
    })
}

/// The second file by itself, for salvage. `None`: there is none, or it cannot be read.
pub(crate) fn open(database: &Path) -> Option<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(file_of(database), flags).ok()?;
    let verdict: String = connection
        .query_row("PRAGMA quick_check(1)", [], |row| row.get(0))
        .ok()?;
    (verdict == "ok").then_some(connection)
}
