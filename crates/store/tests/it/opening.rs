use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use sluice_store::{Opened, Options, SCHEMA_VERSION, Store, StoreError};

use crate::fixture::{open, session};

fn try_open(path: &Path) -> Result<Opened, StoreError> {
    Store::open(path, Options::default()).map(|(_, opened)| opened)
}

#[tokio::test]
async fn a_file_is_begun_for_its_owner_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state/deep/bridge.db");
    let (store, opened) = Store::open(&path, Options::default()).unwrap();
    assert_eq!(opened, Opened::Fresh);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&path), 0o600);
    assert_eq!(mode(path.parent().unwrap()), 0o700);
    store.create_session(session("s"), None).await.unwrap();
    assert_eq!(mode(&path.with_file_name("bridge.db-wal")), 0o600);
    store.close().await.unwrap();
    // Closed, it is one file.
    assert!(!path.with_file_name("bridge.db-wal").exists());
    assert_eq!(try_open(&path).unwrap(), Opened::Ready { checked: false });
}

#[tokio::test]
async fn a_second_one_is_refused_and_told_who_has_it() {
    let fixture = open();
    let refused = try_open(&fixture.path()).unwrap_err();
    let expected = StoreError::Locked {
        path: fixture.path(),
        holder: format!("process {}", std::process::id()),
    };
    assert_eq!(refused, expected);
    assert!(refused.to_string().contains("hint: stop that one"), "{refused}");
    fixture.store.create_session(session("s"), None).await.unwrap();
    fixture.store.close().await.unwrap();
    assert_eq!(try_open(&fixture.path()).unwrap(), Opened::Ready { checked: false });
}

#[tokio::test]
async fn dropping_every_handle_closes() {
    let fixture = open();
    fixture.store.create_session(session("s"), None).await.unwrap();
    let (path, folder) = (fixture.path(), fixture.folder);
    drop(fixture.store);
    // The thread ends by itself: until then the file is in use.
    let opened = loop {
        match try_open(&path) {
            Err(StoreError::Locked { .. }) => std::thread::yield_now(),
            other => break other,
        }
    };
    assert_eq!(opened, Ok(Opened::Ready { checked: false }));
    drop(folder);
}

#[test]
fn a_folder_that_cannot_be_written_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    // Not even root may write to these.
    for path in [
        Path::new("/proc/sluice/bridge.db"),
        &file.join("bridge.db"),
        folder.path(),
    ] {
        let refused = try_open(path).unwrap_err();
        assert!(
            matches!(refused, StoreError::Unwritable { .. }),
            "{path:?}: {refused:?}"
        );
        assert!(refused.to_string().contains("--state"), "{refused}");
    }
}

#[test]
fn a_file_of_another_program_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bridge.db");
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("CREATE TABLE theirs (x)").unwrap();
    other.close().unwrap();
    let before = fs::read(&path).unwrap();
    assert_eq!(try_open(&path), Err(StoreError::Foreign { path: path.clone() }));
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[tokio::test]
async fn a_newer_schema_is_refused_with_what_to_do() {
    let fixture = open();
    fixture.store.close().await.unwrap();
    let newer = rusqlite::Connection::open(fixture.path()).unwrap();
    newer.pragma_update(None, "user_version", SCHEMA_VERSION + 1).unwrap();
    newer.close().unwrap();
    let refused = try_open(&fixture.path()).unwrap_err();
    let expected = StoreError::Newer {
        path: fixture.path(),
        found: SCHEMA_VERSION + 1,
        known: SCHEMA_VERSION,
    };
    assert_eq!(refused, expected);
    assert!(refused.to_string().contains("hint: use that version"), "{refused}");
}

#[tokio::test]
async fn calls_after_closing_are_told() {
    let fixture = open();
    fixture.store.close().await.unwrap();
    fixture.store.close().await.unwrap();
    assert_eq!(fixture.store.session("s").await, Err(StoreError::Closed));
    assert_eq!(fixture.store.next_term().await, Err(StoreError::Closed));
}
