//! Customizations of an untrusted folder: nothing runs, nothing is allowed, and the person is informed.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_engine::Asker;
use sluice_engine::settings::Opener;
use sluice_simulator::{Reply, Script};

use crate::commands::with_files;
use crate::stage::Stage;

/// A session in an untrusted folder with these files.
async fn untrusted(script: Script, opener: Opener, files: &[(&str, &str)]) -> Stage {
    Stage::with(script, |options| {
        with_files(options, files);
        options.settings = options.settings.clone().opened_by(opener);
    })
    .await
}

fn told(stage: &Stage) -> String {
    let all = stage.all("info");
    let texts = all.iter().filter_map(|info| info["content"].as_str());
    texts.collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn command_of_untrusted_folder_adds_no_rules() {
    let text = "---\nallowed-tools: Bash(touch:*)\n---\nGo.";
    let script = || {
        Script::new()
            .reply(Reply::tool("Bash", json!({"command": "touch made"})))
            .text("Done")
    };
    for opener in [Opener::Person, Opener::Host] {
        let mut stage = untrusted(script(), opener, &[(".claude/commands/go.md", text)]).await;
        stage.prompt("/go").await;
        let ask = stage.ask().await;
        stage.deny(&ask).await;
        stage.result().await;
        assert!(!std::path::Path::new(&stage.path("made")).exists());
        assert!(told(&stage).contains("go.md: allowed-tools"), "{}", told(&stage));
        stage.leave_now().await;
    }
}

#[tokio::test]
async fn shell_commands_in_untrusted_files_do_not_run() {
    // These commands only read and would need no permission.
    for body in ["See !`cat secret.txt`.", "```!\ncat secret.txt\n```\n"] {
        let files = [(".claude/commands/go.md", body), ("secret.txt", "hidden words")];
        let mut stage = untrusted(Script::new().text("Seen"), Opener::Person, &files).await;
        stage.prompt("/go").await;
        stage.result().await;
        assert_eq!(stage.server.requests().len(), 0, "{body}");
        assert!(stage.last("assistant:text").to_string().contains("not trusted"));
        assert!(told(&stage).contains("commands in its text"), "{}", told(&stage));
        stage.leave_now().await;
    }
}

/// Folders with many files are read once, even if the held-back customizations were determined before the session.
#[tokio::test]
async fn preloaded_files_are_used_by_the_session() {
    let mut sentence = None;
    let files = [
        (".claude/commands/go.md", "See !`cat secret.txt`."),
        (".claude/skills/tidy/SKILL.md", "Nothing runs here."),
    ];
    let mut stage = Stage::with(Script::new().text("Hello").text("Again"), |options| {
        with_files(options, &files);
        options.settings = options.settings.clone().opened_by(Opener::Person);
        sentence = sluice_engine::held_back(options);
        std::fs::remove_dir_all(options.cwd.join(".claude")).unwrap();
    })
    .await;
    let sentence = sentence.unwrap();
    assert!(sentence.contains("go.md: commands in its text"), "{sentence}");
    assert!(!sentence.contains("tidy"), "{sentence}");
    stage.prompt("hi").await;
    stage.result().await;
    assert!(told(&stage).contains(&sentence), "{}", told(&stage));
    let known = stage.last("init")["slash_commands"].clone();
    let known = known.as_array().unwrap();
    assert!(
        known.contains(&json!("go")) && known.contains(&json!("tidy")),
        "{known:?}"
    );
    // After a reload the files are read again.
    stage.control(json!({"subtype": "reload_skills"})).await;
    stage.prompt("again").await;
    stage.result().await;
    assert!(!stage.last("init")["slash_commands"].to_string().contains("tidy"));
    stage.leave_now().await;
}

#[tokio::test]
async fn hook_of_untrusted_folder_does_not_run() {
    let says = |decision: &str| {
        let out = json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": decision}});
        let request = json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest",
            "decision": {"behavior": decision}}});
        let hook = |out: &Value| json!([{"hooks": [{"type": "command", "command": format!("echo '{out}'")}]}]);
        json!({"hooks": {"PreToolUse": hook(&out), "PermissionRequest": hook(&request)}}).to_string()
    };
    let script = || {
        Script::new()
            .reply(Reply::tool("Bash", json!({"command": "touch made"})))
            .text("Done")
    };
    for file in [".claude/settings.json", ".claude/settings.local.json"] {
        let mut stage = untrusted(script(), Opener::Host, &[(file, &says("allow"))]).await;
        stage.prompt("go").await;
        let ask = stage.ask().await;
        stage.deny(&ask).await;
        stage.result().await;
        assert!(!std::path::Path::new(&stage.path("made")).exists(), "{file}");
        stage.leave_now().await;

        let mut stage = untrusted(script(), Opener::Host, &[(file, &says("deny"))]).await;
        stage.prompt("go").await;
        stage.result().await;
        assert_eq!(stage.asked(), 0, "{file}");
        assert!(!std::path::Path::new(&stage.path("made")).exists(), "{file}");
        stage.leave_now().await;

        // Without the option of the host they do not run either.
        let mut stage = untrusted(script(), Opener::Person, &[(file, &says("deny"))]).await;
        stage.prompt("go").await;
        let ask = stage.ask().await;
        stage.deny(&ask).await;
        stage.result().await;
        stage.leave_now().await;
    }
}

#[tokio::test]
async fn style_of_untrusted_folder_cannot_replace_others() {
    let style = |name: &str, text: &str| format!("---\nname: {name}\n---\n{text}");
    for (chosen, applies) in [("Pirate", true), ("Concise", false)] {
        let settings = json!({"outputStyle": chosen}).to_string();
        let files = [
            (
                ".claude/output-styles/pirate.md",
                &*style("Pirate", "Talk like a pirate"),
            ),
            (
                ".claude/output-styles/concise.md",
                &*style("concise", "Talk like a pirate"),
            ),
            (".claude/settings.json", &*settings),
        ];
        let mut stage = untrusted(Script::new().text("Seen"), Opener::Person, &files).await;
        stage.prompt("go").await;
        stage.result().await;
        assert_eq!(stage.last("init")["output_style"], chosen);
        assert_eq!(
            stage.sent(1).to_string().contains("Talk like a pirate"),
            applies,
            "{chosen}"
        );
        assert_eq!(told(&stage), "", "nothing is held back");
        assert_eq!(stage.end().await, 0);
    }
}

/// A project whose hook covers `Bash` calls.
fn guarded_project() -> String {
    let hook = json!([{"matcher": "Bash", "hooks": [{"type": "command", "command": "touch hook-ran; exit 2"}]}]);
    json!({"hooks": {"PreToolUse": hook}}).to_string()
}

#[tokio::test]
async fn call_covered_by_held_back_hook_needs_permission() {
    let script = Script::new()
        .reply(Reply::tool("Bash", json!({"command": "touch made"})))
        .text("Done");
    let mut stage = Stage::with(script, |options| {
        with_files(options, &[(".claude/settings.json", &guarded_project())]);
        options.permissions.allowed = vec!["Bash".into()];
    })
    .await;
    stage.prompt("go").await;
    let ask = stage.ask().await;
    let reason = ask["request"]["decision_reason"].as_str().unwrap_or_default();
    assert!(
        reason.contains("not trusted") && reason.contains("--trust-folder"),
        "{ask}"
    );
    stage.deny(&ask).await;
    stage.result().await;
    for file in ["made", "hook-ran"] {
        assert!(!std::path::Path::new(&stage.path(file)).exists(), "{file}");
    }
    let listing = stage.control(json!({"subtype": "get_hooks_listing"})).await;
    assert_eq!(listing["response"]["hooks"], json!([]));
    stage.leave_now().await;
}

#[tokio::test]
async fn call_covered_by_held_back_hook_is_denied_without_a_host() {
    use sluice_wire::mode::PermissionMode;
    for mode in [
        PermissionMode::Default,
        PermissionMode::DontAsk,
        PermissionMode::BypassPermissions,
    ] {
        let script = Script::new()
            .reply(Reply::tool("Bash", json!({"command": "touch made"})))
            .reply(Reply::tool("Glob", json!({"pattern": "*.nothing"})))
            .text("Done");
        let mut stage = Stage::with(script, |options| {
            with_files(options, &[(".claude/settings.json", &guarded_project())]);
            options.permissions.allowed = vec!["Bash".into(), "Glob".into()];
            options.permissions.asker = Asker::Nobody;
            options.permissions.bypass_launched = true;
            options.permissions.mode = Some(mode.clone());
        })
        .await;
        stage.prompt("go").await;
        let result = stage.result().await;
        assert!(!std::path::Path::new(&stage.path("made")).exists(), "{mode:?}");
        let denials = result["permission_denials"].as_array().unwrap();
        assert_eq!(denials.len(), 1, "{mode:?}: {denials:?}");
        let told = stage.sent(2).to_string();
        assert!(
            told.contains("not trusted") && told.contains("--trust-folder"),
            "{mode:?}: {told}"
        );
        stage.leave_now().await;
    }
}

#[tokio::test]
async fn held_back_hooks_of_a_command_cover_its_turn() {
    let text = "---\nhooks:\n  PreToolUse:\n    - matcher: Bash\n      hooks:\n        - type: command\n          command: exit 2\n---\nGo.";
    let script = Script::new()
        .reply(Reply::tool("Bash", json!({"command": "touch made"})))
        .text("Done");
    let mut stage = Stage::with(script, |options| {
        with_files(options, &[(".claude/commands/go.md", text)]);
        options.permissions.allowed = vec!["Bash".into()];
    })
    .await;
    stage.prompt("/go").await;
    let ask = stage.ask().await;
    stage.deny(&ask).await;
    stage.result().await;
    assert!(!std::path::Path::new(&stage.path("made")).exists());
    stage.leave_now().await;
}

#[tokio::test]
async fn held_back_hooks_of_a_plugin_that_the_project_enables_cover_its_calls() {
    let script = Script::new()
        .reply(Reply::tool("Bash", json!({"command": "touch made"})))
        .text("Done");
    let mut stage = Stage::with(script, |options| {
        let plugins = options.settings.places().config_dir.join("plugins");
        let hooks = plugins.join("guard/hooks");
        std::fs::create_dir_all(&hooks).unwrap();
        std::fs::write(hooks.join("hooks.json"), guarded_project()).unwrap();
        let list = json!({"plugins": {"guard@team": [{"installPath": plugins.join("guard")}]}});
        std::fs::write(plugins.join("installed_plugins.json"), list.to_string()).unwrap();
        let project = json!({"enabledPlugins": {"guard@team": true}}).to_string();
        with_files(options, &[(".claude/settings.json", &project)]);
        options.permissions.allowed = vec!["Bash".into()];
    })
    .await;
    stage.prompt("go").await;
    let ask = stage.ask().await;
    let reason = ask["request"]["decision_reason"].as_str().unwrap_or_default();
    assert!(reason.contains("not trusted"), "{ask}");
    stage.deny(&ask).await;
    stage.result().await;
    for file in ["made", "hook-ran"] {
        assert!(!std::path::Path::new(&stage.path(file)).exists(), "{file}");
    }
    stage.leave_now().await;
}

#[tokio::test]
async fn rule_saved_in_untrusted_folder_applies_until_removed() {
    let call = |command: &str| Reply::tool("Bash", json!({"command": command}));
    let script = Script::new()
        .reply(call("touch made"))
        .reply(call("touch made again"))
        .reply(call("mkdir other"))
        .reply(call("touch made"))
        .text("Done");
    let file = ".claude/settings.local.json";
    let brought = r#"{"permissions": {"allow": ["Bash(make:*)"]}}"#;
    let mut stage = untrusted(script, Opener::Host, &[(file, brought)]).await;
    let change = |kind: &str| {
        json!({"behavior": "allow", "updatedPermissions": [{"type": kind, "behavior": "allow",
            "destination": "localSettings", "rules": [{"toolName": "Bash", "ruleContent": "touch made:*"}]}]})
    };
    stage.prompt("go").await;
    let ask = stage.ask().await;
    stage.answer(&ask, change("addRules")).await;
    let ask = stage.ask().await;
    assert_eq!(ask["request"]["input"]["command"], "mkdir other");
    let answer = stage.control(json!({"subtype": "list_permission_rules"})).await;
    let listed = |rule: &Value| json!([rule["rule"], rule["source"], rule["notInEffect"]]);
    let rules = answer["response"]["state"]["rules"].as_array().unwrap();
    assert_eq!(
        rules.iter().map(listed).collect::<Vec<_>>(),
        [
            json!(["Bash(touch made:*)", "localSettings", null]),
            json!(["Bash(make:*)", "localSettings", true]),
        ]
    );
    stage.answer(&ask, change("removeRules")).await;
    let ask = stage.ask().await;
    assert_eq!(ask["request"]["input"]["command"], "touch made");
    stage.allow(&ask).await;
    stage.result().await;
    stage.leave_now().await;
}
