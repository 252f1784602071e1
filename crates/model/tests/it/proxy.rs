//! Proxies are used where the configuration says so, and only there.

use sluice_model::{Auth, Client, Config, Failure, Proxy};

use crate::server::{Server, good, request, write};

fn client(url: &str, proxy: Proxy) -> Client {
    let mut config = Config::new(url, Auth::ApiKey("key".into()));
    config.network.proxy = proxy;
    Client::new(config).unwrap()
}

#[tokio::test]
async fn plain_requests_go_through_the_plain_proxy() {
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
async fn secure_requests_ask_the_proxy_for_a_tunnel() {
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
async fn named_hosts_are_reached_directly() {
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
    assert!(proxy.saw_nothing_more());
}

#[tokio::test]
async fn an_empty_proxy_is_none() {
    let server = Server::start(vec![good()]).await;
    let given = Proxy {
        http: Some(String::new()),
        https: Some(" ".into()),
        all: Some(String::new()),
        no_proxy: None,
    };
    assert!(client(&server.url, given).stream(&request()).await.is_ok());
}

/// The test above, in a process whose environment names a proxy that is not there.
#[test]
fn the_environment_names_no_proxy_for_us() {
    let nowhere = "http://127.0.0.1:1";
    let again = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "proxy::an_empty_proxy_is_none"])
        .envs(["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"].map(|name| (name, nowhere)))
        .env_remove("NO_PROXY")
        .env_remove("no_proxy")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&again.stdout);
    assert!(again.status.success() && said.contains("1 passed"), "{said}");
}
