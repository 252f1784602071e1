//! Large numbers. Times are printed; what is asserted leaves room for a busy machine and a build without optimization.

use std::time::{Duration, Instant};

use sluice_store::NewRecord;

use crate::fixture::{prompt, record, with_session};

#[tokio::test]
async fn a_hundred_thousand_records_are_appended_and_read() {
    let fixture = with_session().await;
    let store = &fixture.store;
    let body = "{\"type\":\"assistant\",\"words\":\"".to_owned() + &"many words ".repeat(20) + "\"}";
    let start = Instant::now();
    for batch in 0..1000 {
        let records = (1..=100).map(|one| NewRecord {
            body: body.clone(),
            text: (one == 1).then(|| "one of the few that can be found".to_owned()),
            ..record(batch * 100 + one)
        });
        let records = records.collect();
        store
            .append_records("s", 1, batch * 100, records, None, None)
            .await
            .unwrap();
    }
    let appended = start.elapsed();
    let start = Instant::now();
    let page = store.records_after("s", 1, 0, usize::MAX, usize::MAX).await.unwrap();
    let read = start.elapsed();
    assert_eq!((page.records.len(), page.more), (100_000, false));
    let start = Instant::now();
    assert_eq!(
        store.last_turns("s", 1, 1, 1 << 20).await.unwrap().last().unwrap().n,
        100_000
    );
    let newest = start.elapsed();
    let start = Instant::now();
    assert_eq!(store.search("few found", Default::default()).await.unwrap().len(), 50);
    let found = start.elapsed();
    println!("100,000 records: appended {appended:?}, read {read:?}, newest 1 MiB {newest:?}, search {found:?}");
    assert!(read < Duration::from_secs(5), "{read:?}");
    assert!(newest < Duration::from_secs(1), "{newest:?}");
}

#[tokio::test]
async fn a_prompt_is_on_the_disk_soon() {
    let fixture = with_session().await;
    let mut times = Vec::new();
    for number in 0..101 {
        let row = prompt(&format!("u{number}"), 1.0);
        let start = Instant::now();
        fixture.store.put_prompt(row, None).await.unwrap();
        times.push(start.elapsed());
    }
    times.sort();
    println!("a prompt: median {:?}, worst {:?}", times[50], times[100]);
    assert!(times[50] < Duration::from_millis(250), "{:?}", times[50]);
}
