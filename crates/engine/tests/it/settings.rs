//! Settings that change while a session runs.

use std::fs;
use std::time::Duration;

use pretty_assertions::assert_eq;
use serde_json::json;
use sluice_simulator::Script;

use crate::stage::Stage;

#[tokio::test]
async fn a_sandbox_that_a_file_asks_for_while_a_session_runs_holds_from_then_on() {
    let touch = |name: &str| json!({"command": format!("touch {name}")});
    let script = Script::new()
        .tool("Bash", touch("before"))
        .text("One")
        .tool("Bash", touch("after"))
        .text("Two");
    let mut stage = Stage::with(script, |options| options.allowed = vec!["Bash".into()]).await;
    stage.prompt("one").await;
    stage.result().await;
    assert!(stage.dir.path().join("before").exists());

    // One that cannot be made refuses every command.
    let sandbox = json!({"enabled": true, "bwrapPath": "/nothing", "network": {"allowedDomains": ["example.com"]}});
    fs::create_dir(stage.path("managed")).unwrap();
    let text = json!({"sandbox": sandbox}).to_string();
    fs::write(stage.path("managed/settings.json"), text).unwrap();
    let known = async {
        while stage.control(json!({"subtype": "get_settings"})).await["response"]["effective"]["sandbox"] != sandbox {}
    };
    tokio::time::timeout(Duration::from_secs(30), known).await.unwrap();
    stage.prompt("two").await;
    assert_eq!(stage.result().await["result"], "Two");
    assert!(!stage.dir.path().join("after").exists());
    stage.end().await;
}
