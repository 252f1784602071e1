//! A copy of the database as it is at one moment, also while another process writes to it.

use std::path::Path;
use std::time::Duration;

use rusqlite::backup::Backup;
use rusqlite::{Connection, OpenFlags};

use crate::error::StoreError;
use crate::opening::make_file;

/// The database at one moment. Later writes of the bridge are not in it.
#[derive(Debug)]
pub struct Snapshot {
    connection: Connection,
}

impl Snapshot {
    /// Takes the snapshot of the database at this path. The bridge may have it open and keeps writing.
    ///
    /// # Errors
    /// When there is no database, or it cannot be read.
    pub fn begin(path: &Path) -> Result<Self, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection =
            Connection::open_with_flags(path, flags).map_err(|error| StoreError::from(error).about(path))?;
        connection.busy_timeout(Duration::from_secs(5))?;
        // The snapshot begins with the first read, not with BEGIN.
        connection.execute_batch("BEGIN; SELECT count(*) FROM sqlite_schema")?;
        let _first_read: i64 = connection.query_row("SELECT count(*) FROM sessions", [], |row| row.get(0))?;
        Ok(Self { connection })
    }

    /// For each session the number of the last line of its runner's log that the database holds.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn log_positions(&self) -> Result<Vec<(String, u64)>, StoreError> {
        let mut statement = self.connection.prepare("SELECT id, runner_safe FROM sessions")?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get::<_, i64>(1)?)))?;
        let rows: Vec<(String, i64)> = rows.collect::<Result<_, _>>()?;
        let positions = rows
            .into_iter()
            .map(|(id, safe)| (id, u64::try_from(safe).unwrap_or(0)));
        Ok(positions.collect())
    }

    /// Writes it to a file that does not exist yet.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn copy_to(&self, to: &Path) -> Result<(), StoreError> {
        make_file(to)?;
        let mut copy = Connection::open(to)?;
        Backup::new(&self.connection, &mut copy)?.run_to_completion(i32::MAX, Duration::ZERO, None)?;
        copy.close().map_err(|(_, error)| error)?;
        Ok(())
    }
}
