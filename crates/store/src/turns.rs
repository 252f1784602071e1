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
        /// JSON: an object from model to `{cost, input_tokens, output_tokens, cache_read, cache_write}` of this turn, or
        /// with the agents' own names, `{costUSD, inputTokens, outputTokens, cacheReadInputTokens,
        /// cacheCreationInputTokens}`. Empty: all of it belongs to `model`.
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
    /// A row for each model of each key.
    pub split: bool,
}

/// A sum.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub struct UsageRow {
    /// The day, folder, model, session, or `SESSION#TURN`. Empty: the model is not known.
    pub key: String,
    /// The model, when rows are split. Empty: it is not known.
    pub model: Option<String>,
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

/// A turn's number, or that of one of its models where those are told apart.
fn of_model(column: &str, names: [&str; 2]) -> String {
    let [ours, theirs] = names;
    format!("iif(part.key IS NULL, {column}, coalesce(part.value ->> '{ours}', part.value ->> '{theirs}', 0))")
}

fn sum(connection: &Connection, by: UsageBy, filter: &UsageFilter) -> Result<Vec<UsageRow>, StoreError> {
    // What is not an object tells nothing apart.
    let by_model = by == UsageBy::Model || filter.split;
    let (parts, columns) = match by_model {
        true => (
            "LEFT JOIN json_each(iif(json_valid(by_model), by_model, '{}')) AS part ON part.type = 'object'",
            [
                of_model("cost", ["cost", "costUSD"]),
                of_model("input_tokens", ["input_tokens", "inputTokens"]),
                of_model("output_tokens", ["output_tokens", "outputTokens"]),
                of_model("cache_read", ["cache_read", "cacheReadInputTokens"]),
                of_model("cache_write", ["cache_write", "cacheCreationInputTokens"]),
            ],
        ),
        false => (
            "",
            ["cost", "input_tokens", "output_tokens", "cache_read", "cache_write"].map(str::to_owned),
        ),
    };
    let sums = columns.map(|column| format!("sum({column})")).join(", ");
    let model = match by_model {
        true => "coalesce(part.key, model, '')",
        false => "NULL",
    };
    let (key, order) = match by {
        UsageBy::Day => ("day", "1, 4 DESC, 2"),
        UsageBy::Folder => ("folder", "4 DESC, 1, 2"),
        UsageBy::Model => (model, "4 DESC, 1"),
        UsageBy::Session => ("session", "4 DESC, 1, 2"),
        UsageBy::Turn => ("session || '#' || turn", "9, session, turn, 2"),
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
        "SELECT {key}, {model}, count(*), {sums}, min(began) FROM turns {parts} WHERE {} GROUP BY 1, 2 ORDER BY {order}",
        conditions.join(" AND ")
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map(params_from_iter(values), |row| {
        Ok(UsageRow {
            key: row.get(0)?,
            model: row.get(1)?,
            turns: row.get(2)?,
            cost: row.get(3)?,
            input_tokens: row.get(4)?,
            output_tokens: row.get(5)?,
            cache_read: row.get(6)?,
            cache_write: row.get(7)?,
            began: row.get(8)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}
