//! Settings that change while a session runs.

use std::fs;
use std::time::Duration;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_engine::settings::{Chosen, Opener, Settings, Writer};
use sluice_simulator::Script;

use crate::stage::Stage;

#[tokio::test]
async fn sandbox_enabled_by_a_changed_file_applies() {
    let touch = |name: &str| json!({"command": format!("touch {name}")});
    let script = Script::new()
        .tool("Bash", touch("before"))
        .text("One")
        .tool("Bash", touch("after"))
        .text("Two");
    let mut stage = Stage::with(script, |options| options.permissions.allowed = vec!["Bash".into()]).await;
    stage.prompt("one").await;
    stage.result().await;
    assert!(stage.dir.path().join("before").exists());

    // An invalid sandbox configuration rejects every command.
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

#[tokio::test]
async fn deny_rule_added_by_a_changed_file_applies_in_the_sandbox() {
    let look = || json!({"command": "sh look.sh"});
    let script = Script::new()
        .text("Zero")
        .tool("Bash", look())
        .text("One")
        .tool("Bash", look())
        .text("Two");
    let mut stage = Stage::with(script, |options| options.permissions.allowed = vec!["Bash".into()]).await;
    stage.prompt("zero").await;
    stage.result().await;
    fs::write(stage.path("look.sh"), "x=lat; cat ${x}er plain; true\n").unwrap();
    fs::write(stage.path("later"), "secret\n").unwrap();
    fs::write(stage.path("plain"), "plain\n").unwrap();
    write_managed(&mut stage, json!({"sandbox": {"enabled": true}}), "sandbox").await;
    stage.prompt("one").await;
    stage.result().await;
    let rules = json!({"deny": ["Read(./later)"]});
    let settings = json!({"sandbox": {"enabled": true}, "permissions": rules, "env": {"WRITTEN": "1"}});
    write_managed(&mut stage, settings, "env").await;
    stage.prompt("two").await;
    stage.result().await;
    let told = stage.all("user:tool_result");
    let printed = |at: usize| {
        told[at]["tool_use_result"]["stdout"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    // If no sandbox works on this machine, no command runs at all.
    if printed(0).is_empty() {
        assert!(told[0].to_string().contains("none works here"), "{told:?}");
        return;
    }
    assert_eq!(printed(0), "secret\nplain");
    assert!(
        !printed(1).contains("secret") && printed(1).contains("plain"),
        "{told:?}"
    );
    stage.end().await;
}

#[tokio::test]
async fn variable_set_by_a_changed_file_reaches_commands() {
    let say = || json!({"command": "echo \"it is ${COLOUR:-none}\""});
    let script = Script::new()
        .tool("Bash", say())
        .text("One")
        .tool("Bash", say())
        .text("Two");
    let mut stage = Stage::with(script, |options| options.permissions.allowed = vec!["Bash".into()]).await;
    stage.prompt("one").await;
    stage.result().await;
    write_managed(&mut stage, json!({"env": {"COLOUR": "blue"}}), "env").await;
    stage.prompt("two").await;
    stage.result().await;
    let said: Vec<_> = stage
        .all("user:tool_result")
        .iter()
        .map(|told| told["tool_use_result"]["stdout"].clone())
        .collect();
    assert_eq!(said, ["it is none", "it is blue"]);
    stage.end().await;
}

#[tokio::test]
async fn server_disabled_by_a_changed_file_is_disconnected() {
    let mut stage = Stage::with(Script::new().text("One"), |options| {
        let named = json!({"mcpServers": {"s": {"command": "true"}}}).to_string();
        fs::write(options.cwd.join(".mcp.json"), named).unwrap();
        let places = options.settings.places().clone();
        options.settings = Settings::load(&places, &Chosen::ALL, None, None).opened_by(Opener::Host);
    })
    .await;
    assert_ne!(status(&mut stage).await, "disabled");
    write_managed(
        &mut stage,
        json!({"disabledMcpjsonServers": ["s"]}),
        "disabledMcpjsonServers",
    )
    .await;
    assert_eq!(status(&mut stage).await, "disabled");
    write_managed(
        &mut stage,
        json!({"disabledMcpjsonServers": []}),
        "disabledMcpjsonServers",
    )
    .await;
    assert_ne!(status(&mut stage).await, "disabled");
    assert_eq!(stage.leave_now().await, 0);
}

async fn status(stage: &mut Stage) -> serde_json::Value {
    stage.control(json!({"subtype": "mcp_status"})).await["response"]["mcpServers"][0]["status"].clone()
}

/// Writes the managed settings file and waits until it applies.
async fn write_managed(stage: &mut Stage, settings: serde_json::Value, key: &str) {
    fs::create_dir_all(stage.path("managed")).unwrap();
    fs::write(stage.path("managed/settings.json"), settings.to_string()).unwrap();
    let known = async {
        while stage.control(json!({"subtype": "get_settings"})).await["response"]["effective"][key] != settings[key] {}
    };
    tokio::time::timeout(Duration::from_secs(30), known).await.unwrap();
}

#[tokio::test]
async fn own_hosts_write_the_settings_they_show_and_learn_where() {
    let mut stage = Stage::with(Script::new(), |options| options.host.writer = Writer::Terminal).await;
    let update =
        |source: &str, settings: Value| json!({"subtype": "update_settings", "source": source, "settings": settings});
    let read = |stage: &Stage, name: &str| {
        let text = std::fs::read_to_string(stage.path(name)).unwrap();
        serde_json::from_str::<Value>(&text).unwrap()
    };
    let answer = stage
        .control(update(
            "userSettings",
            json!({"theme": "light", "sluice": {"wrap": "terminal"}}),
        ))
        .await;
    let file = stage.path("home/.claude/settings.json");
    assert_eq!(answer["response"], json!({"path": file, "keys": ["theme", "sluice"]}));
    assert_eq!(
        read(&stage, "home/.claude/settings.json"),
        json!({"theme": "light", "sluice": {"wrap": "terminal"}})
    );
    // A value that does not apply yet is saved, and the response says so.
    let rules = json!({"permissions": {"allow": ["Bash(ls)"]}});
    let answer = stage.control(update("localSettings", rules.clone())).await;
    assert_eq!(
        answer["response"]["warning"],
        "permissions applies once the folder is trusted"
    );
    let answer = stage.control(update("userSettings", json!({"theme": null}))).await;
    assert_eq!(answer["subtype"], "success");
    assert_eq!(
        read(&stage, "home/.claude/settings.json"),
        json!({"sluice": {"wrap": "terminal"}})
    );
    for refused in [json!({"hooks": {}}), json!({"verbose": "yes"}), json!({"env": {}})] {
        let answer = stage.control(update("userSettings", refused.clone())).await;
        assert_eq!(answer["subtype"], "error", "{refused}");
    }
    stage.end().await;
}
