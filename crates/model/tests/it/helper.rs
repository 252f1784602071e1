//! `apiKeyHelper`: run when needed, cached, and run again after a rejected key.

use std::time::Duration;

use serde_json::json;
use sluice_model::{Auth, Client, Failure, Helper};

use crate::server::{Server, good, request, whole};

/// A helper that prints another key each time: `key-1`, `key-2`, …
fn counting(folder: &tempfile::TempDir) -> Helper {
    let mut helper = Helper::new("echo x >> runs; echo \"  key-$(grep -c x runs)  \"");
    helper.cwd = Some(folder.path().to_owned());
    helper
}

fn client(server: &Server, helper: Helper) -> Client {
    let mut config = server.config();
    config.auth = Auth::Helper(helper);
    Client::new(config).unwrap()
}

#[tokio::test]
async fn rejected_key_is_requested_again() {
    let folder = tempfile::tempdir().unwrap();
    let no = whole(
        401,
        "",
        &json!({"error": {"type": "authentication_error", "message": "no"}}),
    );
    let mut server = Server::start(vec![good(), no.clone(), good(), no.clone(), no]).await;
    let client = client(&server, counting(&folder));
    let mut ends = Vec::new();
    for _ in 0..3 {
        let outcome = client.stream(&request()).await;
        ends.push(outcome.err().and_then(|failure| failure.status()));
    }
    assert_eq!(ends, [None, None, Some(401)]);
    // The helper runs again immediately, and the request is repeated once.
    for key in ["key-1", "key-1", "key-2", "key-2", "key-3"] {
        let seen = server.seen().await;
        assert_eq!(seen.header("x-api-key"), Some(key));
        assert_eq!(seen.header("authorization").unwrap(), format!("Bearer {key}"));
    }
}

#[tokio::test]
async fn configured_credential_is_sent_in_its_header() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Server::start(vec![good(), good()]).await;
    for (key, token, sent) in [
        (Some("own-key"), None, ("own-key", "Bearer key-1")),
        (None, Some("own-token"), ("key-2", "Bearer own-token")),
    ] {
        let mut helper = counting(&folder);
        helper.key = key.map(str::to_owned);
        helper.token = token.map(str::to_owned);
        drop(client(&server, helper).stream(&request()).await.unwrap());
        let seen = server.seen().await;
        assert_eq!(
            (seen.header("x-api-key").unwrap(), seen.header("authorization").unwrap()),
            sent
        );
    }
}

#[tokio::test]
async fn key_is_requested_again_after_its_ttl() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Server::start(vec![good(), good()]).await;
    let mut helper = counting(&folder);
    helper.ttl = Duration::ZERO;
    let client = client(&server, helper);
    for key in ["key-1", "key-2"] {
        drop(client.stream(&request()).await.unwrap());
        assert_eq!(server.seen().await.header("x-api-key"), Some(key));
    }
}

#[tokio::test]
async fn concurrent_requests_share_one_run() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Server::start(vec![good(), good()]).await;
    let client = client(&server, counting(&folder));
    let request = request();
    let (one, two) = tokio::join!(client.stream(&request), client.stream(&request));
    assert!(one.is_ok() && two.is_ok());
    for _ in 0..2 {
        assert_eq!(server.seen().await.header("x-api-key"), Some("key-1"));
    }
}

#[tokio::test]
async fn helper_without_a_key_is_a_failure() {
    let mut server = Server::start(vec![good()]).await;
    let mut slow = Helper::new("exec sleep 60");
    slow.timeout = Duration::from_millis(20);
    for (helper, expected) in [
        (Helper::new("echo locked >&2; exit 3"), "locked"),
        (Helper::new("true"), "nothing"),
        (slow, "too long"),
    ] {
        match client(&server, helper).stream(&request()).await.unwrap_err() {
            Failure::Helper { message } => assert!(message.contains(expected), "{message}"),
            other => panic!("{other:?}"),
        }
    }
    assert!(server.received_nothing_more());
}
