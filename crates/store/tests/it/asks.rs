use sluice_store::{AskRow, Settled, StoreError};

use crate::fixture::{ask, with_session};

#[tokio::test]
async fn the_first_answer_wins() {
    let fixture = with_session().await;
    let store = &fixture.store;
    assert!(store.open_ask(ask("r")).await.unwrap());
    let first = store
        .settle_ask("s", "r", "allowed", 5, Some("d"), Some("phone"), Some("{}"))
        .await;
    assert_eq!(first, Ok(Settled::First));
    let decided = AskRow {
        state: "allowed".to_owned(),
        decided_at: Some(5),
        decided_by: Some("d".to_owned()),
        decided_by_name: Some("phone".to_owned()),
        decision: Some("{}".to_owned()),
        ..ask("r")
    };
    let second = store.settle_ask("s", "r", "denied", 6, Some("e"), None, None).await;
    assert_eq!(second, Ok(Settled::Already(decided.clone())));
    // Asked again, it stays decided.
    assert!(!store.open_ask(ask("r")).await.unwrap());
    assert_eq!(store.ask("s", "r").await.unwrap(), Some(decided));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_answers_at_once_exactly_one_counts() {
    let fixture = with_session().await;
    fixture.store.open_ask(ask("r")).await.unwrap();
    let answers: Vec<_> = (0..64)
        .map(|number| {
            let store = fixture.store.clone();
            let by = format!("device {number}");
            tokio::spawn(async move {
                let settled = store
                    .settle_ask("s", "r", "allowed", number, Some(&by), None, None)
                    .await;
                (by, settled.unwrap())
            })
        })
        .collect();
    let (mut winners, mut told) = (Vec::new(), Vec::new());
    for answer in answers {
        match answer.await.unwrap() {
            (by, Settled::First) => winners.push(by),
            (_, Settled::Already(row)) => told.push(row.decided_by.unwrap()),
        }
    }
    assert_eq!((winners.len(), told.len()), (1, 63));
    assert!(told.iter().all(|by| *by == winners[0]));
}

#[tokio::test]
async fn pending_asks_are_found_and_written_ones_marked() {
    let fixture = with_session().await;
    let store = &fixture.store;
    for (id, at) in [("late", 3), ("early", 2)] {
        let row = AskRow {
            opened_at: at,
            ..ask(id)
        };
        store.open_ask(row).await.unwrap();
    }
    let pending = store.pending_asks().await.unwrap();
    let ids: Vec<_> = pending.iter().map(|row| row.request_id.as_str()).collect();
    assert_eq!(ids, ["early", "late"]);
    store
        .settle_ask("s", "early", "expired", 4, None, None, None)
        .await
        .unwrap();
    assert!(store.mark_ask_written("s", "early").await.unwrap());
    assert!(!store.mark_ask_written("s", "none").await.unwrap());
    let all = store.asks("s").await.unwrap();
    let told: Vec<_> = all.iter().map(|row| (row.state.as_str(), row.written)).collect();
    assert_eq!(told, [("expired", true), ("pending", false)]);
    assert_eq!(store.pending_asks().await.unwrap().len(), 1);
}

#[tokio::test]
async fn what_cannot_be_settled_is_refused() {
    let fixture = with_session().await;
    let store = &fixture.store;
    store.open_ask(ask("r")).await.unwrap();
    let unknown = store.settle_ask("s", "none", "allowed", 1, None, None, None).await;
    assert!(matches!(unknown, Err(StoreError::NotFound { what: "ask", .. })));
    let pending = store.settle_ask("s", "r", "pending", 1, None, None, None).await;
    assert!(matches!(pending, Err(StoreError::Invalid(_))));
    let nowhere = AskRow {
        session: "none".to_owned(),
        ..ask("r")
    };
    let nowhere = store.open_ask(nowhere).await;
    assert!(matches!(nowhere, Err(StoreError::NotFound { what: "session", .. })));
}
