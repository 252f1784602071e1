//! Pairing with the requests of the page.

use serde_json::Value;
use sluice_server::{Notice, Scope};

use crate::house::House;
use crate::raw::{get, post};

#[tokio::test]
async fn a_code_is_exchanged_for_a_cookie_with_its_scope() {
    let house = House::open().await;
    let offer = house.access.offer(None);
    assert_eq!(offer.urls[0], format!("{}/#pair={}", house.origin(), offer.code));
    let response = house.post_code(&offer.code.to_lowercase()).await;
    assert_eq!(response.status, 200);
    let body: Value = serde_json::from_slice(&response.body).unwrap();
    assert_eq!(body["device"]["scope"], "admin");
    assert_eq!(body["device"]["name"], "a browser");
    let cookie = response.header("set-cookie").unwrap();
    assert!(
        cookie.ends_with("; HttpOnly; SameSite=Strict; Path=/; Max-Age=34560000"),
        "{cookie}"
    );
    assert!(
        !response.text().contains(cookie.split(['=', ';']).nth(1).unwrap()),
        "the secret is in the cookie alone"
    );
    let cookie = cookie.split(';').next().unwrap();
    let metrics = house
        .as_page(get("/metrics"))
        .with("Cookie", cookie)
        .send(house.port)
        .await;
    assert_eq!(metrics.status, 200);
    assert!(metrics.text().contains("sluice_pairings_total{outcome=\"paired\"} 1\n"));
    assert!(metrics.text().ends_with("sluice_sessions 3\n"));
    assert!(matches!(
        house.notices.lock().unwrap()[..],
        [Notice::Paired {
            scope: Scope::Admin,
            ..
        }]
    ));
}

#[tokio::test]
async fn guessing_codes_locks_pairing() {
    let house = House::open().await;
    let offer = house.access.offer(None);
    for guess in ["AAAA-AAAA", "", "0000-0000", &"A".repeat(1000)] {
        let response = house.post_code(guess).await;
        assert_eq!((response.status, response.code()), (403, "wrong_code".to_owned()));
        assert_eq!(response.header("set-cookie"), None);
    }
    for code in ["AAAA-AAAA", &offer.code] {
        let response = house.post_code(code).await;
        assert_eq!((response.status, response.code()), (429, "locked".to_owned()));
        assert!(matches!(response.header("retry-after"), Some("60" | "59")));
    }
    assert_eq!(house.access.devices(), []);
}

#[tokio::test]
async fn a_malformed_pairing_request_is_refused_and_not_counted_as_a_guess() {
    let house = House::open().await;
    for body in [
        "",
        "{}",
        "[]",
        "{\"code\": 1}",
        "{\"code\": \"AAAA-AAAA\"",
        "\u{0}",
        "{\"device\":\"x\"}",
    ] {
        let response = house
            .as_page(post("/api/pair", "application/json", body))
            .send(house.port)
            .await;
        assert_eq!(
            (response.status, response.code()),
            (400, "invalid".to_owned()),
            "{body}"
        );
    }
    let offer = house.access.offer(None);
    assert_eq!(house.post_code(&offer.code).await.status, 200);
}

#[tokio::test]
async fn pairing_a_browser_again_replaces_its_device_and_keeps_its_scope() {
    let house = House::open().await;
    let cookie = house.pair(Scope::Admin).await;
    let offer = house.access.offer(None);
    let body = serde_json::json!({"code": offer.code, "device": "same browser"}).to_string();
    let again = house
        .as_page(post("/api/pair", "application/json", body))
        .with("Cookie", &cookie);
    assert_eq!(again.send(house.port).await.status, 200);
    let devices = house.access.devices();
    assert_eq!(devices.len(), 1);
    assert_eq!(
        (devices[0].name.as_str(), devices[0].scope),
        ("same browser", Scope::Admin)
    );
    let old = house
        .as_page(get("/metrics"))
        .with("Cookie", &cookie)
        .send(house.port)
        .await;
    assert_eq!(old.status, 401);
}

#[tokio::test]
async fn logging_out_revokes_the_device() {
    let house = House::open().await;
    let cookie = house.pair(Scope::Admin).await;
    let leave = house
        .as_page(post("/api/logout", "application/json", "{}"))
        .with("Cookie", &cookie);
    let response = leave.send(house.port).await;
    assert_eq!(response.status, 200);
    assert_eq!(
        response.header("set-cookie"),
        Some("sluice=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0")
    );
    assert_eq!(leave.send(house.port).await.status, 401);
    assert_eq!(house.access.devices(), []);
}

#[tokio::test]
async fn an_insufficient_scope_is_reported() {
    let house = House::open().await;
    let view = house.pair(Scope::View).await;
    let metrics = house
        .as_page(get("/metrics"))
        .with("Cookie", &view)
        .send(house.port)
        .await;
    assert_eq!((metrics.status, metrics.code()), (403, "scope".to_owned()));
    let upload = house
        .as_page(post("/api/upload", "image/png", "PNG"))
        .with("Cookie", &view)
        .send(house.port)
        .await;
    assert_eq!((upload.status, upload.code()), (403, "scope".to_owned()));
    assert!(house.backend.uploads.lock().unwrap().is_empty());
}
