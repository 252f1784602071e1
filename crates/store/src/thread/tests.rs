use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};

use tempfile::TempDir;

use super::*;
use crate::store::Store;

fn store() -> (TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = Store::open(&folder.path().join("s.db"), Options::default()).unwrap();
    (folder, store)
}

/// Keeps the thread busy until the sender is used or dropped; answers once it is.
async fn hold(store: &Store) -> (Sender<()>, tokio::task::JoinHandle<Result<(), StoreError>>) {
    let (release, held): (_, Receiver<()>) = channel();
    let (begun, began) = channel();
    let holder = store.clone();
    let held = std::sync::Mutex::new(held);
    let task = tokio::spawn(async move {
        holder
            .read(move |_| {
                begun.send(()).unwrap();
                held.lock().unwrap().recv().ok();
                Ok(())
            })
            .await
    });
    tokio::task::spawn_blocking(move || began.recv().unwrap())
        .await
        .unwrap();
    (release, task)
}

fn put(core: &Core, key: &str) -> Result<(), StoreError> {
    let sql = "INSERT INTO meta (key, value) VALUES (?1, '')";
    core.connection.execute(sql, [key])?;
    Ok(())
}

async fn keys(store: &Store) -> Vec<String> {
    let work = |core: &Core| {
        let mut statement = core.connection.prepare("SELECT key FROM meta ORDER BY key")?;
        let rows = statement.query_map([], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    };
    store.read(work).await.unwrap()
}

/// Puts calls into the queue, in this order, while the thread is held.
async fn queue<F>(store: &Store, sync: Sync, work: F) -> tokio::task::JoinHandle<Result<(), StoreError>>
where
    F: Fn(&Core) -> Result<(), StoreError> + Send + 'static,
{
    let before = store.waiting();
    let handle = store.clone();
    let task = tokio::spawn(async move { handle.write(sync, work).await });
    while store.waiting() == before {
        tokio::task::yield_now().await;
    }
    task
}

#[tokio::test]
async fn calls_that_wait_together_share_one_transaction() {
    let (_folder, store) = store();
    let before = store.stats().await.unwrap();
    let (release, held) = hold(&store).await;
    let mut tasks = Vec::new();
    for number in 0..100 {
        tasks.push(queue(&store, Sync::Full, move |core| put(core, &format!("{number:03}"))).await);
    }
    release.send(()).unwrap();
    for task in tasks {
        task.await.unwrap().unwrap();
    }
    held.await.unwrap().unwrap();
    let after = store.stats().await.unwrap();
    assert_eq!((after.commits - before.commits, after.writes - before.writes), (1, 100));
    assert_eq!(keys(&store).await.len(), 100);
}

#[tokio::test]
async fn a_member_that_fails_takes_no_other_with_it() {
    let (_folder, store) = store();
    let (release, held) = hold(&store).await;
    let first = queue(&store, Sync::Full, |core| put(core, "first")).await;
    let failing = queue(&store, Sync::Full, |core| {
        put(core, "half")?;
        Err(StoreError::Invalid("changed its mind".to_owned()))
    })
    .await;
    let last = queue(&store, Sync::Full, |core| put(core, "last")).await;
    release.send(()).unwrap();
    held.await.unwrap().unwrap();
    let (first, failing, last) = tokio::join!(first, failing, last);
    assert_eq!(first.unwrap(), Ok(()));
    assert_eq!(
        failing.unwrap(),
        Err(StoreError::Invalid("changed its mind".to_owned()))
    );
    assert_eq!(last.unwrap(), Ok(()));
    assert_eq!(keys(&store).await, ["first", "last"]);
}

#[tokio::test]
async fn when_the_whole_transaction_is_lost_the_others_are_done_again() {
    let (_folder, store) = store();
    let (release, held) = hold(&store).await;
    let first = queue(&store, Sync::Full, |core| put(core, "first")).await;
    // What SQLite does by itself on some errors.
    let failing = queue(&store, Sync::Full, |core| {
        core.connection.execute_batch("ROLLBACK")?;
        Err(StoreError::Full {
            detail: "no room".to_owned(),
        })
    })
    .await;
    let last = queue(&store, Sync::Full, |core| put(core, "last")).await;
    release.send(()).unwrap();
    held.await.unwrap().unwrap();
    let (first, failing, last) = tokio::join!(first, failing, last);
    assert_eq!(first.unwrap(), Ok(()));
    assert!(matches!(failing.unwrap(), Err(StoreError::Full { .. })));
    assert_eq!(last.unwrap(), Ok(()));
    assert_eq!(keys(&store).await, ["first", "last"]);
}

#[tokio::test]
async fn a_batch_is_as_sure_as_its_surest_member() {
    let (_folder, store) = store();
    let (told, seen) = channel();
    let level = move |core: &Core| {
        let level: i64 = core
            .connection
            .pragma_query_value(None, "synchronous", |row| row.get(0))?;
        told.send(level).unwrap();
        Ok(())
    };
    let (other, third, last) = (level.clone(), level.clone(), level.clone());
    store.write(Sync::Normal, level).await.unwrap();
    let (release, held) = hold(&store).await;
    let tasks = [
        queue(&store, Sync::Normal, other).await,
        queue(&store, Sync::Full, third).await,
    ];
    release.send(()).unwrap();
    held.await.unwrap().unwrap();
    for task in tasks {
        task.await.unwrap().unwrap();
    }
    store.write(Sync::Normal, last).await.unwrap();
    // 1: NORMAL, 2: FULL
    assert_eq!(seen.try_iter().collect::<Vec<_>>(), [1, 2, 2, 1]);
}

#[tokio::test]
async fn a_caller_who_leaves_does_not_undo_what_was_queued() {
    let (_folder, store) = store();
    let (release, held) = hold(&store).await;
    let task = queue(&store, Sync::Full, |core| put(core, "left alone")).await;
    task.abort();
    assert!(task.await.unwrap_err().is_cancelled());
    release.send(()).unwrap();
    held.await.unwrap().unwrap();
    assert_eq!(keys(&store).await, ["left alone"]);
}

#[tokio::test]
async fn the_queue_is_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let options = Options {
        queue: 2,
        ..Options::default()
    };
    let (store, _) = Store::open(&folder.path().join("s.db"), options).unwrap();
    let (release, held) = hold(&store).await;
    let one = queue(&store, Sync::Normal, |core| put(core, "1")).await;
    let two = queue(&store, Sync::Normal, |core| put(core, "2")).await;
    let third = store.clone();
    let three = tokio::spawn(async move { third.write(Sync::Normal, |core| put(core, "3")).await });
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert_eq!(store.waiting(), 2);
    assert!(!three.is_finished());
    release.send(()).unwrap();
    held.await.unwrap().unwrap();
    for task in [one, two, three] {
        task.await.unwrap().unwrap();
    }
    assert_eq!(keys(&store).await, ["1", "2", "3"]);
}

#[tokio::test]
async fn what_waits_when_the_store_closes_is_written() {
    let (folder, store) = store();
    let (release, held) = hold(&store).await;
    let task = queue(&store, Sync::Normal, |core| put(core, "waited")).await;
    let closing = store.clone();
    let closing = tokio::spawn(async move { closing.close().await });
    release.send(()).unwrap();
    held.await.unwrap().unwrap();
    closing.await.unwrap().unwrap();
    task.await.unwrap().unwrap();
    assert_eq!(
        store.write(Sync::Normal, |core| put(core, "late")).await,
        Err(StoreError::Closed)
    );
    let path: PathBuf = folder.path().join("s.db");
    let (store, _) = Store::open(&path, Options::default()).unwrap();
    assert_eq!(keys(&store).await, ["waited"]);
}

#[tokio::test]
async fn a_transaction_that_cannot_begin_is_said_and_the_next_one_begins() {
    let (_folder, store) = store();
    // Left open by mistake.
    let open = |core: &Core| Ok(core.connection.execute_batch("BEGIN")?);
    store.read(open).await.unwrap();
    let refused = store.write(Sync::Full, |core| put(core, "first")).await;
    assert!(matches!(refused, Err(StoreError::Sqlite(_))), "{refused:?}");
    assert_eq!(store.write(Sync::Full, |core| put(core, "second")).await, Ok(()));
    assert_eq!(keys(&store).await, ["second"]);
}
