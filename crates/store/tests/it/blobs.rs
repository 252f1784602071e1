use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use sluice_store::{Blob, Options, StoreError};

use crate::fixture::{open_with, session, with_session};

#[tokio::test]
async fn a_blob_is_a_file_named_by_its_hash() {
    let fixture = with_session().await;
    let hash = fixture
        .store
        .put_blob("s", b"abc".to_vec(), "text/plain", 1)
        .await
        .unwrap();
    assert_eq!(hash, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    let path = fixture.folder.path().join("blobs/ba").join(&hash);
    assert_eq!(fs::read(&path).unwrap(), b"abc");
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let mime = "text/plain".to_owned();
    let expected = Blob { path, mime, bytes: 3 };
    assert_eq!(fixture.store.blob(&hash).await.unwrap(), Some(expected));
    assert_eq!(fixture.store.blob("../../etc/passwd").await.unwrap(), None);
    // Nothing is left of how it got there.
    assert_eq!(
        fs::read_dir(fixture.folder.path().join("blobs/new")).unwrap().count(),
        0
    );
}

#[tokio::test]
async fn a_blob_of_no_session_is_refused_and_leaves_no_file() {
    let fixture = with_session().await;
    let refused = fixture.store.put_blob("none", b"abc".to_vec(), "text/plain", 1).await;
    assert!(matches!(refused, Err(StoreError::NotFound { what: "session", .. })));
    assert!(!fixture.folder.path().join("blobs/ba").exists());
    assert_eq!(
        fs::read_dir(fixture.folder.path().join("blobs/new")).unwrap().count(),
        0
    );
}

#[tokio::test]
async fn a_blob_goes_with_the_last_session_that_references_it() {
    let fixture = with_session().await;
    let store = &fixture.store;
    store.create_session(session("t"), None).await.unwrap();
    let shared = store.put_blob("s", b"shared".to_vec(), "a/b", 1).await.unwrap();
    assert_eq!(store.put_blob("t", b"shared".to_vec(), "a/b", 2).await.unwrap(), shared);
    let own = store.put_blob("s", b"own".to_vec(), "a/b", 1).await.unwrap();
    let own_path = store.blob(&own).await.unwrap().unwrap().path;
    let shared_path = store.blob(&shared).await.unwrap().unwrap().path;
    store.delete_session("s").await.unwrap();
    assert_eq!(store.blob(&own).await.unwrap(), None);
    assert!(!own_path.exists());
    assert!(shared_path.exists());
    store.delete_session("t").await.unwrap();
    assert_eq!(store.blob(&shared).await.unwrap(), None);
    assert!(!shared_path.exists());
}

#[tokio::test]
async fn beyond_the_cap_the_oldest_unreferenced_go() {
    let options = Options {
        blob_cap: 10,
        ..Options::default()
    };
    let fixture = open_with(options);
    let store = &fixture.store;
    store.create_session(session("s"), None).await.unwrap();
    let mut hashes = Vec::new();
    for (text, at) in [("aaaa", 1), ("bbbb", 2), ("cccc", 3)] {
        hashes.push(store.put_blob("s", text.into(), "a/b", at).await.unwrap());
    }
    // Referenced ones stay, however many.
    assert_eq!(store.stats().await.unwrap().blob_bytes, 12);
    assert!(store.release_blob("s", &hashes[1]).await.unwrap());
    assert_eq!(store.blob(&hashes[1]).await.unwrap(), None);
    // There is room now: what is released stays until it is needed.
    assert!(store.release_blob("s", &hashes[0]).await.unwrap());
    let kept = store.blob(&hashes[0]).await.unwrap().unwrap().path;
    store.put_blob("s", b"dddd".to_vec(), "a/b", 4).await.unwrap();
    assert_eq!(store.blob(&hashes[0]).await.unwrap(), None);
    assert!(!kept.exists());
    assert!(store.blob(&hashes[2]).await.unwrap().is_some());
    assert!(!store.release_blob("s", &hashes[0]).await.unwrap());
}

#[tokio::test]
async fn files_no_session_knows_are_swept() {
    let fixture = with_session().await;
    let hash = fixture.store.put_blob("s", b"abc".to_vec(), "a/b", 1).await.unwrap();
    let known = fixture.store.blob(&hash).await.unwrap().unwrap().path;
    let stray = known.with_file_name("ba00");
    fs::write(&stray, "x").unwrap();
    let unnamed = fixture.folder.path().join("blobs/new/half");
    fs::write(&unnamed, "x").unwrap();
    let fixture = fixture.reopen().await;
    assert!(!unnamed.exists());
    assert_eq!(fixture.store.retain(0).await.unwrap().files, 1);
    assert!(!stray.exists());
    assert!(known.exists());
}
