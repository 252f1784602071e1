//! Opening the database: owner, integrity and schema version.

use std::ffi::OsString;
use std::fs::{self, OpenOptions, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use crate::error::StoreError;
use crate::options::Options;
use crate::salvage::{self, Lost};
use crate::{mirror, schema};

/// How the file was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Opened {
    /// There was none.
    Fresh,
    /// As it was left. `checked`: the last one who had it open did not close it, so all of it was read; it is whole.
    Ready { checked: bool },
    /// Brought to the schema of this version; `copy` is the file as it was before.
    Migrated { from: i64, to: i64, copy: PathBuf },
    /// It was damaged. It is at `damaged` now; what could be read of it is in a new file.
    Salvaged {
        damaged: PathBuf,
        detail: String,
        lost: Lost,
    },
}

/// An open database, held by this process alone.
pub(crate) struct File {
    pub(crate) connection: Connection,
    pub(crate) lock: Lock,
    pub(crate) path: PathBuf,
    pub(crate) folder: PathBuf,
}

pub(crate) fn open(path: &Path, options: &Options) -> Result<(File, Opened), StoreError> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    };
    let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder);
    made.map_err(|error| StoreError::io(&folder, &error))?;
    let mut lock = Lock::take(&beside(path, ".lock"), path)?;
    finish_salvage(path)?;
    let fresh = make_file(path)?;
    let check = match lock.was_clean {
        _ if fresh => Check::Nothing,
        true => Check::Essentials,
        false => Check::Everything,
    };
    lock.write(&format!("open {}", std::process::id()))?;
    let connected = connect(path, check, options).map_err(|error| error.about(path));
    let (connection, opened) = match connected {
        Ok((connection, None)) if fresh => (connection, Opened::Fresh),
        Ok((connection, None)) => {
            let checked = check == Check::Everything;
            (connection, Opened::Ready { checked })
        }
        Ok((connection, Some(migrated))) => (connection, migrated),
        Err(StoreError::Damaged { detail }) => {
            let (damaged, lost) = salvage(path, options)?;
            let (connection, _) = connect(path, Check::Nothing, options).map_err(|error| error.about(path))?;
            (connection, Opened::Salvaged { damaged, detail, lost })
        }
        Err(error) => {
            // The file is as it was: the next one need not read all of it because of this.
            if lock.was_clean {
                lock.write(CLEAN)?;
            }
            return Err(error);
        }
    };
    mirror::attach(&connection, path).map_err(|error| error.about(path))?;
    let path = path.to_owned();
    let file = File {
        connection,
        lock,
        path,
        folder,
    };
    Ok((file, opened))
}

/// `path` with something appended to its name.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}

/// Makes the file, for its owner alone, if it is missing. Says whether it is empty.
pub(crate) fn make_file(path: &Path) -> Result<bool, StoreError> {
    let mut ways = OpenOptions::new();
    ways.write(true).create(true).truncate(false).mode(0o600);
    let length = ways.open(path).and_then(|file| file.metadata()).map(|meta| meta.len());
    Ok(length.map_err(|error| StoreError::io(path, &error))? == 0)
}

/// How much of a database is checked when it is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Check {
    Nothing,
    /// The tables that the bridge reads when it starts.
    Essentials,
    /// Every page and every value.
    Everything,
}

/// The suffix of the new file while it is filled from a damaged one.
const SALVAGE: &str = ".salvage";

/// Builds a new database from what can be read of a damaged one, and puts it in its place.
fn salvage(path: &Path, options: &Options) -> Result<(PathBuf, Lost), StoreError> {
    let new = beside(path, SALVAGE);
    for part in ["", "-wal", "-shm"] {
        drop(fs::remove_file(beside(&new, part)));
    }
    make_file(&new)?;
    let (connection, _) = connect(&new, Check::Nothing, options).map_err(|error| error.about(&new))?;
    let lost = salvage::run(&connection, path)?;
    // Closed, it is one file.
    connection.close().map_err(|(_, error)| error)?;
    let synced = fs::File::open(&new).and_then(|file| file.sync_all());
    synced.map_err(|error| StoreError::io(&new, &error))?;
    let damaged = salvage::set_aside(path)?;
    fs::rename(&new, path).map_err(|error| StoreError::io(path, &error))?;
    Ok((damaged, lost))
}

/// Puts a salvaged database in its place, if a crash prevented it: the damaged one was moved away only when the new one
/// was complete.
fn finish_salvage(path: &Path) -> Result<(), StoreError> {
    let new = beside(path, SALVAGE);
    if !path.exists() && new.exists() {
        fs::rename(&new, path).map_err(|error| StoreError::io(path, &error))?;
    }
    Ok(())
}

fn connect(path: &Path, check: Check, options: &Options) -> Result<(Connection, Option<Opened>), StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    // Somebody may look at the file with another program.
    connection.busy_timeout(Duration::from_secs(5))?;
    connection.set_prepared_statement_cache_capacity(128);
    let from = ours(&connection, path)?;
    if from == 0 {
        // Can only be chosen before there are tables.
        connection.execute_batch("PRAGMA auto_vacuum = INCREMENTAL")?;
    }
    connection.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA cache_size = -8192; PRAGMA temp_store = MEMORY;
        PRAGMA foreign_keys = OFF; PRAGMA journal_size_limit = 67108864",
    )?;
    match check {
        Check::Nothing => {}
        Check::Essentials => check_essentials(&connection)?,
        Check::Everything => {
            quick_check(&connection)?;
            if !salvage::is_readable(&connection)? {
                let detail = "a value cannot be read".to_owned();
                return Err(StoreError::Damaged { detail });
            }
        }
    }
    if let Some(cap) = options.database_cap {
        let size: u64 = connection.pragma_query_value(None, "page_size", |row| row.get(0))?;
        let pages = (cap / size.max(1)).max(1);
        connection.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(()))?;
    }
    let migrated = migrate(&connection, path, from)?;
    Ok((connection, migrated))
}

/// The schema of a file that is ours, or new; else why it is left alone.
fn ours(connection: &Connection, path: &Path) -> Result<i64, StoreError> {
    let path = path.to_owned();
    let application: i64 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let found = schema::version(connection)?;
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if application != schema::APPLICATION && (application != 0 || found != 0 || tables != 0) {
        return Err(StoreError::Foreign { path });
    }
    if found > schema::VERSION {
        let known = schema::VERSION;
        return Err(StoreError::Newer { path, found, known });
    }
    Ok(found)
}

/// Reads what a start needs. Damage elsewhere shows when it is read, and is repaired at the next start.
fn check_essentials(connection: &Connection) -> Result<(), StoreError> {
    for table in ["sessions", "devices", "prompts", "asks", "folders", "push", "meta"] {
        // A new schema may have more tables than the file.
        let sql = format!("PRAGMA quick_check({table})");
        let verdict: String = connection.query_row(&sql, [], |row| row.get(0))?;
        if verdict != "ok" {
            return Err(StoreError::Damaged { detail: verdict });
        }
    }
    Ok(())
}

/// Checks every page. A damaged search index alone is rebuilt from the texts.
fn quick_check(connection: &Connection) -> Result<(), StoreError> {
    let Some(detail) = verdict(connection)? else {
        return Ok(());
    };
    if detail.to_ascii_lowercase().contains("fts5") {
        schema::rebuild_search(connection)?;
        if verdict(connection)?.is_none() {
            return Ok(());
        }
    }
    Err(StoreError::Damaged { detail })
}

/// The first thing that is wrong.
fn verdict(connection: &Connection) -> Result<Option<String>, StoreError> {
    let verdict: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    Ok((verdict != "ok").then_some(verdict))
}

fn migrate(connection: &Connection, path: &Path, from: i64) -> Result<Option<Opened>, StoreError> {
    let to = schema::VERSION;
    if from == to {
        return Ok(None);
    }
    let failed = |error: rusqlite::Error| match StoreError::from(error) {
        StoreError::Sqlite(detail) => StoreError::Migration { from, to, detail },
        other => other,
    };
    if from == 0 {
        schema::migrate(connection, 0).map_err(failed)?;
        return Ok(None);
    }
    let copy = beside(path, &format!(".schema-{from}"));
    // Left from an attempt that failed.
    match fs::remove_file(&copy) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(StoreError::io(&copy, &error)),
        _ => {}
    }
    copy_to(connection, &copy)?;
    schema::migrate(connection, from).map_err(failed)?;
    Ok(Some(Opened::Migrated { from, to, copy }))
}

/// A whole copy of the database in a file that is not there yet.
pub(crate) fn copy_to(connection: &Connection, to: &Path) -> Result<(), StoreError> {
    let mut ways = OpenOptions::new();
    let made = ways.write(true).create_new(true).mode(0o600).open(to);
    drop(made.map_err(|error| StoreError::io(to, &error))?);
    let name = to
        .to_str()
        .ok_or_else(|| StoreError::Invalid(format!("{} is no UTF-8", to.display())))?;
    let copied = connection.execute("VACUUM INTO ?1", [name]);
    if let Err(error) = copied {
        // Half a copy is none.
        drop(fs::remove_file(to));
        return Err(StoreError::from(error).about(to));
    }
    let synced = fs::File::open(to).and_then(|file| file.sync_all());
    synced.map_err(|error| StoreError::io(to, &error))
}

const CLEAN: &str = "clean";

/// A file that is locked as long as the database is open. It contains [`CLEAN`] if the database was closed and no damage
/// was found.
pub(crate) struct Lock {
    file: fs::File,
    path: PathBuf,
    was_clean: bool,
}

impl Lock {
    fn take(path: &Path, database: &Path) -> Result<Self, StoreError> {
        let mut ways = OpenOptions::new();
        ways.read(true).write(true).create(true).truncate(false).mode(0o600);
        let mut file = ways.open(path).map_err(|error| StoreError::io(path, &error))?;
        let locked = file.try_lock();
        let mut said = String::new();
        drop(file.read_to_string(&mut said));
        match locked {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let holder = said.trim().strip_prefix("open ").map(|id| format!("process {id}"));
                return Err(StoreError::Locked {
                    path: database.to_owned(),
                    holder: holder.unwrap_or_else(|| "another process".to_owned()),
                });
            }
            Err(TryLockError::Error(error)) => return Err(StoreError::io(path, &error)),
        }
        Ok(Self {
            file,
            path: path.to_owned(),
            was_clean: said.trim() == CLEAN,
        })
    }

    fn write(&mut self, text: &str) -> Result<(), StoreError> {
        let written = self
            .file
            .set_len(0)
            .and_then(|()| self.file.rewind())
            .and_then(|()| writeln!(self.file, "{text}"))
            .and_then(|()| self.file.sync_all());
        written.map_err(|error| StoreError::io(&self.path, &error))
    }

    /// Marks the database as closed and not damaged.
    pub(crate) fn close(mut self) -> Result<(), StoreError> {
        self.write(CLEAN)
    }
}
