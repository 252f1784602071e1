#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::fs;
use std::os::unix::fs::symlink;

use tokio::time::{Instant, timeout};

use super::*;

const TIMEOUT: Duration = Duration::from_secs(60);

/// Waits for a notification. This uses real time, because the kernel does not use tokio's paused clock.
async fn is_notified(changes: &mut mpsc::Receiver<()>) -> bool {
    timeout(TIMEOUT, changes.recv()).await == Ok(Some(()))
}

#[tokio::test]
async fn every_kind_of_change_is_reported_once() {
    let dir = tempfile::tempdir().unwrap();
    let (file, other) = (dir.path().join("a.json"), dir.path().join("b.json"));
    let mut changes = watch(vec![file.clone(), other.clone()]);

    fs::write(&file, "{}").unwrap();
    fs::write(&other, "{}").unwrap();
    assert!(is_notified(&mut changes).await, "created");
    assert!(changes.try_recv().is_err(), "reported once");

    let beside = dir.path().join("beside");
    fs::write(&beside, "[]").unwrap();
    fs::rename(&beside, &file).unwrap();
    assert!(is_notified(&mut changes).await, "replaced by a file of the same size");

    fs::remove_file(&file).unwrap();
    assert!(is_notified(&mut changes).await, "removed");
    assert!(changes.try_recv().is_err());
}

#[tokio::test]
async fn a_change_is_reported_when_the_file_has_settled() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("a.json");
    let mut changes = watch(vec![file.clone()]);
    fs::write(&file, "{").unwrap();
    let start = Instant::now();
    assert!(is_notified(&mut changes).await);
    assert!(start.elapsed() >= SETTLED - Duration::from_millis(1));
}

#[tokio::test]
async fn unread_changes_are_merged_into_one_notification() {
    let dir = tempfile::tempdir().unwrap();
    let (file, other) = (dir.path().join("a.json"), dir.path().join("b.json"));
    let mut changes = watch(vec![file.clone()]);
    let mut beside = watch(vec![file.clone(), other.clone()]);
    for size in 1..4 {
        fs::write(&file, " ".repeat(size)).unwrap();
        assert!(is_notified(&mut beside).await);
    }
    // The second watcher was notified of each change. Another change gives the first one time to catch up.
    fs::write(&file, "the last").unwrap();
    assert!(is_notified(&mut beside).await);
    assert!(is_notified(&mut changes).await);
    assert!(changes.len() <= 1);
}

#[tokio::test]
async fn folders_created_later_and_links_are_followed() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("one/two/a.json");
    let mut changes = watch(vec![file.clone()]);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, "{}").unwrap();
    assert!(is_notified(&mut changes).await, "created with its folders");

    let kept = dir.path().join("kept");
    fs::create_dir(&kept).unwrap();
    fs::write(kept.join("a.json"), "{ }").unwrap();
    fs::rename(dir.path().join("one"), dir.path().join("gone")).unwrap();
    fs::create_dir(dir.path().join("one")).unwrap();
    symlink(&kept, dir.path().join("one/two")).unwrap();
    assert!(is_notified(&mut changes).await, "the folder was replaced by a link");

    fs::write(kept.join("a.json"), "{  }").unwrap();
    assert!(is_notified(&mut changes).await, "the target of the link was written");

    fs::remove_dir_all(&kept).unwrap();
    assert!(is_notified(&mut changes).await, "removed with its folder");
}

#[tokio::test]
async fn watching_ends_when_the_receiver_is_dropped() {
    let (sender, receiver) = mpsc::channel(1);
    let task = tokio::spawn(watcher(Vec::new(), start_watching(&[]), sender));
    drop(receiver);
    timeout(TIMEOUT, task).await.unwrap().unwrap();
}
