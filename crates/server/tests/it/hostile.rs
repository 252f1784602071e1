//! Attacks. Each of them has succeeded against a bridge in the past and must fail here.

use sluice_server::Scope;

use crate::house::{House, MARKUP, PICTURE};
use crate::raw::{connect, ends, get, handshake, post, read, request, send};

#[tokio::test]
async fn a_foreign_page_gets_no_socket() {
    let house = House::open().await;
    let cookie = house.pair(Scope::Admin).await;
    let token = house.token(Scope::Admin).await;
    let port = house.port;
    let foreign = [
        "http://evil.test".to_owned(),
        "null".to_owned(),
        "http://localhost".to_owned(),
        format!("https://127.0.0.1:{port}"),
        format!("http://127.0.0.1:{}", port ^ 1),
        format!("http://127.0.0.1:{port}.evil.test"),
        "file://".to_owned(),
        String::new(),
    ];
    for origin in &foreign {
        for (name, value) in [("Cookie", &cookie), ("Authorization", &token)] {
            let response = handshake("/ws")
                .with(name, value)
                .with("Origin", origin)
                .send(port)
                .await;
            assert_eq!(
                (response.status, response.code()),
                (403, "origin".to_owned()),
                "{origin}"
            );
        }
    }
    let cross = handshake("/ws")
        .with("Cookie", &cookie)
        .with("Origin", &house.origin())
        .with("Sec-Fetch-Site", "cross-site");
    assert_eq!(cross.send(port).await.code(), "site");
    let two = handshake("/ws")
        .with("Cookie", &cookie)
        .with("Origin", &house.origin())
        .with("Origin", "http://evil.test");
    assert_eq!(two.send(port).await.code(), "origin");
    assert!(house.access.devices().iter().all(|device| !device.online));
}

#[tokio::test]
async fn a_cookie_without_an_origin_opens_nothing() {
    let house = House::open().await;
    let cookie = house.pair(Scope::Admin).await;
    let port = house.port;
    let blob = format!("/api/blobs/{PICTURE}");
    for request in [
        handshake("/ws"),
        get(&blob),
        get("/metrics"),
        get("/api/sessions/a/export.md"),
        post("/api/logout", "application/json", "{}"),
        post("/api/upload", "image/png", "PNG"),
    ] {
        let response = request.with("Cookie", &cookie).send(port).await;
        assert_eq!((response.status, response.code()), (403, "origin_missing".to_owned()));
    }
    assert_eq!(house.access.devices().len(), 1);
}

#[tokio::test]
async fn requests_without_credentials_are_refused() {
    let house = House::open().await;
    let port = house.port;
    let paths = [
        format!("/api/blobs/{PICTURE}"),
        "/metrics".to_owned(),
        "/api/sessions/a/export.md".to_owned(),
    ];
    for path in &paths {
        let response = house.as_page(get(path)).send(port).await;
        assert_eq!((response.status, response.code()), (401, "unauthenticated".to_owned()));
        for wrong in [
            "sluice=",
            "sluice=x",
            &format!("sluice={}", "A".repeat(43)),
            "__Host-sluice=x",
            "sluice",
        ] {
            assert_eq!(
                house.as_page(get(path)).with("Cookie", wrong).send(port).await.status,
                401,
                "{wrong}"
            );
        }
        for wrong in [
            "Bearer x",
            "Basic eDp5",
            "Bearer",
            &format!("Bearer {}", "A".repeat(43)),
        ] {
            assert_eq!(
                get(path).with("Authorization", wrong).send(port).await.status,
                401,
                "{wrong}"
            );
        }
    }
    assert!(house.backend.exports.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_form_of_another_page_changes_nothing() {
    let house = House::open().await;
    let cookie = house.pair(Scope::Admin).await;
    let port = house.port;
    let offer = house.access.offer(Some(Scope::Admin));
    let body = format!("{{\"code\":\"{}\",\"device\":\"x\"}}", offer.code);
    let kinds = [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "text/plain; application/json",
        "application/jsonx",
        "",
    ];
    for kind in kinds {
        for path in ["/api/pair", "/api/logout", "/api/upload"] {
            let own = house
                .as_page(post(path, kind, body.clone()))
                .with("Cookie", &cookie)
                .send(port)
                .await;
            assert_eq!(
                (own.status, own.code()),
                (415, "content_type".to_owned()),
                "{kind} at {path}"
            );
            let foreign = post(path, kind, body.clone())
                .with("Cookie", &cookie)
                .with("Origin", "http://evil.test");
            assert_eq!(foreign.send(port).await.status, 403);
        }
    }
    let foreign_json = post("/api/pair", "application/json", body.clone()).with("Origin", "http://evil.test");
    assert_eq!(foreign_json.send(port).await.status, 403);
    let same_site = post("/api/pair", "application/json", body).with("Sec-Fetch-Site", "same-site");
    assert_eq!(same_site.send(port).await.status, 403);
    let packed = house
        .as_page(post("/api/pair", "application/json", "x"))
        .with("Content-Encoding", "gzip");
    assert_eq!(packed.send(port).await.status, 415);
    assert_eq!(house.access.devices().len(), 1);
    assert_eq!(house.post_code(&offer.code).await.status, 200, "the code is still good");
}

#[tokio::test]
async fn dns_rebinding_is_refused() {
    let house = House::open().await;
    let token = house.token(Scope::Admin).await;
    let port = house.port;
    for host in [
        "evil.test".to_owned(),
        format!("evil.test:{port}"),
        "127.0.0.1".to_owned(),
        format!("127.0.0.1:{}", port ^ 1),
        format!("localhost.evil.test:{port}"),
        format!("localhost.:{port}"),
        format!("0.0.0.0:{port}"),
        format!("127.1:{port}"),
        format!("[::1]:{port}"),
    ] {
        for path in ["/", "/api/health", "/ws", "/metrics", "/nothing"] {
            let response = get(path)
                .with("Host", &host)
                .with("Authorization", &token)
                .send(port)
                .await;
            assert_eq!(
                (response.status, response.code()),
                (403, "host".to_owned()),
                "{host} {path}"
            );
        }
        // For a browser, this name is the origin of the page.
        let origin = format!("http://{host}");
        let response = handshake("/ws")
            .with("Host", &host)
            .with("Origin", &origin)
            .with("Authorization", &token);
        assert_eq!(response.send(port).await.status, 403, "{host}");
    }
    let good = get("/api/health")
        .with("Host", &format!("localhost:{port}"))
        .send(port)
        .await;
    assert_eq!(good.status, 200);
}

#[tokio::test]
async fn no_way_of_writing_the_host_gets_around_the_list() {
    let house = House::open().await;
    let port = house.port;
    let own = format!("127.0.0.1:{port}");
    let cases = [
        ("no Host", "GET / HTTP/1.1\r\n\r\n".to_owned(), Some(400)),
        ("HTTP/1.0 without one", "GET / HTTP/1.0\r\n\r\n".to_owned(), Some(400)),
        (
            "two",
            format!("GET / HTTP/1.1\r\nHost: {own}\r\nHost: evil.test\r\n\r\n"),
            Some(400),
        ),
        (
            "two, the other way",
            format!("GET / HTTP/1.1\r\nHost: evil.test\r\nHost: {own}\r\n\r\n"),
            Some(400),
        ),
        (
            "a list",
            format!("GET / HTTP/1.1\r\nHost: {own}, evil.test\r\n\r\n"),
            Some(400),
        ),
        ("a user", format!("GET / HTTP/1.1\r\nHost: x@{own}\r\n\r\n"), Some(400)),
        ("empty", "GET / HTTP/1.1\r\nHost:\r\n\r\n".to_owned(), Some(400)),
        (
            "absolute",
            format!("GET http://evil.test/ HTTP/1.1\r\nHost: {own}\r\n\r\n"),
            Some(403),
        ),
        (
            "absolute, the other way",
            format!("GET http://{own}/ HTTP/1.1\r\nHost: evil.test\r\n\r\n"),
            Some(403),
        ),
        (
            "absolute, ours",
            format!("GET http://{own}/ HTTP/1.1\r\nHost: {own}\r\n\r\n"),
            Some(200),
        ),
        (
            "forwarded",
            format!("GET / HTTP/1.1\r\nHost: evil.test\r\nX-Forwarded-Host: {own}\r\n\r\n"),
            Some(403),
        ),
    ];
    for (name, bytes, status) in cases {
        let response = send(port, bytes.as_bytes()).await;
        assert_eq!(response.map(|response| response.status), status, "{name}");
    }
}

#[tokio::test]
async fn no_path_leads_out_of_a_route() {
    let house = House::open().await;
    let token = house.token(Scope::Admin).await;
    std::fs::write(house.folder.path().join("secret"), "SECRET").unwrap();
    let escapes = [
        "..",
        "../..",
        "../../../../etc/passwd",
        "%2e%2e",
        "%2e%2e%2f%2e%2e%2fetc%2fpasswd",
        "..%2f..%2fetc/passwd",
        "..%5c..",
        "..\\..\\etc\\passwd",
        "....//....//etc/passwd",
        "%252e%252e%252f",
        "..;/",
        "..%00",
        "%c0%ae%c0%ae/",
        "/etc/passwd",
        "//etc/passwd",
        "\\\\host\\share",
        "file:///etc/passwd",
        "~root",
        ".",
        "./",
        "%2f",
    ];
    let routes = [
        "/",
        "/assets/",
        "/api/",
        "/api/blobs/",
        "/api/sessions/",
        "/api/sessions/a/",
        "/api/upload/",
        "/api/pair/",
        "/api/logout/",
        "/api/health/",
        "/metrics/",
        "/ws/",
    ];
    for route in routes {
        for escape in escapes {
            for suffix in ["", "/export.md", "/index.html"] {
                let path = format!("{route}{escape}{suffix}");
                let bytes = get(&path).with("Authorization", &token).bytes(house.port);
                // Some of these are refused by the parser.
                let Some(response) = send(house.port, &bytes).await else {
                    continue;
                };
                let nothing = matches!(response.status, 400 | 404);
                assert!(nothing, "{path}: {} {}", response.status, response.text());
                assert!(!response.text().contains("SECRET") && !response.text().contains("root:"));
            }
        }
    }
    assert!(
        house.backend.exports.lock().unwrap().is_empty(),
        "no such name reaches the sessions"
    );
}

#[tokio::test]
async fn a_token_in_a_url_is_ignored() {
    let house = House::open().await;
    let token = house.token(Scope::Admin).await;
    let secret = token.strip_prefix("Bearer ").unwrap();
    for name in [
        "token",
        "access_token",
        "key",
        "api_key",
        "auth",
        "sluice",
        "Authorization",
        "code",
    ] {
        for path in [
            "/ws",
            "/metrics",
            &format!("/api/blobs/{PICTURE}"),
            "/api/sessions/a/export.md",
        ] {
            let address = format!("{path}?{name}={secret}");
            let request = if path == "/ws" {
                handshake(&address)
            } else {
                get(&address)
            };
            assert_eq!(
                house.as_page(request).send(house.port).await.status,
                401,
                "{name} at {path}"
            );
        }
    }
    let user = format!(
        "GET http://user:{secret}@127.0.0.1:{0}/metrics HTTP/1.1\r\nHost: 127.0.0.1:{0}\r\n\r\n",
        house.port
    );
    let response = send(house.port, user.as_bytes()).await.unwrap();
    assert!(matches!(response.status, 400 | 403));
    let protocol = handshake("/ws").with("Sec-WebSocket-Protocol", secret);
    assert_eq!(house.as_page(protocol).send(house.port).await.status, 401);
}

#[tokio::test]
async fn other_methods_are_refused_and_cors_is_not_granted() {
    let house = House::open().await;
    let token = house.token(Scope::Admin).await;
    let paths = [
        "/",
        "/api/health",
        "/api/pair",
        "/api/logout",
        "/api/upload",
        "/ws",
        "/metrics",
        "/api/sessions/a/export.md",
        "/none",
    ];
    for path in paths {
        for method in ["OPTIONS", "TRACE", "PUT", "DELETE", "PATCH", "PROPFIND", "BREW"] {
            let asks = request(method, path)
                .with("Authorization", &token)
                .with("Access-Control-Request-Method", "POST")
                .with("Access-Control-Request-Private-Network", "true");
            let response = asks.send(house.port).await;
            assert_eq!(
                (response.status, response.code()),
                (405, "method".to_owned()),
                "{method} {path}"
            );
            assert!(response.header("allow").is_some());
            assert!(!response.text().contains(&token));
            assert!(
                !response
                    .headers
                    .iter()
                    .any(|(name, _)| name.starts_with("access-control-"))
            );
            let foreign = asks.with("Origin", "http://evil.test").send(house.port).await;
            assert_eq!(foreign.status, 403);
            assert!(
                !foreign
                    .headers
                    .iter()
                    .any(|(name, _)| name.starts_with("access-control-"))
            );
        }
    }
    assert_eq!(get("/api/pair").send(house.port).await.status, 405);
    assert_eq!(
        post("/ws", "application/json", "{}")
            .with("Authorization", &token)
            .send(house.port)
            .await
            .status,
        405
    );
    let connect = format!(
        "CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n",
        house.port
    );
    let tunnel = send(house.port, connect.as_bytes()).await.unwrap();
    assert!(matches!(tunnel.status, 400 | 403 | 405), "{}", tunnel.status);
}

#[tokio::test]
async fn head_says_what_get_would_without_the_body() {
    let house = House::open().await;
    let (got, asked) = (
        get("/").send(house.port).await,
        request("HEAD", "/").send(house.port).await,
    );
    assert_eq!((asked.status, asked.body.len()), (200, 0));
    assert_eq!(asked.header("content-length"), got.header("content-length"));
    assert_eq!(asked.header("etag"), got.header("etag"));
}

#[tokio::test]
async fn no_second_request_can_be_hidden_in_a_first() {
    let house = House::open().await;
    let port = house.port;
    let hidden = "GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
    let head = format!(
        "POST /api/pair HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: {}\r\nContent-Type: application/json\r\n",
        house.origin()
    );
    let length = hidden.len();
    let shapes = [
        (
            "length and chunks",
            format!("{head}Content-Length: {length}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{hidden}"),
        ),
        (
            "chunks and length",
            format!("{head}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n{hidden}"),
        ),
        (
            "two lengths",
            format!("{head}Content-Length: 0\r\nContent-Length: {length}\r\n\r\n{hidden}"),
        ),
        (
            "a list of lengths",
            format!("{head}Content-Length: 0, {length}\r\n\r\n{hidden}"),
        ),
        (
            "a signed length",
            format!("{head}Content-Length: +{length}\r\n\r\n{hidden}"),
        ),
        ("a negative length", format!("{head}Content-Length: -1\r\n\r\n{hidden}")),
        (
            "a length with spaces",
            format!("{head}Content-Length : {length}\r\n\r\n{hidden}"),
        ),
        (
            "chunks alone",
            format!("{head}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n{hidden}"),
        ),
        (
            "unknown coding",
            format!("{head}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n{hidden}"),
        ),
        (
            "two codings",
            format!("{head}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n{hidden}"),
        ),
        (
            "a folded header",
            format!("{head}X: a\r\n Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n{hidden}"),
        ),
    ];
    for (name, bytes) in shapes {
        let mut stream = connect(port).await;
        tokio::io::AsyncWriteExt::write_all(&mut stream, bytes.as_bytes())
            .await
            .unwrap();
        let first = read(&mut stream, false).await;
        let status = first.map(|response| response.status);
        assert!(matches!(status, None | Some(400 | 411)), "{name}: {status:?}");
        assert!(ends(&mut stream).await, "{name}: the hidden request was answered");
    }
}

#[tokio::test]
async fn bytes_that_belong_in_no_request_end_it() {
    let house = House::open().await;
    let port = house.port;
    let own = format!("Host: 127.0.0.1:{port}\r\n");
    let cases: [Vec<u8>; 8] = [
        format!("GET /\0 HTTP/1.1\r\n{own}\r\n").into(),
        format!("GET /api/blobs/{}\0 HTTP/1.1\r\n{own}\r\n", &MARKUP[..63]).into(),
        format!("GET / HTTP/1.1\r\n{own}X: a\0b\r\n\r\n").into(),
        format!("GET / HTTP/1.1\r\n{own}X\0: a\r\n\r\n").into(),
        format!("GET / HTTP/1.1\n\0\n{own}\r\n").into(),
        b"\0\0\0\0\r\n\r\n".to_vec(),
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".to_vec(),
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec(),
    ];
    for bytes in cases {
        let mut stream = connect(port).await;
        tokio::io::AsyncWriteExt::write_all(&mut stream, &bytes).await.unwrap();
        let status = read(&mut stream, false).await.map(|response| response.status);
        assert!(
            matches!(status, None | Some(400)),
            "{}: {status:?}",
            String::from_utf8_lossy(&bytes)
        );
        assert!(ends(&mut stream).await);
    }
    assert_eq!(get("/api/health").send(port).await.status, 200, "everyone else goes on");
}
