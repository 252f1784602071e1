//! Audit: who did what. Only ever appended.

use rusqlite::params;

use crate::error::StoreError;
use crate::options::Sync;
use crate::row::row;
use crate::store::Store;

row! {
    /// One deed.
    pub struct AuditRow in "audit" {
        /// Given by the store, rising.
        pub id: i64,
        ;
        pub at: i64,
        pub device: Option<String>,
        pub device_name: Option<String>,
        pub action: String,
        pub session: Option<String>,
        /// JSON or text.
        pub detail: String,
    }
}

impl Store {
    /// Answers its id. `row.id` is not looked at.
    pub async fn audit(&self, row: AuditRow) -> Result<i64, StoreError> {
        self.write(Sync::Full, move |core| {
            let sql = "INSERT INTO audit (at, device, device_name, action, session, detail)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
            core.connection.prepare_cached(sql)?.execute(params![
                row.at,
                row.device,
                row.device_name,
                row.action,
                row.session,
                row.detail
            ])?;
            Ok(core.connection.last_insert_rowid())
        })
        .await
    }

    /// Newest first, before the id `before` if one is given.
    pub async fn audit_page(&self, before: Option<i64>, limit: usize) -> Result<Vec<AuditRow>, StoreError> {
        self.read(move |core| {
            let sql = AuditRow::select("WHERE id < ?1 ORDER BY id DESC LIMIT ?2");
            let mut statement = core.connection.prepare_cached(&sql)?;
            let values = params![before.unwrap_or(i64::MAX), limit.min(1 << 31)];
            let rows = statement.query_map(values, AuditRow::read)?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
        .await
    }
}
