#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::fs;
use std::os::unix::fs::symlink;

use tokio::time::{Instant, timeout};

use super::*;

const LONG: Duration = Duration::from_secs(60);

/// Waits for what was done to be told. Real time passes here: the kernel does not know the paused clock.
async fn is_told(changes: &mut mpsc::Receiver<()>) -> bool {
    timeout(LONG, changes.recv()).await == Ok(Some(()))
}

#[tokio::test]
async fn every_kind_of_change_is_told_once() {
    let dir = tempfile::tempdir().unwrap();
    let (file, other) = (dir.path().join("a.json"), dir.path().join("b.json"));
    let mut changes = watch(vec![file.clone(), other.clone()]);

    fs::write(&file, "{}").unwrap();
    fs::write(&other, "{}").unwrap();
    assert!(is_told(&mut changes).await, "made");
    assert!(changes.try_recv().is_err(), "told once");

    let beside = dir.path().join("beside");
    fs::write(&beside, "[]").unwrap();
    fs::rename(&beside, &file).unwrap();
    assert!(is_told(&mut changes).await, "replaced by one of the same size");

    fs::remove_file(&file).unwrap();
    assert!(is_told(&mut changes).await, "removed");
    assert!(changes.try_recv().is_err());
}

#[tokio::test]
async fn a_change_is_told_when_it_has_settled() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("a.json");
    let mut changes = watch(vec![file.clone()]);
    fs::write(&file, "{").unwrap();
    let start = Instant::now();
    assert!(is_told(&mut changes).await);
    assert!(start.elapsed() >= SETTLED - Duration::from_millis(1));
}

#[tokio::test]
async fn changes_nobody_heard_are_one() {
    let dir = tempfile::tempdir().unwrap();
    let (file, other) = (dir.path().join("a.json"), dir.path().join("b.json"));
    let mut changes = watch(vec![file.clone()]);
    let mut beside = watch(vec![file.clone(), other.clone()]);
    for size in 1..4 {
        fs::write(&file, " ".repeat(size)).unwrap();
        assert!(is_told(&mut beside).await);
    }
    // The second watcher has seen all of them; the first is given the same chance by a change of its own.
    fs::write(&file, "the last").unwrap();
    assert!(is_told(&mut beside).await);
    assert!(is_told(&mut changes).await);
    assert!(changes.len() <= 1);
}

#[tokio::test]
async fn folders_made_later_and_links_are_followed() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("one/two/a.json");
    let mut changes = watch(vec![file.clone()]);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, "{}").unwrap();
    assert!(is_told(&mut changes).await, "made with its folders");

    let kept = dir.path().join("kept");
    fs::create_dir(&kept).unwrap();
    fs::write(kept.join("a.json"), "{ }").unwrap();
    fs::rename(dir.path().join("one"), dir.path().join("gone")).unwrap();
    fs::create_dir(dir.path().join("one")).unwrap();
    symlink(&kept, dir.path().join("one/two")).unwrap();
    assert!(is_told(&mut changes).await, "a link in the place of the folder");

    fs::write(kept.join("a.json"), "{  }").unwrap();
    assert!(is_told(&mut changes).await, "written where the link leads");

    fs::remove_dir_all(&kept).unwrap();
    assert!(is_told(&mut changes).await, "removed with its folder");
}

#[tokio::test]
async fn it_ends_with_its_listener() {
    let (tell, told) = mpsc::channel(1);
    let task = tokio::spawn(watcher(Vec::new(), learn(&[]), tell));
    drop(told);
    timeout(LONG, task).await.unwrap().unwrap();
}
