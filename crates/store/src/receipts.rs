//! Receipts: the same command again gets the same answer.

use rusqlite::{OptionalExtension, params};

use crate::error::StoreError;
use crate::options::Sync;
use crate::row::row;
use crate::store::Store;
use crate::thread::Core;

row! {
    /// What a device was answered to its command.
    pub struct ReceiptRow in "receipts" {
        pub device: String,
        pub id: String,
        ;
        pub at: i64,
        pub body: String,
    }
}

impl Store {
    pub async fn receipt(&self, device: &str, id: &str) -> Result<Option<ReceiptRow>, StoreError> {
        let (device, id) = (device.to_owned(), id.to_owned());
        self.read(move |core| {
            let sql = ReceiptRow::select("WHERE device = ?1 AND id = ?2");
            let mut statement = core.connection.prepare_cached(&sql)?;
            Ok(statement.query_row([&device, &id], ReceiptRow::read).optional()?)
        })
        .await
    }

    /// Kept for a week, and of all the newest hundred thousand: see [`crate::Options`].
    pub async fn put_receipt(&self, row: ReceiptRow) -> Result<(), StoreError> {
        self.write(Sync::Full, move |core| put(core, Some(&row))).await
    }
}

pub(crate) fn put(core: &Core, row: Option<&ReceiptRow>) -> Result<(), StoreError> {
    let Some(row) = row else { return Ok(()) };
    row.insert_or_replace(&core.connection)?;
    let sql = "DELETE FROM receipts WHERE at < ?1";
    let oldest = row.at.saturating_sub(core.options.receipt_age);
    core.connection.prepare_cached(sql)?.execute([oldest])?;
    // Counting takes time: done at times, not at each write.
    let every = (core.options.receipt_count / 100).clamp(1, 1000);
    core.receipts_put.set(core.receipts_put.get() + 1);
    if core.receipts_put.get().is_multiple_of(every) {
        trim(core)?;
    }
    Ok(())
}

/// Removes the oldest ones beyond the number that is kept.
fn trim(core: &Core) -> Result<(), StoreError> {
    let sql = "DELETE FROM receipts WHERE (device, id) IN
        (SELECT device, id FROM receipts ORDER BY at DESC, device, id LIMIT -1 OFFSET ?1)";
    core.connection
        .prepare_cached(sql)?
        .execute(params![core.options.receipt_count])?;
    Ok(())
}
