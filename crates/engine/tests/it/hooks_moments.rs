//! Hooks on events other than turns and calls: files, memory files, notifications, commands, compaction, models and
//! directories; and storing their output.

use std::path::Path;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_engine::Setup;
use sluice_engine::transcript::{Choice, Projects, Which, resume};
use sluice_simulator::{Reply, Script};

use crate::asks::touching;
use crate::commands::with_files;
use crate::hooks_calls::{hooked, on, says};
use crate::stage::Stage;

/// A hook command that sends its input to the host as a message.
pub(crate) const ECHO: &str = "python3 -c 'import json, sys; print(json.dumps({\"systemMessage\": sys.stdin.read()}))'";

fn both(one: Value, two: &Value) -> Value {
    let Value::Object(mut one) = one else { panic!("{one}") };
    one.extend(two.as_object().unwrap().clone());
    Value::Object(one)
}

/// The hook input in a message of [`ECHO`].
pub(crate) fn hook_input(info: &Value) -> Value {
    let text = info["content"].as_str().unwrap();
    let (_, hook_input) = text.split_once(" says: ").unwrap_or_else(|| panic!("{text}"));
    serde_json::from_str(hook_input).unwrap()
}

#[tokio::test]
async fn watched_file_change_is_reported() {
    let hooks = json!({"FileChanged": [{"matcher": "watched.txt", "hooks": [{"type": "command", "command": ECHO}]}]});
    let mut stage = hooked(Script::new().text("Hi"), hooks, |_| {}).await;
    stage.prompt("go").await;
    stage.turn().await;
    for (change, what) in [(Some("one"), "add"), (None, "unlink")] {
        let file = stage.dir.path().join("watched.txt");
        match change {
            Some(text) => std::fs::write(&file, text).unwrap(),
            None => std::fs::remove_file(&file).unwrap(),
        }
        let hook_input = hook_input(&stage.until("info").await);
        assert_eq!(
            (&hook_input["event"], &hook_input["file_path"]),
            (&json!(what), &json!(file))
        );
    }
    stage.end().await;
}

#[tokio::test]
async fn session_start_hook_can_watch_files() {
    let start = says("SessionStart", json!({"watchPaths": ["deep/other.txt"]}));
    let hooks = both(on("SessionStart", &[&start]), &on("FileChanged", &[ECHO]));
    let mut stage = hooked(Script::new().text("Hi"), hooks, |options| {
        std::fs::create_dir(options.cwd.join("deep")).unwrap();
    })
    .await;
    stage.prompt("go").await;
    stage.turn().await;
    std::fs::write(stage.path("deep/other.txt"), "x").unwrap();
    assert_eq!(hook_input(&stage.until("info").await)["event"], "add");
    stage.end().await;
}

#[tokio::test]
async fn loaded_memory_files_are_reported() {
    let settings = json!({"hooks": on("InstructionsLoaded", &[ECHO])});
    let mut stage = Stage::with(Script::new().text("Hi"), |options| {
        with_files(options, &[("CLAUDE.md", "Be kind."), ("CLAUDE.local.md", "Be brief.")]);
        options.settings.set_flag(settings.as_object().unwrap());
    })
    .await;
    stage.prompt("go").await;
    let mut seen = Vec::new();
    while seen.len() < 2 {
        let hook_input = hook_input(&stage.until("info").await);
        assert_eq!(hook_input["load_reason"], "session_start");
        let file = Path::new(hook_input["file_path"].as_str().unwrap())
            .file_name()
            .unwrap()
            .to_owned();
        seen.push((
            file.into_string().unwrap(),
            hook_input["memory_type"].as_str().unwrap().to_owned(),
        ));
    }
    seen.sort();
    let expected = [("CLAUDE.local.md", "Local"), ("CLAUDE.md", "Project")];
    assert_eq!(seen, expected.map(|(file, kind)| (file.to_owned(), kind.to_owned())));
    stage.end().await;
}

#[tokio::test]
async fn permission_prompt_notification_is_raised() {
    let hooks =
        json!({"Notification": [{"matcher": "permission_prompt", "hooks": [{"type": "command", "command": ECHO}]}]});
    let mut stage = hooked(touching("touch made"), hooks, |_| {}).await;
    stage.prompt("go").await;
    let ask = stage.ask().await;
    let hook_input = hook_input(&stage.until("info").await);
    assert_eq!(hook_input["notification_type"], "permission_prompt");
    assert!(hook_input["message"].as_str().unwrap().contains("Bash"));
    stage.allow(&ask).await;
    stage.result().await;
    stage.end().await;
}

#[tokio::test]
async fn expansion_hook_can_add_context_or_block() {
    let file = (".claude/commands/greet.md", "Greet $ARGUMENTS.");
    let commanded = |hooks: Value| async move {
        let settings = json!({"hooks": hooks});
        Stage::with(Script::new().text("Hello"), |options| {
            with_files(options, &[file]);
            options.settings.set_flag(settings.as_object().unwrap());
        })
        .await
    };
    let context = says("UserPromptExpansion", json!({"additionalContext": "in Welsh"}));
    let mut stage = commanded(on("UserPromptExpansion", &[&context, ECHO])).await;
    stage.prompt("/greet ann").await;
    stage.turn().await;
    assert!(stage.said_to_model(1).join("\n").contains("in Welsh"));
    let seen = hook_input(stage.last("info"));
    assert_eq!(
        (
            &seen["command_name"],
            &seen["command_args"],
            &seen["prompt"],
            &seen["expansion_type"]
        ),
        (
            &json!("greet"),
            &json!("ann"),
            &json!("/greet ann"),
            &json!("slash_command")
        )
    );
    stage.end().await;

    let mut stage = commanded(on("UserPromptExpansion", &["echo no greetings >&2; exit 2"])).await;
    stage.prompt("/greet ann").await;
    stage.turn().await;
    assert!(stage.server.requests().is_empty());
    assert!(
        stage.last("result:success")["result"]
            .as_str()
            .unwrap()
            .ends_with("no greetings\n\nOriginal prompt: /greet ann")
    );
    stage.end().await;
}

#[tokio::test]
async fn accessed_file_loads_nearby_memory_files() {
    let settings = json!({"hooks": on("InstructionsLoaded", &[ECHO])});
    let script = Script::new()
        .tool("Read", json!({"file_path": "sub/a.txt"}))
        .text("Read")
        .text("Again");
    let mut stage = Stage::with(script, |options| {
        with_files(
            options,
            &[
                ("sub/a.txt", "a"),
                ("sub/CLAUDE.md", "NEARBY"),
                (".claude/rules/r.md", "---\npaths: sub/**\n---\nRULE"),
                (".claude/rules/o.md", "---\npaths: other/**\n---\nOTHER"),
            ],
        );
        options.settings.set_flag(settings.as_object().unwrap());
    })
    .await;
    stage.prompt("go").await;
    stage.result().await;
    let said = stage.said_to_model(1).join("\n");
    assert!(!said.contains("NEARBY") && !said.contains("RULE"), "{said}");
    let said = stage.said_to_model(2).join("\n");
    assert!(said.contains("NEARBY") && said.contains("RULE"), "{said}");
    assert!(!said.contains("OTHER") && !said.contains("paths:"), "{said}");
    let mut reasons = Vec::new();
    while reasons.len() < 2 {
        let hook_input = hook_input(&stage.until("info").await);
        assert!(hook_input["trigger_file_path"].as_str().unwrap().ends_with("sub/a.txt"));
        reasons.push(hook_input["load_reason"].as_str().unwrap().to_owned());
    }
    reasons.sort();
    assert_eq!(reasons, ["nested_traversal", "path_glob_match"]);
    stage.end().await;
}

#[tokio::test]
async fn mentioned_file_loads_nearby_memory_files() {
    let mut stage = Stage::with(Script::new().text("Hi"), |options| {
        with_files(options, &[("sub/a.txt", "a"), ("sub/CLAUDE.md", "NEARBY")]);
    })
    .await;
    stage.prompt("look at @sub/a.txt").await;
    stage.result().await;
    let said = stage.said_to_model(1).join("\n");
    assert!(said.contains("NEARBY"), "{said}");
    stage.end().await;
}

fn summary() -> Reply {
    Reply::text("<summary>SHORT</summary>")
}

#[tokio::test]
async fn compaction_hooks_run_and_can_block() {
    let hooks = both(on("PreCompact", &["echo keep the names"]), &on("PostCompact", &[ECHO]));
    let script = Script::new().text("First").reply(summary()).text("Second");
    let mut stage = hooked(script, hooks, |_| {}).await;
    stage.prompt("one").await;
    stage.turn().await;
    stage.prompt("/compact").await;
    stage.turn().await;
    assert!(stage.sent(2)["messages"].to_string().contains("keep the names"));
    let seen = hook_input(stage.last("info"));
    assert_eq!(
        (&seen["trigger"], &seen["hook_event_name"]),
        (&json!("manual"), &json!("PostCompact"))
    );
    assert!(seen["compact_summary"].as_str().unwrap().contains("SHORT"));
    stage.leave_now().await;

    let script = Script::new().text("First").text("Second");
    let mut stage = hooked(script, on("PreCompact", &["echo not now >&2; exit 2"]), |_| {}).await;
    stage.prompt("one").await;
    stage.turn().await;
    stage.prompt("/compact").await;
    let labels = stage.turn().await;
    assert!(!labels.contains("compact_boundary"), "{labels}");
    assert_eq!(stage.server.requests().len(), 1);
    stage.end().await;
}

#[tokio::test]
async fn model_change_runs_hooks_and_can_be_blocked() {
    let mut stage = hooked(Script::new().text("Hi"), on("PostModelSwitch", &[ECHO]), |_| {}).await;
    let answer = stage.control(json!({"subtype": "set_model", "model": "haiku"})).await;
    assert_eq!(answer["subtype"], "success");
    let seen = hook_input(&stage.until("info").await);
    assert_eq!(
        (
            &seen["from_model"],
            &seen["to_model"],
            &seen["requested_model"],
            &seen["source"]
        ),
        (
            &json!("claude-opus-5-5"),
            &json!("claude-haiku-5-5"),
            &json!("haiku"),
            &json!("sdk")
        )
    );
    stage.end().await;

    let no = says(
        "PreModelSwitch",
        json!({"permissionDecision": "deny", "permissionDecisionReason": "too dear"}),
    );
    let mut stage = hooked(Script::new().text("Hi"), on("PreModelSwitch", &[&no]), |_| {}).await;
    let answer = stage.control(json!({"subtype": "set_model", "model": "haiku"})).await;
    assert_eq!(answer["subtype"], "error");
    assert!(answer["error"].as_str().unwrap().contains("too dear"));
    stage.prompt("/model haiku").await;
    stage.turn().await;
    assert!(
        stage.last("result:success")["result"]
            .as_str()
            .unwrap()
            .contains("too dear")
    );
    stage.prompt("go").await;
    stage.turn().await;
    assert_eq!(stage.sent(1)["model"], "claude-opus-5-5");
    stage.end().await;
}

#[tokio::test]
async fn display_hook_changes_only_the_displayed_text() {
    let other = says("MessageDisplay", json!({"displayContent": "***"}));
    let script = Script::new().text("the secret").text("Done");
    let mut stage = hooked(script, on("MessageDisplay", &[&other]), |_| {}).await;
    stage.prompt("go").await;
    let result = stage.result().await;
    assert_eq!(result["result"], "***");
    assert_eq!(stage.last("assistant:text")["message"]["content"][0]["text"], "***");
    stage.prompt("more").await;
    stage.result().await;
    assert!(stage.sent(2)["messages"].to_string().contains("the secret"));
    stage.end().await;
}

#[tokio::test]
async fn setup_hooks_run_before_session_start() {
    let hooks = both(
        on("Setup", &["echo the tools are there"]),
        &on("SessionStart", &["echo ready"]),
    );
    for (setup, trigger) in [(Setup::Init, "init"), (Setup::Maintenance, "maintenance")] {
        let mut stage = hooked(Script::new().text("Hi"), hooks.clone(), |options| {
            options.session.setup = Some(setup);
        })
        .await;
        stage.prompt("go").await;
        stage.turn().await;
        let names: Vec<&Value> = stage.all("hook_started").iter().map(|it| &it["hook_name"]).collect();
        assert_eq!(
            names,
            [&json!(format!("Setup:{trigger}")), &json!("SessionStart:startup")]
        );
        assert!(stage.said_to_model(1).join("\n").contains("the tools are there"));
        stage.end().await;
    }
    let stage = hooked(Script::new(), hooks, |options| {
        options.session.setup = Some(Setup::InitOnly);
    })
    .await;
    assert_eq!(stage.leave().await, 0, "it leaves by itself");
}

#[tokio::test]
async fn added_directory_is_accessible_and_reported() {
    let script = Script::new().tool("Read", json!({"file_path": "other/f"})).text("Done");
    let mut stage = hooked(script, on("DirectoryAdded", &[ECHO]), |options| {
        std::fs::create_dir(options.cwd.join("other")).unwrap();
        std::fs::write(options.cwd.join("other/f"), "found it").unwrap();
    })
    .await;
    let other = stage.dir.path().canonicalize().unwrap().join("other");
    let answer = stage
        .control(json!({"subtype": "register_repo_root", "directory": "nowhere"}))
        .await;
    assert_eq!(answer["subtype"], "error");
    let answer = stage
        .control(json!({"subtype": "register_repo_root", "directory": other}))
        .await;
    assert_eq!(answer["subtype"], "success");
    let seen = hook_input(&stage.until("info").await);
    assert_eq!(
        (&seen["directory"], &seen["source"]),
        (&json!(other), &json!("register_repo_root"))
    );
    stage.prompt("read it").await;
    stage.turn().await;
    assert!(
        stage.sent(2)["messages"].to_string().contains("found it"),
        "nobody was asked"
    );
    stage.end().await;
}

#[tokio::test]
async fn hook_context_survives_resume() {
    let shelf = tempfile::tempdir().unwrap();
    let projects = Projects::new(shelf.path().join("projects"));
    let id = "11111111-2222-4333-8444-555555555555";
    let file = projects.file(Path::new("/work"), id);
    let hooks = both(
        both(
            on("UserPromptSubmit", &["echo it is noon"]),
            &on("SessionStart", &["echo be brief"]),
        ),
        &on(
            "PostToolUse",
            &[&says("PostToolUse", json!({"additionalContext": "well run"}))],
        ),
    );
    let keep = |options: &mut sluice_engine::Options| {
        options.session.keeping.projects = projects.clone();
        options.session.keeping.file = Some(file.clone());
        options.permissions.allowed = vec!["Bash".into()];
    };
    let script = Script::new().tool("Bash", json!({"command": "echo one"})).text("First");
    let mut first = hooked(script, hooks, keep).await;
    first.prompt("one").await;
    first.turn().await;
    let shown = first.sent(2)["messages"].clone();
    first.end().await;
    for said in ["it is noon", "be brief", "well run"] {
        assert!(shown.to_string().contains(said), "{said}");
    }

    let choice = Choice {
        which: Which::Named(id.to_owned()),
        at: None,
        drops_turn: None,
        fork: false,
    };
    let earlier = resume::find(&projects, Path::new("/work"), &choice).unwrap();
    let mut second = Stage::with(Script::new().text("Second"), |options| {
        keep(options);
        options.session.earlier = earlier;
    })
    .await;
    second.prompt("two").await;
    second.turn().await;
    let again = second.sent(1)["messages"].clone();
    let plain = |messages: &Value| {
        let mut messages = messages.as_array().unwrap().clone();
        for block in messages
            .iter_mut()
            .filter_map(|it| it["content"].as_array_mut())
            .flatten()
        {
            block.as_object_mut().unwrap().remove("cache_control");
        }
        messages
    };
    let (before, after) = (plain(&shown), plain(&again));
    assert_eq!(after[..before.len()], before[..]);
    second.end().await;
}
