//! Full-text search over messages.

use rusqlite::types::Value;
use rusqlite::{Connection, params, params_from_iter};
use serde::{Deserialize, Serialize};

use crate::error::StoreError;
use crate::records::NewRecord;
use crate::store::Store;

/// Words of a query that count: more of them do not make it clearer.
const WORDS: usize = 32;

/// Matches that are ranked, the newest ones: a word that is everywhere must not keep everybody waiting.
const RANKED: usize = 2000;

/// In this order: the index first, whatever else is asked for.
const JOINED: &str =
    "said CROSS JOIN texts ON texts.id = said.rowid CROSS JOIN sessions ON sessions.key = texts.session";

/// Where to search.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SearchFilter {
    pub session: Option<String>,
    pub folder: Option<String>,
    pub role: Option<String>,
    /// `None`: 50.
    pub limit: Option<usize>,
    pub offset: usize,
}

/// A record that says it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Hit {
    pub session: String,
    pub epoch: i64,
    pub seq: i64,
    pub at: i64,
    pub role: Option<String>,
    /// A part of the text, what matched between U+0002 and U+0003.
    pub snippet: String,
}

impl Store {
    /// Records whose text has all the words, the last of them perhaps only begun. Best first, newest first among
    /// equals; of very many, the newest two thousand. Nothing in the text is syntax.
    pub async fn search(&self, text: &str, filter: SearchFilter) -> Result<Vec<Hit>, StoreError> {
        let Some(query) = quote(text) else {
            return Ok(Vec::new());
        };
        self.read(move |core| find(&core.connection, &query, &filter)).await
    }
}

/// The words, each as a phrase, the last as the beginning of one. None: there is no word in it.
fn quote(text: &str) -> Option<String> {
    let words = text
        .split(|c: char| c.is_whitespace() || c == '\0')
        .filter(|word| word.chars().any(char::is_alphanumeric))
        .take(WORDS);
    let words: Vec<&str> = words.collect();
    let last = words.last()?;
    let phrases = words.iter().map(|word| format!("\"{}\"", word.replace('"', "\"\"")));
    let query = phrases.collect::<Vec<_>>().join(" ");
    // With one letter begins a good part of all words: looked for as a word.
    let is_letter = last.len() == 1;
    Some(if is_letter { query } else { query + "*" })
}

fn find(connection: &Connection, query: &str, filter: &SearchFilter) -> Result<Vec<Hit>, StoreError> {
    let mut values: Vec<Value> = vec![query.to_owned().into()];
    let mut conditions = vec!["said MATCH ?1".to_owned()];
    let wanted = [
        ("sessions.id", &filter.session),
        ("sessions.folder", &filter.folder),
        ("texts.role", &filter.role),
    ];
    for (column, value) in wanted {
        if let Some(value) = value {
            values.push(value.clone().into());
            conditions.push(format!("{column} = ?{}", values.len()));
        }
    }
    for number in [RANKED, filter.limit.unwrap_or(50), filter.offset] {
        values.push(i64::try_from(number).unwrap_or(i64::MAX).into());
    }
    let count = values.len();
    // Ranks differ by hairs; what is about as good counts as equal.
    let sql = format!(
        "SELECT id FROM (
            SELECT said.rowid AS id, texts.at AS at, bm25(said) AS worth FROM {JOINED}
            WHERE {} ORDER BY said.rowid DESC LIMIT ?{}
        ) ORDER BY round(worth, 1), at DESC, id DESC LIMIT ?{} OFFSET ?{count}",
        conditions.join(" AND "),
        count - 2,
        count - 1,
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let ids = statement.query_map(params_from_iter(values), |row| row.get(0))?;
    let ids: Vec<i64> = ids.collect::<Result<_, _>>()?;
    let hits = ids.into_iter().map(|id| show(connection, query, id));
    Ok(hits.collect::<Result<_, _>>()?)
}

/// The snippet is made for what is shown alone: it takes longer than finding.
fn show(connection: &Connection, query: &str, id: i64) -> rusqlite::Result<Hit> {
    let sql = format!(
        "SELECT sessions.id, texts.epoch, texts.seq, texts.at, texts.role,
            snippet(said, 0, char(2), char(3), '…', 24)
        FROM {JOINED} WHERE said MATCH ?1 AND said.rowid = ?2"
    );
    connection.prepare_cached(&sql)?.query_row(params![query, id], |row| {
        Ok(Hit {
            session: row.get(0)?,
            epoch: row.get(1)?,
            seq: row.get(2)?,
            at: row.get(3)?,
            role: row.get(4)?,
            snippet: row.get(5)?,
        })
    })
}

/// Makes a record's text found. In the transaction that keeps the record: they never differ.
pub(crate) fn keep(
    connection: &Connection,
    key: i64,
    epoch: i64,
    seq: i64,
    record: &NewRecord,
    text: &str,
) -> rusqlite::Result<()> {
    let sql = "INSERT INTO texts (session, epoch, seq, at, role, text) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let values = params![key, epoch, seq, record.at, record.role, text];
    connection.prepare_cached(sql)?.execute(values)?;
    let sql = "INSERT INTO said (rowid, text) VALUES (?1, ?2)";
    let values = params![connection.last_insert_rowid(), text];
    connection.prepare_cached(sql)?.execute(values)?;
    Ok(())
}

/// Removes the texts of a session.
pub(crate) fn forget(connection: &Connection, key: i64) -> rusqlite::Result<()> {
    let sql = "INSERT INTO said (said, rowid, text) SELECT 'delete', id, text FROM texts WHERE session = ?1";
    connection.prepare_cached(sql)?.execute([key])?;
    connection
        .prepare_cached("DELETE FROM texts WHERE session = ?1")?
        .execute([key])?;
    Ok(())
}
