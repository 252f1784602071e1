//! Single requests: what is sent, and how error responses are reported.

use std::time::Duration;

use serde_json::{Value, json};
use sluice_model::{Auth, Client, Config, Error, Failure, RetryDecision, retry};
use tokio::net::TcpListener;

use crate::server::{Server, Step, chunk, good, request, stream_head, whole, write};

fn error(kind: &str, message: &str) -> Value {
    json!({"type": "error", "error": {"type": kind, "message": message}})
}

#[tokio::test]
async fn error_response_is_reported_completely() {
    let headers = "retry-after: 7\r\nx-should-retry: true\r\n";
    let server = Server::start(vec![whole(429, headers, &error("rate_limit_error", "slow down"))]).await;
    let failure = server.client().stream(&request()).await.unwrap_err();
    let want = Failure::Http {
        status: 429,
        kind: Some("rate_limit_error".into()),
        message: "slow down".into(),
        retry_after: Some(Duration::from_secs(7)),
        should_retry: Some(true),
        request_id: Some("req_1".into()),
        limits: None,
    };
    assert_eq!(failure, want);
    let decision = retry::next(&retry::Policy::default(), 1, &failure, 0, 0.5);
    assert_eq!(
        decision,
        RetryDecision::Retry {
            delay: Duration::from_secs(7)
        }
    );
}

#[tokio::test]
async fn retry_after_ms_takes_precedence() {
    let headers = "retry-after: 7\r\nretry-after-ms: 1500\r\nx-should-retry: false\r\n";
    let server = Server::start(vec![whole(500, headers, &error("api_error", "x"))]).await;
    match server.client().create(&request()).await.unwrap_err() {
        Failure::Http {
            retry_after,
            should_retry,
            ..
        } => {
            assert_eq!(
                (retry_after, should_retry),
                (Some(Duration::from_millis(1500)), Some(false))
            );
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn error_response_without_json_is_reported() {
    let page = "HTTP/1.1 502 Bad Gateway\r\ncontent-length: 6\r\n\r\n<html>";
    let plain = "HTTP/1.1 503 Service Unavailable\r\ncontent-length: 9\r\nretry-after: soon\r\n\r\nnot today";
    let moved = "HTTP/1.1 307 Temporary Redirect\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n";
    let server = Server::start([page, plain, moved].map(|text| vec![write(text)]).to_vec()).await;
    for (want, text) in [(502, "Bad Gateway"), (503, "not today"), (307, "Temporary Redirect")] {
        match server.client().stream(&request()).await.unwrap_err() {
            Failure::Http {
                status,
                kind: None,
                message,
                retry_after: None,
                ..
            } => {
                assert_eq!((status, message.as_str()), (want, text));
            }
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn create_requests_without_streaming() {
    let message = json!({"id": "msg_1", "type": "message", "content": [{"type": "text", "text": "hi"}], "usage": {}});
    let mut server = Server::start(vec![whole(200, "", &message)]).await;
    let (got, head) = server.client().create(&request()).await.unwrap();
    assert_eq!((got, head.request_id.as_deref()), (message, Some("req_1")));
    assert_eq!(server.seen().await.json()["stream"], false);
}

#[tokio::test]
async fn response_that_is_not_a_message_is_a_failure() {
    let server = Server::start(vec![whole(200, "", &json!({"ok": true})), whole(200, "", &json!([]))]).await;
    for _ in 0..2 {
        assert!(matches!(
            server.client().create(&request()).await,
            Err(Failure::Protocol(_))
        ));
    }
}

#[tokio::test]
async fn tokens_are_counted_by_the_server() {
    let mut server = Server::start(vec![whole(200, "", &json!({"input_tokens": 2095}))]).await;
    assert_eq!(server.client().count_tokens(&request()).await.unwrap(), 2095);
    assert!(server.seen().await.head.starts_with("POST /v1/messages/count_tokens "));
}

#[tokio::test]
async fn refused_connection_is_reported() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let client = Client::new(Config::new(url, Auth::ApiKey("key".into()))).unwrap();
    let failure = client.stream(&request()).await.unwrap_err();
    assert!(
        matches!(
            failure,
            Failure::Connect {
                code: Some("ECONNREFUSED"),
                ..
            }
        ),
        "{failure:?}"
    );
    assert!(client.explain(&failure, "m").contains("(ECONNREFUSED)"));
}

#[tokio::test]
async fn connection_cut_before_a_response_is_a_connect_failure() {
    let server = Server::start(vec![vec![Step::Cut]]).await;
    let failure = server.client().stream(&request()).await.unwrap_err();
    assert!(matches!(failure, Failure::Connect { .. }), "{failure:?}");
}

#[tokio::test]
async fn slow_response_times_out() {
    let late = vec![
        write("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{"),
        Step::Hang,
    ];
    let server = Server::start(vec![vec![Step::Hang], late]).await;
    let mut config = server.config();
    config.response_timeout = Duration::from_millis(50);
    let client = Client::new(config).unwrap();
    assert_eq!(client.stream(&request()).await.unwrap_err(), Failure::Timeout);
    assert_eq!(client.create(&request()).await.unwrap_err(), Failure::Timeout);
}

#[tokio::test]
async fn response_timeout_does_not_limit_the_stream() {
    let server = Server::start(vec![vec![stream_head(""), Step::Hang]]).await;
    let mut config = server.config();
    config.response_timeout = Duration::from_secs(60);
    config.stall_timeout = Duration::from_secs(300);
    let mut stream = Client::new(config).unwrap().stream(&request()).await.unwrap();
    tokio::time::pause();
    let start = tokio::time::Instant::now();
    assert_eq!(stream.next().await.unwrap_err(), Failure::Stalled);
    assert_eq!(start.elapsed().as_secs(), 300);
}

#[tokio::test]
async fn headers_come_from_configuration_and_request() {
    let mut server = Server::start(vec![good()]).await;
    let mut config = server.config();
    config.base_url = format!("{}/gateway/", server.url);
    config.auth = Auth::Both {
        key: "key".into(),
        token: "token".into(),
    };
    config.headers = vec![
        ("X-Team".into(), "blue".into()),
        ("user-agent".into(), "mine".into()),
        ("anthropic-beta".into(), "three, one".into()),
    ];
    config.betas = vec!["one".into()];
    let mut request = request();
    request.model = "claude-sonnet-4-5[1m]".into();
    request.betas = vec!["two".into(), "one".into()];
    drop(Client::new(config).unwrap().stream(&request).await.unwrap());
    let seen = server.seen().await;
    assert!(seen.head.starts_with("POST /gateway/v1/messages "), "{}", seen.head);
    assert_eq!(seen.header("authorization"), Some("Bearer token"));
    assert_eq!(seen.header("x-api-key"), Some("key"));
    assert_eq!(seen.header("x-team"), Some("blue"));
    assert_eq!(seen.header("user-agent"), Some("mine"));
    assert_eq!(
        seen.header("anthropic-beta"),
        Some("one,three,two,context-1m-2025-08-07")
    );
    assert_eq!(seen.json()["model"], "claude-sonnet-4-5");
}

#[tokio::test]
async fn nothing_is_sent_without_credentials() {
    let mut server = Server::start(vec![good(), good()]).await;
    let mut config = server.config();
    config.auth = Auth::None;
    let client = Client::new(config.clone()).unwrap();
    assert_eq!(client.stream(&request()).await.unwrap_err(), Failure::NoCredentials);
    assert!(server.received_nothing_more());
    for (name, value) in [("Authorization", "Basic x"), ("X-Api-Key", "mine")] {
        config.headers = vec![(name.into(), value.into())];
        drop(Client::new(config.clone()).unwrap().stream(&request()).await.unwrap());
        assert_eq!(server.seen().await.header(name), Some(value));
    }
}

#[tokio::test]
async fn endless_error_response_is_read_partly() {
    let head = write("HTTP/1.1 400 Bad Request\r\ntransfer-encoding: chunked\r\n\r\n");
    let server = Server::start(vec![vec![head, chunk(&[b'x'; 100_000]), Step::Hang]]).await;
    match server.client().stream(&request()).await.unwrap_err() {
        Failure::Http {
            status: 400, message, ..
        } => assert_eq!(message, "x".repeat(2000)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn invalid_configuration_is_rejected_immediately() {
    let config = |url: &str| Config::new(url, Auth::None);
    for url in ["", "nowhere", "ftp://x", "http://", "file:///etc/passwd"] {
        assert_eq!(
            Client::new(config(url)).unwrap_err(),
            Error::BaseUrl(url.trim_end_matches('/').into()),
            "{url}"
        );
    }
    let mut bad = config("http://x");
    bad.headers = vec![("no spaces".into(), "x".into())];
    assert_eq!(Client::new(bad).unwrap_err(), Error::Header("no spaces".into()));
    let bad = Config::new("http://x", Auth::ApiKey("two\nlines".into()));
    assert_eq!(Client::new(bad).unwrap_err(), Error::Header("x-api-key".into()));
    let mut bad = config("http://x");
    bad.network.proxy.https = Some("://".into());
    assert_eq!(
        Client::new(bad).unwrap_err(),
        Error::Network(sluice_net::Error::Proxy("://".into()))
    );
}

#[test]
fn gateway_is_any_url_but_the_default() {
    let gateway = |url: &str| Client::new(Config::new(url, Auth::None)).unwrap().gateway();
    assert_eq!(gateway("https://api.anthropic.com"), None);
    assert_eq!(gateway("http://localhost:11434/x"), Some("localhost:11434".into()));
    assert_eq!(gateway("https://com"), Some("com".into()));
}

#[test]
fn debug_output_contains_no_secrets() {
    for auth in [Auth::ApiKey("sesame".into()), Auth::Bearer("sesame".into())] {
        let client = Client::new(Config::new("http://x", auth)).unwrap();
        assert!(!format!("{client:?}").contains("sesame"));
    }
}
