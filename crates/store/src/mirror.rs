//! The second copy of what cannot be rebuilt: devices, open prompts and single values.
//!
//! Sessions and records come back from the logs of the runners; these rows would be lost with a damaged page of the
//! database. Triggers write every change of them to a second file in the same transaction.

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
    connection.execute_batch("COMMIT")?;
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

/// Statements in a trigger cannot name a database: the names of the copies occur in one only.
fn triggers(copied: &Copied) -> String {
    let Copied { table, key, rows } = copied;
    let remove = |row: &str| format!("DELETE FROM spare_{table} WHERE {key} = {row}.{key};");
    let put = format!("INSERT INTO spare_{table} SELECT * FROM {table} WHERE {key} = new.{key} AND {rows};");
    format!(
        "CREATE TEMP TRIGGER spare_{table}_insert AFTER INSERT ON main.{table} BEGIN {} {put} END;
        CREATE TEMP TRIGGER spare_{table}_update AFTER UPDATE ON main.{table} BEGIN {} {} {put} END;
        CREATE TEMP TRIGGER spare_{table}_delete AFTER DELETE ON main.{table} BEGIN {} END;",
        remove("new"),
        remove("old"),
        remove("new"),
        remove("old"),
    )
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
