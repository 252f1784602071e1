//! A state with damaged pages: devices and open prompts survive every one of them.

use std::fs;
use std::path::Path;

use sluice_store::{NewRecord, Opened, Options, Store};

use crate::fixture::{device, open_with, prompt, said, session};

const PAGE: usize = 4096;
const RECORDS: i64 = 60;
/// Records before the first one that is shown: more than fit into one page.
const INTERNAL: usize = 20;

/// The number of records of a session that are shown.
fn shown_records(session: &str) -> i64 {
    if matches!(session, "young" | "long") {
        1
    } else {
        RECORDS
    }
}

/// A record that is not shown, as those of the start of a process.
fn internal() -> NewRecord {
    NewRecord {
        kind: 3,
        body: format!("{{\"text\":\"{}\"}}", "start ".repeat(50)),
        ..NewRecord::default()
    }
}

/// A closed database with rows in every table of interest.
async fn state() -> crate::fixture::Fixture {
    let options = Options {
        record_cap: 16 * 1024,
        segment_bytes: 4 * 1024,
        ..Options::default()
    };
    let fixture = open_with(options);
    let store = &fixture.store;
    for id in ["young", "s", "t", "long"] {
        let shown = (1..=shown_records(id)).map(|seq| NewRecord {
            // That of one session does not fit into a page.
            body: format!(
                "{{\"seq\":{seq},\"text\":\"{}\"}}",
                "words ".repeat(if id == "long" { 1200 } else { 90 })
            ),
            ..said(seq, "user", &format!("lighthouse {seq}"))
        });
        let records = std::iter::repeat_n(internal(), INTERNAL).chain(shown).collect();
        store.create_session(session(id), None).await.unwrap();
        store.append_records(id, 1, 0, records, None, None).await.unwrap();
    }
    for number in 0..40 {
        store.add_device(device(&format!("device-{number}"))).await.unwrap();
    }
    for number in 0..40_u8 {
        let mut row = prompt(&format!("prompt-{number}"), f64::from(number));
        row.content = "text of the prompt ".repeat(10);
        if number % 2 == 1 {
            row.state = "delivered".to_owned();
        }
        store.put_prompt(row, None).await.unwrap();
    }
    store.revoke_device("device-7", 5).await.unwrap();
    store.close().await.unwrap();
    fixture
}

/// Everything that has to survive: devices with their hashes, and the queue with its texts.
async fn essentials(store: &Store) -> (Vec<sluice_store::DeviceRow>, Vec<sluice_store::PromptRow>) {
    (store.devices().await.unwrap(), store.open_prompts("s").await.unwrap())
}

async fn assert_usable(store: &Store, page: usize, opened: &Opened) {
    for row in store.sessions(Default::default()).await.unwrap() {
        let read = store.all_records(&row.id, row.epoch, 0, usize::MAX).await;
        let page_of_records = read.unwrap_or_else(|error| panic!("page {page}: {}: {error}, {opened:?}", row.id));
        let records = page_of_records.records;
        for record in &records {
            let whole = record.body.ends_with(" \"}");
            assert!(whole, "page {page}: {} {}: {opened:?}", row.id, record.n);
        }
        let numbers: Vec<i64> = records.iter().map(|record| record.n).collect();
        let seqs: Vec<i64> = records.iter().filter_map(|record| record.seq).collect();
        let last = shown_records(&row.id);
        let whole: (Vec<i64>, Vec<i64>) = ((1..=last + INTERNAL as i64).collect(), (1..=last).collect());
        let Opened::Salvaged { lost, .. } = opened else {
            assert_eq!((numbers, seqs), whole, "page {page}: {}", row.id);
            continue;
        };
        match lost.histories.contains(&row.id) {
            true => assert!(
                numbers.is_empty() && row.epoch > 1,
                "page {page}: {}: {numbers:?}",
                row.id
            ),
            false => assert_eq!((numbers, seqs.clone()), whole, "page {page}: {}: {lost:?}", row.id),
        }
        let next = NewRecord {
            text: None,
            ..said(seqs.len() as i64 + 1, "user", "")
        };
        let last = store.last_n(&row.id).await.unwrap();
        store
            .append_records(&row.id, row.epoch, last, vec![next], None, None)
            .await
            .unwrap();
    }
    store.search("lighthouse", Default::default()).await.unwrap();
    store.create_session(session("new"), None).await.unwrap();
}

/// Opens the database until no read finds damage any more: damage that a read finds is repaired at the next start.
async fn open_until_repaired(path: &Path, page: usize) -> (Store, Opened) {
    let mut last = None;
    for _ in 0..3 {
        let (store, opened) =
            Store::open(path, Options::default()).unwrap_or_else(|error| panic!("page {page}: {error}"));
        let opened = match (last.take(), opened) {
            (Some(before @ Opened::Salvaged { .. }), Opened::Ready { .. }) => before,
            (_, opened) => opened,
        };
        let mut damaged = store.search("lighthouse", Default::default()).await.is_err();
        for row in store.sessions(Default::default()).await.unwrap() {
            damaged |= store.all_records(&row.id, row.epoch, 0, usize::MAX).await.is_err();
        }
        if !damaged {
            return (store, opened);
        }
        drop(store.close().await);
        last = Some(opened);
    }
    panic!("page {page}: still damaged");
}

async fn damage_each_page(fill: u8, left: &str) {
    let fixture = state().await;
    let (path, lock) = (fixture.path(), fixture.folder.path().join("bridge.db.lock"));
    let (store, _) = Store::open(&path, Options::default()).unwrap();
    let expected = essentials(&store).await;
    assert_eq!((expected.0.len(), expected.1.len()), (40, 20));
    store.close().await.unwrap();
    let whole = fs::read(&path).unwrap();
    let spare = fs::read(path.with_file_name("bridge.db.spare")).unwrap();
    let mut salvaged = 0;
    for page in 0..whole.len() / PAGE {
        for file in fs::read_dir(fixture.folder.path()).unwrap().flatten() {
            if file.path().is_file() {
                fs::remove_file(file.path()).unwrap();
            }
        }
        let mut bytes = whole.clone();
        bytes[page * PAGE..(page + 1) * PAGE].fill(fill);
        fs::write(&path, bytes).unwrap();
        fs::write(path.with_file_name("bridge.db.spare"), &spare).unwrap();
        fs::write(&lock, left).unwrap();
        let (store, opened) = open_until_repaired(&path, page).await;
        assert_eq!(essentials(&store).await, expected, "page {page}: {opened:?}");
        assert_usable(&store, page, &opened).await;
        // Closing may find damage that nothing read before; the next start repairs it.
        drop(store.close().await);
        if let Opened::Salvaged { damaged, lost, .. } = opened {
            salvaged += 1;
            assert!(damaged.exists());
            assert!(
                !lost.tables.contains("devices") && !lost.tables.contains("prompts"),
                "page {page}: {lost:?}"
            );
        }
    }
    assert!(
        salvaged > whole.len() / PAGE / 3,
        "{salvaged} of {}",
        whole.len() / PAGE
    );
}

#[tokio::test]
async fn devices_and_open_prompts_survive_any_damaged_page() {
    damage_each_page(0xa5, "open 1\n").await;
}

#[tokio::test]
async fn devices_and_open_prompts_survive_any_page_of_zeros() {
    damage_each_page(0, "open 1\n").await;
}

#[tokio::test]
async fn devices_and_open_prompts_survive_a_damaged_page_of_a_closed_database() {
    damage_each_page(0, "clean\n").await;
}

#[tokio::test]
async fn a_damaged_second_file_is_recreated() {
    let fixture = state().await;
    let spare = fixture.path().with_file_name("bridge.db.spare");
    let bytes = fs::read(&spare).unwrap();
    for fill in [0, 0xa5] {
        for page in 0..bytes.len() / PAGE {
            let mut bytes = bytes.clone();
            bytes[page * PAGE..(page + 1) * PAGE].fill(fill);
            fs::write(&spare, bytes).unwrap();
            let (store, opened) = Store::open(&fixture.path(), Options::default()).unwrap();
            assert_eq!(opened, Opened::Ready { checked: false });
            let name = format!("{fill}-{page}");
            store.add_device(device(&name)).await.unwrap();
            store.close().await.unwrap();
            let copy = rusqlite::Connection::open(&spare).unwrap();
            let sql = "SELECT count(*) FROM spare_devices WHERE id = ?1";
            let found: i64 = copy.query_row(sql, [&name], |row| row.get(0)).unwrap();
            assert_eq!(found, 1, "page {page}");
        }
    }
}

#[tokio::test]
async fn a_salvage_that_a_crash_interrupted_is_finished() {
    let fixture = state().await;
    let path = fixture.path();
    fs::rename(&path, path.with_file_name("bridge.db.salvage")).unwrap();
    let (store, opened) = Store::open(&path, Options::default()).unwrap();
    assert_eq!(opened, Opened::Ready { checked: false });
    assert_eq!(store.devices().await.unwrap().len(), 40);
}

#[tokio::test]
async fn a_second_file_that_cannot_be_written_does_not_fail_the_write() {
    let fixture = state().await;
    let spare = fixture.path().with_file_name("bridge.db.spare");
    let (store, _) = Store::open(&fixture.path(), Options::default()).unwrap();
    // Another program holds it for as long as the store waits.
    let other = rusqlite::Connection::open(&spare).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let added = store.add_device(device("while-held")).await;
    let both = (added, store.device("while-held").await.unwrap().is_some());
    assert_eq!(both, (Ok(()), true), "the answer and the database agree");
    other.execute_batch("ROLLBACK").unwrap();
    store.add_device(device("after")).await.unwrap();
    let sql = "SELECT count(*) FROM spare_devices WHERE id IN ('while-held', 'after')";
    let found: i64 = other.query_row(sql, [], |row| row.get(0)).unwrap();
    assert_eq!(found, 2, "what could not be copied is copied later");
}
