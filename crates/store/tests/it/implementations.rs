//! Everybody who implements the traits, held to what they promise.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use sluice_store::{Ledger as _, Local, Options, StoreError};

use crate::conformance;
use crate::fixture::{open_with, record, session};
use crate::memory::Memory;

async fn sqlite(options: Options) {
    let fixture = open_with(options);
    for id in ["a", "b"] {
        fixture.store.create_session(session(id), None).await.unwrap();
    }
    conformance::ledger(Arc::new(fixture.store.clone())).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_sqlite_ledger_keeps_its_promises() {
    sqlite(Options::default()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_sqlite_ledger_keeps_its_promises_with_segments() {
    let options = Options {
        record_cap: 30,
        segment_bytes: 20,
        ..Options::default()
    };
    sqlite(options).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_ledger_in_memory_keeps_its_promises() {
    conformance::ledger(Arc::new(Memory::with(&["a", "b"]))).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_directory_of_one_machine_keeps_its_promises() {
    let now = Arc::new(AtomicI64::new(0));
    let clock = Arc::clone(&now);
    let local = Local::with_clock(move || clock.load(Ordering::SeqCst));
    let pass = |time: std::time::Duration| {
        now.fetch_add(time.as_millis() as i64, Ordering::SeqCst);
    };
    conformance::directory(Arc::new(local), pass).await;
}

#[tokio::test]
async fn a_subscriber_is_told_when_the_store_closes() {
    let fixture = open_with(Options::default());
    fixture.store.create_session(session("a"), None).await.unwrap();
    fixture.store.append("a", 1, 0, vec![record(1)]).await.unwrap();
    let mut tail = fixture.store.subscribe("a", 1).await.unwrap();
    let waiting = tokio::spawn(async move { tail.next().await });
    fixture.store.close().await.unwrap();
    assert_eq!(waiting.await.unwrap(), Err(StoreError::Closed));
}
