//! Hooks that post the event to an HTTP server.

use pretty_assertions::assert_eq;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::asks::touching;
use crate::hooks_calls::hooked;
use crate::stage::Stage;

#[tokio::test]
async fn http_hook_posts_the_event() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let served = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = Vec::new();
        let mut piece = [0; 4096];
        while !String::from_utf8_lossy(&request).contains("PreToolUse") {
            let count = stream.read(&mut piece).await.unwrap();
            request.extend_from_slice(&piece[..count]);
        }
        let body = json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny",
            "permissionDecisionReason": "by the server"}})
        .to_string();
        let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        stream.write_all(answer.as_bytes()).await.unwrap();
        String::from_utf8_lossy(&request).into_owned()
    });
    let hooks = json!({"PreToolUse": [{"hooks": [{"type": "http", "url": format!("http://127.0.0.1:{port}/hook"),
        "headers": {"X-Token": "$TOKEN $OTHER"}, "allowedEnvVars": ["TOKEN"]}]}]});
    let mut stage = hooked(touching("echo x"), hooks, |options| {
        std::sync::Arc::make_mut(&mut options.env).push(("TOKEN".into(), "t0ken".into()));
        std::sync::Arc::make_mut(&mut options.env).push(("OTHER".into(), "0ther".into()));
    })
    .await;
    stage.prompt("go").await;
    stage.turn().await;
    assert_eq!(
        stage.last("user:tool_error")["message"]["content"][0]["content"],
        "PreToolUse:Bash hook error: by the server"
    );
    let request = served.await.unwrap().to_lowercase();
    assert!(
        request.starts_with("post /hook") && request.contains("x-token: t0ken"),
        "{request}"
    );
    assert!(!request.contains("0ther"), "{request}");
    stage.end().await;
}

#[tokio::test]
async fn disallowed_http_hook_is_not_called() {
    let settings = json!({"allowedHttpHookUrls": ["https://hooks.example/*"],
        "hooks": {"PreToolUse": [{"hooks": [{"type": "http", "url": "http://127.0.0.1:1/x", "onFailure": "block"}]}]}});
    let mut stage = Stage::with(touching("echo x"), |options| {
        options.settings.set_flag(settings.as_object().unwrap());
    })
    .await;
    stage.prompt("go").await;
    stage.turn().await;
    let failure = stage.last("user:tool_error")["message"]["content"][0]["content"].to_string();
    assert!(failure.contains("allowedHttpHookUrls"), "{failure}");
    stage.end().await;
}
