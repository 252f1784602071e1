//! The tools as an MCP server.

use std::fs;

use rmcp::service::ServiceError;
use serde_json::{Value, json};
use sluice_engine::settings::FlagSettings;
use sluice_engine::settings::{Chosen, Settings};
use sluice_wire::mode::PermissionMode;

use crate::rig::{Rig, failure, finish, text, within};

#[tokio::test]
async fn tools_are_listed_with_their_schemas() {
    let rig = Rig::tools().await;
    let tools = within(rig.client.list_all_tools()).await.unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
    for name in [
        "Bash",
        "Read",
        "Write",
        "Edit",
        "NotebookEdit",
        "Glob",
        "Grep",
        "TaskOutput",
        "TaskStop",
    ] {
        assert!(names.contains(&name), "{name} in {names:?}");
    }
    for name in [
        "AskUserQuestion",
        "EnterPlanMode",
        "ExitPlanMode",
        "ToolSearch",
        "TodoWrite",
    ] {
        assert!(!names.contains(&name), "{name} in {names:?}");
    }
    for tool in &tools {
        assert_eq!(tool.input_schema["type"], "object", "{}", tool.name);
        assert!(tool.description.as_ref().is_some_and(|text| !text.is_empty()));
    }
    rig.leave().await;
}

#[tokio::test]
async fn denied_and_unselected_tools_are_not_listed() {
    let rig = Rig::tools_with(true, |options| {
        options.tools.offered = Some(vec!["Bash".to_owned(), "Read".to_owned()]);
        options.permissions.disallowed = vec!["Bash".to_owned()];
    })
    .await;
    let tools = within(rig.client.list_all_tools()).await.unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
    assert_eq!(names, ["Read"]);
    let refused = rig.try_call("Bash", json!({"command": "ls"})).await;
    assert!(matches!(refused, Err(ServiceError::McpError(error)) if error.message == "Tool Bash not found"));
    rig.leave().await;
}

#[tokio::test]
async fn read_only_calls_need_no_permission() {
    let mut rig = Rig::tools().await;
    fs::write(rig.path("a.txt"), "alpha\n").unwrap();
    let read = rig.call("Read", json!({"file_path": "a.txt"})).await;
    let value: Value = serde_json::from_str(&text(&read)).unwrap();
    assert_eq!(value["file"]["content"], "alpha\n");
    assert_eq!(
        read.structured_content,
        Some(value),
        "the text and the structure say the same"
    );
    assert_eq!(read.is_error, Some(false));
    let ran = rig.call("Bash", json!({"command": "cat a.txt"})).await;
    assert_eq!(ran.structured_content.unwrap()["stdout"], "alpha");
    assert!(rig.unasked());
    rig.leave().await;
}

#[tokio::test]
async fn permission_request_is_sent_and_allow_runs_the_call() {
    let mut rig = Rig::tools().await;
    let call = rig.begin("Bash", json!({"command": "touch made"})).await;
    let asked = rig.asked().await;
    assert!(
        asked.message.contains("Allow Bash?") && asked.message.contains("touch made"),
        "{}",
        asked.message
    );
    assert!(!rig.dir.path().join("made").exists(), "nothing runs before the answer");
    asked.say("allow once");
    let result = finish(call).await.unwrap();
    assert_eq!(result.is_error, Some(false), "{result:?}");
    assert!(rig.dir.path().join("made").exists());
    // "Allow once" does not apply to the next call.
    let call = rig.begin("Bash", json!({"command": "touch again"})).await;
    rig.asked().await.decline();
    assert!(failure(&finish(call).await.unwrap()).contains("denied"));
    assert!(!rig.dir.path().join("again").exists());
    rig.leave().await;
}

#[tokio::test]
async fn allow_from_now_on_applies_until_the_end_and_is_not_saved() {
    let mut rig = Rig::tools().await;
    let call = rig
        .begin("Write", json!({"file_path": "one.txt", "content": "1"}))
        .await;
    let asked = rig.asked().await;
    assert_eq!(asked.choices, json!(["allow once", "allow from now on", "deny"]));
    asked.say("allow from now on");
    assert_eq!(finish(call).await.unwrap().is_error, Some(false));
    let second = rig.call("Write", json!({"file_path": "two.txt", "content": "2"})).await;
    assert_eq!(second.is_error, Some(false), "{second:?}");
    assert!(rig.unasked());
    let dir = rig.leave().await;
    assert!(!dir.path().join(".claude").exists());
}

#[tokio::test]
async fn denial_without_elicitation_names_what_would_allow_the_call() {
    let rig = Rig::tools_with(false, |_| {}).await;
    let refused = failure(&rig.call("Bash", json!({"command": "npm run build"})).await);
    assert!(refused.contains("elicitation"), "{refused}");
    assert!(refused.contains("--allowedTools \"Bash(npm run"), "{refused}");
    let refused = failure(&rig.call("Write", json!({"file_path": "a", "content": "x"})).await);
    assert!(refused.contains("--permission-mode acceptEdits"), "{refused}");
    assert!(!rig.dir.path().join("a").exists());
    rig.leave().await;
}

#[tokio::test]
async fn rules_and_mode_of_the_folder_apply() {
    let rig = Rig::tools_with(false, |options| {
        options.permissions.mode = Some(PermissionMode::AcceptEdits);
        options.permissions.allowed = vec!["Bash(printf *)".to_owned()];
        let places = options.settings.places().clone();
        let settings = json!({"permissions": {"deny": ["Read(./secret.txt)"]}}).to_string();
        let flag = FlagSettings::from_argument(&settings, &options.cwd);
        options.settings = Settings::load(&places, &Chosen::ALL, Some(flag), None);
    })
    .await;
    fs::write(rig.path("secret.txt"), "hush").unwrap();
    let wrote = rig.call("Write", json!({"file_path": "a.txt", "content": "x"})).await;
    assert_eq!(wrote.is_error, Some(false), "acceptEdits: {wrote:?}");
    let ran = rig.call("Bash", json!({"command": "printf hi"})).await;
    assert_eq!(ran.structured_content.unwrap()["stdout"], "hi");
    for (tool, input) in [
        ("Read", json!({"file_path": "secret.txt"})),
        ("Bash", json!({"command": "cat secret.txt"})),
        (
            "Edit",
            json!({"file_path": "secret.txt", "old_string": "hush", "new_string": "x"}),
        ),
    ] {
        let refused = failure(&rig.call(tool, input).await);
        assert!(!refused.contains("hush"), "{refused}");
    }
    assert_eq!(fs::read_to_string(rig.path("secret.txt")).unwrap(), "hush");
    rig.leave().await;
}

#[tokio::test]
async fn cancelled_call_is_killed() {
    let mut rig = Rig::tools_with(true, |options| options.permissions.allowed = vec!["Bash".to_owned()]).await;
    let call = rig
        .begin(
            "Bash",
            json!({"command": "echo $$ > pid; mkfifo hold; touch begun; cat hold"}),
        )
        .await;
    while !rig.dir.path().join("begun").exists() {
        tokio::task::yield_now().await;
    }
    let pid = fs::read_to_string(rig.path("pid")).unwrap().trim().to_owned();
    call.cancel(None).await.unwrap();
    within(gone(&pid)).await;
    // The server continues.
    let next = rig.call("Bash", json!({"command": "echo fine"})).await;
    assert_eq!(next.structured_content.unwrap()["stdout"], "fine");
    assert!(rig.unasked());
    rig.leave().await;
}

#[tokio::test]
async fn permission_request_of_cancelled_call_is_withdrawn() {
    let mut rig = Rig::tools().await;
    let call = rig.begin("Bash", json!({"command": "touch never"})).await;
    let asked = rig.asked().await;
    call.cancel(None).await.unwrap();
    within(asked.withdrawn.cancelled()).await;
    assert!(!rig.dir.path().join("never").exists());
    rig.leave().await;
}

#[tokio::test]
async fn calls_run_concurrently() {
    let rig = Rig::tools_with(true, |options| options.permissions.allowed = vec!["Bash".to_owned()]).await;
    // Each command waits for the other, so they must run concurrently.
    let made = rig.call("Bash", json!({"command": "mkfifo a b"})).await;
    assert_eq!(made.is_error, Some(false), "{made:?}");
    let first = rig.begin("Bash", json!({"command": "echo 1 > a; cat b"})).await;
    let second = rig.begin("Bash", json!({"command": "cat a; echo 2 > b"})).await;
    let second = finish(second).await.unwrap();
    let first = finish(first).await.unwrap();
    assert_eq!(first.structured_content.unwrap()["stdout"], "2");
    assert_eq!(second.structured_content.unwrap()["stdout"], "1");
    rig.leave().await;
}

#[tokio::test]
async fn commands_end_when_the_client_disconnects() {
    let rig = Rig::tools_with(true, |options| options.permissions.allowed = vec!["Bash".to_owned()]).await;
    let background = rig
        .call(
            "Bash",
            json!({"command": "echo $$ > pid; sleep 1000", "run_in_background": true}),
        )
        .await;
    assert_eq!(background.is_error, Some(false), "{background:?}");
    let running = rig
        .begin(
            "Bash",
            json!({"command": "echo $$ > pid2; mkfifo hold; touch begun; cat hold"}),
        )
        .await;
    let written = || fs::read_to_string(rig.path("pid")).is_ok_and(|pid| pid.ends_with('\n'));
    while !rig.dir.path().join("begun").exists() || !written() {
        tokio::task::yield_now().await;
    }
    drop(running);
    let dir = rig.leave().await;
    for name in ["pid", "pid2"] {
        let pid = fs::read_to_string(dir.path().join(name)).unwrap();
        within(gone(pid.trim())).await;
    }
}

#[tokio::test]
async fn stopped_server_ends_immediately() {
    let rig = Rig::tools_with(true, |options| options.permissions.allowed = vec!["Bash".to_owned()]).await;
    let call = rig
        .begin(
            "Bash",
            json!({"command": "echo $$ > pid; mkfifo hold; touch begun; cat hold"}),
        )
        .await;
    while !rig.dir.path().join("begun").exists() {
        tokio::task::yield_now().await;
    }
    let pid = fs::read_to_string(rig.path("pid")).unwrap().trim().to_owned();
    rig.stop.cancel();
    drop(call);
    within(gone(&pid)).await;
    rig.leave().await;
}

#[tokio::test]
async fn long_call_sends_progress() {
    let mut rig = Rig::tools_with(true, |options| options.permissions.allowed = vec!["Bash".to_owned()]).await;
    let call = rig
        .begin("Bash", json!({"command": "mkfifo hold; touch begun; cat hold"}))
        .await;
    while !rig.dir.path().join("begun").exists() {
        tokio::task::yield_now().await;
    }
    // Only the interval waits for the clock, so the paused clock advances to its next tick.
    tokio::time::pause();
    let told = rig.told("Bash").await;
    tokio::time::resume();
    assert_eq!(told, "Bash: 5 s");
    fs::write(rig.path("hold"), "go\n").unwrap();
    assert_eq!(finish(call).await.unwrap().structured_content.unwrap()["stdout"], "go");
    rig.leave().await;
}

#[tokio::test]
async fn changed_rule_applies_to_the_next_call() {
    let rig = Rig::tools_with(false, |_| {}).await;
    fs::write(rig.path("a.txt"), "alpha\n").unwrap();
    assert_eq!(
        rig.call("Read", json!({"file_path": "a.txt"})).await.is_error,
        Some(false)
    );
    fs::create_dir_all(rig.path(".claude")).unwrap();
    let rules = json!({"permissions": {"deny": ["Read(./a.txt)"]}});
    fs::write(rig.path(".claude/settings.json"), rules.to_string()).unwrap();
    within(async {
        while rig.call("Read", json!({"file_path": "a.txt"})).await.is_error != Some(true) {
            tokio::task::yield_now().await;
        }
    })
    .await;
    rig.leave().await;
}

/// Waits until the process does not exist or is a zombie.
async fn gone(pid: &str) {
    let stat = format!("/proc/{pid}/stat");
    while fs::read_to_string(&stat).is_ok_and(|stat| !stat.contains(") Z ")) {
        tokio::task::yield_now().await;
    }
}
