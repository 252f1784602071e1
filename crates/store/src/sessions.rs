//! Sessions, and the agents' own ids of them.

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, params, params_from_iter};

use crate::error::StoreError;
use crate::options::Sync;
use crate::receipts::{self, ReceiptRow};
use crate::row::row;
use crate::store::Store;
use crate::thread::Core;
use crate::{blobs, search};

row! {
    /// A session as the bridge knows it.
    pub struct SessionRow / SessionPatch in "sessions" {
        pub id: String,
        ;
        pub folder: String,
        pub title: Option<String>,
        pub title_by_person: bool,
        /// JSON: which agent, and how it is launched.
        pub agent: String,
        pub model: Option<String>,
        pub permission_mode: String,
        pub started_at: i64,
        pub last_activity_at: i64,
        pub archived: bool,
        /// The bridge's own word. `starting` and `idle` have an agent process, and [`Store::retain`] keeps them.
        pub status: String,
        pub cost: f64,
        pub turns: u64,
        /// Raised by [`Store::append_records`] when records of a higher one come.
        pub epoch: i64,
        /// Number of the newest shown record of this epoch; 0: none. Kept by [`Store::append_records`].
        pub last_seq: i64,
        pub runner_committed: i64,
        pub runner_safe: i64,
        /// The newest of the agent's own ids. Kept by [`Store::add_provider_id`].
        pub provider_id: Option<String>,
        pub pending_asks: u32,
        pub queue_len: u32,
        /// The last words.
        pub preview: Option<String>,
        /// JSON.
        pub extra: String,
    }
}

row! {
    /// An id by which the agent knows the session.
    pub struct ProviderRow in "provider_ids" {
        pub provider_id: String,
        pub session: String,
        ;
        pub at: i64,
    }
}

/// Which sessions; newest activity first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SessionFilter {
    pub folder: Option<String>,
    pub archived: Option<bool>,
    /// Part of the title, the folder or the last words.
    pub text: Option<String>,
    /// `None`: all.
    pub limit: Option<usize>,
    /// `(last_activity_at, id)` of the last one of the page before.
    pub before: Option<(i64, String)>,
}

impl Store {
    /// A new session, and the receipt of the command that asked for it, both or neither.
    ///
    /// # Errors
    /// [`StoreError::Exists`] when the id is taken.
    pub async fn create_session(&self, row: SessionRow, receipt: Option<ReceiptRow>) -> Result<(), StoreError> {
        self.write(Sync::Full, move |core| {
            if row.insert_or_ignore(&core.connection)? == 0 {
                let id = row.id.clone();
                return Err(StoreError::Exists { what: "session", id });
            }
            if let Some(provider) = &row.provider_id {
                add_provider_id(&core.connection, &row.id, provider, row.started_at)?;
            }
            receipts::put(core, receipt.as_ref())
        })
        .await
    }

    /// Changes what the patch names and answers the row as it is then.
    pub async fn update_session(&self, id: &str, patch: SessionPatch) -> Result<SessionRow, StoreError> {
        self.update_session_as(id, patch, Sync::Full).await
    }

    /// The same, as sure as is wanted: what changes often and can be told again needs no sync of the disk.
    pub async fn update_session_as(&self, id: &str, patch: SessionPatch, sync: Sync) -> Result<SessionRow, StoreError> {
        let id = id.to_owned();
        self.write(sync, move |core| {
            let mut row = find(&core.connection, &id)?.ok_or_else(|| StoreError::not_found("session", &id))?;
            patch.apply(&mut row);
            row.update(&core.connection)?;
            Ok(row)
        })
        .await
    }

    pub async fn session(&self, id: &str) -> Result<Option<SessionRow>, StoreError> {
        let id = id.to_owned();
        self.read(move |core| find(&core.connection, &id)).await
    }

    /// Newest activity first.
    pub async fn sessions(&self, filter: SessionFilter) -> Result<Vec<SessionRow>, StoreError> {
        self.read(move |core| list(&core.connection, &filter)).await
    }

    /// Everything of it goes; blobs nobody else references go with it. `false`: there was none.
    pub async fn delete_session(&self, id: &str) -> Result<bool, StoreError> {
        let id = id.to_owned();
        self.write(Sync::Full, move |core| delete(core, &id)).await
    }

    /// The agent calls the session by this id from now on.
    pub async fn add_provider_id(&self, session: &str, provider_id: &str, at: i64) -> Result<(), StoreError> {
        let (session, provider_id) = (session.to_owned(), provider_id.to_owned());
        self.write(Sync::Full, move |core| {
            let connection = &core.connection;
            let sql = "UPDATE sessions SET provider_id = ?2 WHERE id = ?1";
            if connection.prepare_cached(sql)?.execute(params![session, provider_id])? == 0 {
                return Err(StoreError::not_found("session", &session));
            }
            add_provider_id(connection, &session, &provider_id, at)
        })
        .await
    }

    /// Oldest first.
    pub async fn provider_ids(&self, session: &str) -> Result<Vec<ProviderRow>, StoreError> {
        let session = session.to_owned();
        self.read(move |core| {
            let sql = ProviderRow::select("WHERE session = ?1 ORDER BY at, provider_id");
            let mut statement = core.connection.prepare_cached(&sql)?;
            let rows = statement.query_map([&session], ProviderRow::read)?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
        .await
    }

    /// The session that had this id last.
    pub async fn session_by_provider(&self, provider_id: &str) -> Result<Option<SessionRow>, StoreError> {
        let provider_id = provider_id.to_owned();
        self.read(move |core| {
            let sql = "SELECT session FROM provider_ids WHERE provider_id = ?1 ORDER BY at DESC LIMIT 1";
            let mut statement = core.connection.prepare_cached(sql)?;
            let session: Option<String> = statement.query_row([&provider_id], |row| row.get(0)).optional()?;
            session.map_or(Ok(None), |session| find(&core.connection, &session))
        })
        .await
    }
}

fn add_provider_id(connection: &Connection, session: &str, provider_id: &str, at: i64) -> Result<(), StoreError> {
    let row = ProviderRow {
        provider_id: provider_id.to_owned(),
        session: session.to_owned(),
        at,
    };
    row.insert_or_replace(connection)?;
    Ok(())
}

fn find(connection: &Connection, id: &str) -> Result<Option<SessionRow>, StoreError> {
    let mut statement = connection.prepare_cached(&SessionRow::select("WHERE id = ?1"))?;
    Ok(statement.query_row([id], SessionRow::read).optional()?)
}

/// The session's key in other tables.
pub(crate) fn key(connection: &Connection, id: &str) -> Result<i64, StoreError> {
    let mut statement = connection.prepare_cached("SELECT key FROM sessions WHERE id = ?1")?;
    let key = statement.query_row([id], |row| row.get(0)).optional()?;
    key.ok_or_else(|| StoreError::not_found("session", id))
}

fn list(connection: &Connection, filter: &SessionFilter) -> Result<Vec<SessionRow>, StoreError> {
    let mut conditions = vec!["TRUE".to_owned()];
    let mut values: Vec<Value> = Vec::new();
    if let Some(folder) = &filter.folder {
        values.push(folder.clone().into());
        conditions.push(format!("folder = ?{}", values.len()));
    }
    if let Some(archived) = filter.archived {
        values.push(archived.into());
        conditions.push(format!("archived = ?{}", values.len()));
    }
    if let Some(text) = &filter.text {
        let escaped = text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
        values.push(format!("%{escaped}%").into());
        let like = format!("LIKE ?{} ESCAPE '\\'", values.len());
        conditions.push(format!("(title {like} OR folder {like} OR preview {like})"));
    }
    if let Some((at, id)) = &filter.before {
        values.push((*at).into());
        values.push(id.clone().into());
        let (at, id) = (values.len() - 1, values.len());
        conditions.push(format!("(last_activity_at, id) < (?{at}, ?{id})"));
    }
    let limit = filter.limit.map_or(-1, |limit| i64::try_from(limit).unwrap_or(-1));
    values.push(limit.into());
    let rest = format!(
        "WHERE {} ORDER BY last_activity_at DESC, id DESC LIMIT ?{}",
        conditions.join(" AND "),
        values.len()
    );
    let mut statement = connection.prepare_cached(&SessionRow::select(&rest))?;
    let rows = statement.query_map(params_from_iter(values), SessionRow::read)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

pub(crate) fn delete(core: &Core, id: &str) -> Result<bool, StoreError> {
    let connection = &core.connection;
    let key = match key(connection, id) {
        Err(StoreError::NotFound { .. }) => return Ok(false),
        other => other?,
    };
    search::forget(connection, key)?;
    for table in ["records", "segments"] {
        connection.execute(&format!("DELETE FROM {table} WHERE session = ?1"), [key])?;
    }
    for table in ["provider_ids", "prompts", "asks", "turns"] {
        connection.execute(&format!("DELETE FROM {table} WHERE session = ?1"), [id])?;
    }
    blobs::release_all(core, id)?;
    connection.execute("DELETE FROM sessions WHERE key = ?1", [key])?;
    Ok(true)
}
