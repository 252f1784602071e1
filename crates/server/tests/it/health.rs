//! Health checks, the Unix socket, and the audit log of refusals.

use serde_json::Value;
use sluice_server::Scope;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::house::{House, eventually, options};
use crate::raw::get;

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[tokio::test]
async fn health_checks_say_when_nothing_can_be_stored() {
    let house = House::open().await;
    for path in ["/api/health", "/healthz", "/readyz"] {
        let response = get(path).send(house.port).await;
        assert_eq!(
            (response.status, json(&response.text())["status"].as_str()),
            (200, Some("ok")),
            "{path}"
        );
    }
    house
        .backend
        .problems
        .lock()
        .unwrap()
        .push("the disk is full".to_owned());
    let health = get("/api/health").send(house.port).await;
    assert_eq!(health.status, 200);
    let body = json(&health.text());
    assert_eq!(body["status"], "degraded");
    assert_eq!(body["problems"][0], "the disk is full");
    assert_eq!(get("/readyz").send(house.port).await.status, 503);
    assert_eq!(get("/healthz").send(house.port).await.status, 200, "the process lives");
}

#[tokio::test]
async fn a_unix_socket_serves_the_same_under_the_same_rules() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("web.sock");
    let mut options = options();
    options.listen.unix = Some(path.clone());
    let house = House::with(options).await;
    let ask = async |request: String| {
        let mut stream = tokio::net::UnixStream::connect(&path).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    };
    let of_host = |host: &str, path: &str, more: &str| {
        format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{more}\r\n")
    };
    let host = format!("127.0.0.1:{}", house.port);
    let request = |path: &str, more: &str| of_host(&host, path, more);
    // A socket has no port, so its clients send none.
    assert!(
        ask(of_host("localhost", "/healthz", ""))
            .await
            .starts_with("HTTP/1.1 200")
    );
    assert!(
        ask(of_host("box.example", "/healthz", ""))
            .await
            .starts_with("HTTP/1.1 403")
    );
    assert!(ask(request("/healthz", "")).await.starts_with("HTTP/1.1 200"));
    assert!(ask(request("/metrics", "")).await.starts_with("HTTP/1.1 401"));
    let token = house.token(Scope::Admin).await;
    let answer = ask(request("/metrics", &format!("Authorization: {token}\r\n"))).await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    use std::os::unix::fs::PermissionsExt as _;
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
}

#[tokio::test]
async fn refusals_and_failed_pairings_are_audited_with_their_address() {
    let house = House::open().await;
    assert_eq!(house.post_code("AAAA-AAAA").await.status, 403);
    assert_eq!(get("/metrics").send(house.port).await.status, 401);
    let rows = async || house.store.audit_page(None, 10).await.unwrap();
    let rows = {
        let deadline = tokio::time::Instant::now() + std::time::Duration::from_secs(20);
        loop {
            let rows = rows().await;
            if rows.len() == 2 || tokio::time::Instant::now() > deadline {
                break rows;
            }
            tokio::task::yield_now().await;
        }
    };
    let find = |action: &str| json(&rows.iter().find(|row| row.action == action).unwrap().detail);
    assert_eq!(find("pairing_failed")["address"], "127.0.0.1");
    let refused = find("refused");
    assert_eq!(
        (&refused["address"], &refused["route"]),
        (&"127.0.0.1".into(), &"metrics".into())
    );
}

#[tokio::test]
async fn a_client_of_another_bridge_connects_at_the_root() {
    let house = House::open().await;
    let token = house.token(Scope::View).await;
    let upgrade = |path: &str| {
        get(path)
            .with("Connection", "Upgrade")
            .with("Upgrade", "websocket")
            .with("Sec-WebSocket-Version", "13")
            .with("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==")
    };
    let refused = upgrade("/?token=secret").send(house.port).await;
    assert_eq!(refused.status, 401, "a token in the address counts for nothing");
    drop(refused);
    let mut opened = tokio::net::TcpStream::connect(("127.0.0.1", house.port)).await.unwrap();
    let request = format!(
        "GET / HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
         Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nAuthorization: {token}\r\n\r\n",
        house.port
    );
    opened.write_all(request.as_bytes()).await.unwrap();
    let mut head = [0; 12];
    opened.read_exact(&mut head).await.unwrap();
    assert_eq!(&head, b"HTTP/1.1 101");
    eventually("the socket is counted", || {
        house.access.devices().iter().any(|device| device.online)
    })
    .await;
}
