use sluice_store::{ProviderRow, ReceiptRow, SessionFilter, SessionPatch, SessionRow, StoreError};

use crate::fixture::{ask, open, prompt, record, said, session, with_session};

#[tokio::test]
async fn a_session_comes_back_as_it_was_given() {
    let given = SessionRow {
        id: "full".to_owned(),
        folder: "/w".to_owned(),
        title: Some("Title".to_owned()),
        title_by_person: true,
        agent: r#"{"kind":"claude"}"#.to_owned(),
        model: Some("m".to_owned()),
        permission_mode: "plan".to_owned(),
        started_at: 11,
        last_activity_at: 12,
        archived: true,
        status: "running".to_owned(),
        cost: 0.25,
        turns: 3,
        epoch: 4,
        last_seq: 5,
        runner_committed: 6,
        runner_safe: 7,
        provider_id: Some("p".to_owned()),
        pending_asks: 8,
        queue_len: 9,
        preview: Some("bye".to_owned()),
        extra: "{\"a\":1}".to_owned(),
    };
    let fixture = open();
    fixture.store.create_session(given.clone(), None).await.unwrap();
    let fixture = fixture.reopen().await;
    assert_eq!(fixture.store.session("full").await.unwrap(), Some(given));
    assert_eq!(fixture.store.session("other").await.unwrap(), None);
}

#[tokio::test]
async fn a_taken_id_is_refused_and_leaves_no_receipt() {
    let fixture = with_session().await;
    let receipt = ReceiptRow {
        device: "d".to_owned(),
        id: "r".to_owned(),
        at: 1,
        body: "{}".to_owned(),
    };
    let again = fixture.store.create_session(session("s"), Some(receipt.clone())).await;
    assert!(matches!(again, Err(StoreError::Exists { what: "session", .. })));
    assert_eq!(fixture.store.receipt("d", "r").await.unwrap(), None);
    let other = fixture.store.create_session(session("t"), Some(receipt.clone())).await;
    assert_eq!(other, Ok(()));
    assert_eq!(fixture.store.receipt("d", "r").await.unwrap(), Some(receipt));
}

#[tokio::test]
async fn a_patch_changes_only_what_it_names() {
    let fixture = with_session().await;
    let patch = SessionPatch {
        title: Some(Some("New".to_owned())),
        pending_asks: Some(2),
        ..SessionPatch::default()
    };
    let expected = SessionRow {
        title: Some("New".to_owned()),
        pending_asks: 2,
        ..session("s")
    };
    assert_eq!(fixture.store.update_session("s", patch).await.unwrap(), expected);
    let patch = SessionPatch {
        title: Some(None),
        ..SessionPatch::default()
    };
    fixture.store.update_session("s", patch).await.unwrap();
    let expected = SessionRow {
        title: None,
        ..expected
    };
    assert_eq!(fixture.store.session("s").await.unwrap(), Some(expected));
    let missing = fixture.store.update_session("none", SessionPatch::default()).await;
    assert!(matches!(missing, Err(StoreError::NotFound { what: "session", .. })));
}

#[tokio::test]
async fn sessions_are_listed_by_activity_and_paged() {
    let fixture = open();
    for (id, at) in [("a", 3), ("b", 1), ("c", 3), ("d", 2)] {
        let row = SessionRow {
            last_activity_at: at,
            ..session(id)
        };
        fixture.store.create_session(row, None).await.unwrap();
    }
    let ids = async |filter| {
        let rows = fixture.store.sessions(filter).await.unwrap();
        rows.into_iter().map(|row| row.id).collect::<Vec<_>>()
    };
    assert_eq!(ids(SessionFilter::default()).await, ["c", "a", "d", "b"]);
    // Two have the same time: the page boundary between them loses none.
    let page = SessionFilter {
        limit: Some(2),
        before: Some((3, "c".to_owned())),
        ..SessionFilter::default()
    };
    assert_eq!(ids(page).await, ["a", "d"]);
}

#[tokio::test]
async fn sessions_are_narrowed_by_folder_text_and_archive() {
    let fixture = open();
    let rows = [
        ("a", "/x", Some("Fix 100% of it"), false),
        ("b", "/x", Some("other"), true),
        ("c", "/y", Some("100 of it"), false),
    ];
    for (id, folder, title, archived) in rows {
        let row = SessionRow {
            folder: folder.to_owned(),
            title: title.map(str::to_owned),
            archived,
            ..session(id)
        };
        fixture.store.create_session(row, None).await.unwrap();
    }
    let ids = async |folder: Option<&str>, archived, text: Option<&str>| {
        let filter = SessionFilter {
            folder: folder.map(str::to_owned),
            archived,
            text: text.map(str::to_owned),
            ..SessionFilter::default()
        };
        let rows = fixture.store.sessions(filter).await.unwrap();
        rows.into_iter().map(|row| row.id).collect::<Vec<_>>()
    };
    assert_eq!(ids(Some("/x"), None, None).await, ["b", "a"]);
    assert_eq!(ids(Some("/x"), Some(false), None).await, ["a"]);
    assert_eq!(ids(None, None, Some("100%")).await, ["a"]);
    assert_eq!(ids(None, None, Some("_")).await, [""; 0]);
    assert_eq!(ids(None, None, Some("FIX")).await, ["a"]);
}

#[tokio::test]
async fn the_chain_of_provider_ids_is_kept() {
    let fixture = with_session().await;
    let store = &fixture.store;
    store.add_provider_id("s", "p1", 1).await.unwrap();
    store.add_provider_id("s", "p2", 2).await.unwrap();
    store.add_provider_id("s", "p2", 2).await.unwrap();
    let row = |provider_id: &str, at| ProviderRow {
        provider_id: provider_id.to_owned(),
        session: "s".to_owned(),
        at,
    };
    assert_eq!(store.provider_ids("s").await.unwrap(), [row("p1", 1), row("p2", 2)]);
    let by_old = store.session_by_provider("p1").await.unwrap().unwrap();
    assert_eq!((by_old.id.as_str(), by_old.provider_id.as_deref()), ("s", Some("p2")));
    assert_eq!(store.session_by_provider("p3").await.unwrap(), None);
    let unknown = store.add_provider_id("none", "p", 1).await;
    assert!(matches!(unknown, Err(StoreError::NotFound { .. })));
    assert_eq!(store.session_by_provider("p").await.unwrap(), None);
}

#[tokio::test]
async fn a_session_created_with_a_provider_id_is_found_by_it() {
    let fixture = open();
    let row = SessionRow {
        provider_id: Some("p".to_owned()),
        ..session("s")
    };
    fixture.store.create_session(row.clone(), None).await.unwrap();
    assert_eq!(fixture.store.session_by_provider("p").await.unwrap(), Some(row));
}

#[tokio::test]
async fn deleting_a_session_leaves_nothing_of_it_and_all_of_others() {
    let fixture = with_session().await;
    let store = &fixture.store;
    store.create_session(session("t"), None).await.unwrap();
    for id in ["s", "t"] {
        store
            .append_records(id, 1, 0, vec![said(1, "user", "lighthouse")], None, None)
            .await
            .unwrap();
        store.add_provider_id(id, &format!("p-{id}"), 1).await.unwrap();
    }
    store.put_prompt(prompt("u", 1.0), None).await.unwrap();
    store.open_ask(ask("r")).await.unwrap();
    assert!(store.delete_session("s").await.unwrap());
    assert!(!store.delete_session("s").await.unwrap());
    assert_eq!(store.session("s").await.unwrap(), None);
    assert_eq!(store.session_by_provider("p-s").await.unwrap(), None);
    assert_eq!(store.prompt("u").await.unwrap(), None);
    assert_eq!(store.asks("s").await.unwrap(), []);
    let gone = store.records_after("s", 1, 0, 9, 999).await;
    assert!(matches!(gone, Err(StoreError::NotFound { .. })));
    let hits = store.search("lighthouse", Default::default()).await.unwrap();
    assert_eq!(hits.into_iter().map(|hit| hit.session).collect::<Vec<_>>(), ["t"]);
    // The id may be used again, and begins from nothing.
    store.create_session(session("s"), None).await.unwrap();
    assert_eq!(
        store.append_records("s", 1, 0, vec![record(1)], None, None).await,
        Ok(1)
    );
}
