//! Common headers of responses, and delivery of the page.

use sluice_server::Scope;
use sluice_server::page::Page;

use crate::house::{House, MARKUP, ON_DISK, PICTURE, options};
use crate::raw::{Request, get, handshake, post, request};

const CSP: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; \
    font-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
    require-trusted-types-for 'script'; trusted-types sluice-worker";

#[tokio::test]
async fn every_answer_is_guarded() {
    let house = House::open().await;
    let token = house.token(Scope::Admin).await;
    std::fs::write(house.folder.path().join("blob"), vec![1; 100_000]).unwrap();
    let with = |request: Request| request.with("Authorization", &token);
    let requests = [
        get("/"),
        get("/sw.js"),
        get("/nothing"),
        get("/api/nothing"),
        get("/api/health"),
        get("/").with("Host", "evil.test"),
        get("/").with("Origin", "http://evil.test"),
        request("OPTIONS", "/"),
        get("/metrics"),
        with(get("/metrics")),
        with(get(&format!("/api/blobs/{PICTURE}"))),
        with(get(&format!("/api/blobs/{MARKUP}"))),
        with(get(&format!("/api/blobs/{ON_DISK}"))),
        with(get(&format!("/api/blobs/{}", "f".repeat(64)))),
        with(get("/api/sessions/a/export.html")),
        with(get("/api/sessions/none/export.md")),
        with(post("/api/upload", "image/png", "x")),
        with(post("/api/upload", "text/plain", "x")),
        post("/api/pair", "application/json", "{}"),
        with(handshake("/ws")),
        with(get("/ws")),
        handshake("/ws"),
    ];
    for request in requests {
        let response = request.send(house.port).await;
        let about = format!("{request:?} {}", response.status);
        let is = |name: &str, value: &str| assert_eq!(response.header(name), Some(value), "{name} of {about}");
        is("x-content-type-options", "nosniff");
        is("referrer-policy", "no-referrer");
        is("x-frame-options", "DENY");
        is("cross-origin-opener-policy", "same-origin");
        is("cross-origin-resource-policy", "same-origin");
        // Headers about document features are sent only with documents.
        let part = response
            .header("content-type")
            .is_some_and(|kind| kind.starts_with("text/javascript"));
        let policy = response.header("permissions-policy");
        assert!(part || policy.unwrap().contains("camera=()"), "{about}");
        assert!(response.header("cache-control").is_some(), "{about}");
        let csp = response.header("content-security-policy").unwrap();
        assert!(
            csp == CSP || csp.starts_with("sandbox; default-src 'none';"),
            "{csp} of {about}"
        );
        assert_eq!(response.header("strict-transport-security"), None, "not without TLS");
        assert_eq!(response.header("server"), None);
        assert!(
            !response
                .headers
                .iter()
                .any(|(name, _)| name.starts_with("access-control-"))
        );
        if response.status >= 400 {
            is("content-type", "application/json");
            is("cache-control", "no-store");
            assert!(!response.code().is_empty(), "{about}");
        }
    }
}

#[tokio::test]
async fn the_page_is_sent_in_the_form_the_browser_takes() {
    let house = House::open().await;
    let sent = |accept: &'static str, path: &'static str| {
        let port = house.port;
        async move { get(path).with("Accept-Encoding", accept).send(port).await }
    };
    let cases = [
        ("gzip, deflate, br, zstd", "/", Some("br"), "BR", "\"0011-br\""),
        ("gzip", "/", Some("gzip"), "GZ", "\"0011-gzip\""),
        ("br;q=0, gzip", "/", Some("gzip"), "GZ", "\"0011-gzip\""),
        ("identity", "/", None, "<!doctype html>plain", "\"0011\""),
        ("br", "/assets/index-abcdefgh.js", None, "plain js", "\"2233\""),
    ];
    for (accept, path, encoding, body, etag) in cases {
        let response = sent(accept, path).await;
        assert_eq!(response.header("content-encoding"), encoding);
        assert_eq!((response.text().as_str(), response.header("etag")), (body, Some(etag)));
        assert_eq!(response.header("vary"), Some("Accept-Encoding"));
    }
    assert_eq!(sent("br", "/").await.header("cache-control"), Some("no-cache"));
    assert_eq!(
        sent("br", "/").await.header("content-type"),
        Some("text/html; charset=utf-8")
    );
    let asset = sent("br", "/assets/index-abcdefgh.js").await;
    assert_eq!(
        asset.header("cache-control"),
        Some("public, max-age=31536000, immutable")
    );
    assert_eq!(asset.header("content-type"), Some("text/javascript; charset=utf-8"));
    assert_eq!(sent("br", "/sw.js").await.header("cache-control"), Some("no-cache"));
}

#[tokio::test]
async fn cached_files_are_not_sent_again() {
    let house = House::open().await;
    let again = get("/")
        .with("If-None-Match", "\"x\", W/\"0011\"")
        .send(house.port)
        .await;
    assert_eq!((again.status, again.header("etag")), (304, Some("\"0011\"")));
    let changed = get("/").with("If-None-Match", "\"0012\"").send(house.port).await;
    assert_eq!(changed.status, 200);
    let other_form = get("/")
        .with("If-None-Match", "\"0011\"")
        .with("Accept-Encoding", "br")
        .send(house.port)
        .await;
    assert_eq!(other_form.status, 200);
}

#[tokio::test]
async fn only_files_of_the_page_are_there() {
    let house = House::open().await;
    for path in [
        "/index.htm",
        "/assets",
        "/assets/",
        "/INDEX.HTML",
        "/index.html.br",
        "/sw.js/",
        "//",
        "/s/abc",
    ] {
        assert_eq!(get(path).send(house.port).await.status, 404, "{path}");
    }
    assert_eq!(get("/index.html").send(house.port).await.status, 200);
    assert_eq!(get("/?utm=x").send(house.port).await.status, 200);
}

#[tokio::test]
async fn without_a_page_it_says_how_to_get_one() {
    let mut none = options();
    none.page = Page::of(&[]);
    let house = House::with(none).await;
    let response = get("/").send(house.port).await;
    assert_eq!(response.status, 503);
    assert!(response.text().contains("make run") && response.text().contains("make web"));
    assert_eq!(response.header("content-security-policy"), Some(CSP));
}

#[tokio::test]
async fn health_says_no_more_than_it_must() {
    let house = House::open().await;
    let response = get("/api/health").send(house.port).await;
    assert_eq!(response.text(), "{\"status\":\"ok\",\"version\":\"9.9.9\"}");
}
