//! Asks: what the agent asked, and the one answer it got.

use rusqlite::{Connection, OptionalExtension, params};

use crate::error::StoreError;
use crate::options::Sync;
use crate::row::row;
use crate::store::Store;

row! {
    /// A question of the agent's.
    pub struct AskRow in "asks" {
        pub session: String,
        pub request_id: String,
        ;
        pub tool_use_id: Option<String>,
        pub kind: String,
        pub tool_name: String,
        /// JSON.
        pub input: String,
        pub opened_at: i64,
        /// `pending`, `allowed`, `denied`, `cancelled`, `superseded` or `expired`.
        pub state: String,
        pub decided_at: Option<i64>,
        /// Device id.
        pub decided_by: Option<String>,
        pub decided_by_name: Option<String>,
        /// JSON of what was decided.
        pub decision: Option<String>,
        /// The agent was told.
        pub written: bool,
    }
}

/// Whether this answer counts.
#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "made once per answer, and looked at at once")]
pub enum Settled {
    First,
    /// Somebody was quicker.
    Already(AskRow),
}

impl Store {
    /// Keeps a question. The same one again changes nothing; `false` then.
    pub async fn open_ask(&self, row: AskRow) -> Result<bool, StoreError> {
        self.write(Sync::Full, move |core| {
            crate::sessions::key(&core.connection, &row.session)?;
            Ok(row.insert_or_ignore(&core.connection)? > 0)
        })
        .await
    }

    /// Decides it, if nobody has yet.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is no such question.
    #[allow(clippy::too_many_arguments, reason = "the columns of one decision")]
    pub async fn settle_ask(
        &self,
        session: &str,
        request_id: &str,
        state: &str,
        at: i64,
        by: Option<&str>,
        by_name: Option<&str>,
        decision: Option<&str>,
    ) -> Result<Settled, StoreError> {
        let (session, request_id, state) = (session.to_owned(), request_id.to_owned(), state.to_owned());
        let (by, by_name) = (by.map(str::to_owned), by_name.map(str::to_owned));
        let decision = decision.map(str::to_owned);
        if state == "pending" {
            return Err(StoreError::Invalid("an ask cannot be settled as pending".to_owned()));
        }
        self.write(Sync::Full, move |core| {
            let sql = "UPDATE asks SET state = ?3, decided_at = ?4, decided_by = ?5, decided_by_name = ?6,
                decision = ?7 WHERE session = ?1 AND request_id = ?2 AND state = 'pending'";
            let values = params![session, request_id, state, at, by, by_name, decision];
            if core.connection.prepare_cached(sql)?.execute(values)? > 0 {
                return Ok(Settled::First);
            }
            let row = find(&core.connection, &session, &request_id)?;
            row.map(Settled::Already)
                .ok_or_else(|| StoreError::not_found("ask", &request_id))
        })
        .await
    }

    pub async fn ask(&self, session: &str, request_id: &str) -> Result<Option<AskRow>, StoreError> {
        let (session, request_id) = (session.to_owned(), request_id.to_owned());
        self.read(move |core| find(&core.connection, &session, &request_id))
            .await
    }

    /// All of a session, oldest first.
    pub async fn asks(&self, session: &str) -> Result<Vec<AskRow>, StoreError> {
        let session = session.to_owned();
        self.read(move |core| {
            let sql = AskRow::select("WHERE session = ?1 ORDER BY opened_at, request_id");
            let mut statement = core.connection.prepare_cached(&sql)?;
            let rows = statement.query_map([&session], AskRow::read)?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
        .await
    }

    /// Those of all sessions that wait for an answer, oldest first.
    pub async fn pending_asks(&self) -> Result<Vec<AskRow>, StoreError> {
        self.read(|core| {
            let sql = AskRow::select("WHERE state = 'pending' ORDER BY opened_at, session, request_id");
            let mut statement = core.connection.prepare_cached(&sql)?;
            let rows = statement.query_map([], AskRow::read)?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
        .await
    }

    /// The agent was told what was decided. `false`: there is no such question.
    pub async fn mark_ask_written(&self, session: &str, request_id: &str) -> Result<bool, StoreError> {
        let (session, request_id) = (session.to_owned(), request_id.to_owned());
        self.write(Sync::Full, move |core| {
            let sql = "UPDATE asks SET written = TRUE WHERE session = ?1 AND request_id = ?2";
            Ok(core.connection.prepare_cached(sql)?.execute([&session, &request_id])? > 0)
        })
        .await
    }
}

fn find(connection: &Connection, session: &str, request_id: &str) -> Result<Option<AskRow>, StoreError> {
    let sql = AskRow::select("WHERE session = ?1 AND request_id = ?2");
    let mut statement = connection.prepare_cached(&sql)?;
    Ok(statement.query_row([session, request_id], AskRow::read).optional()?)
}
