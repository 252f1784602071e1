//! Fault injection of the scripted model.

use std::time::Duration;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_simulator::{Ending, ModelServer, Reply, Script};
use tokio::net::TcpStream;
use tokio::time::Instant;

use crate::client::{Next, ask, asking, send};

#[tokio::test]
async fn http_errors_have_type_message_and_headers() {
    let script = Script::new()
        .error(529)
        .reply(Reply::error(429).message("slow down").header("retry-after", "1"))
        .text("fine");
    let server = ModelServer::start(script).await.unwrap();
    let mut first = ask(&server, "go").await;
    assert_eq!(first.status, 529);
    assert_eq!(
        first.json().await,
        json!({"type": "error", "error": {"type": "overloaded_error", "message": "scripted error"}})
    );
    let mut second = ask(&server, "go").await;
    assert_eq!((second.status, second.header("retry-after")), (429, Some("1")));
    assert_eq!(
        second.json().await,
        json!({"type": "error", "error": {"type": "rate_limit_error", "message": "slow down"}})
    );
    assert_eq!(ask(&server, "go").await.text().await, "fine");
}

#[tokio::test]
async fn the_default_error_type_of_a_script_file_is_api_error() {
    let script = Script::parse(r#"{"replies": [{"error": 529}]}"#).unwrap();
    let server = ModelServer::start(script).await.unwrap();
    assert_eq!(ask(&server, "go").await.json().await["error"]["type"], "api_error");
}

#[tokio::test]
async fn a_cut_stream_breaks_after_its_events() {
    let script = Script::new()
        .reply(Reply::text("one two").cut_after(4))
        .reply(Reply::text("one two").cut_after(0));
    let server = ModelServer::start(script).await.unwrap();
    let (names, end) = ask(&server, "go").await.names().await;
    assert_eq!(
        names,
        [
            "message_start",
            "content_block_start",
            "content_block_delta",
            "content_block_delta"
        ]
    );
    assert_eq!(end, Next::Broken);
    assert_eq!(server.wait_ending(1).await, Ending::Cut);
    let mut second = ask(&server, "go").await;
    assert_eq!((second.status, second.names().await), (200, (vec![], Next::Broken)));
}

#[tokio::test]
async fn an_error_event_ends_the_stream() {
    let script = Script::new().reply(Reply::text("one two").error_after(1));
    let server = ModelServer::start(script).await.unwrap();
    let (events, end) = ask(&server, "go").await.events().await;
    assert_eq!(end, Next::Broken);
    assert_eq!(events.len(), 2);
    assert_eq!(
        events[1],
        (
            "error".to_owned(),
            json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})
        )
    );
}

#[tokio::test]
async fn a_connection_can_be_closed_without_a_response() {
    let script = Script::new().reply(Reply::cut_before_headers()).text("fine");
    let server = ModelServer::start(script).await.unwrap();
    assert!(send(&server, "POST", "/v1/messages", &asking("go")).await.is_none());
    assert_eq!(server.wait_ending(1).await, Ending::Cut);
    assert_eq!(ask(&server, "go").await.text().await, "fine");
}

#[tokio::test]
async fn a_script_can_refuse_connections() {
    let script = Script::parse(r#"{"mode": "refuse"}"#).unwrap();
    let server = ModelServer::start(script).await.unwrap();
    assert!(TcpStream::connect(server.address()).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn delays_and_silences_are_applied() {
    let script = Script::new()
        .reply(Reply::text("one two three").delay(Duration::from_secs(2)))
        .reply(Reply::text("one").first_delay(Duration::from_secs(75)))
        .reply(Reply::text("one").hang_after(2, Duration::from_secs(330)));
    let server = ModelServer::start(script).await.unwrap();
    let mut took = Vec::new();
    for _ in 0..3 {
        let begin = Instant::now();
        assert!(!ask(&server, "go").await.text().await.is_empty());
        took.push(begin.elapsed().as_secs());
    }
    assert_eq!(took, [6, 75, 330]);
}

#[tokio::test]
async fn an_empty_body_is_recorded_as_null() {
    let server = ModelServer::start(Script::new()).await.unwrap();
    let answer = send(&server, "POST", "/v1/messages", &Value::Null).await;
    assert_eq!(answer.unwrap().status, 200);
    assert_eq!(server.wait_requests(1).await[0].body, Value::Null);
}
