//! Ports, addresses, the state folder, and the metrics listener.

use std::net::{IpAddr, TcpListener};

use sluice_server::{AccessOptions, Port, Server, ServerOptions, StartError, StateFolder};

use crate::house::{Echo, House, open_access, open_store, options};
use crate::raw::{get, handshake};

async fn start(options: ServerOptions) -> Result<(sluice_server::Running, tempfile::TempDir), StartError> {
    let folder = tempfile::tempdir().unwrap();
    let state = StateFolder::take(&folder.path().join("state")).unwrap();
    let store = open_store(folder.path());
    let (access, _) = open_access(&store, AccessOptions::default()).await;
    let backend = std::sync::Arc::new(Echo::default());
    Ok((Server::start(options, None, state, access, backend).await?, folder))
}

#[tokio::test]
async fn it_listens_on_this_machine_alone() {
    let house = House::open().await;
    let addresses = house.running.addresses();
    assert!(
        addresses
            .iter()
            .all(|address| address.ip().is_loopback() && address.port() == house.port)
    );
    assert_eq!(house.running.urls()[0], format!("http://127.0.0.1:{}", house.port));
    if addresses.len() == 2 {
        let mut stream = tokio::net::TcpStream::connect(addresses[1]).await.unwrap();
        let request = get("/api/health").with("Host", &format!("[::1]:{}", house.port));
        tokio::io::AsyncWriteExt::write_all(&mut stream, &request.bytes(0))
            .await
            .unwrap();
        assert_eq!(crate::raw::read(&mut stream, false).await.unwrap().status, 200);
    }
}

#[tokio::test]
async fn an_error_about_a_used_port_names_the_process() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let mut exact = options();
    exact.listen.port = Port::Exactly(port);
    let error = start(exact).await.unwrap_err().to_string();
    assert!(error.starts_with(&format!("port {port} is taken by ")), "{error}");
    assert!(error.contains(&format!("(pid {})", std::process::id())), "{error}");
    let mut next = options();
    next.listen.port = Port::From(port);
    let (running, _folder) = start(next).await.unwrap();
    let got = running.addresses()[0].port();
    assert!(got > port && got <= port + 100, "{got}");
}

#[tokio::test]
async fn an_outside_address_needs_tls_or_a_proxy() {
    let mut open = options();
    open.listen.addresses = vec!["0.0.0.0".parse::<IpAddr>().unwrap()];
    let error = start(open.clone()).await.unwrap_err().to_string();
    assert!(error.contains("--tls") && error.contains("--behind-proxy"), "{error}");
    let mut metrics = options();
    metrics.listen.metrics = Some("0.0.0.0:0".parse().unwrap());
    assert!(start(metrics).await.is_err());
    open.listen.behind_proxy = true;
    assert!(start(open).await.is_ok());
}

#[tokio::test]
async fn behind_a_proxy_its_name_and_its_word_count() {
    let mut proxied = options();
    proxied.listen.behind_proxy = true;
    proxied.listen.hosts = vec!["box.example".to_owned()];
    let house = House::with(proxied).await;
    assert_eq!(house.running.urls()[0], "https://box.example");
    let offer = house.access.offer(None);
    assert_eq!(
        offer.url_to_scan(),
        Some(format!("https://box.example/#pair={}", offer.code).as_str())
    );
    let body = serde_json::json!({"code": offer.code, "device": "phone"}).to_string();
    let pair = crate::raw::post("/api/pair", "application/json", body)
        .with("Host", "box.example")
        .with("Origin", "https://box.example")
        .with("X-Forwarded-Proto", "https")
        .with("X-Forwarded-For", "198.51.100.1, 203.0.113.7");
    let response = pair.send(house.port).await;
    assert_eq!(response.status, 200, "{}", response.text());
    let cookie = response.header("set-cookie").unwrap();
    assert!(
        cookie.starts_with("__Host-sluice=") && cookie.ends_with("; Secure"),
        "{cookie}"
    );
    assert_eq!(response.header("strict-transport-security"), Some("max-age=31536000"));
    assert_eq!(house.access.devices()[0].last_address.as_deref(), Some("203.0.113.7"));
    let plain = handshake("/ws")
        .with("Host", "box.example")
        .with("Origin", "http://box.example");
    let plain = plain
        .with("X-Forwarded-Proto", "https")
        .with("Cookie", cookie.split(';').next().unwrap());
    assert_eq!(plain.send(house.port).await.code(), "origin");
}

#[tokio::test]
async fn a_name_that_cannot_be_one_is_refused_at_the_start() {
    let mut bad = options();
    bad.listen.hosts = vec!["https://box".to_owned()];
    let error = start(bad).await.unwrap_err().to_string();
    assert!(error.starts_with("\"https://box\" is no host name"), "{error}");
}

#[tokio::test]
async fn metrics_have_a_listener_of_their_own_when_asked_for() {
    let mut own = options();
    own.listen.metrics = Some("127.0.0.1:0".parse().unwrap());
    let house = House::with(own).await;
    let port = house.running.metrics_address().unwrap().port();
    let metrics = get("/metrics").send(port).await;
    assert_eq!(metrics.status, 200);
    assert!(metrics.text().contains("sluice_build_info{version=\"9.9.9\""));
    assert_eq!(get("/").send(port).await.status, 404, "nothing else");
    assert_eq!(handshake("/ws").send(port).await.status, 404);
    assert_eq!(get("/metrics").with("Host", "evil.test").send(port).await.status, 403);
    assert_eq!(
        get("/metrics")
            .with("Sec-Fetch-Site", "cross-site")
            .send(port)
            .await
            .status,
        403
    );
}

#[tokio::test]
async fn listeners_are_handed_over_without_refused_connections() {
    use std::os::fd::AsRawFd;
    let house = House::open().await;
    let inheritance = house.running.inheritance().unwrap();
    let variables = inheritance.keep_for_exec().unwrap();
    let [("SLUICE_LISTENERS", value), ("SLUICE_PREVIOUS", _)] = variables.as_slice() else {
        panic!("{variables:?}")
    };
    let own = format!("{} main=", std::process::id());
    let numbers: Vec<i32> = value
        .strip_prefix(&own)
        .unwrap()
        .split(',')
        .map(|number| number.parse().unwrap())
        .collect();
    for number in &numbers {
        let flags = std::fs::read_to_string(format!("/proc/self/fdinfo/{number}")).unwrap();
        let flags = flags
            .lines()
            .find_map(|line| line.strip_prefix("flags:"))
            .unwrap()
            .trim()
            .to_owned();
        let flags = i32::from_str_radix(&flags, 8).unwrap();
        assert_eq!(flags & 0o2_000_000, 0, "it passes through exec");
    }
    let (port, state) = (house.port, house.running.stop(std::time::Duration::from_secs(20)).await);
    // While no process accepts, connections are not refused but wait for the next process.
    let waiting = tokio::net::TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    assert!(waiting.as_raw_fd() > 2);
    drop((state, inheritance));
    assert!(tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_err());
}
