use sluice_store::{StoreError, TurnRow, UsageBy, UsageFilter, UsageRow};

use crate::fixture::{open, session};

fn turn(session: &str, turn: i64, day: &str, model: Option<&str>, cost: f64) -> TurnRow {
    TurnRow {
        session: session.to_owned(),
        turn,
        began: turn * 100,
        ended: Some(turn * 100 + 50),
        cost,
        model: model.map(str::to_owned),
        input_tokens: 10,
        output_tokens: 20,
        cache_read: 30,
        cache_write: 40,
        folder: format!("/{session}"),
        day: day.to_owned(),
        subtype: Some("success".to_owned()),
        by_model: "{}".to_owned(),
    }
}

#[tokio::test]
async fn usage_is_summed_by_what_is_asked() {
    let fixture = open();
    let store = &fixture.store;
    for id in ["a", "b"] {
        store.create_session(session(id), None).await.unwrap();
    }
    let rows = [
        turn("a", 1, "2026-01-01", Some("m1"), 1.0),
        turn("a", 2, "2026-01-02", Some("m2"), 2.0),
        turn("b", 3, "2026-01-02", None, 4.0),
    ];
    for row in &rows {
        store.put_turn(row.clone()).await.unwrap();
    }
    // The same turn again counts once.
    store.put_turn(rows[2].clone()).await.unwrap();
    assert_eq!(store.turns("a").await.unwrap(), rows[..2]);

    let keys = async |by, filter: UsageFilter| {
        let rows = store.usage(by, filter).await.unwrap();
        rows.into_iter().map(|row| (row.key, row.cost)).collect::<Vec<_>>()
    };
    let pairs = |pairs: &[(&str, f64)]| {
        pairs
            .iter()
            .map(|(key, cost)| ((*key).to_owned(), *cost))
            .collect::<Vec<_>>()
    };
    let all = UsageFilter::default;
    assert_eq!(
        keys(UsageBy::Day, all()).await,
        pairs(&[("2026-01-01", 1.0), ("2026-01-02", 6.0)])
    );
    assert_eq!(keys(UsageBy::Folder, all()).await, pairs(&[("/b", 4.0), ("/a", 3.0)]));
    assert_eq!(
        keys(UsageBy::Model, all()).await,
        pairs(&[("", 4.0), ("m2", 2.0), ("m1", 1.0)])
    );
    assert_eq!(keys(UsageBy::Session, all()).await, pairs(&[("b", 4.0), ("a", 3.0)]));
    assert_eq!(
        keys(UsageBy::Turn, all()).await,
        pairs(&[("a#1", 1.0), ("a#2", 2.0), ("b#3", 4.0)])
    );
    let narrowed = UsageFilter {
        from: Some("2026-01-02".to_owned()),
        to: Some("2026-01-02".to_owned()),
        session: Some("a".to_owned()),
        split: false,
    };
    let expected = UsageRow {
        key: "2026-01-02".to_owned(),
        model: None,
        turns: 1,
        cost: 2.0,
        input_tokens: 10,
        output_tokens: 20,
        cache_read: 30,
        cache_write: 40,
        began: 200,
    };
    assert_eq!(store.usage(UsageBy::Day, narrowed).await.unwrap(), [expected]);
}

#[tokio::test]
async fn a_turn_of_no_session_is_refused() {
    let fixture = open();
    let refused = fixture.store.put_turn(turn("none", 1, "2026-01-01", None, 0.0)).await;
    assert!(matches!(refused, Err(StoreError::NotFound { .. })));
}

#[tokio::test]
async fn a_turn_of_several_models_is_told_apart() {
    let fixture = open();
    let store = &fixture.store;
    store.create_session(session("a"), None).await.unwrap();
    let parts = [
        r#"{"m1":{"cost":1.5,"input_tokens":1,"output_tokens":2,"cache_read":3,"cache_write":4}, "m2":{"cost":0.5}}"#,
        r#"{"m1":{"costUSD":1.0,"inputTokens":10,"outputTokens":20,"cacheReadInputTokens":30,"cacheCreationInputTokens":40}}"#,
        "{}",
        "not JSON",
        "[1]",
    ];
    for (by_model, number) in parts.into_iter().zip(1..) {
        let row = TurnRow {
            by_model: by_model.to_owned(),
            ..turn("a", number, "2026-01-01", Some("m3"), 2.0)
        };
        store.put_turn(row).await.unwrap();
    }
    let row = |key: &str, turns, cost, tokens: [u64; 4], began| UsageRow {
        key: key.to_owned(),
        model: Some(key.to_owned()),
        turns,
        cost,
        input_tokens: tokens[0],
        output_tokens: tokens[1],
        cache_read: tokens[2],
        cache_write: tokens[3],
        began,
    };
    let expected = [
        row("m3", 3, 6.0, [30, 60, 90, 120], 300),
        row("m1", 2, 2.5, [11, 22, 33, 44], 100),
        row("m2", 1, 0.5, [0, 0, 0, 0], 100),
    ];
    assert_eq!(
        store.usage(UsageBy::Model, UsageFilter::default()).await.unwrap(),
        expected
    );
    let split = UsageFilter {
        split: true,
        ..UsageFilter::default()
    };
    let days = expected.map(|row| UsageRow {
        key: "2026-01-01".to_owned(),
        ..row
    });
    assert_eq!(store.usage(UsageBy::Day, split).await.unwrap(), days);
}
