//! Push subscriptions of devices.

use crate::error::StoreError;
use crate::options::Sync;
use crate::row::row;
use crate::store::Store;

row! {
    /// Where a device can be reached while no page of it is open.
    pub struct PushRow in "push" {
        pub endpoint: String,
        ;
        pub device: String,
        pub at: i64,
        /// JSON: the browser's subscription.
        pub body: String,
    }
}

impl Store {
    /// The same endpoint again replaces it.
    pub async fn put_push(&self, row: PushRow) -> Result<(), StoreError> {
        self.write(Sync::Full, move |core| {
            row.insert_or_replace(&core.connection)?;
            Ok(())
        })
        .await
    }

    /// Those of devices that are not revoked, oldest first.
    pub async fn push_subscriptions(&self) -> Result<Vec<PushRow>, StoreError> {
        self.read(|core| {
            let rest = "WHERE NOT EXISTS (SELECT 1 FROM devices WHERE id = device AND revoked_at IS NOT NULL)
                ORDER BY at, endpoint";
            let mut statement = core.connection.prepare_cached(&PushRow::select(rest))?;
            let rows = statement.query_map([], PushRow::read)?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
        .await
    }

    pub async fn delete_push(&self, endpoint: &str) -> Result<bool, StoreError> {
        let endpoint = endpoint.to_owned();
        self.write(Sync::Full, move |core| {
            let sql = "DELETE FROM push WHERE endpoint = ?1";
            Ok(core.connection.prepare_cached(sql)?.execute([&endpoint])? > 0)
        })
        .await
    }
}
