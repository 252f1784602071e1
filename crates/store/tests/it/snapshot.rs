use sluice_store::{Options, Snapshot, Store};

use crate::fixture::{device, open, record, session};

#[tokio::test]
async fn a_snapshot_is_taken_while_the_database_is_written_to() {
    let fixture = open();
    fixture.store.create_session(session("s"), None).await.unwrap();
    let records = vec![record(1), record(2)];
    fixture
        .store
        .append_records("s", 1, 0, records, None, None)
        .await
        .unwrap();
    let snapshot = Snapshot::begin(&fixture.path()).unwrap();
    // None of this is in it.
    fixture.store.add_device(device("late")).await.unwrap();
    fixture
        .store
        .append_records("s", 1, 2, vec![record(3)], None, None)
        .await
        .unwrap();
    assert_eq!(snapshot.log_positions().unwrap(), [("s".to_owned(), 0)]);
    let copy = fixture.folder.path().join("copy.db");
    snapshot.copy_to(&copy).unwrap();
    let (store, _) = Store::open(&copy, Options::default()).unwrap();
    assert_eq!(store.last_n("s").await, Ok(2));
    assert_eq!(store.devices().await.unwrap(), []);
    assert_eq!(fixture.store.last_n("s").await, Ok(3));
}

#[test]
fn there_is_no_snapshot_of_a_database_that_does_not_exist() {
    let folder = tempfile::tempdir().unwrap();
    assert!(Snapshot::begin(&folder.path().join("bridge.db")).is_err());
}
