use std::fs;
use std::path::{Path, PathBuf};

use sluice_store::{NewRecord, Opened, Options, Store, StoreError};
use tempfile::TempDir;

use crate::fixture::{open, record, session};

/// A closed database with many pages, those in the middle overwritten.
async fn damaged() -> (TempDir, PathBuf) {
    let fixture = open();
    fixture.store.create_session(session("s"), None).await.unwrap();
    let records = (1..=2000).map(|seq| NewRecord {
        body: "x".repeat(500),
        ..record(seq)
    });
    let records = records.collect();
    fixture
        .store
        .append_records("s", 1, 0, records, None, None)
        .await
        .unwrap();
    fixture.store.close().await.unwrap();
    let path = fixture.path();
    let mut bytes = fs::read(&path).unwrap();
    let (from, to) = (bytes.len() / 4, bytes.len() * 3 / 4);
    bytes[from..to].fill(0xa5);
    fs::write(&path, bytes).unwrap();
    (fixture.folder, path)
}

fn lock(path: &Path) -> PathBuf {
    path.with_file_name("bridge.db.lock")
}

/// What is set aside is the damaged file, and the new one works.
async fn assert_begun_anew(store: Store, opened: Opened, damaged: Vec<u8>) {
    let Opened::Salvaged {
        damaged: aside, detail, ..
    } = opened
    else {
        panic!("{opened:?}");
    };
    assert!(!detail.is_empty());
    assert!(fs::read(aside).unwrap() == damaged, "what is set aside differs");
    store.create_session(session("other"), None).await.unwrap();
    store.close().await.unwrap();
}

#[tokio::test]
async fn a_damaged_file_that_was_not_closed_is_set_aside_when_it_is_opened() {
    let (_folder, path) = damaged().await;
    fs::write(lock(&path), "open 1\n").unwrap();
    let bytes = fs::read(&path).unwrap();
    let (store, opened) = Store::open(&path, Options::default()).unwrap();
    assert_begun_anew(store, opened, bytes).await;
    assert!(matches!(
        Store::open(&path, Options::default()).unwrap().1,
        Opened::Ready { checked: false }
    ));
}

#[tokio::test]
async fn damage_found_by_a_call_is_said_and_set_aside_the_next_time() {
    let (_folder, path) = damaged().await;
    let bytes = fs::read(&path).unwrap();
    let (store, opened) = Store::open(&path, Options::default()).unwrap();
    assert_eq!(opened, Opened::Ready { checked: false });
    let read = store.records_after("s", 1, 0, usize::MAX, usize::MAX).await;
    let Err(error @ StoreError::Damaged { .. }) = read else {
        panic!("{read:?}");
    };
    assert!(error.to_string().contains("hint: start again"), "{error}");
    // Closing may fail too; the file is let go of all the same.
    drop(store.close().await);
    let (store, opened) = Store::open(&path, Options::default()).unwrap();
    assert_begun_anew(store, opened, bytes).await;
}

#[tokio::test]
async fn a_file_that_is_no_database_is_set_aside() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bridge.db");
    let bytes = b"not a database at all, but long enough to be looked at".repeat(100);
    fs::write(&path, &bytes).unwrap();
    let (store, opened) = Store::open(&path, Options::default()).unwrap();
    assert_begun_anew(store, opened, bytes).await;
}

#[tokio::test]
async fn a_whole_file_that_was_not_closed_is_checked_and_kept() {
    let fixture = open();
    fixture.store.create_session(session("s"), None).await.unwrap();
    fixture.store.close().await.unwrap();
    fs::write(lock(&fixture.path()), "open 1\n").unwrap();
    let (store, opened) = Store::open(&fixture.path(), Options::default()).unwrap();
    assert_eq!(opened, Opened::Ready { checked: true });
    assert_eq!(store.session("s").await.unwrap(), Some(session("s")));
}

#[tokio::test]
async fn a_damaged_segment_is_said() {
    let options = Options {
        record_cap: 0,
        ..Options::default()
    };
    let fixture = crate::fixture::open_with(options);
    fixture.store.create_session(session("s"), None).await.unwrap();
    fixture
        .store
        .append_records("s", 1, 0, vec![record(1)], None, None)
        .await
        .unwrap();
    while fixture.store.stats().await.unwrap().segments == 0 {
        tokio::task::yield_now().await;
    }
    fixture.store.close().await.unwrap();
    let connection = rusqlite::Connection::open(fixture.path()).unwrap();
    connection.execute("UPDATE segments SET data = x'00'", []).unwrap();
    connection.close().unwrap();
    let (store, _) = Store::open(&fixture.path(), Options::default()).unwrap();
    let read = store.all_records("s", 1, 0, 999).await;
    assert!(matches!(read, Err(StoreError::DamagedRecords { .. })), "{read:?}");
    // A new epoch does not need them.
    assert_eq!(
        store.append_records("s", 2, 1, vec![record(1)], None, None).await,
        Ok(2)
    );
    assert_eq!(store.all_records("s", 2, 0, 999).await.unwrap().records.len(), 1);
}

#[tokio::test]
async fn a_damaged_search_index_is_built_anew_and_nothing_else_lost() {
    let fixture = open();
    fixture.store.create_session(session("s"), None).await.unwrap();
    let records = vec![crate::fixture::said(1, "user", "the lighthouse")];
    fixture
        .store
        .append_records("s", 1, 0, records, None, None)
        .await
        .unwrap();
    fixture.store.close().await.unwrap();
    let connection = rusqlite::Connection::open(fixture.path()).unwrap();
    let sql = "UPDATE said_data SET block = x'0000' WHERE id > 10";
    assert!(connection.execute(sql, []).unwrap() > 0);
    connection.close().unwrap();
    let (store, _) = Store::open(&fixture.path(), Options::default()).unwrap();
    let search = store.search("lighthouse", Default::default()).await;
    assert!(matches!(search, Err(StoreError::Damaged { .. })), "{search:?}");
    store.close().await.unwrap();
    let (store, opened) = Store::open(&fixture.path(), Options::default()).unwrap();
    assert_eq!(opened, Opened::Ready { checked: true });
    assert_eq!(store.search("lighthouse", Default::default()).await.unwrap().len(), 1);
    assert_eq!(store.last_n("s").await, Ok(1));
}
