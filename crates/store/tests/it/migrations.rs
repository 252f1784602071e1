//! From every schema there was, with data in it.

use std::path::Path;

use rusqlite::Connection;
use sluice_store::{Opened, Options, SCHEMA_VERSION, Store, StoreError};

use crate::fixture::session;

const STEPS: [&str; 2] = [
    include_str!("../../migrations/0001_tables.sql"),
    include_str!("../../migrations/0002_search.sql"),
];
const APPLICATION: i64 = 0x736c_7569;

/// A database as the version with this schema left it, with a session, a record, its text and a prompt.
fn create(path: &Path, schema: usize) {
    let connection = Connection::open(path).unwrap();
    connection.pragma_update(None, "journal_mode", "WAL").unwrap();
    for step in &STEPS[..schema] {
        connection.execute_batch(step).unwrap();
    }
    connection.pragma_update(None, "user_version", schema).unwrap();
    connection.pragma_update(None, "application_id", APPLICATION).unwrap();
    connection
        .execute_batch(
            "INSERT INTO sessions (key, id, folder, title_by_person, agent, permission_mode, started_at,
                last_activity_at, archived, status, cost, turns, epoch, last_seq, runner_committed, runner_safe,
                pending_asks, queue_len, extra, last_n, live_bytes)
            VALUES (1, 's', '/work', 0, '{}', 'default', 1, 1, 0, 'idle', 0, 0, 1, 1, 0, 0, 0, 0, '{}', 1, 2);
            INSERT INTO records (session, n, epoch, seq, at, kind, turn, role, body)
            VALUES (1, 1, 1, 1, 10, 1, 1, 'user', '{}');
            INSERT INTO texts (id, session, epoch, seq, at, role, text)
            VALUES (1, 1, 1, 1, 10, 'user', 'where is the lighthouse');
            INSERT INTO prompts VALUES ('u', 's', 1, 1, 'd', 'phone', 'queued', '[]', 'do it', 1, NULL, '{}');",
        )
        .unwrap();
    if schema >= 2 {
        let sql = "INSERT INTO said (rowid, text) SELECT id, text FROM texts";
        connection.execute(sql, []).unwrap();
    }
    connection.close().unwrap();
}

#[tokio::test]
async fn every_schema_is_brought_here_with_its_data() {
    assert_eq!(STEPS.len() as i64, SCHEMA_VERSION, "a step has no test");
    for schema in 1..=STEPS.len() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bridge.db");
        create(&path, schema);
        let (store, opened) = Store::open(&path, Options::default()).unwrap();
        let from = schema as i64;
        let copy = folder.path().join(format!("bridge.db.schema-{schema}"));
        if from == SCHEMA_VERSION {
            assert_eq!(opened, Opened::Ready { checked: true });
            assert!(!copy.exists());
        } else {
            let expected = Opened::Migrated {
                from,
                to: SCHEMA_VERSION,
                copy: copy.clone(),
            };
            assert_eq!(opened, expected);
            let before = Connection::open(copy).unwrap();
            let version: i64 = before
                .pragma_query_value(None, "user_version", |row| row.get(0))
                .unwrap();
            let bodies: i64 = before
                .query_row("SELECT count(*) FROM records", [], |row| row.get(0))
                .unwrap();
            assert_eq!((version, bodies), (from, 1));
        }
        let expected = sluice_store::SessionRow {
            last_seq: 1,
            ..session("s")
        };
        assert_eq!(store.session("s").await.unwrap(), Some(expected));
        let page = store.records_after("s", 1, 0, 9, 999).await.unwrap();
        assert_eq!(page.records.len(), 1);
        assert_eq!(store.open_prompts("s").await.unwrap().len(), 1);
        let hits = store.search("lighthouse", Default::default()).await.unwrap();
        assert_eq!(hits.iter().map(|hit| hit.seq).collect::<Vec<_>>(), [1]);
        // It goes on from there, and what it wrote before can be deleted.
        let next = crate::fixture::said(2, "user", "another lighthouse");
        assert_eq!(store.append_records("s", 1, 1, vec![next], None, None).await, Ok(2));
        assert!(store.delete_session("s").await.unwrap());
        assert_eq!(store.search("lighthouse", Default::default()).await.unwrap(), []);
        assert_eq!(store.stats().await.unwrap().schema, SCHEMA_VERSION);
    }
}

#[tokio::test]
async fn a_step_that_fails_leaves_the_file_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bridge.db");
    create(&path, 1);
    // In the way of step 2.
    let connection = Connection::open(&path).unwrap();
    connection.execute_batch("CREATE TABLE said (x)").unwrap();
    connection.close().unwrap();
    for _ in 0..2 {
        let refused = Store::open(&path, Options::default()).map(|_| ()).unwrap_err();
        assert!(
            matches!(refused, StoreError::Migration { from: 1, to: 2, .. }),
            "{refused:?}"
        );
    }
    let connection = Connection::open(&path).unwrap();
    let version: i64 = connection
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .unwrap();
    assert_eq!(version, 1);
    connection.execute_batch("DROP TABLE said").unwrap();
    connection.close().unwrap();
    let (_, opened) = Store::open(&path, Options::default()).unwrap();
    assert!(matches!(opened, Opened::Migrated { from: 1, to: 2, .. }));
}
