//! No space left: said, and gone on from when there is some again.

use std::path::Path;
use std::process::Command;

use sluice_store::{NewRecord, Options, Store, StoreError};

use crate::fixture::{open_with, prompt, record, session};

fn large(seq: i64) -> NewRecord {
    NewRecord {
        body: "x".repeat(60_000),
        ..record(seq)
    }
}

/// Appends until there is no room. How many were acknowledged.
async fn fill(store: &Store, session: &str) -> i64 {
    for n in 0..10_000 {
        match store
            .append_records(session, 1, n, vec![large(n + 1)], None, None)
            .await
        {
            Ok(last) => assert_eq!(last, n + 1),
            Err(error) => {
                assert!(matches!(error, StoreError::Full { .. }), "{error:?}");
                assert!(error.to_string().contains("hint: make room"), "{error}");
                return n;
            }
        }
    }
    panic!("there is always room");
}

#[tokio::test]
async fn a_full_database_says_so_and_goes_on_when_there_is_room() {
    let options = Options {
        database_cap: Some(3 << 20),
        ..Options::default()
    };
    let fixture = open_with(options);
    let store = &fixture.store;
    for id in ["s", "t"] {
        store.create_session(session(id), None).await.unwrap();
    }
    let first = store
        .append_records("t", 1, 0, vec![large(1), large(2)], None, None)
        .await;
    assert_eq!(first, Ok(2));
    let kept = fill(store, "s").await;
    assert!(kept > 10, "{kept}");
    // What was acknowledged is there, and reading goes on.
    let page = store.records_after("s", 1, 0, usize::MAX, usize::MAX).await.unwrap();
    assert_eq!(page.records.len() as i64, kept);
    assert!(store.delete_session("t").await.unwrap());
    let again = store
        .append_records("s", 1, kept, vec![large(kept + 1)], None, None)
        .await;
    assert_eq!(again, Ok(kept + 1));
}

/// Unmounts when the test is over, however it ends.
struct Mounted<'a>(&'a Path);

impl Drop for Mounted<'_> {
    fn drop(&mut self) {
        drop(Command::new("umount").arg("-l").arg(self.0).status());
    }
}

#[tokio::test]
async fn a_full_disk_says_so_and_goes_on_when_there_is_room() {
    let folder = tempfile::tempdir().unwrap();
    let mount = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=4m", "tmpfs"])
        .arg(folder.path())
        .output();
    if !mount.is_ok_and(|output| output.status.success()) {
        println!("skipped: only root may mount a small disk, and not everywhere");
        return;
    }
    let _mounted = Mounted(folder.path());
    let ballast = folder.path().join("ballast");
    std::fs::write(&ballast, vec![0; 1 << 20]).unwrap();
    let path = folder.path().join("bridge.db");
    let (store, _) = Store::open(&path, Options::default()).unwrap();
    store.create_session(session("s"), None).await.unwrap();
    let kept = fill(&store, "s").await;
    assert!(kept > 10, "{kept}");
    let blob = store.put_blob("s", vec![7; 2 << 20], "a/b", 1).await;
    assert!(matches!(blob, Err(StoreError::Full { .. })), "{blob:?}");
    std::fs::remove_file(ballast).unwrap();
    store.put_prompt(prompt("u", 1.0), None).await.unwrap();
    let again = store
        .append_records("s", 1, kept, vec![large(kept + 1)], None, None)
        .await;
    assert_eq!(again, Ok(kept + 1));
    let page = store.records_after("s", 1, 0, usize::MAX, usize::MAX).await.unwrap();
    assert_eq!(page.records.len() as i64, kept + 1);
    assert_eq!(store.prompt("u").await.unwrap(), Some(prompt("u", 1.0)));
    // Room enough for the checkpoint is not certain; that it ends is.
    drop(store.close().await);
}
