//! Limits on sizes, rates and counts.

use std::time::Duration;

use sluice_server::Scope;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::house::{House, options};
use crate::raw::{PATIENCE, connect, ends, get, post, read, send};

#[tokio::test]
async fn headers_that_are_too_large_or_too_many_are_refused() {
    let house = House::open().await;
    let long = get("/").with("X", &"x".repeat(20_000)).send(house.port).await;
    assert_eq!(long.status, 431);
    let mut many = get("/");
    for number in 0..80 {
        many = many.with(&format!("X-{number}"), "x");
    }
    assert_eq!(many.send(house.port).await.status, 431);
    let path = get(&format!("/{}", "x".repeat(20_000))).bytes(house.port);
    let status = send(house.port, &path).await.map(|response| response.status);
    assert!(matches!(status, Some(414 | 431)), "{status:?}");
    let endless = b"GET / HTTP/1.1\r\nX: "
        .iter()
        .copied()
        .chain(std::iter::repeat_n(b'x', 200_000));
    let status = send(house.port, &endless.collect::<Vec<_>>())
        .await
        .map(|response| response.status);
    assert!(matches!(status, None | Some(431)), "{status:?}");
}

#[tokio::test]
async fn a_body_is_refused_by_its_length_before_it_is_sent() {
    let house = House::open().await;
    let token = house.token(Scope::Operate).await;
    for (path, kind, length) in [
        ("/api/pair", "application/json", 16 * 1024 + 1),
        ("/api/upload", "image/png", 20 * 1024 * 1024 + 1),
        ("/api/upload", "image/png", usize::MAX >> 1),
    ] {
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: {token}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n",
            house.port
        );
        let mut stream = connect(house.port).await;
        stream.write_all(head.as_bytes()).await.unwrap();
        let response = read(&mut stream, false).await.unwrap();
        assert_eq!((response.status, response.code()), (413, "too_large".to_owned()));
        assert!(ends(&mut stream).await);
    }
    assert!(house.backend.uploads.lock().unwrap().is_empty());
}

#[tokio::test]
async fn an_image_of_20_mib_is_taken() {
    let house = House::open().await;
    let token = house.token(Scope::Operate).await;
    let image = vec![7; 20 * 1024 * 1024];
    let response = post("/api/upload", "image/png", image.clone())
        .with("Authorization", &token)
        .send(house.port)
        .await;
    assert_eq!(response.status, 200, "{}", response.text());
    assert!(response.text().contains("\"mimeType\":\"image/png\""));
    assert_eq!(
        *house.backend.uploads.lock().unwrap(),
        [("image/png".to_owned(), image.len())]
    );
    let without = format!(
        "POST /api/upload HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: {token}\r\nContent-Type: image/png\r\n\r\n",
        house.port
    );
    let response = send(house.port, without.as_bytes()).await.unwrap();
    assert_eq!((response.status, response.code()), (411, "length".to_owned()));
    let svg = post("/api/upload", "image/svg+xml", "<svg/>")
        .with("Authorization", &token)
        .send(house.port)
        .await;
    assert_eq!(svg.status, 415);
}

async fn impatient() -> House {
    let mut options = options();
    options.limits.header_timeout = Duration::from_millis(100);
    options.limits.body_stall = Duration::from_millis(100);
    options.limits.tls_handshake = Duration::from_millis(100);
    House::with(options).await
}

#[tokio::test]
async fn headers_that_never_end_do_not_hold_a_connection() {
    let house = impatient().await;
    for beginning in ["", "G", "GET / HTTP/1.1\r\nHost: 127"] {
        let mut stream = connect(house.port).await;
        stream.write_all(beginning.as_bytes()).await.unwrap();
        let mut rest = Vec::new();
        let ended = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut rest)).await;
        assert!(ended.is_ok(), "{beginning:?} holds on");
    }
    // Sending one byte at a time does not help, because the timeout covers all headers.
    let mut stream = connect(house.port).await;
    let began = tokio::time::Instant::now();
    let slowly = async {
        for byte in get("/").with("X", &"x".repeat(5000)).bytes(house.port) {
            if stream.write_all(&[byte]).await.is_err() {
                return false;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        true
    };
    let all_sent = tokio::time::timeout(PATIENCE, slowly).await.expect("an end");
    assert!(!all_sent && began.elapsed() < PATIENCE);
    let mut kept = connect(house.port).await;
    kept.write_all(&get("/").bytes(house.port)).await.unwrap();
    assert_eq!(read(&mut kept, false).await.unwrap().status, 200);
    assert!(ends(&mut kept).await, "an idle connection is closed too");
}

#[tokio::test]
async fn a_stalled_body_times_out() {
    let house = impatient().await;
    let token = house.token(Scope::Operate).await;
    let head = format!(
        "POST /api/upload HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: {token}\r\nContent-Type: image/png\r\nContent-Length: 1000\r\n\r\nabc",
        house.port
    );
    let mut stream = connect(house.port).await;
    stream.write_all(head.as_bytes()).await.unwrap();
    let response = read(&mut stream, false).await.unwrap();
    assert_eq!((response.status, response.code()), (408, "too_slow".to_owned()));
    assert!(ends(&mut stream).await);
}

#[tokio::test]
async fn connections_beyond_the_cap_are_closed_and_those_within_go_on() {
    let mut few = options();
    few.limits.connections = 2;
    let house = House::with(few).await;
    let mut first = connect(house.port).await;
    first.write_all(&get("/").bytes(house.port)).await.unwrap();
    assert_eq!(read(&mut first, false).await.unwrap().status, 200);
    let mut second = connect(house.port).await;
    second.write_all(&get("/").bytes(house.port)).await.unwrap();
    assert_eq!(read(&mut second, false).await.unwrap().status, 200);
    let mut third = connect(house.port).await;
    assert!(ends(&mut third).await);
    first.write_all(&get("/").bytes(house.port)).await.unwrap();
    assert_eq!(read(&mut first, false).await.unwrap().status, 200);
    drop(first);
    let deadline = tokio::time::Instant::now() + PATIENCE;
    while send(house.port, &get("/").bytes(house.port)).await.is_none() {
        assert!(tokio::time::Instant::now() < deadline, "the place never came free");
    }
}
