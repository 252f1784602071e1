#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::fs;

use tokio::time::{Instant, timeout};

use super::*;

const LONG: Duration = Duration::from_secs(60);

#[tokio::test(start_paused = true)]
async fn every_kind_of_change_is_told_once() {
    let dir = tempfile::tempdir().unwrap();
    let (file, other) = (dir.path().join("a.json"), dir.path().join("b.json"));
    let mut changes = watch(vec![file.clone(), other.clone()]);
    assert!(timeout(LONG, changes.recv()).await.is_err(), "nothing happened");

    fs::write(&file, "{}").unwrap();
    fs::write(&other, "{}").unwrap();
    assert_eq!(timeout(LONG, changes.recv()).await, Ok(Some(())));
    assert!(timeout(LONG, changes.recv()).await.is_err(), "made, told once");

    let beside = dir.path().join("beside");
    fs::write(&beside, "[]").unwrap();
    fs::rename(&beside, &file).unwrap();
    assert_eq!(
        timeout(LONG, changes.recv()).await,
        Ok(Some(())),
        "replaced by one of the same size"
    );

    fs::remove_file(&file).unwrap();
    assert_eq!(timeout(LONG, changes.recv()).await, Ok(Some(())), "removed");
}

#[tokio::test(start_paused = true)]
async fn a_change_is_told_when_it_has_settled() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("a.json");
    let mut changes = watch(vec![file.clone()]);
    let start = Instant::now();
    fs::write(&file, "{").unwrap();
    // The editor goes on writing for a while.
    for step in 0..4 {
        sleep(SETTLED - Duration::from_millis(50)).await;
        fs::write(&file, " ".repeat(step + 2)).unwrap();
        assert!(changes.try_recv().is_err(), "step {step}");
    }
    assert_eq!(timeout(LONG, changes.recv()).await, Ok(Some(())));
    assert!(start.elapsed() >= SETTLED * 4 - Duration::from_millis(200));
    assert!(timeout(LONG, changes.recv()).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn changes_nobody_heard_are_one() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("a.json");
    let mut changes = watch(vec![file.clone()]);
    for size in 1..4 {
        fs::write(&file, " ".repeat(size)).unwrap();
        sleep(LONG).await;
    }
    assert_eq!(changes.try_recv(), Ok(()));
    assert!(timeout(LONG, changes.recv()).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn it_ends_with_its_listener() {
    let (tell, told) = mpsc::channel(1);
    let task = tokio::spawn(watcher(Vec::new(), Vec::new(), tell));
    drop(told);
    timeout(LONG, task).await.unwrap().unwrap();
}
