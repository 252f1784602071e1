//! Invalid input: it is answered with an error, and the next line is served.

use serde_json::{Value, json};
use sluice_mcp_door::serve_tools;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf};
use tokio_util::sync::CancellationToken;

use crate::rig::{options, within};

/// A client that can write arbitrary lines.
struct Raw {
    write: WriteHalf<DuplexStream>,
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    server: tokio::task::JoinHandle<Result<(), sluice_mcp_door::DoorError>>,
    _dir: tempfile::TempDir,
}

impl Raw {
    fn begin() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let options = options(dir.path(), "http://127.0.0.1:9");
        let server = tokio::spawn(serve_tools(options, tokio::io::split(theirs), CancellationToken::new()));
        let (read, write) = tokio::io::split(ours);
        Self {
            write,
            lines: BufReader::new(read).lines(),
            server,
            _dir: dir,
        }
    }

    async fn send(&mut self, line: &str) {
        self.write.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }

    async fn receive(&mut self) -> Value {
        let line = within(self.lines.next_line()).await.unwrap().unwrap();
        serde_json::from_str(&line).unwrap()
    }

    async fn ask(&mut self, request: Value) -> Value {
        self.send(&request.to_string()).await;
        self.receive().await
    }

    async fn open(&mut self) -> Value {
        let params =
            json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}});
        let answer = self
            .ask(json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}))
            .await;
        self.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
            .await;
        answer
    }
}

fn code(answer: &Value) -> (i64, &Value) {
    (answer["error"]["code"].as_i64().unwrap_or(0), &answer["id"])
}

#[tokio::test]
async fn invalid_lines_are_answered_and_the_next_is_served() {
    let mut raw = Raw::begin();
    let early = raw
        .ask(json!({"jsonrpc": "2.0", "id": 9, "method": "tools/list"}))
        .await;
    assert_eq!(code(&early), (-32600, &json!(9)));
    let opened = raw.open().await;
    assert_eq!(opened["result"]["protocolVersion"], "2025-06-18");
    assert_eq!(opened["result"]["serverInfo"]["name"], "sluice");

    for (line, wanted) in [
        ("{\"jsonrpc\":", -32700),
        ("\u{0}\u{1}", -32700),
        ("[1, 2]", -32600),
        ("\"hello\"", -32600),
    ] {
        raw.send(line).await;
        let answer = raw.receive().await;
        assert_eq!(code(&answer).0, wanted, "{line:?}: {answer}");
    }
    let call = |params: Value| json!({"jsonrpc": "2.0", "id": "c", "method": "tools/call", "params": params});
    for (request, wanted) in [
        (call(json!({"name": "Nothing"})), -32603),
        (call(json!({"name": 3})), -32602),
        (call(json!({"name": "Read", "arguments": [1]})), -32602),
        (call(json!({})), -32602),
        (json!({"jsonrpc": "2.0", "id": "c", "method": "resources/list"}), -32601),
        (json!({"jsonrpc": "2.0", "id": "c", "method": "prompts/list"}), -32601),
        (
            json!({"jsonrpc": "2.0", "id": "c", "method": "logging/setLevel", "params": {"level": "info"}}),
            -32601,
        ),
        (json!({"jsonrpc": "2.0", "id": "c", "method": "no/such"}), -32601),
    ] {
        let answer = raw.ask(request.clone()).await;
        assert_eq!(code(&answer), (wanted, &json!("c")), "{request}: {answer}");
    }
    // Invalid tool arguments are a failed call that the model can read, not a protocol error.
    let answer = raw.ask(call(json!({"name": "Read", "arguments": {"path": "x"}}))).await;
    assert_eq!(answer["result"]["isError"], true);
    let said = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(said.contains("file_path"), "{said}");

    let pong = raw.ask(json!({"jsonrpc": "2.0", "id": 5, "method": "ping"})).await;
    assert_eq!(pong["result"], json!({}));
    drop(raw.write);
    drop(raw.lines);
    within(raw.server).await.unwrap().unwrap();
}

#[tokio::test]
async fn requests_before_end_of_input_are_answered() {
    let mut raw = Raw::begin();
    raw.open().await;
    raw.send(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"Bash","arguments":{"command":"echo late"}}}"#)
        .await;
    raw.write.shutdown().await.unwrap();
    let answer = raw.receive().await;
    assert_eq!(answer["result"]["structuredContent"]["stdout"], "late");
    assert!(
        within(raw.lines.next_line()).await.unwrap().is_none(),
        "the server leaves"
    );
    within(raw.server).await.unwrap().unwrap();
}

#[tokio::test]
async fn client_without_messages_is_not_an_error() {
    let raw = Raw::begin();
    drop(raw.write);
    drop(raw.lines);
    within(raw.server).await.unwrap().unwrap();
}
