//! Permission requests and other requests of the agent, and the callbacks that answer them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use sluice_host::conversation::AskState;
use sluice_host::wire::ToHost;
use sluice_host::wire::control::{Request, RequestId};
use sluice_host::wire::hook::HookOutput;
use sluice_host::{ErrorKind, Event, McpServer, PermissionDecision, ToolOutput};

use crate::stage::{SESSION, Stage, brisk, until};

fn asking_agent() -> Stage {
    Stage::answering(json!([
        {"tool": {"id": "toolu_01", "name": "Bash", "input": {"command": "rm x"}}},
        {"ask": {"tool_name": "Bash", "input": {"command": "rm x"}, "tool_use_id": "toolu_01"}, "as": "answer"},
        {"tool_result": {"tool_use_id": "toolu_01", "content": "done"}},
        {"text": "Done"}, {"result": {"result": "Done"}}
    ]))
}

fn answers(stage: &Stage) -> Vec<Value> {
    stage
        .received_lines()
        .into_iter()
        .filter(|line| line["type"] == "control_response")
        .collect()
}

/// Returns the id of the permission request in an event.
fn permission_request_id(event: &Event) -> Option<RequestId> {
    match event.message()?.to_host()? {
        ToHost::ControlRequest(request) => match request.request {
            Request::CanUseTool(_) => Some(request.request_id.clone()),
            _ => None,
        },
        _ => None,
    }
}

#[tokio::test(start_paused = true)]
async fn callback_answers_with_the_input_of_the_call() {
    let stage = asking_agent();
    let client = stage
        .client(brisk().on_permission(|ask| async move {
            assert_eq!(ask.tool_name(), "Bash");
            assert_eq!(ask.input()["command"], "rm x");
            PermissionDecision::allow()
        }))
        .await;
    assert!(client.run("Hi").await.unwrap().result.is_some());
    let responses = answers(&stage);
    assert_eq!(responses.len(), 1);
    assert_eq!(
        responses[0]["response"]["response"],
        json!({"behavior": "allow", "updatedInput": {"command": "rm x"}})
    );
}

#[tokio::test(start_paused = true)]
async fn manual_answer_counts_once() {
    let stage = asking_agent();
    let client = stage.client(brisk().asks(true)).await;
    let mut events = client.events();
    let prompt = client.send("Hi").await.unwrap();
    let ask = until(&mut events, permission_request_id).await;
    client
        .answer_as(ask.clone(), PermissionDecision::deny("no"), Some("ann"))
        .await
        .unwrap();
    let again = client
        .answer(ask.clone(), PermissionDecision::allow())
        .await
        .unwrap_err();
    assert_eq!(again.kind(), ErrorKind::NoSuchAsk);
    let error = client
        .answer("never-asked", PermissionDecision::allow())
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NoSuchAsk);
    until(&mut events, |event| {
        matches!(event.message()?.to_host()?, ToHost::Result(_)).then_some(())
    })
    .await;
    let (state, by) = client
        .look(move |state| {
            let ask = state.ask(&ask).unwrap();
            (ask.state, ask.by.clone())
        })
        .await
        .unwrap();
    assert_eq!((state, by.as_deref()), (AskState::Denied, Some("ann")));
    assert_eq!(answers(&stage).len(), 1);
    drop(prompt);
}

#[tokio::test(start_paused = true)]
async fn callback_of_a_withdrawn_request_is_dropped_without_answer() {
    struct CountDrop(Arc<AtomicUsize>);
    impl Drop for CountDrop {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
    let mut script = crate::stage::forever(json!([
        {"say": {"type": "control_request", "request_id": "q1", "request":
            {"subtype": "can_use_tool", "tool_name": "Bash", "input": {}, "tool_use_id": "toolu_01"}}},
        {"sleep": 1},
        {"say": {"type": "control_cancel_request", "request_id": "q1"}},
        {"text": "Never mind"}, {"result": {"result": "Never mind"}}
    ]));
    script["session_id"] = json!(SESSION);
    let stage = Stage::new([script]);
    let dropped = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&dropped);
    let client = stage
        .client(brisk().on_permission(move |_| {
            let count_drop = CountDrop(Arc::clone(&count));
            async move {
                std::future::pending::<()>().await;
                drop(count_drop);
                PermissionDecision::allow()
            }
        }))
        .await;
    assert!(client.run("Hi").await.unwrap().result.is_some());
    client.close().await;
    assert_eq!(answers(&stage), Vec::<Value>::new());
    assert_eq!(dropped.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn panicking_callback_is_an_error_for_the_agent_only() {
    let stage = asking_agent();
    let client = stage
        .client(brisk().on_permission(|ask| async move {
            assert!(ask.tool_name().is_empty(), "on purpose");
            PermissionDecision::allow()
        }))
        .await;
    assert!(client.run("Hi").await.unwrap().result.is_some());
    assert_eq!(answers(&stage)[0]["response"]["subtype"], "error");
}

/// Returns an agent that sends one request and waits for the response.
fn agent_with_request(request: Value) -> Stage {
    Stage::answering(json!([
        {"say": {"type": "control_request", "request_id": "q1", "request": request}},
        {"expect": {"type": "control_response", "response": {"request_id": "q1"}}},
        {"text": "Thanks"}, {"result": {"result": "Thanks"}}
    ]))
}

async fn answer_to(request: Value, options: sluice_host::Options) -> Value {
    let stage = agent_with_request(request);
    let client = stage.client(options).await;
    assert!(client.run("Hi").await.unwrap().result.is_some());
    answers(&stage)[0]["response"].clone()
}

#[tokio::test(start_paused = true)]
async fn hooks_are_called_by_number() {
    let options = brisk().hook("Stop", None, |_| async { HookOutput::default() }).hook(
        "PreToolUse",
        Some("Bash"),
        |input| async move {
            assert_eq!(input.kind(), "PreToolUse");
            HookOutput {
                reason: Some("seen".to_owned()),
                ..HookOutput::default()
            }
        },
    );
    let input = json!({"hook_event_name": "PreToolUse", "session_id": "s", "transcript_path": "", "cwd": "/",
        "tool_name": "Bash", "tool_input": {}, "tool_use_id": "t"});
    let answer = answer_to(
        json!({"subtype": "hook_callback", "callback_id": "hook_1", "input": input}),
        options,
    )
    .await;
    assert_eq!(answer["response"], json!({"reason": "seen"}));
}

#[tokio::test(start_paused = true)]
async fn unregistered_hook_is_rejected() {
    let input = json!({"hook_event_name": "Stop", "session_id": "s", "transcript_path": "", "cwd": "/", "stop_hook_active": false});
    let answer = answer_to(
        json!({"subtype": "hook_callback", "callback_id": "hook_7", "input": input}),
        brisk(),
    )
    .await;
    assert_eq!(answer["subtype"], "error");
}

#[tokio::test(start_paused = true)]
async fn in_process_tools_are_called() {
    let server =
        McpServer::new("calc").tool(
            "add",
            "Adds",
            json!({"a": "number", "b": "number"}),
            |two: Value| async move {
                ToolOutput::text((two["a"].as_f64().unwrap() + two["b"].as_f64().unwrap()).to_string())
            },
        );
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call",
        "params": {"name": "add", "arguments": {"a": 1, "b": 2}}});
    let request = json!({"subtype": "mcp_message", "server_name": "calc", "message": call});
    let answer = answer_to(request.clone(), brisk().mcp_server(server)).await;
    assert_eq!(answer["response"]["mcp_response"]["result"]["content"][0]["text"], "3");
    let answer = answer_to(request, brisk()).await;
    assert_eq!(answer["response"]["mcp_response"]["error"]["code"], -32601);
}

#[tokio::test(start_paused = true)]
async fn elicitation_without_callback_is_declined() {
    let request = json!({"subtype": "elicitation", "mcp_server_name": "s", "message": "Your name?"});
    let answer = answer_to(request.clone(), brisk()).await;
    assert_eq!(answer["response"], json!({"action": "decline"}));
    let options = brisk().on_elicitation(|_| async { sluice_host::accept(json!({"name": "Ann"})) });
    let answer = answer_to(request, options).await;
    assert_eq!(
        answer["response"],
        json!({"action": "accept", "content": {"name": "Ann"}})
    );
}

#[tokio::test(start_paused = true)]
async fn unknown_and_invalid_requests_are_rejected() {
    let answer = answer_to(json!({"subtype": "levitate"}), brisk()).await;
    assert_eq!(answer["error"], "Unsupported control request subtype: levitate");
    let answer = answer_to(json!({"subtype": "can_use_tool", "tool_name": 7}), brisk()).await;
    assert_eq!(answer["subtype"], "error");
}

#[tokio::test(start_paused = true)]
async fn requests_after_the_result_are_answered() {
    // Background subagents send requests after the turn, so the agent's input stays open as long as the conversation.
    let stage = Stage::new([json!({"session_id": "s", "steps": [
        {"expect": {"type": "user"}}, {"init": {}}, {"text": "It runs"}, {"result": {}},
        {"sleep": 600},
        {"ask": {"tool_name": "Bash", "input": {"command": "ls"}, "tool_use_id": "toolu_9", "agent_id": "a1"}, "as": "answer"},
        {"fault": "silent"}
    ]})]);
    let (tool_names, mut requested) = tokio::sync::mpsc::channel(1);
    let options = brisk().on_permission(move |ask| {
        let tool_names = tool_names.clone();
        async move {
            tool_names.send(ask.tool_name().to_owned()).await.unwrap();
            PermissionDecision::allow()
        }
    });
    let client = stage.client(options).await;
    let mut events = client.events();
    client.run("Hi").await.unwrap();
    assert_eq!(requested.recv().await.as_deref(), Some("Bash"));
    while client
        .look(|state| state.pending_asks().next().is_some())
        .await
        .unwrap()
    {
        events.next().await.unwrap();
    }
    client.close().await;
    let responses = answers(&stage);
    assert_eq!(responses.len(), 1, "{responses:?}");
    assert_eq!(responses[0]["response"]["response"]["behavior"], "allow");
}
