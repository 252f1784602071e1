//! Single values, and the bridge's term.

use rusqlite::{Connection, OptionalExtension};

use crate::error::StoreError;
use crate::options::Sync;
use crate::store::Store;

const TERM: &str = "store.term";

impl Store {
    pub async fn meta_get(&self, key: &str) -> Result<Option<String>, StoreError> {
        let key = key.to_owned();
        self.read(move |core| Ok(get(&core.connection, &key)?)).await
    }

    /// `None` removes it.
    pub async fn meta_set(&self, key: &str, value: Option<&str>) -> Result<(), StoreError> {
        let (key, value) = (key.to_owned(), value.map(str::to_owned));
        self.write(Sync::Full, move |core| {
            match &value {
                Some(value) => set(&core.connection, &key, value)?,
                None => {
                    let sql = "DELETE FROM meta WHERE key = ?1";
                    core.connection.prepare_cached(sql)?.execute([&key])?;
                }
            }
            Ok(())
        })
        .await
    }

    /// A number above every one it gave before, also after a power cut; from 1.
    pub async fn next_term(&self) -> Result<u64, StoreError> {
        self.write(Sync::Full, |core| {
            let last = get(&core.connection, TERM)?.and_then(|text| text.parse::<u64>().ok());
            let term = last.unwrap_or_default() + 1;
            set(&core.connection, TERM, &term.to_string())?;
            Ok(term)
        })
        .await
    }
}

fn get(connection: &Connection, key: &str) -> rusqlite::Result<Option<String>> {
    let mut statement = connection.prepare_cached("SELECT value FROM meta WHERE key = ?1")?;
    statement.query_row([key], |row| row.get(0)).optional()
}

fn set(connection: &Connection, key: &str, value: &str) -> rusqlite::Result<()> {
    let sql = "INSERT OR REPLACE INTO meta (key, value) VALUES (?1, ?2)";
    connection.prepare_cached(sql)?.execute([key, value])?;
    Ok(())
}
