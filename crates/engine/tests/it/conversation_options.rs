//! Options of the conversation from the launch or the host.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_engine::settings::{Chosen, Places, Settings};
use sluice_simulator::{Reply, Script};

use crate::stage::Stage;

fn replies(texts: &[&str]) -> Script {
    texts
        .iter()
        .fold(Script::new(), |script, text| script.reply(Reply::text(*text)))
}

#[tokio::test]
async fn next_prompt_is_suggested_from_the_second_turn_on() {
    let script = replies(&["First.", "Second.", "\"paint the gate\"", "Third.", "none"]);
    let mut stage = Stage::with(script, |options| options.conversation.suggestions = true).await;
    stage.prompt("one").await;
    stage.result().await;
    stage.silent().await;
    stage.prompt("two").await;
    stage.result().await;
    let guess = stage.until("prompt_suggestion").await;
    assert_eq!(guess["suggestion"], "paint the gate");
    assert_eq!(guess["session_id"], "11111111-2222-4333-8444-555555555555");
    let asked = stage.sent(3);
    assert_eq!(asked["tool_choice"], json!({"type": "none"}));
    assert_eq!(
        asked["system"],
        stage.sent(2)["system"],
        "the cache is the conversation's"
    );
    stage.prompt("three").await;
    stage.result().await;
    let next = stage.sent(4);
    assert!(
        !next.to_string().contains("paint the gate"),
        "a guess is no part of what was said"
    );
    assert_eq!(stage.leave_now().await, 0);
}

#[tokio::test]
async fn next_prompt_cancels_the_suggestion() {
    let script = replies(&["First.", "Second."])
        .reply(Reply::text("late").gate_head("guess"))
        .reply(Reply::text("Third."))
        .reply(Reply::text("none"));
    let mut stage = Stage::with(script, |options| options.conversation.suggestions = true).await;
    for text in ["one", "two", "three"] {
        stage.prompt(text).await;
        stage.result().await;
    }
    stage.gate("guess").open();
    stage.eof().await;
    stage.hear_out().await;
    assert!(stage.all("prompt_suggestion").is_empty());
}

#[tokio::test]
async fn suggestions_are_disabled_in_plan_mode_and_by_settings() {
    for (mode, forced) in [("plan", None), ("default", Some(false))] {
        let mut stage = Stage::with(replies(&["First.", "Second."]), |options| {
            options.conversation.suggestions = true;
            options.conversation.suggestions_forced = forced;
            options.permissions.mode = Some(mode.into());
        })
        .await;
        for text in ["one", "two"] {
            stage.prompt(text).await;
            stage.result().await;
        }
        stage.silent().await;
        assert_eq!(stage.server.requests().len(), 2);
        assert_eq!(stage.end().await, 0);
    }
}

#[tokio::test]
async fn task_budget_is_sent_to_the_model() {
    let mut stage = Stage::with(replies(&["Done."]), |options| {
        options.conversation.task_budget = Some(50_000);
        options.conversation.thinking_display = Some("summarized".to_owned());
    })
    .await;
    stage.prompt("go").await;
    stage.result().await;
    let request = stage.server.requests()[0].clone();
    assert_eq!(
        request.body["output_config"]["task_budget"],
        json!({"type": "tokens", "total": 50_000})
    );
    assert_eq!(request.body["thinking"]["display"], "summarized");
    let betas = request.header("anthropic-beta").unwrap_or_default();
    assert!(betas.contains("task-budgets-2026-03-13"), "{betas}");
    assert_eq!(stage.end().await, 0);
}

#[tokio::test]
async fn options_in_initialize_are_applied() {
    let script = Script::new()
        .reply(Reply::tool(
            "Shell",
            json!({"command": "echo heard", "description": "say"}),
        ))
        .reply(Reply::text("Done."));
    let mut stage = Stage::begin(script).await;
    stage
        .control(json!({
            "subtype": "initialize",
            "title": "Fences",
            "excludeDynamicSections": true,
            "planModeInstructions": "Draw before you plan.",
            "toolAliases": {"Shell": "Bash"},
        }))
        .await;
    stage
        .control(json!({"subtype": "set_permission_mode", "mode": "plan"}))
        .await;
    stage.prompt("go").await;
    stage.result().await;
    assert_eq!(stage.last("session_title_changed")["title"], "Fences");
    let first = stage.sent(1);
    let here = stage.dir.path().display().to_string();
    assert!(!first["system"].to_string().contains(&here), "{first}");
    let told = stage.said_to_model(1).join("\n");
    assert!(told.contains(&here) && told.contains("Draw before you plan."), "{told}");
    assert!(told.contains("ExitPlanMode"), "what keeps a plan a plan stays: {told}");
    let ran = stage.last("user:tool_result");
    assert_eq!(ran["tool_use_result"]["stdout"], "heard");
    assert_eq!(stage.end().await, 0);
}

#[tokio::test]
async fn restricted_session_cannot_read_outside_or_run_commands() {
    let outside = tempfile::tempdir().unwrap();
    let secret = outside.path().join("secret");
    std::fs::write(&secret, "s3cret").unwrap();
    let secret = secret.display().to_string();
    let script = Script::new()
        .reply(Reply::tool("Read", json!({"file_path": secret})))
        .reply(Reply::tool("Write", json!({"file_path": secret, "content": "x"})))
        .reply(Reply::tool("Bash", json!({"command": "ls", "description": "look"})))
        .reply(Reply::text("Done."));
    let mut stage = Stage::with(script, |options| {
        options.permissions.restricted = true;
        options.permissions.allowed = vec!["Read".to_owned(), "Write".to_owned()];
    })
    .await;
    stage.prompt("go").await;
    let told = stage.turn().await;
    assert!(!told.contains("ask:"), "{told}");
    assert_eq!(stage.all("user:tool_error").len(), 3, "{told}");
    assert_eq!(
        std::fs::read_to_string(outside.path().join("secret")).unwrap(),
        "s3cret"
    );
    let tools = stage.last("init")["tools"].clone();
    let has = |name: &str| tools.as_array().unwrap().iter().any(|tool| tool == name);
    assert!(!has("Bash") && !has("WebFetch"), "{tools}");
    assert!(
        has("Glob") && has("Grep"),
        "files are searched without a shell: {tools}"
    );
    assert_eq!(stage.end().await, 0);
}

#[tokio::test]
async fn plain_session_loads_only_values() {
    let home = tempfile::tempdir().unwrap();
    let root = home.path().canonicalize().unwrap();
    let put = |name: &str, text: &str| {
        let path = root.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    put("CLAUDE.md", "PROJECT MEMORY");
    put(".claude/commands/paint.md", "Paint.");
    put(
        ".claude/agents/painter.md",
        "---\nname: painter\ndescription: paints\n---\nPaint.",
    );
    put(
        ".mcp.json",
        &json!({"mcpServers": {"s": {"command": "true"}}}).to_string(),
    );
    let hook = json!({"hooks": [{"type": "command", "command": "echo HOOKED"}]});
    let settings = json!({
        "hooks": {"UserPromptSubmit": [hook]},
        "model": "sonnet",
        "enableAllProjectMcpServers": true,
    });
    put(".claude/settings.json", &settings.to_string());
    let places = Places {
        cwd: root.clone(),
        home: root.join("home"),
        config_dir: root.join("home/.claude"),
        managed: root.join("managed/settings.json"),
        global: root.join("home/.claude.json"),
    };
    for plain in [false, true] {
        let settings =
            Settings::load(&places, &Chosen::ALL, None, None).opened_by(sluice_engine::settings::Opener::Host);
        let settings = if plain { settings.plainly() } else { settings };
        let mut stage = Stage::with(replies(&["Done."]), |options| {
            options.cwd.clone_from(&root);
            options.settings = settings;
        })
        .await;
        stage.prompt("go").await;
        stage.result().await;
        let init = stage.last("init").clone();
        let names =
            |key: &str| -> Vec<&str> { init[key].as_array().unwrap().iter().filter_map(Value::as_str).collect() };
        let servers = init["mcp_servers"].as_array().unwrap().len();
        let sent = stage.sent(1).to_string();
        let found = [
            sent.contains("PROJECT MEMORY"),
            sent.contains("HOOKED"),
            names("slash_commands").contains(&"paint"),
            names("agents").contains(&"painter"),
            servers == 1,
        ];
        assert_eq!(found, [!plain; 5], "plain: {plain}: {init}");
        assert_eq!(stage.leave_now().await, 0);
    }
}

#[tokio::test]
async fn sessions_in_one_process_resolve_their_own_model_aliases() {
    let within = |opus: &'static str, small: &'static str| {
        move |options: &mut sluice_engine::Options| {
            options.model.name = Some("opus".to_owned());
            std::sync::Arc::make_mut(&mut options.env).extend([
                ("ANTHROPIC_DEFAULT_OPUS_MODEL".into(), opus.into()),
                ("ANTHROPIC_SMALL_FAST_MODEL".into(), small.into()),
            ]);
        }
    };
    let script = || replies(&["Done.", r#"{"title": "A name"}"#]);
    let mut one = Stage::with(script(), within("large-one", "small-one")).await;
    let mut two = Stage::with(script(), within("large-two", "small-two")).await;
    for (stage, large, small) in [
        (&mut one, "large-one", "small-one"),
        (&mut two, "large-two", "small-two"),
    ] {
        let listed = stage.control(json!({"subtype": "list_models"})).await;
        assert_eq!(listed["response"]["models"][1]["resolvedModel"], large);
        stage.prompt("hello").await;
        stage.result().await;
        stage
            .control(json!({"subtype": "generate_session_title", "description": "greetings"}))
            .await;
        let asked = [1, 2].map(|number| stage.sent(number)["model"].clone());
        assert_eq!(asked, [large, small]);
    }
    assert_eq!((one.leave_now().await, two.leave_now().await), (0, 0));
}
