use sluice_store::{Options, SCHEMA_VERSION, SessionRow, Store, StoreError};

use crate::fixture::{ask, device, open, prompt, record, said, session, with_session};

#[tokio::test]
async fn retention_deletes_old_sessions_without_an_agent_process() {
    let fixture = open();
    let rows = [
        ("old", 10, "retired"),
        ("older", 5, "stopped"),
        ("starting", 10, "starting"),
        ("alive", 10, "idle"),
        ("young", 20, "retired"),
    ];
    for (id, at, status) in rows {
        let row = SessionRow {
            last_activity_at: at,
            status: status.to_owned(),
            ..session(id)
        };
        fixture.store.create_session(row, None).await.unwrap();
    }
    let retained = fixture.store.retain(20).await.unwrap();
    assert_eq!(retained.deleted, ["older", "old"]);
    let left = fixture.store.sessions(Default::default()).await.unwrap();
    assert_eq!(left.len(), 3);
    assert_eq!(fixture.store.retain(20).await.unwrap(), Default::default());
}

#[tokio::test]
async fn retention_gives_space_back_to_the_disk() {
    let fixture = open();
    let store = &fixture.store;
    let row = SessionRow {
        status: "retired".to_owned(),
        ..session("s")
    };
    store.create_session(row, None).await.unwrap();
    let records = (1..=500).map(|seq| sluice_store::NewRecord {
        body: "x".repeat(4000),
        ..record(seq)
    });
    let records = records.collect();
    store.append_records("s", 1, 0, records, None, None).await.unwrap();
    let before = store.stats().await.unwrap();
    store.retain(2).await.unwrap();
    let after = store.stats().await.unwrap();
    assert_eq!(after.free_bytes, 0);
    store.close().await.unwrap();
    let size = std::fs::metadata(fixture.path()).unwrap().len();
    assert!(size < 500_000, "{size} bytes; {before:?} {after:?}");
}

#[tokio::test]
async fn stats_count_what_is_there() {
    let fixture = with_session().await;
    let store = &fixture.store;
    let records = vec![said(1, "user", "hello"), record(2)];
    let bytes: usize = records.iter().map(|record| record.body.len()).sum();
    store.append_records("s", 1, 0, records, None, None).await.unwrap();
    store.put_prompt(prompt("u", 1.0), None).await.unwrap();
    store.open_ask(ask("r")).await.unwrap();
    store.add_device(device("d")).await.unwrap();
    store.put_blob("s", b"abc".to_vec(), "a/b", 1).await.unwrap();
    let stats = store.stats().await.unwrap();
    assert!(stats.database_bytes > 0 && stats.wal_bytes > 0);
    assert_eq!((stats.schema, stats.sessions, stats.records), (SCHEMA_VERSION, 1, 2));
    assert_eq!((stats.record_bytes, stats.segments), (bytes as u64, 0));
    assert_eq!(
        (stats.prompts, stats.asks, stats.pending_asks, stats.devices),
        (1, 1, 1, 1)
    );
    assert_eq!((stats.blobs, stats.blob_bytes), (1, 3));
    assert_eq!(stats.writes, 6);
}

#[tokio::test]
async fn a_backup_is_a_whole_database() {
    let fixture = with_session().await;
    let records = vec![said(1, "user", "lighthouse")];
    fixture
        .store
        .append_records("s", 1, 0, records, None, None)
        .await
        .unwrap();
    let copy = fixture.folder.path().join("copy/bridge.db");
    std::fs::create_dir(copy.parent().unwrap()).unwrap();
    fixture.store.backup(&copy).await.unwrap();
    let again = fixture.store.backup(&copy).await;
    assert!(matches!(again, Err(StoreError::Unwritable { .. })), "{again:?}");
    let (store, _) = Store::open(&copy, Options::default()).unwrap();
    assert_eq!(store.last_n("s").await, Ok(1));
    assert_eq!(store.search("lighthouse", Default::default()).await.unwrap().len(), 1);
}
