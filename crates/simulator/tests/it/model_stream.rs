//! Streaming, complete messages, gates and captured requests.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_simulator::{Ending, Kind, ModelServer, Reply, Script};

use crate::client::{Next, ask, asking, send};

#[tokio::test]
async fn a_stream_has_all_events_in_order() {
    let script = Script::new().tag("t").reply(
        Reply::thinking("deep")
            .and_text("Hello there")
            .and_tool_with_id("toolu_01", "Bash", json!({"command": "ls"}))
            .usage(&json!({"input_tokens": 77})),
    );
    let server = ModelServer::start(script).await.unwrap();
    let mut answer = ask(&server, "go").await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), Some("text/event-stream"));
    assert_eq!(answer.header("request-id"), Some("req_t_1"));
    let (events, end) = answer.events().await;
    assert_eq!(end, Next::End);
    let data: Vec<Value> = events.iter().map(|(_, data)| data.clone()).collect();
    assert!(events.iter().all(|(name, data)| data["type"] == name.as_str()));
    assert_eq!(
        data,
        [
            json!({"type": "message_start", "message": {
                "id": "msg_t_1", "type": "message", "role": "assistant", "model": "claude-test",
                "content": [], "stop_reason": null, "stop_sequence": null,
                "usage": {"input_tokens": 77, "output_tokens": 5,
                          "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}}}),
            json!({"type": "content_block_start", "index": 0,
                   "content_block": {"type": "thinking", "thinking": "", "signature": ""}}),
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "de"}}),
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "ep"}}),
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "c2ln"}}),
            json!({"type": "content_block_stop", "index": 0}),
            json!({"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}}),
            json!({"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "Hello "}}),
            json!({"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "there"}}),
            json!({"type": "content_block_stop", "index": 1}),
            json!({"type": "content_block_start", "index": 2,
                   "content_block": {"type": "tool_use", "id": "toolu_01", "name": "Bash", "input": {}}}),
            json!({"type": "content_block_delta", "index": 2, "delta": {"type": "input_json_delta", "partial_json": "{\"comman"}}),
            json!({"type": "content_block_delta", "index": 2, "delta": {"type": "input_json_delta", "partial_json": "d\": \"ls\"}"}}),
            json!({"type": "content_block_stop", "index": 2}),
            json!({"type": "message_delta", "delta": {"stop_reason": "tool_use", "stop_sequence": null},
                   "usage": {"output_tokens": 12}}),
            json!({"type": "message_stop"}),
        ]
    );
    assert_eq!(server.wait_ending(1).await, Ending::Complete);
}

#[tokio::test]
async fn without_streaming_the_message_is_complete() {
    let server = ModelServer::start(Script::new().text("Hello there")).await.unwrap();
    let mut request = asking("go");
    request["stream"] = json!(false);
    let mut answer = send(&server, "POST", "/v1/messages", &request).await.unwrap();
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_eq!(
        answer.json().await,
        json!({
            "id": "msg_sim_1", "type": "message", "role": "assistant", "model": "claude-test",
            "content": [{"type": "text", "text": "Hello there"}],
            "stop_reason": "end_turn", "stop_sequence": null,
            "usage": {"input_tokens": 10, "output_tokens": 5,
                      "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0},
        })
    );
}

#[tokio::test]
async fn a_gate_releases_chunks_one_by_one() {
    let script = Script::new().reply(Reply::text("one two three").gate_each("word"));
    let server = ModelServer::start(script).await.unwrap();
    let gate = server.gate("word");
    let mut answer = ask(&server, "go").await;
    answer.next().await;
    answer.next().await;
    for (passed, word) in ["one ", "two ", "three"].into_iter().enumerate() {
        gate.reached().await;
        assert_eq!(gate.passed(), passed);
        gate.open_n(1);
        let Next::Event(_, data) = answer.next().await else {
            panic!("no chunk")
        };
        assert_eq!(data["delta"]["text"], word);
    }
    assert_eq!(
        answer.names().await.0,
        ["content_block_stop", "message_delta", "message_stop"]
    );
}

#[tokio::test]
async fn gates_work_before_the_head_between_blocks_and_inside_a_text() {
    let script = Script::parse(
        r#"{"replies": [{"gate": "head", "content": [
            {"type": "text", "parts": ["Hel", {"gate": "inside"}, "lo"]},
            {"gate": "between"},
            {"type": "text", "text": "bye"}]}]}"#,
    )
    .unwrap();
    let server = ModelServer::start(script).await.unwrap();
    let opener = async {
        for name in ["head", "inside", "between"] {
            let gate = server.gate(name);
            gate.reached().await;
            assert_eq!(gate.passed(), 0);
            gate.open();
        }
    };
    let talk = async { ask(&server, "go").await.text().await };
    let (text, ()) = tokio::join!(talk, opener);
    assert_eq!(text, "Hellobye");
}

#[tokio::test]
async fn a_disconnected_client_is_detected_at_a_gate() {
    let script = Script::new().reply(Reply::text("one").gate_each("word")).text("two");
    let server = ModelServer::start(script).await.unwrap();
    let mut answer = ask(&server, "go").await;
    answer.next().await;
    server.gate("word").reached().await;
    drop(answer);
    assert_eq!(server.wait_ending(1).await, Ending::ClientLeft);
    assert_eq!(ask(&server, "again").await.text().await, "two");
}

#[tokio::test]
async fn all_requests_are_recorded() {
    let server = ModelServer::start(Script::new().tag("t").text("hi")).await.unwrap();
    let waiting = server.wait_requests(1);
    let talking = async { ask(&server, "say hi").await.text().await };
    let (requests, _) = tokio::join!(waiting, talking);
    assert_eq!(requests[0].body, asking("say hi"));
    assert_eq!(requests[0].path, "/v1/messages?beta=true");
    assert_eq!(requests[0].header("x-api-key"), Some("sk-test"));

    let errand = json!({"model": "claude-haiku-4-5", "messages": [{"role": "user", "content": "title?"}]});
    let mut answer = send(&server, "POST", "/v1/messages", &errand).await.unwrap();
    assert_eq!(answer.header("request-id"), Some("req_t_aux1"));
    let body = answer.json().await;
    assert_eq!(body["id"], "msg_t_aux1");
    assert_eq!(body["content"], json!([{"type": "text", "text": "aux"}]));

    let count = json!({"model": "m", "messages": []});
    let mut answer = send(&server, "POST", "/v1/messages/count_tokens", &count)
        .await
        .unwrap();
    assert_eq!(answer.json().await, json!({"input_tokens": 100}));
    let mut answer = send(&server, "GET", "/api/hello", &Value::Null).await.unwrap();
    assert_eq!(answer.json().await, json!({}));
    assert_eq!(send(&server, "HEAD", "/", &Value::Null).await.unwrap().status, 200);

    let kinds: Vec<Kind> = server.everything().iter().map(|request| request.kind).collect();
    assert_eq!(
        kinds,
        [Kind::Main(1), Kind::Errand(1), Kind::Other, Kind::Other, Kind::Other]
    );
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn a_dropped_server_closes_its_streams() {
    let script = Script::new().reply(Reply::text("one").gate_each("never"));
    let server = ModelServer::start(script).await.unwrap();
    let mut answer = ask(&server, "go").await;
    let address = server.address();
    server.gate("never").reached().await;
    drop(server);
    assert_eq!(answer.events().await.1, Next::Broken);
    while tokio::net::TcpStream::connect(address).await.is_ok() {
        tokio::task::yield_now().await;
    }
}
