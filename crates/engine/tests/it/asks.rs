//! Permission requests: which calls need one, and its content.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_engine::Asker;
use sluice_simulator::{Reply, Script};
use sluice_wire::mode::PermissionMode;

use crate::bell::Bell;
use crate::stage::Stage;

/// A model that runs a command and then responds with text.
pub(crate) fn touching(command: &str) -> Script {
    Script::new().tool("Bash", json!({"command": command})).text("Done")
}

#[tokio::test]
async fn permission_request_describes_the_call() {
    let script = Script::new()
        .reply(Reply::tool_with_id(
            "toolu_w",
            "Write",
            json!({"file_path": "new.txt", "content": "x"}),
        ))
        .text("Done");
    let mut stage = Stage::begin(script).await;
    stage.prompt("write").await;
    let ask = stage.ask().await;
    let request = &ask["request"];
    assert_eq!(request["subtype"], "can_use_tool");
    assert_eq!(request["tool_name"], "Write");
    assert_eq!(request["tool_use_id"], "toolu_w");
    // The request contains the absolute path; the conversation contains the model's path.
    assert_eq!(request["input"]["file_path"], stage.path("new.txt"));
    assert_eq!(
        stage.last("assistant:tool_use")["message"]["content"][0]["input"]["file_path"],
        "new.txt"
    );
    assert_eq!(request["description"], "new.txt");
    assert_eq!(request["permission_suggestions"][0]["mode"], "acceptEdits");
    stage.allow(&ask).await;
    assert_eq!(
        stage.turn().await,
        "init assistant:tool_use ask:Write user:tool_result assistant:text result:success"
    );
    assert_eq!(std::fs::read_to_string(stage.path("new.txt")).unwrap(), "x");
    stage.end().await;
}

#[tokio::test]
async fn reading_needs_no_permission_request() {
    let script = Script::new()
        .reply(
            Reply::tool("Read", json!({"file_path": "a.txt"}))
                .and_tool("Bash", json!({"command": "ls"}))
                .and_tool("Bash", json!({"command": "cat a.txt"})),
        )
        .text("Done");
    let mut stage = Stage::begin(script).await;
    std::fs::write(stage.path("a.txt"), "alpha\n").unwrap();
    stage.prompt("look").await;
    let told = stage.turn().await;
    assert!(!told.contains("ask:"), "{told}");
    assert_eq!(stage.all("user:tool_result").len(), 3);
    stage.end().await;
}

#[tokio::test]
async fn call_is_denied_without_a_permission_handler() {
    let mut stage = Stage::with(touching("touch never"), |options| {
        options.permissions.asker = Asker::Nobody;
    })
    .await;
    stage.prompt("touch").await;
    assert_eq!(
        stage.turn().await,
        "init assistant:tool_use denied user:tool_error assistant:text result:success"
    );
    let denied = stage.last("denied");
    assert_eq!(denied["tool_name"], "Bash");
    let result = stage.last("result:success");
    assert_eq!(result["permission_denials"][0]["tool_input"]["command"], "touch never");
    assert!(!stage.dir.path().join("never").exists());
    // A denial is not an error of the session.
    assert_eq!(stage.end().await, 0);
}

#[tokio::test]
async fn deny_rule_needs_no_permission_request() {
    let mut stage = Stage::with(touching("touch never"), |options| {
        options.permissions.allowed = vec!["Bash".into()];
        options.permissions.disallowed = vec!["Bash(touch:*)".into()];
    })
    .await;
    stage.prompt("touch").await;
    assert_eq!(
        stage.turn().await,
        "init assistant:tool_use denied user:tool_error assistant:text result:success"
    );
    assert!(!stage.dir.path().join("never").exists());
    stage.end().await;
}

#[tokio::test]
async fn denied_tool_is_not_offered() {
    let mut stage = Stage::with(touching("ls"), |options| {
        options.permissions.disallowed = vec!["Bash".into()];
    })
    .await;
    stage.prompt("ls").await;
    assert_eq!(
        stage.turn().await,
        "init assistant:tool_use user:tool_error assistant:text result:success"
    );
    let tools = stage.last("init")["tools"].as_array().unwrap();
    assert!(!tools.contains(&json!("Bash")), "{tools:?}");
    let offered = stage.sent(1)["tools"].to_string();
    assert!(!offered.contains(r#""name":"Bash""#));
    stage.end().await;
}

#[tokio::test]
async fn commands_request_permission_sequentially() {
    let script = Script::new()
        .reply(Reply::tool("Bash", json!({"command": "touch one"})).and_tool("Bash", json!({"command": "touch two"})))
        .text("Done");
    let mut stage = Stage::begin(script).await;
    stage.prompt("touch both").await;
    let first = stage.ask().await;
    stage.until("assistant:tool_use").await;
    // The second call waits for the first.
    stage.silent().await;
    stage.allow(&first).await;
    let second = stage.ask().await;
    assert_eq!(second["request"]["input"]["command"], "touch two");
    stage.allow(&second).await;
    assert_eq!(
        stage.turn().await,
        "init assistant:tool_use ask:Bash assistant:tool_use user:tool_result ask:Bash user:tool_result \
         assistant:text result:success"
    );
    stage.end().await;
}

#[tokio::test]
async fn reads_request_permission_concurrently() {
    let outside = tempfile::tempdir().unwrap();
    let read = |name: &str| {
        let path = outside.path().join(name);
        std::fs::write(&path, name).unwrap();
        json!({"file_path": path})
    };
    let script = Script::new()
        .reply(Reply::tool_with_id("t1", "Read", read("one")).and_tool_with_id("t2", "Read", read("two")))
        .text("Done");
    let mut stage = Stage::begin(script).await;
    stage.prompt("read both").await;
    let first = stage.ask().await;
    let second = stage.ask().await;
    stage.allow(&second).await;
    let early = stage.until("user:tool_result").await;
    assert_eq!(early["message"]["content"][0]["tool_use_id"], "t2");
    stage.allow(&first).await;
    stage.result().await;
    // The results are in the order of the calls.
    let results = &stage.sent(2)["messages"][2]["content"];
    assert_eq!(
        (&results[0]["tool_use_id"], &results[1]["tool_use_id"]),
        (&json!("t1"), &json!("t2"))
    );
    stage.end().await;
}

#[tokio::test]
async fn modifying_commands_run_sequentially() {
    let (one, two) = (Bell::listen().await, Bell::listen().await);
    let ring = |bell: &Bell| json!({"command": bell.command()});
    let script = Script::new()
        .reply(Reply::tool("Bash", ring(&one)).and_tool("Bash", ring(&two)))
        .text("Done");
    let mut stage = Stage::with(script, |options| options.permissions.allowed = vec!["Bash".into()]).await;
    stage.prompt("run both").await;
    let first = one.connected().await;
    stage.until_n("assistant:tool_use", 2).await;
    stage.silent().await;
    first.finish("first").await;
    stage.until("user:tool_result").await;
    two.connected().await.finish("second").await;
    stage.result().await;
    let printed = stage.all("user:tool_result");
    let printed: Vec<&Value> = printed.iter().map(|it| &it["tool_use_result"]["stdout"]).collect();
    assert_eq!(printed, ["first", "second"]);
    stage.end().await;
}

#[tokio::test]
async fn read_only_commands_run_concurrently() {
    let cat = |name: &str| json!({"command": format!("cat {name}")});
    let script = Script::new()
        .reply(Reply::tool_with_id("slow", "Bash", cat("pipe")).and_tool_with_id("quick", "Bash", cat("file")))
        .text("Done");
    let mut stage = Stage::begin(script).await;
    let pipe = stage.path("pipe");
    assert!(
        std::process::Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    std::fs::write(stage.path("file"), "quick").unwrap();
    stage.prompt("look at both").await;
    // The first call waits for a writer; the second does not wait for the first.
    let quick = stage.until("user:tool_result").await;
    assert_eq!(quick["message"]["content"][0]["tool_use_id"], "quick");
    let writer = std::thread::spawn(move || std::fs::write(pipe, "slow"));
    let slow = stage.until("user:tool_result").await;
    assert_eq!(slow["tool_use_result"]["stdout"], "slow");
    writer.join().unwrap().unwrap();
    stage.result().await;
    stage.end().await;
}

#[tokio::test]
async fn call_after_a_denied_one_runs() {
    let script = Script::new()
        .reply(Reply::tool("Bash", json!({"command": "touch no"})).and_tool("Bash", json!({"command": "echo yes"})))
        .text("Done");
    let mut stage = Stage::begin(script).await;
    stage.prompt("go").await;
    let ask = stage.ask().await;
    stage.deny(&ask).await;
    stage.result().await;
    assert_eq!(stage.all("user:tool_error").len(), 1);
    assert_eq!(stage.last("user:tool_result")["tool_use_result"]["stdout"], "yes");
    stage.end().await;
}

#[tokio::test]
async fn accept_edits_mode_writes_without_permission_request() {
    let script = Script::new()
        .tool("Write", json!({"file_path": "new.txt", "content": "x"}))
        .text("Done");
    let mut stage = Stage::begin(script).await;
    stage
        .control(json!({"subtype": "set_permission_mode", "mode": PermissionMode::AcceptEdits.as_str()}))
        .await;
    stage.prompt("write").await;
    assert_eq!(
        stage.turn().await,
        "ok mode:acceptEdits init assistant:tool_use user:tool_result assistant:text result:success"
    );
    stage.end().await;
}

#[tokio::test]
async fn end_of_input_fails_open_request_and_turn_continues() {
    let mut stage = Stage::begin(touching("touch never")).await;
    stage.prompt("touch").await;
    stage.ask().await;
    stage.eof().await;
    stage.hear_out().await;
    assert_eq!(
        stage.told(),
        "init assistant:tool_use ask:Bash user:tool_error assistant:text result:success"
    );
    let said = stage.last("user:tool_error")["message"]["content"][0]["content"].clone();
    assert_eq!(
        said,
        "Tool permission request failed: AbortError: Tool permission stream closed before response received"
    );
    assert!(!stage.dir.path().join("never").exists());
    assert_eq!(stage.end().await, 0);
}

#[tokio::test]
async fn no_permission_request_is_sent_after_end_of_input() {
    let script = Script::new()
        .reply(Reply::tool("Bash", json!({"command": "touch never"})).gate_head("head"))
        .text("Done");
    let mut stage = Stage::begin(script).await;
    stage.prompt("touch").await;
    stage.gate("head").reached().await;
    stage.eof().await;
    stage.gate("head").open();
    stage.hear_out().await;
    assert_eq!(
        stage.told(),
        "init assistant:tool_use user:tool_error assistant:text result:success"
    );
    let said = stage.last("user:tool_error")["message"]["content"][0]["content"].clone();
    assert_eq!(said, "Tool permission request failed: AbortError: Stream closed");
    assert_eq!(stage.end().await, 0);
}
