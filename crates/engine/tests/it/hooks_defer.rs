//! Calls that a hook defers, and resumed sessions that run them.

use std::path::Path;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_engine::Options;
use sluice_engine::transcript::{Choice, Projects, Which, resume};
use sluice_simulator::{Reply, Script};
use tempfile::TempDir;

use crate::hooks_calls::{hooked, on};
use crate::stage::Stage;

const ID: &str = "11111111-2222-4333-8444-555555555555";

/// Defers calls until a certain file exists.
fn until_ready() -> Value {
    let later = json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "defer"}});
    on("PreToolUse", &[&format!("[ -e \"$READY\" ] || echo '{later}'")])
}

struct SessionFolder(TempDir);

impl SessionFolder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn projects(&self) -> Projects {
        Projects::new(self.0.path().join("projects"))
    }

    fn keep(&self, options: &mut Options) {
        options.session.keeping.projects = self.projects();
        options.session.keeping.file = Some(self.projects().file(Path::new("/work"), ID));
        options.permissions.allowed = vec!["Bash".into()];
        std::sync::Arc::make_mut(&mut options.env).push(("READY".into(), self.0.path().join("ready").into()));
    }

    async fn run_deferred(&self) -> Value {
        let script = Script::new().tool("Bash", json!({"command": "echo ran"})).text("never");
        let mut stage = hooked(script, until_ready(), |options| self.keep(options)).await;
        stage.prompt("go").await;
        let result = stage.result().await;
        assert_eq!(stage.leave().await, 0, "the process goes by itself");
        result
    }

    async fn resume(&self, script: Script, change: impl FnOnce(&mut Options)) -> Stage {
        let choice = Choice {
            which: Which::Named(ID.to_owned()),
            at: None,
            drops_turn: None,
            fork: false,
        };
        let earlier = resume::find(&self.projects(), Path::new("/work"), &choice).unwrap();
        assert!(earlier.as_ref().unwrap().awaits_call());
        hooked(script, until_ready(), |options| {
            self.keep(options);
            options.session.earlier = earlier;
            change(options);
        })
        .await
    }
}

#[tokio::test]
async fn deferred_call_runs_in_a_resumed_session() {
    let folder = SessionFolder::new();
    let result = folder.run_deferred().await;
    assert_eq!(
        (
            &result["stop_reason"],
            &result["terminal_reason"],
            &result["subtype"],
            &result["result"]
        ),
        (
            &json!("tool_deferred"),
            &json!("tool_deferred"),
            &json!("success"),
            &json!("")
        )
    );
    assert_eq!(result["deferred_tool_use"]["name"], "Bash");
    assert_eq!(result["deferred_tool_use"]["input"]["command"], "echo ran");

    // It is deferred again until the file exists.
    let mut again = folder.resume(Script::new(), |_| {}).await;
    again.eof().await;
    assert_eq!(again.result().await["terminal_reason"], "tool_deferred");
    assert_eq!(again.leave().await, 0);

    std::fs::write(folder.0.path().join("ready"), "").unwrap();
    let mut last = folder.resume(Script::new().text("Done"), |_| {}).await;
    last.eof().await;
    let result = last.result().await;
    assert_eq!(result["result"], "Done");
    let sent = last.sent(1);
    let messages = sent["messages"].as_array().unwrap();
    assert_eq!(messages.len(), 3, "the prompt, the call, and its result");
    assert_eq!(messages[1]["content"][0]["type"], "tool_use");
    assert_eq!(messages[2]["content"][0]["content"], "ran");
    assert_eq!(last.leave().await, 0);
}

#[tokio::test]
async fn prompt_follows_the_deferred_call() {
    let folder = SessionFolder::new();
    folder.run_deferred().await;
    std::fs::write(folder.0.path().join("ready"), "").unwrap();
    let mut stage = folder.resume(Script::new().text("Done"), |_| {}).await;
    stage.prompt("and then?").await;
    let told = stage.turn().await;
    assert_eq!(told, "user:tool_result init assistant:text result:success");
    let said = stage.said_to_model(1);
    assert_eq!(said.last().unwrap(), "and then?");
    // The call itself was sent by the earlier process.
    stage.leave_now().await;
}

#[tokio::test]
async fn missing_tool_of_deferred_call_ends_the_session() {
    let folder = SessionFolder::new();
    folder.run_deferred().await;
    let mut stage = folder
        .resume(Script::new(), |options| {
            options.permissions.disallowed = vec!["Bash".into()];
        })
        .await;
    stage.eof().await;
    let result = stage.result().await;
    assert_eq!(
        (&result["terminal_reason"], &result["is_error"]),
        (&json!("tool_deferred_unavailable"), &json!(true))
    );
    assert_eq!(stage.leave().await, 1);
}

#[tokio::test]
async fn only_a_single_call_can_be_deferred() {
    let calls = Reply::text("Two")
        .and_tool("Bash", json!({"command": "echo one"}))
        .and_tool("Bash", json!({"command": "echo two"}));
    let folder = SessionFolder::new();
    let mut stage = hooked(Script::new().reply(calls).text("Done"), until_ready(), |options| {
        folder.keep(options);
    })
    .await;
    stage.prompt("go").await;
    let result = stage.result().await;
    assert_eq!(result["result"], "Done");
    assert_eq!(stage.all("user:tool_result").len(), 2);
    assert!(
        stage.last("info")["content"]
            .as_str()
            .unwrap()
            .contains("put a call off")
    );
    stage.end().await;
}

#[tokio::test]
async fn deferred_call_runs_after_initialize_without_a_prompt() {
    let folder = SessionFolder::new();
    folder.run_deferred().await;
    std::fs::write(folder.0.path().join("ready"), "").unwrap();
    let mut stage = folder.resume(Script::new().text("Done"), |_| {}).await;
    let hooks = json!({"PreToolUse": [{"matcher": "Bash", "hookCallbackIds": ["cb"]}]});
    stage.control(json!({"subtype": "initialize", "hooks": hooks})).await;
    let asked = stage.until("hook:cb").await;
    assert_eq!(asked["request"]["input"]["tool_input"]["command"], "echo ran");
    let deny = json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny",
        "permissionDecisionReason": "No."}});
    stage.answer(&asked, deny).await;
    let result = stage.result().await;
    assert_eq!(
        (&result["result"], &result["is_error"]),
        (&json!("Done"), &json!(false))
    );
    assert_eq!(stage.all("user:tool_error").len(), 1);
    stage.leave_now().await;
}
