//! MCP servers over HTTP, with the current (`http`) and the older (`sse`) transport, working and failing.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_engine::Options;
use sluice_engine::mcp::ServerConfig;
use sluice_simulator::Script;
use tokio::sync::mpsc;

use crate::stage::Stage;
use crate::web::{ReceivedRequest, Reply, Web};

/// A session with one server `s` at this URL.
fn at(kind: &'static str, url: String) -> impl FnOnce(&mut Options) {
    move |options: &mut Options| {
        let config = json!({"type": kind, "url": url, "headers": {"x-key": "secret"}});
        let config = ServerConfig::parse(&config).unwrap();
        options.servers.dynamic.insert("s".to_owned(), Ok(config));
        options.servers.connect = Duration::from_secs(3);
        options.permissions.allowed.push("mcp__s".to_owned());
    }
}

async fn status(stage: &mut Stage) -> Value {
    let status = stage.control(json!({"subtype": "mcp_status"})).await;
    status["response"]["mcpServers"][0].clone()
}

/// The response of a server to a message; `None` for notifications.
fn result(message: &Value) -> Option<Value> {
    let result = match message["method"].as_str()? {
        "initialize" => json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "s", "version": "1"},
        }),
        "tools/list" => json!({"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]}),
        "tools/call" => json!({"content": [{"type": "text", "text": "heard"}]}),
        method if method.starts_with("notifications/") => return None,
        _ => {
            let error = json!({"code": -32601, "message": "no"});
            return Some(json!({"jsonrpc": "2.0", "id": message["id"], "error": error}));
        }
    };
    Some(json!({"jsonrpc": "2.0", "id": message["id"], "result": result}))
}

/// A working server with the current transport.
fn working_server(asked: &ReceivedRequest) -> Reply {
    if asked.method != "POST" {
        return Reply::status(405);
    }
    match result(&asked.json()) {
        None => Reply::status(202),
        Some(said) if asked.json()["method"] == "initialize" => Reply::json(&said).with("mcp-session-id", "first"),
        Some(said) => Reply::json(&said),
    }
}

fn calling(times: usize) -> Script {
    let calls = (0..times).fold(Script::new(), |script, _| script.tool("mcp__s__echo", json!({})));
    calls.text("Done")
}

fn heard(stage: &Stage) -> Vec<Value> {
    let results = stage.all("user:tool_result");
    let content = results
        .iter()
        .map(|it| it["message"]["content"][0]["content"][0]["text"].clone());
    content.collect()
}

#[tokio::test]
async fn http_server_is_called() {
    let web = Web::start(|asked| match asked.json()["method"].as_str() {
        // Some servers answer with an event stream.
        Some("tools/call") => {
            let (say, events) = mpsc::unbounded_channel();
            say.send(format!("event: message\ndata: {}\n\n", result(&asked.json()).unwrap()))
                .unwrap();
            Reply::Events(events)
        }
        _ => working_server(asked),
    })
    .await;
    let mut stage = Stage::with(calling(1), at("http", format!("{}/mcp", web.url))).await;
    stage.prompt("go").await;
    stage.result().await;
    assert_eq!(heard(&stage), ["heard"]);
    let status = status(&mut stage).await;
    assert_eq!(
        (&status["status"], &status["transport"]),
        (&json!("connected"), &json!("http"))
    );
    assert!(!status.to_string().contains("secret"), "{status}");
    stage.end().await;
    let asked = web.asked();
    assert!(
        asked
            .iter()
            .all(|it| it.header("x-key") == "secret" && it.path == "/mcp")
    );
    let later = |it: &&ReceivedRequest| it.json()["method"] == "tools/call";
    assert_eq!(asked.iter().find(later).unwrap().header("mcp-session-id"), "first");
}

#[tokio::test]
async fn failing_http_server_fails_alone() {
    type Answer = fn() -> Reply;
    let json = |body: Vec<u8>| Reply::Respond(200, vec![("content-type", "application/json".to_owned())], body);
    let cases: [(&str, Answer, &str, &str); 7] = [
        ("401", || Reply::status(401), "needs-auth", ""),
        ("500", || Reply::status(500), "failed", "500"),
        ("403", || Reply::status(403), "failed", "403"),
        ("hang", || Reply::Hang, "failed", "Request timed out"),
        (
            "text",
            || Reply::Respond(200, vec![("content-type", "text/html".to_owned())], b"<html>".to_vec()),
            "failed",
            "text/html",
        ),
        (
            "no JSON",
            || Reply::json(&json!("x")),
            "failed",
            "not a JSON-RPC message",
        ),
        ("huge", || Reply::Hang, "failed", "larger than 16 MiB"),
    ];
    for (name, answer, expected, error) in cases {
        let huge = name == "huge";
        let web = Web::start(move |asked| match asked.method.as_str() {
            "POST" if huge => json(vec![b' '; 17 << 20]),
            "POST" => answer(),
            _ => Reply::status(405),
        })
        .await;
        let mut stage = Stage::with(Script::new().text("Hello"), at("http", web.url.clone())).await;
        stage.prompt("hi").await;
        assert_eq!(stage.result().await["result"], "Hello", "{name}");
        let status = status(&mut stage).await;
        assert_eq!(status["status"], expected, "{name}: {status}");
        let said = status["error"].as_str().unwrap_or_default();
        assert!(said.contains(error), "{name}: {said}");
        stage.end().await;
    }
}

#[tokio::test]
async fn redirect_to_another_host_is_not_followed() {
    let other = Arc::new(Web::start(working_server).await);
    for kind in ["http", "sse"] {
        let to = format!("{}/mcp", other.url);
        let web = Web::start(move |_| Reply::status(307).with("location", &to)).await;
        let mut stage = Stage::with(Script::new().text("Hello"), at(kind, web.url.clone())).await;
        stage.prompt("hi").await;
        stage.result().await;
        let status = status(&mut stage).await;
        assert_eq!(status["status"], "failed");
        assert!(status["error"].as_str().unwrap().contains("307"), "{status}");
        stage.end().await;
        assert!(!web.asked().is_empty() && other.asked().is_empty(), "{kind}");
    }
}

#[tokio::test]
async fn expired_mcp_session_is_restarted() {
    let sessions = Arc::new(AtomicUsize::new(0));
    let calls = Arc::new(AtomicUsize::new(0));
    let (opened, called) = (sessions.clone(), calls.clone());
    let web = Web::start(move |asked| {
        let message = asked.json();
        let method = message["method"].as_str().unwrap_or_default();
        if asked.method != "POST" {
            return Reply::status(405);
        }
        if method == "initialize" {
            let session = format!("session-{}", opened.fetch_add(1, Ordering::SeqCst) + 1);
            return Reply::json(&result(&message).unwrap()).with("mcp-session-id", &session);
        }
        let current = format!("session-{}", opened.load(Ordering::SeqCst));
        // The first session ends after its first call.
        let forgotten = called.load(Ordering::SeqCst) == 1 && current == "session-1";
        let session = asked.header("mcp-session-id");
        if !session.is_empty() && (forgotten || session != current) {
            return Reply::status(404);
        }
        if method == "tools/call" {
            called.fetch_add(1, Ordering::SeqCst);
        }
        working_server(asked)
    })
    .await;
    let mut stage = Stage::with(calling(2), at("http", web.url.clone())).await;
    stage.prompt("go").await;
    stage.result().await;
    assert_eq!(heard(&stage), ["heard", "heard"]);
    assert_eq!(calls.load(Ordering::SeqCst), 2);
    assert!(sessions.load(Ordering::SeqCst) >= 2);
    stage.end().await;
}

#[tokio::test]
async fn http_error_fails_the_call() {
    let web = Web::start(|asked| match asked.json()["method"].as_str() {
        Some("tools/call") => Reply::status(500),
        _ => working_server(asked),
    })
    .await;
    let mut stage = Stage::with(calling(1), at("http", web.url.clone())).await;
    stage.prompt("go").await;
    assert_eq!(stage.result().await["result"], "Done");
    let failure = stage.last("user:tool_error")["message"]["content"][0]["content"].clone();
    assert!(failure.as_str().unwrap().contains("500"), "{failure}");
    stage.end().await;
}

/// A server with the older transport: it answers posted messages on the event stream.
struct SseServer {
    streams: Mutex<Vec<mpsc::UnboundedSender<String>>>,
    /// The URL to post to, which the first event contains.
    endpoint: String,
    /// The number of calls until the stream ends.
    calls_left: AtomicUsize,
}

impl SseServer {
    fn new(endpoint: &str, calls_left: usize) -> Arc<Self> {
        Arc::new(Self {
            streams: Mutex::default(),
            endpoint: endpoint.to_owned(),
            calls_left: AtomicUsize::new(calls_left),
        })
    }

    fn answer(&self, asked: &ReceivedRequest) -> Reply {
        let mut streams = self.streams.lock().unwrap();
        if asked.method == "GET" {
            let (say, events) = mpsc::unbounded_channel();
            say.send(": hello\n\n".to_owned()).unwrap();
            say.send(format!("event: endpoint\ndata: {}\n\n", self.endpoint))
                .unwrap();
            streams.push(say);
            return Reply::Events(events);
        }
        let said = result(&asked.json());
        let gone = asked.json()["method"] == "tools/call"
            && self
                .calls_left
                .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1))
                .is_err();
        if let (Some(said), Some(stream)) = (said, streams.last()) {
            // Invalid messages and unknown events are skipped.
            stream.send("event: message\ndata: no JSON\n\n".to_owned()).ok();
            stream.send("event: other\ndata: {}\n\n".to_owned()).ok();
            if !gone {
                stream.send(format!("event: message\ndata: {said}\n\n")).ok();
            }
        }
        if gone {
            self.calls_left.store(100, Ordering::SeqCst);
            streams.clear();
        }
        Reply::status(202)
    }
}

#[tokio::test]
async fn sse_server_is_called_over_its_stream() {
    let sse = SseServer::new("/post?session=1", 100);
    let server = sse.clone();
    let web = Web::start(move |asked| server.answer(asked)).await;
    let mut stage = Stage::with(calling(1), at("sse", format!("{}/sse", web.url))).await;
    stage.prompt("go").await;
    stage.result().await;
    assert_eq!(heard(&stage), ["heard"]);
    let status = status(&mut stage).await;
    assert_eq!(
        (&status["status"], &status["transport"]),
        (&json!("connected"), &json!("sse"))
    );
    stage.end().await;
    let asked = web.asked();
    assert_eq!((asked[0].method.as_str(), asked[0].path.as_str()), ("GET", "/sse"));
    assert!(asked[1..].iter().all(|it| it.path == "/post?session=1"));
    assert!(asked.iter().all(|it| it.header("x-key") == "secret"));
    assert_eq!(asked[1].json()["method"], "initialize", "an old server is not probed");
}

#[tokio::test]
async fn ended_stream_is_reopened_by_the_next_call() {
    let sse = SseServer::new("/post", 0);
    let server = sse.clone();
    let web = Web::start(move |asked| server.answer(asked)).await;
    let mut stage = Stage::with(calling(2), at("sse", format!("{}/sse", web.url))).await;
    stage.prompt("go").await;
    stage.result().await;
    let failure = stage.last("user:tool_error")["message"]["content"][0]["content"].clone();
    assert_eq!(failure, "Connection closed");
    assert_eq!(heard(&stage), ["heard"]);
    assert_eq!(web.asked().iter().filter(|it| it.method == "GET").count(), 2);
    stage.end().await;
}

#[tokio::test]
async fn sse_endpoint_on_another_origin_is_rejected() {
    let other = Web::start(working_server).await;
    let sse = SseServer::new(&format!("{}/post", other.url), 100);
    let web = Web::start(move |asked| sse.answer(asked)).await;
    let mut stage = Stage::with(Script::new().text("Hello"), at("sse", web.url.clone())).await;
    stage.prompt("hi").await;
    stage.result().await;
    let status = status(&mut stage).await;
    assert_eq!(status["status"], "failed");
    assert!(
        status["error"].as_str().unwrap().contains("on another origin"),
        "{status}"
    );
    assert!(other.asked().is_empty());
    stage.end().await;
}

#[tokio::test]
async fn failing_sse_server_fails_alone() {
    type Answer = fn() -> Reply;
    let cases: [(&str, Answer, &str, &str); 4] = [
        ("401", || Reply::status(401), "needs-auth", ""),
        ("500", || Reply::status(500), "failed", "500"),
        ("hang", || Reply::Hang, "failed", "Request timed out"),
        ("text", || Reply::json(&json!({})), "failed", "no `endpoint` event"),
    ];
    for (name, answer, expected, error) in cases {
        let web = Web::start(move |_| answer()).await;
        let mut stage = Stage::with(Script::new().text("Hello"), at("sse", web.url.clone())).await;
        stage.prompt("hi").await;
        assert_eq!(stage.result().await["result"], "Hello", "{name}");
        let status = status(&mut stage).await;
        assert_eq!(status["status"], expected, "{name}: {status}");
        let said = status["error"].as_str().unwrap_or_default();
        assert!(said.contains(error), "{name}: {said}");
        stage.end().await;
    }
}
