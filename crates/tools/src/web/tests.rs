#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod secure;

use std::collections::HashMap;
use std::io;
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use pretty_assertions::assert_eq;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::gate::Closed;
use super::*;

/// Serves pages on a loopback port by path; requests for missing pages hang.
pub(crate) struct Site {
    pub(crate) port: u16,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Site {
    /// Starts the server; `PORT` in a page is replaced by its port.
    pub(crate) async fn open(pages: &[(&str, &str)]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let pages: HashMap<String, Vec<u8>> = pages
            .iter()
            .map(|(path, page)| ((*path).to_owned(), page.replace("PORT", &port.to_string()).into_bytes()))
            .collect();
        let (pages, log) = (Arc::new(pages), Arc::clone(&asked));
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let (pages, log) = (Arc::clone(&pages), Arc::clone(&log));
                tokio::spawn(async move {
                    let mut head = Vec::new();
                    while !head.ends_with(b"\r\n\r\n") {
                        let mut byte = [0];
                        if stream.read(&mut byte).await.unwrap_or(0) == 0 {
                            return;
                        }
                        head.push(byte[0]);
                    }
                    let head = String::from_utf8(head).unwrap();
                    let path = head.split(' ').nth(1).unwrap().to_owned();
                    log.lock().unwrap().push(head);
                    match pages.get(&path) {
                        Some(page) => {
                            stream.write_all(b"HTTP/1.1 ").await.ok();
                            stream.write_all(page).await.ok();
                        }
                        None => std::future::pending().await,
                    }
                });
            }
        });
        Self { port, asked }
    }

    pub(crate) fn url(&self, host: &str, path: &str) -> Url {
        Url::parse(&format!("http://{host}:{}{path}", self.port)).unwrap()
    }

    pub(crate) fn asked(&self) -> usize {
        self.asked.lock().unwrap().len()
    }
}

/// Builds a response with a content type.
pub(crate) fn page(kind: &str, body: &str) -> String {
    format!(
        "200 OK\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}

pub(crate) fn sent_on(to: &str) -> String {
    format!("302 Found\r\nLocation: {to}\r\nContent-Length: 4\r\nConnection: close\r\n\r\nmove")
}

/// Web access in which loopback counts as public except for one address. `*.test` resolves to loopback, `inner.*` to a
/// private network, `mixed.*` to both, and `rebind.*` first to loopback and then to a metadata service.
pub(crate) fn web() -> (Web, Arc<AtomicUsize>) {
    web_with(WebConfig::default())
}

fn web_with(config: WebConfig) -> (Web, Arc<AtomicUsize>) {
    let lookups = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&lookups);
    let gate = Gate {
        lookup: Arc::new(move |name| {
            let turn = counter.fetch_add(1, Ordering::SeqCst);
            let found: &[&str] = match name.split('.').next().unwrap() {
                "inner" => &["10.0.0.1"],
                "mixed" => &["127.0.0.1", "10.0.0.1"],
                "rebind" if turn > 0 => &["169.254.169.254"],
                "mapped" => &["::ffff:10.0.0.1"],
                "nowhere" => return Box::pin(std::future::ready(Err(io::Error::other("no such name")))),
                _ => &["127.0.0.1"],
            };
            let found = found.iter().map(|address| address.parse().unwrap()).collect();
            Box::pin(std::future::ready(Ok(found)))
        }),
        may_open: |address| address == IpAddr::from([127, 0, 0, 1]),
        proxy: None,
    };
    (Web::behind(gate, config), lookups)
}

async fn text(web: &Web, url: Url) -> String {
    match web.fetch(url).await.unwrap() {
        Fetched::Page(page) => page.text.clone(),
        Fetched::Moved(moved) => format!("{} {}", moved.code, moved.to),
    }
}

async fn closed(web: &Web, url: Url) -> Closed {
    match web.fetch(url).await {
        Err(Trouble::Closed(closed)) => closed,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn html_becomes_markdown_and_other_text_stays() {
    let html =
        "<html><title>T</title><h1>Head</h1><ul><li>one<li>two</ul><p>See <a href='/x'>this</a>.<script>no()</script>";
    let site = Site::open(&[
        ("/html", &page("text/html; charset=utf-8", html)),
        ("/json", &page("application/json", "{\"a\": [1]}")),
        ("/none", &page("application/octet-stream", "<!DOCTYPE x> plain")),
    ])
    .await;
    let (web, _) = web();
    let said = text(&web, site.url("page.test", "/html")).await;
    let port = site.port;
    assert_eq!(
        said,
        format!("T\n\n# Head\n\n- one\n- two\n\nSee [this](http://page.test:{port}/x).")
    );
    assert_eq!(text(&web, site.url("page.test", "/json")).await, "{\"a\": [1]}");
    assert_eq!(text(&web, site.url("page.test", "/none")).await, "<!DOCTYPE x> plain");
}

#[tokio::test]
async fn a_page_is_fetched_once_in_a_while() {
    let site = Site::open(&[("/a", &page("text/plain", "A"))]).await;
    let (web, _) = web();
    assert_eq!(text(&web, site.url("page.test", "/a")).await, "A");
    assert_eq!(text(&web, site.url("page.test", "/a#part")).await, "A");
    assert_eq!(site.asked(), 1);
    assert_eq!(text(&web, site.url("page.test", "/a")).await, "A");
    assert_eq!(text(&web, site.url("other.test", "/a")).await, "A");
    assert_eq!(site.asked(), 2);
}

#[tokio::test]
async fn a_redirect_is_followed_within_its_host_only() {
    let site = Site::open(&[
        ("/here", &sent_on("/there")),
        ("/there", &page("text/plain", "found")),
        ("/away", &sent_on("http://other.test:PORT/there")),
        ("/port", &sent_on("http://page.test:1/there")),
        ("/odd", &sent_on("ftp://page.test/there")),
        ("/round", &sent_on("/round")),
    ])
    .await;
    let (web, _) = web();
    assert_eq!(text(&web, site.url("page.test", "/here")).await, "found");
    let asked = site.asked();
    assert_eq!(
        text(&web, site.url("page.test", "/away")).await,
        format!("302 http://other.test:{}/there", site.port)
    );
    assert_eq!(
        text(&web, site.url("page.test", "/port")).await,
        "302 http://page.test:1/there"
    );
    assert_eq!(site.asked(), asked + 2, "nobody went there");
    let odd = web.fetch(site.url("page.test", "/odd")).await;
    assert!(matches!(odd, Err(Trouble::BadRedirect(..))), "{odd:?}");
    let round = web.fetch(site.url("page.test", "/round")).await;
    assert!(matches!(round, Err(Trouble::TooManyHops)), "{round:?}");
}

#[tokio::test]
async fn closed_addresses_are_not_opened_by_name_or_number() {
    let site = Site::open(&[("/a", &page("text/plain", "secret"))]).await;
    let (web, _) = web();
    for (host, address) in [
        ("inner.test", "10.0.0.1"),
        ("mixed.test", "10.0.0.1"),
        ("mapped.test", "::ffff:10.0.0.1"),
        ("127.0.0.9", "127.0.0.9"),
        ("[::1]", "::1"),
        ("[::ffff:127.0.0.9]", "::ffff:127.0.0.9"),
    ] {
        let refusal = closed(&web, site.url(host, "/a")).await;
        assert_eq!(refusal.address, address.parse::<IpAddr>().unwrap());
        assert_eq!(
            refusal.host,
            Url::parse(&format!("http://{host}/")).unwrap().host_str().unwrap()
        );
    }
    assert_eq!(site.asked(), 0);
}

#[tokio::test]
async fn a_name_cannot_resolve_differently_after_the_check() {
    let site = Site::open(&[("/a", &page("text/plain", "A")), ("/on", &sent_on("/a2"))]).await;
    let (fresh, lookups) = web();
    assert_eq!(text(&fresh, site.url("rebind.test", "/a")).await, "A");
    assert_eq!(lookups.load(Ordering::SeqCst), 1, "one answer, judged and used");
    assert_eq!(
        closed(&fresh, site.url("rebind.test", "/b")).await.address,
        IpAddr::from([169, 254, 169, 254])
    );
    // redirect targets are resolved and checked again
    let (other, _) = web();
    assert_eq!(
        closed(&other, site.url("rebind.test", "/on")).await.address,
        IpAddr::from([169, 254, 169, 254])
    );
}

#[tokio::test]
async fn a_proxy_may_be_private_but_pages_may_not() {
    let proxy = Site::open(&[("http://page.test:81/a", &page("text/plain", "by proxy"))]).await;
    let direct = Site::open(&[("/a", &page("text/plain", "directly"))]).await;
    let config = |host: &str| WebConfig {
        proxy: Some(format!("http://{host}:{}", proxy.port)),
        no_proxy: Some("near.test,rebind.test".to_owned()),
        ..WebConfig::default()
    };
    let (web, _) = web_with(config("127.0.0.1"));
    let far = || Url::parse("http://page.test:81/a").unwrap();
    assert_eq!(text(&web, far()).await, "by proxy");
    assert_eq!(text(&web, direct.url("near.test", "/a")).await, "directly");
    let asked = proxy.asked();
    for host in ["inner.test", "10.0.0.1", "mixed.test"] {
        let url = Url::parse(&format!("http://{host}:81/a")).unwrap();
        assert_eq!(closed(&web, url).await.address, IpAddr::from([10, 0, 0, 1]));
    }
    assert_eq!(proxy.asked(), asked);
    // without the proxy, connections are restricted to checked addresses
    let (web, _) = web_with(config("127.0.0.1"));
    let changed = closed(&web, direct.url("rebind.test", "/a")).await;
    assert_eq!(changed.address, IpAddr::from([169, 254, 169, 254]));
    // a proxy in a private network may be connected to, but not fetched from
    let (web, _) = web_with(config("inner.test"));
    let gone = web.gate.resolver();
    let found = reqwest::dns::Resolve::resolve(&*gone, "inner.test".parse().unwrap()).await;
    assert!(found.is_ok());
    assert_eq!(
        closed(&web, Url::parse("http://inner.test/").unwrap()).await.host,
        "inner.test"
    );
    assert!(!format!("{:?}", config("me:secret@p.test")).contains("secret"));
}

#[tokio::test]
async fn private_addresses_are_refused_outside_of_tests() {
    let web = Web::new(WebConfig::default());
    for host in [
        "127.0.0.1:1",
        "2130706433",
        "0x7f.1",
        "[::1]",
        "[::ffff:169.254.169.254]",
        "169.254.169.254",
        "10.1.2.3",
        "localhost:1",
        "0.0.0.0",
    ] {
        let url = Url::parse(&format!("http://{host}/x")).unwrap();
        let refusal = closed(&web, url).await;
        assert!(!address::is_public(refusal.address));
    }
}

#[tokio::test]
async fn binary_or_large_pages_are_refused() {
    let large = "x".repeat((10 << 20) + 1);
    let site = Site::open(&[
        ("/pdf", &page("application/pdf", "%PDF-1.7")),
        ("/zero", &page("text/plain", "a\0b")),
        ("/declared", &page("text/plain", &large)),
        (
            "/endless",
            &format!("200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n{large}"),
        ),
        (
            "/gone",
            "404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        ),
    ])
    .await;
    let (web, _) = web();
    let trouble = |path| {
        let fetch = web.fetch(site.url("page.test", path));
        async move { fetch.await.unwrap_err().to_string() }
    };
    assert_eq!(trouble("/pdf").await, "This is application/pdf, not text");
    assert_eq!(trouble("/zero").await, "This is text/plain, not text");
    assert_eq!(trouble("/declared").await, "The page is larger than 10 MB");
    assert_eq!(trouble("/endless").await, "The page is larger than 10 MB");
    assert_eq!(
        trouble("/gone").await,
        "Request failed with status code 404 (Not Found)"
    );
    let lost = web.fetch(site.url("nowhere.test", "/")).await.unwrap_err().to_string();
    assert_eq!(lost, "The page could not be fetched: no such name");
}

#[tokio::test(start_paused = true)]
async fn a_page_request_times_out() {
    let site = Site::open(&[]).await;
    let (web, _) = web();
    let fetched = web.fetch(site.url("page.test", "/")).await;
    assert!(matches!(fetched, Err(Trouble::TooSlow)), "{fetched:?}");
}

#[test]
fn http_urls_are_upgraded_if_possible() {
    for (given, opened) in [
        ("http://a.test/x?y#z", "https://a.test/x?y"),
        ("http://a.test:80/", "https://a.test/"),
        ("http://a.test:8080/", "http://a.test:8080/"),
        ("http://localhost/", "http://localhost/"),
        ("http://127.0.0.1/", "http://127.0.0.1/"),
        ("http://[::1]/", "http://[::1]/"),
        ("https://a.test/", "https://a.test/"),
    ] {
        assert_eq!(fetch::secured(Url::parse(given).unwrap()).as_str(), opened);
    }
}

#[test]
fn urls_are_parsed_strictly() {
    assert_eq!(parse(" https://a.test/x ").unwrap().as_str(), "https://a.test/x");
    for bad in [
        "a.test/x",
        "ftp://a.test/",
        "file:///etc/passwd",
        "https://",
        "https://me:secret@a.test/",
        "javascript:1",
    ] {
        let message = parse(bad).unwrap_err();
        assert!(message.starts_with("Invalid URL"), "{message}");
        assert!(!message.contains("secret"));
    }
}
