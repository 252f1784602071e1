//! Devices, codes and expiry without a network, with tokio's paused clock.

use std::time::Duration;

use sluice_server::{Access, AccessError, AccessOptions, AuthError, DeviceKind, Notice, Scope};
use sluice_store::Store;

use crate::house::{open_access, open_store};

struct Desk {
    access: Access,
    store: Store,
    notices: std::sync::Arc<std::sync::Mutex<Vec<Notice>>>,
    _folder: tempfile::TempDir,
}

async fn desk() -> Desk {
    let folder = tempfile::tempdir().unwrap();
    let store = open_store(folder.path());
    let (access, notices) = open_access(&store, AccessOptions::default()).await;
    Desk {
        access,
        store,
        notices,
        _folder: folder,
    }
}

impl Desk {
    async fn pair(&self, code: &str) -> Result<sluice_server::Paired, AccessError> {
        self.access
            .pair(code, "phone", "192.0.2.1", Some("Agent/1"), None)
            .await
    }
}

#[tokio::test(start_paused = true)]
async fn a_code_works_once_and_for_ten_minutes() {
    let desk = desk().await;
    let offer = desk.access.offer(Some(Scope::View));
    tokio::time::advance(Duration::from_secs(599)).await;
    let paired = desk.pair(&offer.code).await.unwrap();
    assert_eq!(
        (paired.device.scope, paired.device.kind),
        (Scope::View, DeviceKind::Cookie)
    );
    assert_eq!(desk.pair(&offer.code).await.unwrap_err(), AccessError::WrongCode);
    let late = desk.access.offer(None);
    tokio::time::advance(Duration::from_secs(600)).await;
    assert_eq!(desk.pair(&late.code).await.unwrap_err(), AccessError::WrongCode);
}

#[tokio::test(start_paused = true)]
async fn five_wrong_codes_lock_for_a_minute_and_the_terminal_is_told() {
    let desk = desk().await;
    let offer = desk.access.offer(None);
    for _ in 0..4 {
        assert_eq!(desk.pair("AAAA-AAAA").await.unwrap_err(), AccessError::WrongCode);
    }
    let minute = Duration::from_secs(60);
    assert_eq!(
        desk.pair("AAAA-AAAA").await.unwrap_err(),
        AccessError::Locked { wait: minute }
    );
    let told = desk.notices.lock().unwrap().clone();
    let address = "192.0.2.1".to_owned();
    assert_eq!(told, [Notice::PairingLocked { wait: minute, address }]);
    assert!(matches!(desk.pair(&offer.code).await, Err(AccessError::Locked { .. })));
    tokio::time::advance(minute).await;
    assert!(desk.pair(&offer.code).await.is_ok());
    let actions: Vec<String> = desk
        .store
        .audit_page(None, 10)
        .await
        .unwrap()
        .into_iter()
        .map(|row| row.action)
        .collect();
    let failed = ["pairing_failed"; 4];
    assert_eq!(actions[..2], ["pair", "pairing_locked"]);
    assert_eq!(actions[2..], failed);
}

#[tokio::test]
async fn the_first_device_is_admin_and_later_ones_are_not() {
    let desk = desk().await;
    let (one, two) = (desk.access.offer(None), desk.access.offer(None));
    assert_eq!(desk.pair(&one.code).await.unwrap().device.scope, Scope::Admin);
    assert_eq!(desk.pair(&two.code).await.unwrap().device.scope, Scope::Approve);
}

#[tokio::test]
async fn of_two_concurrent_devices_one_is_the_first() {
    let desk = desk().await;
    let (one, two) = (desk.access.offer(None), desk.access.offer(None));
    let (one, two) = tokio::join!(desk.pair(&one.code), desk.pair(&two.code));
    let mut scopes = [one.unwrap().device.scope, two.unwrap().device.scope];
    scopes.sort();
    assert_eq!(scopes, [Scope::Approve, Scope::Admin]);
}

#[tokio::test]
async fn only_the_hash_of_a_secret_is_kept() {
    let desk = desk().await;
    let paired = desk.pair(&desk.access.offer(None).code).await.unwrap();
    let token = desk.access.token("script", Scope::Operate, None).await.unwrap();
    let rows = format!("{:?}", desk.store.devices().await.unwrap());
    assert!(!rows.contains(&paired.secret) && !rows.contains(&token.secret));
    assert!(!format!("{paired:?}{:?}", desk.access).contains(&paired.secret));
}

#[tokio::test]
async fn devices_are_known_again_after_a_restart_and_revoked_ones_are_not() {
    let desk = desk().await;
    let stays = desk.pair(&desk.access.offer(None).code).await.unwrap();
    let goes = desk.access.token("script", Scope::Operate, None).await.unwrap();
    desk.access.revoke(&goes.device.id, None).await.unwrap();
    let (again, _) = open_access(&desk.store, AccessOptions::default()).await;
    assert_eq!(again.devices(), std::slice::from_ref(&stays.device));
    let who = again
        .authenticate(&stays.secret, DeviceKind::Cookie, "192.0.2.9", false)
        .unwrap();
    assert_eq!((who.device, who.scope), (stays.device.id, Scope::Admin));
    let gone = again.authenticate(&goes.secret, DeviceKind::Token, "192.0.2.9", false);
    assert_eq!(gone.unwrap_err(), AuthError::Unknown);
}

#[tokio::test]
async fn a_cookies_secret_is_no_token_and_a_tokens_no_cookie() {
    let desk = desk().await;
    let cookie = desk.pair(&desk.access.offer(None).code).await.unwrap();
    let token = desk.access.token("script", Scope::Operate, None).await.unwrap();
    let try_as = |secret: &str, kind| desk.access.authenticate(secret, kind, "::1", false).map(|who| who.name);
    assert_eq!(try_as(&cookie.secret, DeviceKind::Cookie), Ok("phone".to_owned()));
    assert_eq!(try_as(&cookie.secret, DeviceKind::Token), Err(AuthError::Unknown));
    assert_eq!(try_as(&token.secret, DeviceKind::Cookie), Err(AuthError::Unknown));
    assert_eq!(try_as(&token.device.id, DeviceKind::Token), Err(AuthError::Unknown));
}

#[tokio::test]
async fn an_inactive_device_is_rejected() {
    let desk = desk().await;
    let cookie = desk.pair(&desk.access.offer(None).code).await.unwrap();
    let token = desk.access.token("script", Scope::Operate, None).await.unwrap();
    let mut rows = desk.store.devices().await.unwrap();
    let old = tempfile::tempdir().unwrap();
    let store = open_store(old.path());
    for row in &mut rows {
        row.last_seen_at -= 91 * 24 * 3600 * 1000;
        store.add_device(row.clone()).await.unwrap();
    }
    let (access, _) = open_access(&store, AccessOptions::default()).await;
    let away = access.authenticate(&cookie.secret, DeviceKind::Cookie, "::1", false);
    assert_eq!(away.unwrap_err(), AuthError::Expired);
    let away = access.authenticate(&token.secret, DeviceKind::Token, "::1", false);
    assert_eq!(away.unwrap_err(), AuthError::Expired);
    let years = AccessOptions {
        idle: Duration::from_secs(10 * 365 * 24 * 3600),
        ..AccessOptions::default()
    };
    let (access, _) = open_access(&store, years).await;
    assert!(
        access
            .authenticate(&token.secret, DeviceKind::Token, "::1", false)
            .is_ok(),
        "the time is settable"
    );
}

#[tokio::test]
async fn a_visit_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let store = open_store(folder.path());
    let always = AccessOptions {
        touch_every: Duration::ZERO,
        ..AccessOptions::default()
    };
    let (access, _) = open_access(&store, always).await;
    let token = access.token("script", Scope::Operate, None).await.unwrap();
    access
        .authenticate(&token.secret, DeviceKind::Token, "192.0.2.44", false)
        .unwrap();
    let deadline = tokio::time::Instant::now() + Duration::from_secs(20);
    while store.devices().await.unwrap()[0].last_address.as_deref() != Some("192.0.2.44") {
        assert!(tokio::time::Instant::now() < deadline, "the visit was never written");
    }
}

#[tokio::test]
async fn the_audit_log_contains_device_and_action() {
    let desk = desk().await;
    let admin = desk.pair(&desk.access.offer(None).code).await.unwrap();
    let by = desk
        .access
        .authenticate(&admin.secret, DeviceKind::Cookie, "::1", false)
        .unwrap();
    let token = desk.access.token("script", Scope::View, Some(&by)).await.unwrap();
    desk.access.revoke(&token.device.id, Some(&by)).await.unwrap();
    desk.access.revoke(&admin.device.id, Some(&by)).await.unwrap();
    let rows = desk.store.audit_page(None, 10).await.unwrap();
    let seen: Vec<_> = rows
        .iter()
        .map(|row| (row.action.as_str(), row.device.as_deref()))
        .collect();
    let by = Some(admin.device.id.as_str());
    assert_eq!(seen, [("logout", by), ("revoke", by), ("token", by), ("pair", by)]);
    let missing = desk.access.revoke("nobody", None).await.unwrap_err();
    assert_eq!(missing, AccessError::NoSuchDevice("nobody".to_owned()));
}

#[tokio::test]
async fn a_device_name_is_sanitized() {
    let desk = desk().await;
    let offer = desk.access.offer(None);
    let name = format!("a\n\u{1b}[31m\u{202e}b{}", "x".repeat(100));
    let paired = desk.access.pair(&offer.code, &name, "::1", None, None).await.unwrap();
    assert_eq!(paired.device.name, format!("a[31mb{}", "x".repeat(58)));
    let offer = desk.access.offer(None);
    let paired = desk.access.pair(&offer.code, " \t", "::1", None, None).await.unwrap();
    assert_eq!(paired.device.name, "unnamed");
}
