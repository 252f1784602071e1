use sluice_store::{NewRecord, Record, StoreError};

use crate::fixture::{Fixture, in_turn, internal, record, seqs, with_session};

const ALL: usize = usize::MAX;

async fn with(records: Vec<NewRecord>) -> Fixture {
    let fixture = with_session().await;
    fixture
        .store
        .append_records("s", 1, 0, records, None, None)
        .await
        .unwrap();
    fixture
}

#[tokio::test]
async fn records_come_back_as_they_were_given() {
    let given = NewRecord {
        seq: Some(4),
        at: 5,
        kind: 255,
        turn: Some(6),
        body: "{\"text\":\"Grüße \\u0000\"}".to_owned(),
        text: None,
        role: Some("user".to_owned()),
    };
    let fixture = with(vec![internal("hidden"), given.clone()]).await;
    let fixture = fixture.reopen().await;
    let page = fixture.store.records_after("s", 1, 0, ALL, ALL).await.unwrap();
    let expected = Record {
        n: 2,
        epoch: 1,
        seq: given.seq,
        at: given.at,
        kind: given.kind,
        turn: given.turn,
        role: given.role,
        body: given.body,
    };
    assert_eq!((page.records, page.more), (vec![expected], false));
    let all = fixture.store.all_records("s", 1, 0, ALL).await.unwrap();
    let bodies: Vec<_> = all.records.iter().map(|record| (record.n, record.seq)).collect();
    assert_eq!(bodies, [(1, None), (2, Some(4))]);
}

#[tokio::test]
async fn appending_moves_the_session_along() {
    let fixture = with_session().await;
    let store = &fixture.store;
    let last = store
        .append_records("s", 1, 0, vec![record(1), internal("x"), record(5)], Some(77), Some(66))
        .await;
    assert_eq!(last, Ok(3));
    assert_eq!(store.last_n("s").await, Ok(3));
    let row = store.session("s").await.unwrap().unwrap();
    assert_eq!((row.last_seq, row.runner_committed, row.runner_safe), (5, 77, 66));
    // Nothing new to say about the runner: as it was.
    store.append_records("s", 1, 3, vec![], None, None).await.unwrap();
    let row = store.session("s").await.unwrap().unwrap();
    assert_eq!((row.last_seq, row.runner_committed, row.runner_safe), (5, 77, 66));
}

#[tokio::test]
async fn a_stale_writer_is_refused_and_nothing_of_it_kept() {
    let fixture = with(vec![record(1), record(2)]).await;
    let store = &fixture.store;
    let stale = store.append_records("s", 1, 1, vec![record(3)], Some(9), None).await;
    assert_eq!(stale, Err(StoreError::Stale { actual: 2 }));
    let older = store.append_records("s", 0, 2, vec![record(3)], None, None).await;
    assert_eq!(older, Err(StoreError::StaleEpoch { actual: 1 }));
    let unknown = store.append_records("none", 1, 0, vec![record(1)], None, None).await;
    assert!(matches!(unknown, Err(StoreError::NotFound { .. })));
    assert_eq!(store.last_n("s").await, Ok(2));
    assert_eq!(store.session("s").await.unwrap().unwrap().runner_committed, 0);
    assert_eq!(
        store.append_records("s", 1, 2, vec![record(3)], None, None).await,
        Ok(3)
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_two_writers_at_once_one_is_refused() {
    let fixture = with_session().await;
    for round in 0..20 {
        let writers: Vec<_> = (0..4)
            .map(|_| {
                let store = fixture.store.clone();
                let records = vec![record(round + 1)];
                tokio::spawn(async move { store.append_records("s", 1, round, records, None, None).await })
            })
            .collect();
        let mut accepted = 0;
        for writer in writers {
            match writer.await.unwrap() {
                Ok(n) => {
                    assert_eq!(n, round + 1);
                    accepted += 1;
                }
                Err(error) => assert_eq!(error, StoreError::Stale { actual: round + 1 }),
            }
        }
        assert_eq!(accepted, 1);
    }
}

#[tokio::test]
async fn numbers_that_do_not_rise_are_refused() {
    let fixture = with(vec![record(5)]).await;
    let again = fixture
        .store
        .append_records("s", 1, 1, vec![record(6), record(6)], None, None)
        .await;
    assert!(matches!(again, Err(StoreError::Invalid(_))));
    let lower = fixture
        .store
        .append_records("s", 1, 1, vec![record(4)], None, None)
        .await;
    assert!(matches!(lower, Err(StoreError::Invalid(_))));
    assert_eq!(fixture.store.last_n("s").await, Ok(1));
}

#[tokio::test]
async fn a_new_epoch_begins_its_own_numbers() {
    let fixture = with(vec![record(1), record(2)]).await;
    let store = &fixture.store;
    let again = store.append_records("s", 2, 2, vec![record(1)], None, None).await;
    assert_eq!(again, Ok(3));
    let row = store.session("s").await.unwrap().unwrap();
    assert_eq!((row.epoch, row.last_seq), (2, 1));
    let of = async |epoch| seqs(&store.records_after("s", epoch, 0, ALL, ALL).await.unwrap().records);
    assert_eq!(of(1).await, [1, 2]);
    assert_eq!(of(2).await, [1]);
    assert_eq!(
        store.append_records("s", 2, 3, vec![record(2)], None, None).await,
        Ok(4)
    );
}

#[tokio::test]
async fn pages_end_at_rows_or_bytes_and_say_that_there_is_more() {
    let fixture = with((1..=5).map(record).collect()).await;
    let size = record(1).body.len();
    let page = async |after, rows, bytes| {
        let page = fixture.store.records_after("s", 1, after, rows, bytes).await.unwrap();
        (seqs(&page.records), page.more)
    };
    assert_eq!(page(0, 2, ALL).await, (vec![1, 2], true));
    assert_eq!(page(3, 2, ALL).await, (vec![4, 5], false));
    assert_eq!(page(5, 2, ALL).await, (vec![], false));
    assert_eq!(page(0, ALL, 3 * size).await, (vec![1, 2, 3], true));
    assert_eq!(page(0, ALL, 3 * size - 1).await, (vec![1, 2], true));
    // One always comes, or nobody could ever get past it.
    assert_eq!(page(0, 0, 0).await, (vec![1], true));
    assert_eq!(fixture.store.count_after("s", 1, 2).await, Ok(3));
}

/// Turns 1 to 3; between 2 and 3 two records without a turn, which belong to 2.
fn turns() -> Vec<NewRecord> {
    [Some(1), Some(1), Some(2), None, Some(2), None, Some(3), Some(3)]
        .into_iter()
        .zip(1..)
        .map(|(turn, seq)| in_turn(seq, turn))
        .collect()
}

#[tokio::test]
async fn paging_back_cuts_where_a_turn_begins() {
    let fixture = with(turns()).await;
    let page = async |before, rows| {
        let page = fixture.store.records_before("s", 1, before, rows, ALL).await.unwrap();
        (seqs(&page.records), page.more)
    };
    assert_eq!(page(i64::MAX, 3).await, (vec![7, 8], true));
    assert_eq!(page(i64::MAX, 6).await, (vec![3, 4, 5, 6, 7, 8], true));
    assert_eq!(page(7, 5).await, (vec![3, 4, 5, 6], true));
    assert_eq!(page(3, 9).await, (vec![1, 2], false));
    assert_eq!(page(1, 9).await, (vec![], false));
    // A turn larger than the page is cut: its newest part comes.
    assert_eq!(page(7, 3).await, (vec![4, 5, 6], true));
    assert_eq!(page(i64::MAX, ALL).await, (vec![1, 2, 3, 4, 5, 6, 7, 8], false));
}

#[tokio::test]
async fn the_last_turns_come_whole() {
    let fixture = with(turns()).await;
    let size = record(1).body.len();
    let last = async |turns, bytes| seqs(&fixture.store.last_turns("s", 1, turns, bytes).await.unwrap());
    assert_eq!(last(0, ALL).await, [0; 0]);
    assert_eq!(last(1, ALL).await, [7, 8]);
    assert_eq!(last(2, ALL).await, [3, 4, 5, 6, 7, 8]);
    assert_eq!(last(9, ALL).await, [1, 2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(last(9, 5 * size).await, [7, 8]);
    assert_eq!(last(9, size).await, [8]);
}

#[tokio::test]
async fn all_records_come_in_chunks() {
    let fixture = with(vec![internal("aa"), record(1), internal("bb"), record(2)]).await;
    let (mut after, mut seen) = (0, Vec::new());
    loop {
        let page = fixture.store.all_records("s", 1, after, 5).await.unwrap();
        after = page.records.last().unwrap().n;
        seen.extend(page.records.iter().map(|record| record.n));
        if !page.more {
            break;
        }
    }
    assert_eq!(seen, [1, 2, 3, 4]);
}
