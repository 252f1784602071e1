//! Blobs: files named by their hash.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rusqlite::{OptionalExtension, params};
use sha2::{Digest as _, Sha256};
use tokio::sync::oneshot;

use crate::error::StoreError;
use crate::options::Sync;
use crate::sessions;
use crate::store::Store;
use crate::thread::Core;

/// Where files lie until they have their name.
const UNNAMED: &str = "new";

/// A heavy body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blob {
    pub path: PathBuf,
    pub mime: String,
    pub bytes: u64,
}

impl Store {
    /// Keeps it for a session that exists, and answers its SHA-256 in hex. The file is written by a thread of its
    /// own: a large one keeps nobody waiting.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is no such session.
    pub async fn put_blob(&self, session: &str, bytes: Vec<u8>, mime: &str, at: i64) -> Result<String, StoreError> {
        let (session, mime, folder) = (session.to_owned(), mime.to_owned(), self.shared.blobs.clone());
        let length = bytes.len() as u64;
        let (reply, written) = oneshot::channel();
        let run = move || drop(reply.send(Unnamed::write(&folder, &bytes)));
        let thread = std::thread::Builder::new().name("sluice-blob".to_owned()).spawn(run);
        thread.map_err(|error| StoreError::io(&self.shared.blobs, &error))?;
        let file = written.await.map_err(|_| StoreError::Closed)??;
        self.write(Sync::Full, move |core| {
            sessions::key(&core.connection, &session)?;
            file.name(&core.blobs)?;
            refer(core, &session, &file.hash, length, &mime, at)?;
            evict(core)?;
            Ok(file.hash.clone())
        })
        .await
    }

    pub async fn blob(&self, hash: &str) -> Result<Option<Blob>, StoreError> {
        let hash = hash.to_owned();
        self.read(move |core| {
            let mut statement = core
                .connection
                .prepare_cached("SELECT mime, bytes FROM blobs WHERE hash = ?1")?;
            let blob = statement.query_row([&hash], |row| {
                Ok(Blob {
                    path: place(&core.blobs, &hash),
                    mime: row.get(0)?,
                    bytes: row.get(1)?,
                })
            });
            Ok(blob.optional()?)
        })
        .await
    }

    /// The session does not need it any more. It stays until room is needed.
    pub async fn release_blob(&self, session: &str, hash: &str) -> Result<bool, StoreError> {
        let (session, hash) = (session.to_owned(), hash.to_owned());
        self.write(Sync::Normal, move |core| {
            let sql = "DELETE FROM blob_refs WHERE session = ?1 AND hash = ?2";
            let released = core.connection.prepare_cached(sql)?.execute([&session, &hash])? > 0;
            count(core, &hash)?;
            evict(core)?;
            Ok(released)
        })
        .await
    }
}

/// A file that is whole and on the disk, and has no name yet. Without one it goes with this.
struct Unnamed {
    path: PathBuf,
    hash: String,
}

impl Unnamed {
    fn write(folder: &Path, bytes: &[u8]) -> Result<Self, StoreError> {
        let hash = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        let folder = folder.join(UNNAMED);
        make_folder(&folder)?;
        let path = folder.join(uuid::Uuid::new_v4().to_string());
        let unnamed = Self { path, hash };
        let file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&unnamed.path);
        let written = file.and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()));
        written.map_err(|error| StoreError::io(&unnamed.path, &error))?;
        Ok(unnamed)
    }

    /// May be done again: then it has its name already.
    fn name(&self, blobs: &Path) -> Result<(), StoreError> {
        let place = place(blobs, &self.hash);
        if place.exists() {
            return Ok(());
        }
        let folder = place.parent().unwrap_or(blobs);
        make_folder(folder)?;
        let named = fs::rename(&self.path, &place)
            .and_then(|()| fs::File::open(folder))
            .and_then(|folder| folder.sync_all());
        named.map_err(|error| StoreError::io(&place, &error))
    }
}

impl Drop for Unnamed {
    fn drop(&mut self) {
        // Gone already, if it has a name now.
        drop(fs::remove_file(&self.path));
    }
}

fn make_folder(folder: &Path) -> Result<(), StoreError> {
    let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(|error| StoreError::io(folder, &error))
}

fn place(blobs: &Path, hash: &str) -> PathBuf {
    blobs.join(hash.get(..2).unwrap_or("xx")).join(hash)
}

fn refer(core: &Core, session: &str, hash: &str, bytes: u64, mime: &str, at: i64) -> Result<(), StoreError> {
    let sql = "INSERT INTO blobs (hash, bytes, mime, refs, at) VALUES (?1, ?2, ?3, 0, ?4)
        ON CONFLICT (hash) DO UPDATE SET at = excluded.at";
    let values = params![hash, bytes, mime, at];
    core.connection.prepare_cached(sql)?.execute(values)?;
    let sql = "INSERT OR IGNORE INTO blob_refs (session, hash) VALUES (?1, ?2)";
    core.connection.prepare_cached(sql)?.execute([session, hash])?;
    count(core, hash)
}

fn count(core: &Core, hash: &str) -> Result<(), StoreError> {
    let sql = "UPDATE blobs SET refs = (SELECT count(*) FROM blob_refs WHERE hash = ?1) WHERE hash = ?1";
    core.connection.prepare_cached(sql)?.execute([hash])?;
    Ok(())
}

/// Removes the oldest ones nobody references until the rest fits, or none is left.
fn evict(core: &Core) -> Result<(), StoreError> {
    let sql = "SELECT coalesce(sum(bytes), 0) FROM blobs";
    let mut total: u64 = core.connection.prepare_cached(sql)?.query_row([], |row| row.get(0))?;
    let sql = "DELETE FROM blobs WHERE hash =
        (SELECT hash FROM blobs WHERE refs = 0 ORDER BY at, hash LIMIT 1) RETURNING hash, bytes";
    while total > core.options.blob_cap {
        let mut statement = core.connection.prepare_cached(sql)?;
        let gone = statement.query_row([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, u64>(1)?)));
        let Some((hash, bytes)) = gone.optional()? else { break };
        core.unlink(hash);
        total = total.saturating_sub(bytes);
    }
    Ok(())
}

/// The session goes; so do the ones it alone referenced.
pub(crate) fn release_all(core: &Core, session: &str) -> Result<(), StoreError> {
    let sql = "DELETE FROM blob_refs WHERE session = ?1 RETURNING hash";
    let mut statement = core.connection.prepare_cached(sql)?;
    let hashes = statement.query_map([session], |row| row.get::<_, String>(0))?;
    for hash in hashes.collect::<Result<Vec<_>, _>>()? {
        count(core, &hash)?;
        let sql = "DELETE FROM blobs WHERE hash = ?1 AND refs = 0";
        if core.connection.prepare_cached(sql)?.execute([&hash])? > 0 {
            core.unlink(hash);
        }
    }
    Ok(())
}

/// Removes the file, unless the blob was put again meanwhile.
pub(crate) fn unlink(core: &Core, hash: &str) {
    let sql = "SELECT 1 FROM blobs WHERE hash = ?1";
    let there = core.connection.query_row(sql, [hash], |_| Ok(())).optional();
    if let Ok(None) = there {
        // A file that stays is found by the next sweep.
        drop(fs::remove_file(place(&core.blobs, hash)));
    }
}

/// Removes files no row knows: left by a process that was killed. Says how many.
pub(crate) fn sweep(core: &Core) -> u64 {
    let files = |folder: PathBuf| fs::read_dir(folder).into_iter().flatten().flatten();
    let mut swept = 0;
    for folder in files(core.blobs.clone()) {
        // Those without a name may be about to get one.
        if folder.file_name() == UNNAMED {
            continue;
        }
        for file in files(folder.path()) {
            let name = file.file_name();
            let sql = "SELECT 1 FROM blobs WHERE hash = ?1";
            let known = core.connection.query_row(sql, [name.to_string_lossy()], |_| Ok(()));
            if let Ok(None) = known.optional() {
                swept += u64::from(fs::remove_file(file.path()).is_ok());
            }
        }
    }
    swept
}

/// What a process that was killed left without a name. For the one who opens the store: nobody else writes then.
pub(crate) fn sweep_unnamed(blobs: &Path) {
    // Nothing there is the usual case.
    drop(fs::remove_dir_all(blobs.join(UNNAMED)));
}
