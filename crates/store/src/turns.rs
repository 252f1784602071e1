//! Turns, and what they used.

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use crate::error::StoreError;
use crate::options::Sync;
use crate::row::row;
use crate::store::Store;

row! {
    /// One turn of a session.
    pub struct TurnRow in "turns" {
        pub session: String,
        pub turn: i64,
        ;
        pub began: i64,
        pub ended: Option<i64>,
        /// USD.
        pub cost: f64,
        pub model: Option<String>,
        pub input_tokens: u64,
        pub output_tokens: u64,
        pub cache_read: u64,
        pub cache_write: u64,
        pub folder: String,
        /// Local day, `YYYY-MM-DD`.
        pub day: String,
        pub subtype: Option<String>,
        /// JSON.
        pub by_model: String,
    }
}

/// What usage is summed by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UsageBy {
    #[default]
    Day,
    Folder,
    Model,
    Session,
    Turn,
}

/// Which turns. Days are local, `YYYY-MM-DD`, both included.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UsageFilter {
    pub from: Option<String>,
    pub to: Option<String>,
    pub session: Option<String>,
}

/// A sum.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub struct UsageRow {
    /// The day, folder, model, session, or `SESSION#TURN`. Empty: the model is not known.
    pub key: String,
    pub turns: u64,
    pub cost: f64,
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cache_read: u64,
    pub cache_write: u64,
    /// When the first began.
    pub began: i64,
}

impl Store {
    /// The same turn again replaces it.
    pub async fn put_turn(&self, row: TurnRow) -> Result<(), StoreError> {
        self.write(Sync::Normal, move |core| {
            crate::sessions::key(&core.connection, &row.session)?;
            row.insert_or_replace(&core.connection)?;
            Ok(())
        })
        .await
    }

    /// In order.
    pub async fn turns(&self, session: &str) -> Result<Vec<TurnRow>, StoreError> {
        let session = session.to_owned();
        self.read(move |core| {
            let sql = TurnRow::select("WHERE session = ?1 ORDER BY turn");
            let mut statement = core.connection.prepare_cached(&sql)?;
            let rows = statement.query_map([&session], TurnRow::read)?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
        .await
    }

    /// Days and turns in order of time, the rest by cost, highest first.
    pub async fn usage(&self, by: UsageBy, filter: UsageFilter) -> Result<Vec<UsageRow>, StoreError> {
        self.read(move |core| sum(&core.connection, by, &filter)).await
    }
}

fn sum(connection: &Connection, by: UsageBy, filter: &UsageFilter) -> Result<Vec<UsageRow>, StoreError> {
    let (key, order) = match by {
        UsageBy::Day => ("day", "1"),
        UsageBy::Folder => ("folder", "3 DESC, 1"),
        UsageBy::Model => ("coalesce(model, '')", "3 DESC, 1"),
        UsageBy::Session => ("session", "3 DESC, 1"),
        UsageBy::Turn => ("session || '#' || turn", "8, session, turn"),
    };
    let mut conditions = vec!["TRUE".to_owned()];
    let mut values: Vec<Value> = Vec::new();
    let wanted = [
        ("day >=", &filter.from),
        ("day <=", &filter.to),
        ("session =", &filter.session),
    ];
    for (condition, value) in wanted {
        if let Some(value) = value {
            values.push(value.clone().into());
            conditions.push(format!("{condition} ?{}", values.len()));
        }
    }
    let sql = format!(
        "SELECT {key}, count(*), sum(cost), sum(input_tokens), sum(output_tokens), sum(cache_read), sum(cache_write),
        min(began) FROM turns WHERE {} GROUP BY 1 ORDER BY {order}",
        conditions.join(" AND ")
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map(params_from_iter(values), |row| {
        Ok(UsageRow {
            key: row.get(0)?,
            turns: row.get(1)?,
            cost: row.get(2)?,
            input_tokens: row.get(3)?,
            output_tokens: row.get(4)?,
            cache_read: row.get(5)?,
            cache_write: row.get(6)?,
            began: row.get(7)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}
