//! The schema, as the steps that lead to it. Forward only: a step that was released is never changed.

use rusqlite::Connection;

/// Step `n` leads from schema `n - 1` to `n`.
const STEPS: &[&str] = &[
    include_str!("../migrations/0001_tables.sql"),
    include_str!("../migrations/0002_search.sql"),
];

/// The schema this version reads and writes.
pub const VERSION: i64 = STEPS.len() as i64;

/// Marks the file as ours: "slui".
pub(crate) const APPLICATION: i64 = 0x736c_7569;

pub(crate) fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Takes every step from `from` on, each in its own transaction, so that a failed one leaves the schema before it.
pub(crate) fn migrate(connection: &Connection, from: i64) -> rusqlite::Result<()> {
    for (position, step) in STEPS.iter().enumerate().skip(usize::try_from(from).unwrap_or_default()) {
        let transaction = connection.unchecked_transaction()?;
        transaction.execute_batch(step)?;
        transaction.pragma_update(None, "user_version", position + 1)?;
        transaction.pragma_update(None, "application_id", APPLICATION)?;
        transaction.commit()?;
    }
    Ok(())
}

/// Makes the search index again from what was said.
pub(crate) fn rebuild_search(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch("INSERT INTO said (said) VALUES ('rebuild')")
}
