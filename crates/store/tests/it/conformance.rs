//! What every ledger and every directory has to keep to, whoever implements it.

use std::sync::Arc;
use std::time::Duration;

use sluice_store::{Asked, Directory, DirectoryError, Ledger, StoreError};
use tokio::sync::mpsc;

use crate::fixture::{internal, record, seqs};

const LEASE: Duration = Duration::from_secs(10);

/// A ledger that knows the sessions `a` and `b`, both empty.
pub(crate) async fn ledger(ledger: Arc<dyn Ledger>) {
    numbers_have_no_holes(&*ledger).await;
    a_stale_writer_is_refused(&*ledger).await;
    of_many_writers_one_wins(&ledger).await;
    reading_is_in_chunks(&*ledger).await;
    subscribers_get_each_record_once(&ledger).await;
    an_unknown_session_is_said(&*ledger).await;
}

async fn numbers_have_no_holes(ledger: &dyn Ledger) {
    assert_eq!(ledger.read_from("a", 0, 999).await, Ok(Default::default()));
    assert_eq!(ledger.append("a", 1, 0, vec![record(1), internal("x")]).await, Ok(2));
    assert_eq!(ledger.append("a", 1, 2, vec![]).await, Ok(2));
    // A new epoch goes on with the numbers.
    assert_eq!(ledger.append("a", 2, 2, vec![record(1)]).await, Ok(3));
    let page = ledger.read_from("a", 0, 999).await.unwrap();
    let numbers: Vec<_> = page.records.iter().map(|one| (one.n, one.epoch, one.seq)).collect();
    assert_eq!(numbers, [(1, 1, Some(1)), (2, 1, None), (3, 2, Some(1))]);
    assert_eq!(page.records[1].body, "x");
}

async fn a_stale_writer_is_refused(ledger: &dyn Ledger) {
    let stale = ledger.append("a", 2, 1, vec![record(9)]).await;
    assert_eq!(stale, Err(StoreError::Stale { actual: 3 }));
    let ahead = ledger.append("a", 2, 4, vec![record(9)]).await;
    assert_eq!(ahead, Err(StoreError::Stale { actual: 3 }));
    let older = ledger.append("a", 1, 3, vec![record(9)]).await;
    assert_eq!(older, Err(StoreError::StaleEpoch { actual: 2 }));
    assert_eq!(ledger.read_from("a", 3, 999).await, Ok(Default::default()));
}

async fn of_many_writers_one_wins(ledger: &Arc<dyn Ledger>) {
    let writers: Vec<_> = (0..16)
        .map(|_| {
            let ledger = Arc::clone(ledger);
            tokio::spawn(async move { ledger.append("a", 2, 3, vec![record(2)]).await })
        })
        .collect();
    let mut accepted = 0;
    for writer in writers {
        match writer.await.unwrap() {
            Ok(4) => accepted += 1,
            other => assert_eq!(other, Err(StoreError::Stale { actual: 4 })),
        }
    }
    assert_eq!(accepted, 1);
}

async fn reading_is_in_chunks(ledger: &dyn Ledger) {
    let (mut after, mut numbers) = (0, Vec::new());
    loop {
        let page = ledger.read_from("a", after, 1).await.unwrap();
        assert_eq!(page.records.len(), 1);
        after = page.records[0].n;
        numbers.push(after);
        if !page.more {
            break;
        }
    }
    assert_eq!(numbers, [1, 2, 3, 4]);
}

async fn subscribers_get_each_record_once(ledger: &Arc<dyn Ledger>) {
    let mut early = ledger.subscribe("b", 0).await.unwrap();
    let writing = Arc::clone(ledger);
    let writer = tokio::spawn(async move {
        for n in 0..50 {
            writing.append("b", 1, n, vec![record(n + 1)]).await.unwrap();
        }
    });
    let mut seen = Vec::new();
    while seen.len() < 25 {
        seen.extend(seqs(&early.next().await.unwrap()));
    }
    // One who comes in the middle of it, knowing some.
    let mut late = ledger.subscribe("b", 10).await.unwrap();
    let mut seen_late = Vec::new();
    while seen_late.len() < 40 {
        seen_late.extend(seqs(&late.next().await.unwrap()));
    }
    while seen.len() < 50 {
        seen.extend(seqs(&early.next().await.unwrap()));
    }
    writer.await.unwrap();
    assert_eq!(seen, (1..=50).collect::<Vec<_>>());
    assert_eq!(seen_late, (11..=50).collect::<Vec<_>>());
    // Other sessions are none of its business.
    ledger.append("a", 2, 4, vec![record(3)]).await.unwrap();
    ledger.append("b", 1, 50, vec![record(51)]).await.unwrap();
    assert_eq!(seqs(&late.next().await.unwrap()), [51]);
}

async fn an_unknown_session_is_said(ledger: &dyn Ledger) {
    let is_unknown = |error: StoreError| matches!(error, StoreError::NotFound { .. });
    assert!(is_unknown(
        ledger.append("none", 1, 0, vec![record(1)]).await.unwrap_err()
    ));
    assert!(is_unknown(ledger.read_from("none", 0, 9).await.unwrap_err()));
    assert!(is_unknown(ledger.subscribe("none", 0).await.map(|_| ()).unwrap_err()));
}

/// An empty directory, and how to let time pass for it.
pub(crate) async fn directory(directory: Arc<dyn Directory>, pass: impl Fn(Duration)) {
    let (calls, mut asked) = mpsc::channel::<Asked>(1);
    let session = "s".to_owned();
    let no_owner = DirectoryError::NoOwner {
        session: session.clone(),
    };
    assert_eq!(directory.owner("s").await, Ok(None));
    assert_eq!(directory.call("s", b"?".to_vec()).await, Err(no_owner.clone()));

    // One owner at a time.
    let first = directory.own("s", "n1", LEASE, calls.clone()).await.unwrap();
    let owned = DirectoryError::Owned {
        session: session.clone(),
        owner: "n1".to_owned(),
    };
    assert_eq!(directory.own("s", "n2", LEASE, calls.clone()).await, Err(owned.clone()));
    assert_eq!(directory.owner("s").await, Ok(Some(first.clone())));
    assert!(directory.own("other", "n2", LEASE, calls.clone()).await.is_ok());

    // Calls reach it and are answered.
    let caller = Arc::clone(&directory);
    let call = tokio::spawn(async move { caller.call("s", b"ping".to_vec()).await });
    let reached = asked.recv().await.unwrap();
    assert_eq!(
        (reached.session.as_str(), reached.request.as_slice()),
        ("s", b"ping".as_slice())
    );
    reached.reply.send(b"pong".to_vec()).unwrap();
    assert_eq!(call.await.unwrap(), Ok(b"pong".to_vec()));
    // An owner that drops a call does not leave the caller waiting.
    let caller = Arc::clone(&directory);
    let call = tokio::spawn(async move { caller.call("s", b"ping".to_vec()).await });
    drop(asked.recv().await.unwrap());
    let gone = DirectoryError::Gone {
        session: session.clone(),
    };
    assert_eq!(call.await.unwrap(), Err(gone.clone()));

    // Renewed, it lasts.
    pass(LEASE * 3 / 4);
    let renewed = directory.renew(&first, LEASE).await.unwrap();
    assert_eq!(renewed.term, first.term);
    pass(LEASE * 3 / 4);
    assert_eq!(directory.own("s", "n2", LEASE, calls.clone()).await, Err(owned));

    // Not renewed, it is lost, and the next owner has a higher term.
    pass(LEASE);
    assert_eq!(directory.owner("s").await, Ok(None));
    let lost = DirectoryError::Lost {
        session: session.clone(),
    };
    assert_eq!(directory.renew(&renewed, LEASE).await, Err(lost.clone()));
    let second = directory.own("s", "n2", LEASE, calls.clone()).await.unwrap();
    assert!(second.term > first.term);
    assert_eq!(directory.renew(&renewed, LEASE).await, Err(lost.clone()));
    // The one before cannot end it.
    directory.let_go(&renewed).await.unwrap();
    assert_eq!(directory.owner("s").await, Ok(Some(second.clone())));

    // A node that starts again takes over from itself.
    let third = directory.own("s", "n2", LEASE, calls.clone()).await.unwrap();
    assert!(third.term > second.term);
    assert_eq!(directory.renew(&second, LEASE).await, Err(lost));

    // Let go, it is anybody's; terms rise on.
    directory.let_go(&third).await.unwrap();
    directory.let_go(&third).await.unwrap();
    assert_eq!(directory.call("s", b"?".to_vec()).await, Err(no_owner));
    let (dead, listener) = mpsc::channel(1);
    let fourth = directory.own("s", "n1", LEASE, dead).await.unwrap();
    assert!(fourth.term > third.term);
    drop(listener);
    assert_eq!(directory.call("s", b"?".to_vec()).await, Err(gone));
}
