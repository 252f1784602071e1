//! Folders sessions were started in.

use rusqlite::params;

use crate::error::StoreError;
use crate::options::Sync;
use crate::row::row;
use crate::store::Store;

row! {
    /// A folder, and how often it was used.
    pub struct FolderRow in "folders" {
        pub path: String,
        ;
        pub last_used_at: i64,
        pub uses: u64,
    }
}

impl Store {
    /// Counts one more use.
    pub async fn use_folder(&self, path: &str, at: i64) -> Result<(), StoreError> {
        let path = path.to_owned();
        self.write(Sync::Normal, move |core| {
            let sql = "INSERT INTO folders (path, last_used_at, uses) VALUES (?1, ?2, 1) ON CONFLICT (path)
                DO UPDATE SET last_used_at = max(last_used_at, excluded.last_used_at), uses = uses + 1";
            core.connection.prepare_cached(sql)?.execute(params![path, at])?;
            Ok(())
        })
        .await
    }

    /// Last used first.
    pub async fn folders(&self, limit: usize) -> Result<Vec<FolderRow>, StoreError> {
        self.read(move |core| {
            let sql = FolderRow::select("ORDER BY last_used_at DESC, path LIMIT ?1");
            let mut statement = core.connection.prepare_cached(&sql)?;
            let rows = statement.query_map([limit.min(1 << 31)], FolderRow::read)?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
        .await
    }

    pub async fn forget_folder(&self, path: &str) -> Result<bool, StoreError> {
        let path = path.to_owned();
        self.write(Sync::Normal, move |core| {
            let sql = "DELETE FROM folders WHERE path = ?1";
            Ok(core.connection.prepare_cached(sql)?.execute([&path])? > 0)
        })
        .await
    }
}
