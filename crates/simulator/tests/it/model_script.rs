//! Scripts as text: which reply is picked, what is filled in, and what a bad script is told.

use pretty_assertions::assert_eq;
use serde_json::json;
use sluice_simulator::{ModelServer, Reply, Script, run_model};

use crate::client::{ask, asking, send};

#[tokio::test]
async fn replies_are_picked_by_when_and_kept_by_repeat() {
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
async fn words_of_the_request_are_filled_in() {
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
fn a_bad_script_is_told_where_and_what_to_do() {
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
fn the_builder_and_the_text_say_the_same() {
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
async fn a_script_runs_as_a_program_of_its_own() {
    let (tell, told) = tokio::sync::oneshot::channel();
    let running = tokio::spawn(async move {
        let announce = move |address| tell.send(address).unwrap();
        run_model(r#"{"replies": []}"#, "127.0.0.1:0".parse().unwrap(), announce).await
    });
    let address = told.await.unwrap();
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
