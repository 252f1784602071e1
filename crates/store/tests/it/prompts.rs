use sluice_store::{Options, PromptPatch, PromptRow, ReceiptRow, StoreError};

use crate::fixture::{open_with, prompt, with_session};

fn receipt(id: &str, at: i64) -> ReceiptRow {
    ReceiptRow {
        device: "d".to_owned(),
        id: id.to_owned(),
        at,
        body: format!("{{\"id\":\"{id}\"}}"),
    }
}

#[tokio::test]
async fn a_prompt_and_its_receipt_are_kept_together() {
    let fixture = with_session().await;
    fixture
        .store
        .put_prompt(prompt("u", 1.0), Some(receipt("r", 1)))
        .await
        .unwrap();
    let elsewhere = PromptRow {
        session: "none".to_owned(),
        ..prompt("v", 1.0)
    };
    let refused = fixture.store.put_prompt(elsewhere, Some(receipt("r2", 1))).await;
    assert!(matches!(refused, Err(StoreError::NotFound { what: "session", .. })));
    let fixture = fixture.reopen().await;
    assert_eq!(fixture.store.prompt("u").await.unwrap(), Some(prompt("u", 1.0)));
    assert_eq!(fixture.store.receipt("d", "r").await.unwrap(), Some(receipt("r", 1)));
    assert_eq!(fixture.store.prompt("v").await.unwrap(), None);
    assert_eq!(fixture.store.receipt("d", "r2").await.unwrap(), None);
}

#[tokio::test]
async fn open_prompts_come_in_the_order_of_the_queue() {
    let fixture = with_session().await;
    let store = &fixture.store;
    for (uuid, position) in [("a", 3.0), ("b", 1.0), ("c", 2.0), ("d", 4.0)] {
        store.put_prompt(prompt(uuid, position), None).await.unwrap();
    }
    let delivered = PromptPatch {
        state: Some("delivered".to_owned()),
        turn: Some(Some(7)),
        since: Some(5),
        ..PromptPatch::default()
    };
    let row = store.update_prompt("c", delivered).await.unwrap();
    assert_eq!((row.state.as_str(), row.turn, row.since), ("delivered", Some(7), 5));
    let first = PromptPatch {
        position: Some(0.5),
        ..PromptPatch::default()
    };
    store.update_prompt("d", first).await.unwrap();
    let uuids = |rows: Vec<PromptRow>| rows.into_iter().map(|row| row.uuid).collect::<Vec<_>>();
    assert_eq!(uuids(store.open_prompts("s").await.unwrap()), ["d", "b", "a"]);
    assert_eq!(uuids(store.prompts("s").await.unwrap()), ["d", "b", "c", "a"]);
    let missing = store.update_prompt("z", PromptPatch::default()).await;
    assert!(matches!(missing, Err(StoreError::NotFound { what: "prompt", .. })));
}

#[tokio::test]
async fn old_receipts_go() {
    let options = Options {
        receipt_age: 100,
        ..Options::default()
    };
    let fixture = open_with(options);
    let store = &fixture.store;
    for (id, at) in [("old", 1), ("young", 60), ("new", 150)] {
        store.put_receipt(receipt(id, at)).await.unwrap();
    }
    assert_eq!(store.receipt("d", "old").await.unwrap(), None);
    assert_eq!(store.receipt("d", "young").await.unwrap(), Some(receipt("young", 60)));
    assert_eq!(store.receipt("e", "young").await.unwrap(), None);
}

#[tokio::test]
async fn receipts_beyond_the_number_go_oldest_first() {
    let options = Options {
        receipt_count: 3,
        ..Options::default()
    };
    let fixture = open_with(options);
    for at in 1..=5 {
        fixture.store.put_receipt(receipt(&format!("r{at}"), at)).await.unwrap();
    }
    assert_eq!(fixture.store.stats().await.unwrap().receipts, 3);
    assert_eq!(fixture.store.receipt("d", "r2").await.unwrap(), None);
    assert_eq!(fixture.store.receipt("d", "r3").await.unwrap(), Some(receipt("r3", 3)));
}
