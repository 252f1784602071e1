//! Devices, their push subscriptions, folders, audit, single values.

use sluice_store::{AuditRow, DeviceRow, FolderRow, PushRow, StoreError};

use crate::fixture::{device, open};

#[tokio::test]
async fn a_device_is_found_by_its_hash_until_and_after_it_is_revoked() {
    let fixture = open();
    let store = &fixture.store;
    store.add_device(device("phone")).await.unwrap();
    store.add_device(device("laptop")).await.unwrap();
    let taken = store.add_device(device("phone")).await;
    assert!(matches!(taken, Err(StoreError::Exists { what: "device", .. })));
    assert!(store.touch_device("phone", 9, Some("10.0.0.1")).await.unwrap());
    assert!(store.touch_device("phone", 8, None).await.unwrap());
    assert!(store.rename_device("phone", "Ann's").await.unwrap());
    assert!(store.set_scopes("phone", "view operate").await.unwrap());
    assert!(store.revoke_device("phone", 10).await.unwrap());
    assert!(!store.revoke_device("phone", 11).await.unwrap());
    assert!(!store.rename_device("none", "x").await.unwrap());
    let expected = DeviceRow {
        name: "Ann's".to_owned(),
        scopes: "view operate".to_owned(),
        last_seen_at: 9,
        last_address: Some("10.0.0.1".to_owned()),
        revoked_at: Some(10),
        ..device("phone")
    };
    assert_eq!(
        store.device_by_hash("hash of phone").await.unwrap().as_ref(),
        Some(&expected)
    );
    assert_eq!(store.device("phone").await.unwrap().as_ref(), Some(&expected));
    assert_eq!(store.device_by_hash("hash of x").await.unwrap(), None);
    assert_eq!(store.devices().await.unwrap(), [device("laptop"), expected]);
}

#[tokio::test]
async fn push_goes_to_devices_that_are_not_revoked() {
    let fixture = open();
    let store = &fixture.store;
    let push = |device: &str, body: &str| PushRow {
        endpoint: format!("https://push.example/{device}"),
        device: device.to_owned(),
        at: 1,
        body: body.to_owned(),
    };
    for id in ["phone", "laptop"] {
        store.add_device(device(id)).await.unwrap();
        store.put_push(push(id, "{}")).await.unwrap();
    }
    store.put_push(push("phone", "{\"new\":1}")).await.unwrap();
    assert_eq!(
        store.push_subscriptions().await.unwrap(),
        [push("laptop", "{}"), push("phone", "{\"new\":1}")]
    );
    store.revoke_device("phone", 1).await.unwrap();
    assert_eq!(store.push_subscriptions().await.unwrap(), [push("laptop", "{}")]);
    assert!(store.delete_push("https://push.example/laptop").await.unwrap());
    assert!(!store.delete_push("https://push.example/laptop").await.unwrap());
    assert_eq!(store.push_subscriptions().await.unwrap(), []);
}

#[tokio::test]
async fn folders_are_counted_and_listed_by_last_use() {
    let fixture = open();
    let store = &fixture.store;
    for (path, at) in [("/a", 5), ("/b", 3), ("/a", 4), ("/c", 1)] {
        store.use_folder(path, at).await.unwrap();
    }
    let row = |path: &str, last_used_at, uses| FolderRow {
        path: path.to_owned(),
        last_used_at,
        uses,
    };
    assert_eq!(store.folders(2).await.unwrap(), [row("/a", 5, 2), row("/b", 3, 1)]);
    assert!(store.forget_folder("/a").await.unwrap());
    assert_eq!(
        store.folders(usize::MAX).await.unwrap(),
        [row("/b", 3, 1), row("/c", 1, 1)]
    );
}

#[tokio::test]
async fn the_audit_is_paged_newest_first() {
    let fixture = open();
    let row = |id, action: &str| AuditRow {
        id,
        at: id * 10,
        device: Some("d".to_owned()),
        device_name: Some("phone".to_owned()),
        action: action.to_owned(),
        session: None,
        detail: "{}".to_owned(),
    };
    for id in 1..=5 {
        assert_eq!(fixture.store.audit(row(id, "approve")).await, Ok(id));
    }
    let page = fixture.store.audit_page(None, 2).await.unwrap();
    assert_eq!(page, [row(5, "approve"), row(4, "approve")]);
    let page = fixture.store.audit_page(Some(4), 9).await.unwrap();
    assert_eq!(page.iter().map(|row| row.id).collect::<Vec<_>>(), [3, 2, 1]);
}

#[tokio::test]
async fn single_values_are_set_and_removed() {
    let fixture = open();
    fixture.store.meta_set("k", Some("v")).await.unwrap();
    let fixture = fixture.reopen().await;
    assert_eq!(fixture.store.meta_get("k").await.unwrap().as_deref(), Some("v"));
    fixture.store.meta_set("k", None).await.unwrap();
    assert_eq!(fixture.store.meta_get("k").await.unwrap(), None);
}

#[tokio::test]
async fn terms_rise_over_restarts() {
    let fixture = open();
    assert_eq!(fixture.store.next_term().await, Ok(1));
    assert_eq!(fixture.store.next_term().await, Ok(2));
    let fixture = fixture.reopen().await;
    assert_eq!(fixture.store.next_term().await, Ok(3));
}
