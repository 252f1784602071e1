//! Proxies are used where the configuration specifies them, and only there.

use sluice_model::{Auth, Client, Config, Failure, Proxy};

use crate::server::{Server, good, request, write};

fn client(url: &str, proxy: Proxy) -> Client {
    let mut config = Config::new(url, Auth::ApiKey("key".into()));
    config.network.proxy = proxy;
    Client::new(config).unwrap()
}

#[tokio::test]
async fn http_requests_use_the_http_proxy() {
    for all in [false, true] {
        let mut proxy = Server::start(vec![good()]).await;
        let address = Some(proxy.url.clone());
        let given = if all {
            Proxy {
                all: address,
                ..Proxy::default()
            }
        } else {
            Proxy {
                http: address,
                ..Proxy::default()
            }
        };
        drop(client("http://model.invalid", given).stream(&request()).await.unwrap());
        let seen = proxy.seen().await;
        assert!(
            seen.head
                .starts_with("POST http://model.invalid/v1/messages HTTP/1.1\r\n"),
            "{}",
            seen.head
        );
    }
}

#[tokio::test]
async fn https_requests_tunnel_through_the_proxy() {
    let mut proxy = Server::start(vec![vec![write("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n")]]).await;
    let address = proxy.url.replace("http://", "http://user:word@");
    let given = Proxy {
        https: Some(address),
        ..Proxy::default()
    };
    let failure = client("https://model.invalid", given)
        .stream(&request())
        .await
        .unwrap_err();
    assert!(matches!(failure, Failure::Connect { .. }), "{failure:?}");
    let seen = proxy.seen().await;
    assert!(
        seen.head.starts_with("CONNECT model.invalid:443 HTTP/1.1\r\n"),
        "{}",
        seen.head
    );
    assert_eq!(seen.header("proxy-authorization"), Some("Basic dXNlcjp3b3Jk"));
}

#[tokio::test]
async fn no_proxy_hosts_are_reached_directly() {
    let mut proxy = Server::start(vec![]).await;
    for named in ["127.0.0.1", "example.com, 127.0.0.0/8", "*"] {
        let mut server = Server::start(vec![good()]).await;
        let given = Proxy {
            http: Some(proxy.url.clone()),
            no_proxy: Some(named.into()),
            ..Proxy::default()
        };
        drop(client(&server.url, given).stream(&request()).await.unwrap());
        assert!(server.seen().await.head.starts_with("POST /v1/messages "));
    }
    assert!(proxy.received_nothing_more());
}

#[tokio::test]
async fn empty_proxy_is_ignored() {
    let server = Server::start(vec![good()]).await;
    let given = Proxy {
        http: Some(String::new()),
        https: Some(" ".into()),
        all: Some(String::new()),
        no_proxy: None,
    };
    assert!(client(&server.url, given).stream(&request()).await.is_ok());
}

/// Runs the test above in a process whose environment contains an unreachable proxy.
#[test]
fn proxies_in_the_environment_are_ignored() {
    let nowhere = "http://127.0.0.1:1";
    let child = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "proxy::empty_proxy_is_ignored"])
        .envs(["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"].map(|name| (name, nowhere)))
        .env_remove("NO_PROXY")
        .env_remove("no_proxy")
        .output()
        .unwrap();
    let output = String::from_utf8_lossy(&child.stdout);
    assert!(child.status.success() && output.contains("1 passed"), "{output}");
}
