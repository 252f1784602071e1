//! Devices that may connect.

use rusqlite::{OptionalExtension, ToSql, params};

use crate::error::StoreError;
use crate::options::Sync;
use crate::row::row;
use crate::store::Store;

row! {
    /// A paired browser or a program with a token.
    pub struct DeviceRow in "devices" {
        pub id: String,
        ;
        pub name: String,
        /// `cookie` or `token`.
        pub kind: String,
        /// SHA-256 of the secret, in hex: the secret itself is not kept.
        pub token_hash: String,
        pub scopes: String,
        pub created_at: i64,
        pub last_seen_at: i64,
        pub last_address: Option<String>,
        pub revoked_at: Option<i64>,
        pub user_agent: Option<String>,
    }
}

impl Store {
    /// # Errors
    /// [`StoreError::Exists`] when the id or the hash is taken.
    pub async fn add_device(&self, row: DeviceRow) -> Result<(), StoreError> {
        self.write(Sync::Full, move |core| {
            if row.insert_or_ignore(&core.connection)? == 0 {
                let id = row.id.clone();
                return Err(StoreError::Exists { what: "device", id });
            }
            Ok(())
        })
        .await
    }

    /// Revoked ones too: the caller looks at `revoked_at`.
    pub async fn device_by_hash(&self, token_hash: &str) -> Result<Option<DeviceRow>, StoreError> {
        self.find_device("WHERE token_hash = ?1", token_hash).await
    }

    pub async fn device(&self, id: &str) -> Result<Option<DeviceRow>, StoreError> {
        self.find_device("WHERE id = ?1", id).await
    }

    /// Oldest first, revoked ones too.
    pub async fn devices(&self) -> Result<Vec<DeviceRow>, StoreError> {
        self.read(|core| {
            let sql = DeviceRow::select("ORDER BY created_at, id");
            let mut statement = core.connection.prepare_cached(&sql)?;
            let rows = statement.query_map([], DeviceRow::read)?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
        .await
    }

    /// `false`: there is no such device, or it was revoked before.
    pub async fn revoke_device(&self, id: &str, at: i64) -> Result<bool, StoreError> {
        let sql = "UPDATE devices SET revoked_at = ?2 WHERE id = ?1 AND revoked_at IS NULL";
        self.change_device(id, Sync::Full, sql, at).await
    }

    pub async fn rename_device(&self, id: &str, name: &str) -> Result<bool, StoreError> {
        let sql = "UPDATE devices SET name = ?2 WHERE id = ?1";
        self.change_device(id, Sync::Full, sql, name.to_owned()).await
    }

    pub async fn set_scopes(&self, id: &str, scopes: &str) -> Result<bool, StoreError> {
        let sql = "UPDATE devices SET scopes = ?2 WHERE id = ?1";
        self.change_device(id, Sync::Full, sql, scopes.to_owned()).await
    }

    /// It was seen: worth knowing, not worth a sync of the disk.
    pub async fn touch_device(&self, id: &str, at: i64, address: Option<&str>) -> Result<bool, StoreError> {
        let (id, address) = (id.to_owned(), address.map(str::to_owned));
        self.write(Sync::Normal, move |core| {
            let sql = "UPDATE devices SET last_seen_at = max(last_seen_at, ?2),
                last_address = coalesce(?3, last_address) WHERE id = ?1";
            Ok(core.connection.prepare_cached(sql)?.execute(params![id, at, address])? > 0)
        })
        .await
    }

    async fn find_device(&self, rest: &'static str, value: &str) -> Result<Option<DeviceRow>, StoreError> {
        let value = value.to_owned();
        self.read(move |core| {
            let mut statement = core.connection.prepare_cached(&DeviceRow::select(rest))?;
            Ok(statement.query_row([&value], DeviceRow::read).optional()?)
        })
        .await
    }

    async fn change_device<V>(&self, id: &str, sync: Sync, sql: &'static str, value: V) -> Result<bool, StoreError>
    where
        V: ToSql + Send + 'static,
    {
        let id = id.to_owned();
        self.write(sync, move |core| {
            Ok(core.connection.prepare_cached(sql)?.execute(params![id, value])? > 0)
        })
        .await
    }
}
