//! Prompts: the queue, and what became of each.

use rusqlite::{Connection, OptionalExtension};

use crate::error::StoreError;
use crate::options::Sync;
use crate::receipts::{self, ReceiptRow};
use crate::row::row;
use crate::store::Store;

row! {
    /// A prompt somebody gave.
    pub struct PromptRow / PromptPatch in "prompts" {
        pub uuid: String,
        ;
        pub session: String,
        /// Its place in the queue.
        pub position: f64,
        pub at: i64,
        /// Device id.
        pub by: String,
        pub by_name: String,
        /// `queued`, `sent`, `delivered`, `indeterminate`, `failed` or `withdrawn`.
        pub state: String,
        /// JSON of the user content.
        pub content: String,
        pub text: String,
        /// When it came to its state.
        pub since: i64,
        pub turn: Option<i64>,
        /// JSON.
        pub extra: String,
    }
}

impl Store {
    /// Keeps it, and the receipt of the command that brought it, both or neither. The same uuid again replaces it.
    pub async fn put_prompt(&self, row: PromptRow, receipt: Option<ReceiptRow>) -> Result<(), StoreError> {
        self.write(Sync::Full, move |core| {
            crate::sessions::key(&core.connection, &row.session)?;
            row.insert_or_replace(&core.connection)?;
            receipts::put(core, receipt.as_ref())
        })
        .await
    }

    /// Changes what the patch names and answers the row as it is then.
    pub async fn update_prompt(&self, uuid: &str, patch: PromptPatch) -> Result<PromptRow, StoreError> {
        let uuid = uuid.to_owned();
        self.write(Sync::Full, move |core| {
            let mut row = find(&core.connection, &uuid)?.ok_or_else(|| StoreError::not_found("prompt", &uuid))?;
            patch.apply(&mut row);
            row.update(&core.connection)?;
            Ok(row)
        })
        .await
    }

    pub async fn prompt(&self, uuid: &str) -> Result<Option<PromptRow>, StoreError> {
        let uuid = uuid.to_owned();
        self.read(move |core| find(&core.connection, &uuid)).await
    }

    /// Those that are still on their way, `queued`, `sent` or `indeterminate`, in order.
    pub async fn open_prompts(&self, session: &str) -> Result<Vec<PromptRow>, StoreError> {
        let rest = "WHERE session = ?1 AND state IN ('queued', 'sent', 'indeterminate') ORDER BY position, at, uuid";
        self.list_prompts(session, rest).await
    }

    /// All, in order.
    pub async fn prompts(&self, session: &str) -> Result<Vec<PromptRow>, StoreError> {
        self.list_prompts(session, "WHERE session = ?1 ORDER BY position, at, uuid")
            .await
    }

    async fn list_prompts(&self, session: &str, rest: &'static str) -> Result<Vec<PromptRow>, StoreError> {
        let session = session.to_owned();
        self.read(move |core| {
            let mut statement = core.connection.prepare_cached(&PromptRow::select(rest))?;
            let rows = statement.query_map([&session], PromptRow::read)?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
        .await
    }
}

fn find(connection: &Connection, uuid: &str) -> Result<Option<PromptRow>, StoreError> {
    let mut statement = connection.prepare_cached(&PromptRow::select("WHERE uuid = ?1"))?;
    Ok(statement.query_row([uuid], PromptRow::read).optional()?)
}
