//! Salvage of a damaged database: every row that can still be read is copied to a new file, table by table.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use flate2::read::ZlibDecoder;
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, OpenFlags, Row, params_from_iter};

use crate::error::StoreError;
use crate::opening::beside;
use crate::{mirror, schema};

/// What a salvage could not bring back.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lost {
    /// Tables with rows that could not be read.
    pub tables: BTreeSet<&'static str>,
    /// Sessions whose records were incomplete. Their records were removed, so that they are rebuilt from elsewhere.
    pub histories: Vec<String>,
}

/// A table, and the columns that order it where it has no row ids.
struct Table {
    name: &'static str,
    key: Option<&'static str>,
}

const fn rows(name: &'static str) -> Table {
    Table { name, key: None }
}

const fn keyed(name: &'static str, key: &'static str) -> Table {
    Table { name, key: Some(key) }
}

const TABLES: [Table; 16] = [
    rows("sessions"),
    keyed("provider_ids", "provider_id, session"),
    rows("records"),
    rows("segments"),
    rows("texts"),
    keyed("receipts", "device, id"),
    rows("prompts"),
    rows("asks"),
    rows("devices"),
    rows("folders"),
    rows("audit"),
    rows("turns"),
    rows("blobs"),
    keyed("blob_refs", "session, hash"),
    rows("push"),
    keyed("meta", "key"),
];

/// The maximum number of failed reads of one table before the rest of it counts as lost.
const MAX_FAILURES: u32 = 256;

/// Copies what can be read of the damaged database at `path`, and of its second file, into an empty database.
pub(crate) fn run(new: &Connection, path: &Path) -> Result<Lost, StoreError> {
    let mut lost = Lost::default();
    // Tens of thousands of rows: one transaction.
    let transaction = new.unchecked_transaction()?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let damaged = Connection::open_with_flags(path, flags).ok();
    for table in &TABLES {
        let copied = damaged.as_ref().map(|damaged| Copying::of(damaged, new, table));
        let whole = match copied {
            Some(Ok(mut copying)) => copying.run()?,
            Some(Err(error @ StoreError::Full { .. })) => return Err(error),
            _ => false,
        };
        if !whole {
            lost.tables.insert(table.name);
        }
    }
    if let Some(spare) = mirror::open(path) {
        for name in mirror::tables() {
            copy_spare(&spare, new, name, &mut lost)?;
        }
    }
    remove_incomplete_histories(new, &mut lost)?;
    transaction.commit()?;
    schema::rebuild_search(new)?;
    Ok(lost)
}

fn copy_spare(spare: &Connection, new: &Connection, name: &'static str, lost: &mut Lost) -> Result<(), StoreError> {
    let table = format!("spare_{name}");
    let Ok(columns) = columns(spare, &table) else {
        return Ok(());
    };
    let mut copying = Copying::with(spare, new, name, &table, None, &columns);
    if copying.run()? {
        lost.tables.remove(name);
    }
    Ok(())
}

fn columns(connection: &Connection, table: &str) -> Result<Vec<String>, StoreError> {
    let mut statement = connection.prepare(&format!("PRAGMA table_info({table})"))?;
    let names = statement.query_map([], |row| row.get::<_, String>(1))?;
    let names: Vec<String> = names.collect::<Result<_, _>>()?;
    match names.is_empty() {
        true => Err(StoreError::not_found("table", table)),
        false => Ok(names),
    }
}

/// The copying of one table.
struct Copying<'a> {
    from: &'a Connection,
    to: &'a Connection,
    insert: String,
    select: String,
    key: Option<&'static str>,
    /// Whether every row that was reached could be copied.
    whole: bool,
    failures: u32,
}

/// How far a run through a range of row ids came.
struct Reached {
    last: Option<i64>,
    end: bool,
}

impl<'a> Copying<'a> {
    fn of(from: &'a Connection, to: &'a Connection, table: &Table) -> Result<Self, StoreError> {
        // Columns that an older schema does not have get their defaults.
        let known = columns(to, table.name)?;
        let columns: Vec<String> = columns(from, table.name)?
            .into_iter()
            .filter(|name| known.contains(name))
            .collect();
        Ok(Self::with(from, to, table.name, table.name, table.key, &columns))
    }

    fn with(
        from: &'a Connection,
        to: &'a Connection,
        name: &str,
        source: &str,
        key: Option<&'static str>,
        columns: &[String],
    ) -> Self {
        let quoted: Vec<String> = columns.iter().map(|column| format!("\"{column}\"")).collect();
        let quoted = quoted.join(", ");
        let places: Vec<String> = (1..=columns.len()).map(|number| format!("?{number}")).collect();
        let rowid = if key.is_some() { "0" } else { "rowid" };
        Self {
            from,
            to,
            insert: format!("INSERT OR IGNORE INTO {name} ({quoted}) VALUES ({})", places.join(", ")),
            // Without an index: its pages may be the damaged ones.
            select: format!("SELECT {rowid}, {quoted} FROM {source} NOT INDEXED"),
            key,
            whole: true,
            failures: 0,
        }
    }

    /// Copies the table. Returns whether nothing of it was lost.
    fn run(&mut self) -> Result<bool, StoreError> {
        if let Some(key) = self.key {
            let select = self.select.replace(" NOT INDEXED", "");
            let descending = key.replace(',', " DESC,");
            let end = self.copy(&format!("{select} ORDER BY {key}"), &[])?.end
                || (self.copy(&format!("{select} ORDER BY {descending} DESC"), &[])?.end && self.failures == 0);
            return Ok(self.whole && end);
        }
        let mut ranges = vec![(i64::MIN, i64::MAX)];
        let mut end = true;
        while let Some((low, high)) = ranges.pop() {
            let up = self.copy_range(low, high, "")?;
            if up.end {
                continue;
            }
            end = false;
            let low = up.last.unwrap_or(low);
            let down = self.copy_range(low, high, " DESC")?;
            let high = down.last.unwrap_or(high);
            // Damaged pages are in between, and perhaps whole ones between those.
            let middle = low.midpoint(high);
            if !down.end && self.failures < MAX_FAILURES && middle > low && middle < high {
                ranges.push((low, middle));
                ranges.push((middle - 1, high));
            }
        }
        Ok(self.whole && end)
    }

    fn copy_range(&mut self, low: i64, high: i64, order: &str) -> Result<Reached, StoreError> {
        let sql = format!("{} WHERE rowid > ?1 AND rowid < ?2 ORDER BY rowid{order}", self.select);
        self.copy(&sql, &[low, high])
    }

    /// Copies rows until the end, or until one cannot be read.
    fn copy(&mut self, sql: &str, values: &[i64]) -> Result<Reached, StoreError> {
        let mut last = None;
        let read = self.from.prepare_cached(sql).and_then(|mut statement| {
            let mut rows = statement.query(params_from_iter(values))?;
            let mut insert = self.to.prepare_cached(&self.insert)?;
            while let Some(row) = rows.next()? {
                match intact(row) {
                    Some(values) => {
                        insert.execute(params_from_iter(values))?;
                    }
                    None => self.whole = false,
                }
                last = Some(row.get(0)?);
            }
            Ok(())
        });
        match read.map_err(StoreError::from) {
            Ok(()) => Ok(Reached { last, end: true }),
            Err(error @ StoreError::Full { .. }) => Err(error),
            Err(_) => {
                self.failures += 1;
                Ok(Reached { last, end: false })
            }
        }
    }
}

/// The values of a row without its id, or `None` if its text is not what was written. Pages that hold the rest of long
/// values have no structure that would show damage.
fn intact(row: &Row<'_>) -> Option<Vec<Value>> {
    let columns = row.as_ref().column_count();
    let value = |column: usize| match row.get_ref(column).ok()? {
        ValueRef::Text(bytes) => {
            let text = std::str::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))?;
            Some(Value::Text(text.to_owned()))
        }
        ValueRef::Blob(bytes) => {
            // Segments are the only blobs.
            let unpacked = std::io::copy(&mut ZlibDecoder::new(bytes).take(u64::MAX), &mut std::io::sink());
            unpacked.ok().map(|_| Value::Blob(bytes.to_vec()))
        }
        ValueRef::Null => Some(Value::Null),
        ValueRef::Integer(number) => Some(Value::Integer(number)),
        ValueRef::Real(number) => Some(Value::Real(number)),
    };
    (1..columns).map(value).collect()
}

/// Whether every value of the database can be read as what was written.
pub(crate) fn is_readable(connection: &Connection) -> Result<bool, StoreError> {
    for table in &TABLES {
        let mut statement = connection.prepare(&format!("SELECT 0, * FROM {}", table.name))?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            if intact(row).is_none() {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// The records of a session have the numbers 1 to `last_n`. Where some are lost, the session gets a new epoch without
/// records: the hub rebuilds it from the log of its runner and from the transcript of the agent.
fn remove_incomplete_histories(new: &Connection, lost: &mut Lost) -> Result<(), StoreError> {
    for table in ["records", "segments", "texts"] {
        let sql = format!("DELETE FROM {table} WHERE session NOT IN (SELECT key FROM sessions)");
        new.execute(&sql, [])?;
    }
    if !lost.tables.contains("records") && !lost.tables.contains("segments") {
        return Ok(());
    }
    let sql = "WITH held AS (
            SELECT session, count(*) AS count FROM records GROUP BY session
            UNION ALL SELECT session, sum(last_n - first_n + 1) FROM segments GROUP BY session)
        SELECT s.key, s.id FROM sessions s LEFT JOIN held h ON h.session = s.key
        GROUP BY s.key HAVING coalesce(sum(h.count), 0) != s.last_n";
    let mut statement = new.prepare(sql)?;
    let found = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let found: Vec<(i64, String)> = found.collect::<Result<_, _>>()?;
    let seconds = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs();
    for (key, id) in found {
        for table in ["records", "segments", "texts"] {
            new.execute(&format!("DELETE FROM {table} WHERE session = ?1"), [key])?;
        }
        let sql = "UPDATE sessions SET epoch = max(epoch + 1, ?2), last_seq = 0, last_n = 0, live_bytes = 0,
            runner_committed = 0, runner_safe = 0, status = 'starting' WHERE key = ?1";
        new.execute(sql, rusqlite::params![key, seconds])?;
        lost.histories.push(id);
    }
    Ok(())
}

/// Moves the damaged file away, with what belongs to it.
pub(crate) fn set_aside(path: &Path) -> Result<PathBuf, StoreError> {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_millis();
    let damaged = beside(path, &format!(".damaged-{now}"));
    for part in ["", "-wal", "-shm"] {
        match fs::rename(beside(path, part), beside(&damaged, part)) {
            Err(error) if part.is_empty() => return Err(StoreError::io(path, &error)),
            // Not every file has these.
            _ => {}
        }
    }
    Ok(damaged)
}
