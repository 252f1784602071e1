use proptest::prelude::*;
use sluice_store::{Hit, SearchFilter, SessionRow, Store};

use crate::fixture::{Fixture, internal, open, said, session};

async fn library() -> Fixture {
    let fixture = open();
    let sessions = [
        (
            "a",
            "/x",
            vec![
                said(1, "user", "Where is the Lighthouse of Zürich?"),
                said(2, "assistant", "There is none."),
                said(3, "user", "foo-bar NEAR \"quoted\" don't"),
            ],
        ),
        (
            "b",
            "/y",
            vec![said(4, "assistant", "the lighthouse stands by the sea")],
        ),
    ];
    for (id, folder, records) in sessions {
        let row = SessionRow {
            folder: folder.to_owned(),
            ..session(id)
        };
        fixture.store.create_session(row, None).await.unwrap();
        fixture
            .store
            .append_records(id, 1, 0, records, None, None)
            .await
            .unwrap();
    }
    fixture
}

async fn find(store: &Store, text: &str, filter: SearchFilter) -> Vec<(String, i64)> {
    let hits = store.search(text, filter).await.unwrap();
    hits.into_iter().map(|hit| (hit.session, hit.seq)).collect()
}

fn pairs(pairs: &[(&str, i64)]) -> Vec<(String, i64)> {
    pairs
        .iter()
        .map(|(session, seq)| ((*session).to_owned(), *seq))
        .collect()
}

#[tokio::test]
async fn words_are_found_whatever_their_case_accents_and_order() {
    let fixture = library().await;
    let all = SearchFilter::default;
    let store = &fixture.store;
    // About as good: the newest first.
    assert_eq!(find(store, "LIGHTHOUSE", all()).await, pairs(&[("b", 4), ("a", 1)]));
    assert_eq!(find(store, "zurich lighthouse", all()).await, pairs(&[("a", 1)]));
    assert_eq!(find(store, "stands lig", all()).await, pairs(&[("b", 4)]));
    // Only the last word may be a beginning.
    assert_eq!(find(store, "lig stands", all()).await, []);
    // Nor is a single letter one.
    assert_eq!(find(store, "l", all()).await, []);
    assert_eq!(find(store, "li", all()).await, pairs(&[("b", 4), ("a", 1)]));
    assert_eq!(find(store, "foo-bar", all()).await, pairs(&[("a", 3)]));
    assert_eq!(find(store, "bar-foo", all()).await, []);
}

#[tokio::test]
async fn a_hit_says_where_and_marks_the_match() {
    let fixture = library().await;
    let hits = fixture.store.search("stands", SearchFilter::default()).await.unwrap();
    let expected = Hit {
        session: "b".to_owned(),
        epoch: 1,
        seq: 4,
        at: 40,
        role: Some("assistant".to_owned()),
        snippet: "the lighthouse \u{2}stands\u{3} by the sea".to_owned(),
    };
    assert_eq!(hits, [expected]);
}

#[tokio::test]
async fn a_search_is_narrowed_and_paged() {
    let fixture = library().await;
    let store = &fixture.store;
    let text = |text: &str| Some(text.to_owned());
    let all = SearchFilter::default();
    let filter = SearchFilter {
        session: text("a"),
        ..all.clone()
    };
    assert_eq!(find(store, "lighthouse", filter).await, pairs(&[("a", 1)]));
    let filter = SearchFilter {
        folder: text("/y"),
        ..all.clone()
    };
    assert_eq!(find(store, "lighthouse", filter).await, pairs(&[("b", 4)]));
    let filter = SearchFilter {
        role: text("user"),
        ..all.clone()
    };
    assert_eq!(find(store, "lighthouse", filter).await, pairs(&[("a", 1)]));
    let filter = SearchFilter {
        limit: Some(1),
        offset: 1,
        ..all
    };
    assert_eq!(find(store, "lighthouse", filter).await, pairs(&[("a", 1)]));
}

#[tokio::test]
async fn nothing_in_a_query_is_syntax() {
    let fixture = library().await;
    let store = &fixture.store;
    let all = SearchFilter::default;
    assert_eq!(find(store, "\"quoted\"", all()).await, pairs(&[("a", 3)]));
    assert_eq!(find(store, "NEAR", all()).await, pairs(&[("a", 3)]));
    assert_eq!(find(store, "don't", all()).await, pairs(&[("a", 3)]));
    assert_eq!(
        find(store, "* lighthouse* -", all()).await,
        pairs(&[("b", 4), ("a", 1)])
    );
    let hostile = [
        "",
        " ",
        "*",
        "\"",
        "\"\"",
        "'",
        "(",
        ")",
        "a AND",
        "OR",
        "NOT x",
        "NEAR(a b, 3)",
        "text:foo",
        "^a",
        "{a b}: c",
        "a + b",
        "\0",
        "a\0b",
        "\u{feff}",
        "🦀",
        "%_",
        "; DROP TABLE said",
        "-",
        "\u{301}",
        "Ⓐ",
        "said MATCH",
    ];
    for query in hostile {
        store.search(query, all()).await.unwrap();
    }
    let long = "word ".repeat(10_000);
    assert_eq!(find(store, &long, all()).await, []);
}

#[tokio::test]
async fn internal_records_and_records_without_text_are_not_found() {
    let fixture = library().await;
    let hidden = sluice_store::NewRecord {
        text: Some("submarine".to_owned()),
        ..internal("submarine")
    };
    fixture
        .store
        .append_records("a", 1, 3, vec![hidden], None, None)
        .await
        .unwrap();
    assert_eq!(find(&fixture.store, "submarine", SearchFilter::default()).await, []);
}

#[tokio::test]
async fn of_very_many_matches_the_newest_are_found_and_filters_still_reach_the_oldest() {
    let fixture = library().await;
    let store = &fixture.store;
    let records = (5..=3000).map(|seq| said(seq, "user", "a lighthouse again")).collect();
    store.append_records("b", 1, 1, records, None, None).await.unwrap();
    let all = SearchFilter::default();
    assert_eq!(find(store, "lighthouse", all.clone()).await[0], ("b".to_owned(), 3000));
    let everything = SearchFilter {
        limit: Some(9999),
        ..all.clone()
    };
    assert_eq!(find(store, "lighthouse", everything).await.len(), 2000);
    let filter = SearchFilter {
        session: Some("a".to_owned()),
        ..all
    };
    assert_eq!(find(store, "lighthouse", filter).await, pairs(&[("a", 1)]));
}

#[test]
fn no_query_fails() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let fixture = runtime.block_on(library());
    let strategy = proptest::string::string_regex("[a-z\"'*()^:{}+ \\-\u{0}\u{2}é🦀]{0,24}|\\PC{0,24}").unwrap();
    let mut runner = proptest::test_runner::TestRunner::default();
    runner
        .run(&strategy, |query| {
            let found = runtime.block_on(fixture.store.search(&query, SearchFilter::default()));
            prop_assert!(found.is_ok(), "{query:?}: {found:?}");
            Ok(())
        })
        .unwrap();
}
