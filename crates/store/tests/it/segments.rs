use std::time::{Duration, Instant};

use proptest::prelude::*;
use sluice_store::{NewRecord, Options, Page, Record, Store};

use crate::fixture::{Fixture, open_with, session};

const ALL: usize = usize::MAX;

/// Everything reads can say about a session.
#[derive(Debug, PartialEq)]
struct Readings {
    all: Vec<Page>,
    after: Vec<Page>,
    before: Vec<Page>,
    turns: Vec<Vec<Record>>,
    counts: Vec<u64>,
    found: usize,
}

async fn read(store: &Store, epoch: i64, last_seq: i64, rows: usize, bytes: usize) -> Readings {
    let (mut all, mut after, mut before, mut turns, mut counts) = (vec![], vec![], vec![], vec![], vec![]);
    for seq in 0..=last_seq + 1 {
        after.push(store.records_after("s", epoch, seq, rows, bytes).await.unwrap());
        before.push(store.records_before("s", epoch, seq, rows, bytes).await.unwrap());
        counts.push(store.count_after("s", epoch, seq).await.unwrap());
        all.push(store.all_records("s", epoch, seq, bytes).await.unwrap());
    }
    for wanted in 0..4 {
        turns.push(store.last_turns("s", epoch, wanted, bytes).await.unwrap());
    }
    let found = store.search("needle", Default::default()).await.unwrap().len();
    Readings {
        all,
        after,
        before,
        turns,
        counts,
        found,
    }
}

async fn filled(options: Options, batches: &[Vec<NewRecord>], second_epoch: Option<usize>) -> Fixture {
    let fixture = open_with(options);
    fixture.store.create_session(session("s"), None).await.unwrap();
    let mut last = 0;
    for (position, batch) in batches.iter().enumerate() {
        let epoch = if second_epoch.is_some_and(|from| position >= from) {
            2
        } else {
            1
        };
        last = fixture
            .store
            .append_records("s", epoch, last, batch.clone(), None, None)
            .await
            .unwrap();
    }
    fixture
}

/// Waits until nothing is left to move: it is done when nobody waits.
async fn settle(store: &Store, cap: u64) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while store.stats().await.unwrap().record_bytes > cap {
        assert!(Instant::now() < deadline, "records were not moved");
        tokio::task::yield_now().await;
    }
}

/// Batches of records: (is it shown, turn step, bytes of body, has it the word).
fn batches() -> impl Strategy<Value = Vec<Vec<NewRecord>>> {
    let one = (any::<bool>(), 0u8..4, 0usize..40, any::<bool>());
    proptest::collection::vec(proptest::collection::vec(one, 0..6), 1..8).prop_map(|batches| {
        let (mut seq, mut turn) = (0, 1);
        let mut make = |(shown, step, size, word): (bool, u8, usize, bool)| {
            seq += i64::from(shown);
            turn += i64::from(step == 1);
            NewRecord {
                seq: shown.then_some(seq),
                at: seq,
                kind: step,
                turn: (step != 2).then_some(turn),
                body: "é\n".repeat(size),
                text: word.then(|| "a needle".to_owned()),
                role: word.then(|| "user".to_owned()),
            }
        };
        batches
            .into_iter()
            .map(|batch| batch.into_iter().map(&mut make).collect())
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn reading_with_tiny_caps_equals_reading_without(
        batches in batches(),
        cap in 0u64..300,
        segment in 1u64..200,
        rows in 1usize..8,
        bytes in 0usize..200,
        second_epoch in proptest::option::of(0usize..8),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            // Each epoch has its own numbers; they may rise on, too.
            let last_seq = batches.iter().flatten().filter_map(|record| record.seq).max().unwrap_or(0);
            let tiny = Options { record_cap: cap, segment_bytes: segment, ..Options::default() };
            let tiny = filled(tiny, &batches, second_epoch).await;
            settle(&tiny.store, cap).await;
            let plain = filled(Options::default(), &batches, second_epoch).await;
            for epoch in [1, 2] {
                let expected = read(&plain.store, epoch, last_seq, rows, bytes).await;
                prop_assert_eq!(read(&tiny.store, epoch, last_seq, rows, bytes).await, expected);
            }
            prop_assert_eq!(plain.store.stats().await.unwrap().segments, 0);
            Ok(())
        })?;
    }
}

#[tokio::test]
async fn the_oldest_records_of_a_long_session_are_compressed() {
    let options = Options {
        record_cap: 100_000,
        segment_bytes: 20_000,
        ..Options::default()
    };
    let record = |seq| NewRecord {
        body: format!("{{\"seq\":{seq},\"words\":\"{}\"}}", "again and ".repeat(100)),
        text: (seq == 3).then(|| "the lighthouse".to_owned()),
        ..crate::fixture::record(seq)
    };
    let batches: Vec<_> = (0..50)
        .map(|batch| (1..=10).map(|one| record(batch * 10 + one)).collect())
        .collect();
    let fixture = filled(options, &batches, None).await;
    settle(&fixture.store, 100_000).await;
    let stats = fixture.store.stats().await.unwrap();
    assert!(stats.segments > 10, "{stats:?}");
    assert!(stats.segment_packed_bytes * 10 < stats.segment_bytes, "{stats:?}");
    let page = fixture.store.records_after("s", 1, 0, ALL, ALL).await.unwrap();
    assert_eq!(page.records.len(), 500);
    assert_eq!(page.records[2].body, record(3).body);
    let hits = fixture.store.search("lighthouse", Default::default()).await.unwrap();
    assert_eq!(hits.iter().map(|hit| hit.seq).collect::<Vec<_>>(), [3]);
    // Writing goes on where it was, also after all was moved and the store opened again.
    let fixture = fixture.reopen().await;
    let next = fixture
        .store
        .append_records("s", 1, 500, vec![record(501)], None, None)
        .await;
    assert_eq!(next, Ok(501));
    fixture.store.delete_session("s").await.unwrap();
    assert_eq!(fixture.store.stats().await.unwrap().segments, 0);
}
