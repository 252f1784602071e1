//! Scripts of models: selection of replies, placeholders and errors.

use pretty_assertions::assert_eq;
use serde_json::json;
use sluice_simulator::{ModelServer, Reply, Script, run_model};

use crate::client::{ask, asking, send};

#[tokio::test]
async fn replies_are_selected_by_when_and_reused_with_repeat() {
    let script = Script::parse(
        r#"{"replies": [
            {"when": "SUB", "repeat": true, "content": [{"type": "text", "text": "sub"}]},
            [{"type": "text", "text": "first"}],
            {"when": "two \"quoted\"", "content": [{"type": "text", "text": "never: quotes are escaped"}]},
            [{"type": "text", "text": "second"}]]}"#,
    )
    .unwrap();
    let server = ModelServer::start(script).await.unwrap();
    let mut said = Vec::new();
    for text in ["one", "SUB a", "two \"quoted\"", "SUB b", "three"] {
        said.push(ask(&server, text).await.text().await);
    }
    assert_eq!(said, ["first", "sub", "second", "sub", "(end of script)"]);
}

#[tokio::test]
async fn text_of_the_request_is_filled_in() {
    let script = Script::parse(
        r#"[[{"type": "tool_use", "id": "t", "name": "Stop", "input": {"task": "$REQ{with ID: (\\w{2,})}"}},
             {"type": "text", "text": "<$REQ{(nowhere)}>"}]]"#,
    )
    .unwrap();
    let server = ModelServer::start(script).await.unwrap();
    let mut request = asking("started with ID: b7x now");
    request["stream"] = json!(false);
    let content = send(&server, "POST", "/v1/messages", &request)
        .await
        .unwrap()
        .json()
        .await["content"]
        .clone();
    assert_eq!(content[0]["input"], json!({"task": "b7x"}));
    assert_eq!(content[1]["text"], "<no-match>");
}

#[test]
fn errors_in_a_script_have_a_position_and_a_hint() {
    let cases = [
        ("{", "line 1, column 1"),
        ("7", "script"),
        (r#"{"replies": {}}"#, "replies"),
        (r#"{"replis": []}"#, "replis"),
        (r#"{"api": {"replies": [7]}}"#, "api.replies[0]"),
        (r#"[[{"text": "x"}]]"#, "replies[0][0].type"),
        (r#"[[{"type": "text"}]]"#, "replies[0][0].text"),
        (r#"[[{"type": "tool_use", "name": "Bash"}]]"#, "replies[0][0].input"),
        (
            r#"[[], {"content": [{"type": "text", "text": "$REQ{(}"}]}]"#,
            "replies[1].content[0].text",
        ),
        (r#"[{"dealy": 1}]"#, "replies[0].dealy"),
        (r#"[{"delay": "1"}]"#, "replies[0].delay"),
        (r#"[{"delay": -1}]"#, "replies[0].delay"),
        (r#"[{"cut_after": 1.5}]"#, "replies[0].cut_after"),
        (r#"[{"error": 7}]"#, "replies[0].error"),
        (r#"[{"cut": "later"}]"#, "replies[0].cut"),
        (r#"[{"headers": {"a b": "c"}}]"#, "replies[0].headers.a b"),
        (r#"{"mode": "sulk"}"#, "mode"),
    ];
    for (text, place) in cases {
        let error = Script::parse(text).unwrap_err();
        assert_eq!(error.at, place, "{text}: {error}");
        assert!(error.to_string().contains("\nhint: "), "{error}");
    }
}

#[test]
fn the_builder_and_the_parser_give_the_same_reply() {
    let built = Reply::tool_with_id("t", "Bash", json!({"command": "ls"}))
        .gate("g")
        .and_text("x")
        .repeat();
    let parsed = Script::parse(
        r#"[{"repeat": true, "content": [
            {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "ls"}},
            {"gate": "g"}, {"type": "text", "text": "x"}]}]"#,
    )
    .unwrap();
    assert_eq!(parsed.replies(), [built]);
}

#[tokio::test]
async fn a_script_can_be_served_until_it_is_cancelled() {
    let (sender, receiver) = tokio::sync::oneshot::channel();
    let running = tokio::spawn(async move {
        let announce = move |address| sender.send(address).unwrap();
        run_model(r#"{"replies": []}"#, "127.0.0.1:0".parse().unwrap(), announce).await
    });
    let address = receiver.await.unwrap();
    assert!(tokio::net::TcpStream::connect(address).await.is_ok());
    running.abort();
    assert!(running.await.unwrap_err().is_cancelled());
}

#[tokio::test]
async fn a_function_is_a_brain() {
    let brain = |request: &serde_json::Value, n: usize| {
        Reply::text(format!(
            "{n}: {}",
            request["messages"][0]["content"][0]["text"].as_str().unwrap_or("")
        ))
    };
    let server = ModelServer::start(brain).await.unwrap();
    assert_eq!(ask(&server, "one").await.text().await, "1: one");
    assert_eq!(ask(&server, "two").await.text().await, "2: two");
}
