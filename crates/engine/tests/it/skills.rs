//! Skills: listed for the model, invoked by the model or the person, and reloaded when they change.

use std::fs;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_engine::PluginDir;
use sluice_simulator::{Reply, Script};

use crate::commands::with_files;
use crate::stage::Stage;

const PAINT: (&str, &str) = (
    ".claude/skills/paint/SKILL.md",
    "---\nname: paint\ndescription: paints things\n---\nPaint it $ARGUMENTS.\n",
);

async fn stage(script: Script, files: &[(&str, &str)]) -> Stage {
    Stage::with(script, |options| with_files(options, files)).await
}

fn invoke_skill(input: Value) -> Script {
    Script::new().reply(Reply::tool("Skill", input)).text("Done")
}

#[tokio::test]
async fn skill_is_listed_and_sent_when_invoked() {
    let mut stage = stage(invoke_skill(json!({"skill": "paint", "args": "red"})), &[PAINT]).await;
    stage.prompt("go").await;
    let told = stage.turn().await;
    assert_eq!(
        told,
        "init assistant:tool_use user:tool_result nudge assistant:text result:success"
    );
    let first = stage.said_to_model(1);
    assert!(
        first.iter().any(|text| text.contains("- paint: paints things")),
        "{first:?}"
    );
    assert!(
        !first.iter().any(|text| text.contains("Paint it")),
        "the body comes when it is used"
    );
    let folder = stage.path(".claude/skills/paint");
    let body = format!("Base directory for this skill: {folder}\n\nPaint it red.\n");
    assert_eq!(stage.said_to_model(2), [body]);
    assert_eq!(stage.last("init")["skills"], json!(["paint"]));
    stage.end().await;
}

#[tokio::test]
async fn denied_skill_is_denied_by_all_its_names() {
    let deploy = (
        ".claude/skills/deploy/SKILL.md",
        "---\nname: ship-it\ndescription: ships\n---\nShip.",
    );
    for name in ["deploy", "ship-it", " deploy"] {
        let script = invoke_skill(json!({"skill": name}));
        let mut stage = Stage::with(script, |options| {
            with_files(options, &[deploy]);
            options.permissions.disallowed = vec!["Skill(deploy)".into()];
        })
        .await;
        stage.prompt("go").await;
        stage.result().await;
        assert!(
            !stage.said_to_model(2).iter().any(|text| text.contains("Ship.")),
            "{name}"
        );
        stage.end().await;
    }
}

#[tokio::test]
async fn hidden_and_unknown_skills_cannot_be_invoked() {
    let hidden = (
        ".claude/skills/hidden/SKILL.md",
        "---\ndescription: hides\ndisable-model-invocation: true\n---\nHide.",
    );
    for (name, why) in [
        ("hidden", "disable-model-invocation"),
        ("nosuch", "Unknown skill: nosuch"),
    ] {
        let mut stage = stage(invoke_skill(json!({"skill": name})), &[PAINT, hidden]).await;
        stage.prompt("go").await;
        let told = stage.turn().await;
        assert_eq!(
            told,
            "init assistant:tool_use user:tool_error assistant:text result:success"
        );
        let text = stage.last("user:tool_error")["message"]["content"][0]["content"].to_string();
        assert!(text.contains(why), "{text}");
        assert!(!stage.said_to_model(1).iter().any(|text| text.contains("hides")));
        stage.end().await;
    }
}

#[tokio::test]
async fn deny_rule_applies_to_skills() {
    let mut stage = Stage::with(invoke_skill(json!({"skill": "paint"})), |options| {
        with_files(options, &[PAINT]);
        options.permissions.disallowed = vec!["Skill(paint)".into()];
    })
    .await;
    stage.prompt("go").await;
    let told = stage.turn().await;
    assert!(told.contains("user:tool_error") && !told.contains("nudge"), "{told}");
    stage.end().await;
}

#[tokio::test]
async fn skill_of_untrusted_project_adds_no_rules() {
    let text = "---\ndescription: d\nallowed-tools: Bash(touch:*)\n---\nRun it.";
    let script = Script::new()
        .reply(Reply::tool("Skill", json!({"skill": "run"})))
        .reply(Reply::tool("Bash", json!({"command": "touch x"})))
        .text("Done");
    let mut stage = stage(script, &[(".claude/skills/run/SKILL.md", text)]).await;
    stage.prompt("go").await;
    let ask = stage.ask().await;
    assert_eq!(ask["request"]["tool_name"], "Skill");
    stage.allow(&ask).await;
    let ask = stage.ask().await;
    assert_eq!(ask["request"]["tool_name"], "Bash");
    stage.deny(&ask).await;
    stage.result().await;
    stage.end().await;
}

#[tokio::test]
async fn skill_of_the_user_adds_its_rules_once_allowed() {
    let text = "---\ndescription: d\nallowed-tools: Bash(touch:*)\n---\nRun it.";
    let script = Script::new()
        .reply(Reply::tool("Skill", json!({"skill": "run"})))
        .reply(Reply::tool("Bash", json!({"command": "touch x"})))
        .text("Done");
    let mut stage = stage(script, &[("home/.claude/skills/run/SKILL.md", text)]).await;
    stage.prompt("go").await;
    let ask = stage.ask().await;
    let rules = |name: &str| {
        json!({"type": "addRules", "behavior": "allow", "destination": "localSettings",
            "rules": [{"toolName": "Skill", "ruleContent": name}]})
    };
    assert_eq!(
        ask["request"]["permission_suggestions"],
        json!([rules("run"), rules("run:*")])
    );
    stage.allow(&ask).await;
    stage.told();
    let told = stage.turn().await;
    assert!(!told.contains("ask:"), "{told}");
    assert_eq!(
        stage.all("user:tool_result")[0]["tool_use_result"]["allowedTools"],
        json!(["Bash(touch:*)"])
    );
    stage.end().await;
}

#[tokio::test]
async fn rules_of_a_skill_end_with_the_turn() {
    let text = "---\ndescription: d\nallowed-tools: Bash(touch:*)\n---\nRun it.";
    let run = || Reply::tool("Bash", json!({"command": "touch x"}));
    let script = Script::new()
        .reply(Reply::tool("Skill", json!({"skill": "run"})))
        .reply(run())
        .text("Done")
        .reply(run())
        .text("Done");
    let mut stage = stage(script, &[("home/.claude/skills/run/SKILL.md", text)]).await;
    stage.prompt("go").await;
    let ask = stage.ask().await;
    stage.allow(&ask).await;
    stage.result().await;
    stage.prompt("again").await;
    let ask = stage.ask().await;
    assert_eq!(ask["request"]["tool_name"], "Bash");
    stage.deny(&ask).await;
    stage.result().await;
    stage.end().await;
}

#[tokio::test]
async fn skill_for_the_model_only_cannot_be_typed() {
    let text = "---\ndescription: d\nuser-invocable: false\n---\nQuiet.";
    let mut stage = stage(Script::new(), &[(".claude/skills/quiet/SKILL.md", text)]).await;
    stage.prompt("/quiet").await;
    assert_eq!(stage.turn().await, "init assistant:text result:success");
    assert_eq!(stage.last("init")["skills"], json!(["quiet"]));
    let commands = stage.last("init")["slash_commands"].as_array().unwrap();
    assert!(!commands.contains(&json!("quiet")));
    stage.end().await;
}

#[tokio::test]
async fn new_skills_are_found_after_reload() {
    let mut stage = stage(Script::new().text("One").text("Two"), &[PAINT]).await;
    stage.prompt("one").await;
    stage.turn().await;
    let folder = stage.dir.path().join(".claude/skills/sweep");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("SKILL.md"), "---\ndescription: sweeps\n---\nSweep.").unwrap();
    let answer = stage.control(json!({"subtype": "reload_skills"})).await;
    let names: Vec<&str> = answer["response"]["skills"]
        .as_array()
        .unwrap()
        .iter()
        .map(|skill| skill["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["paint", "sweep"]);
    let changed = stage.last("commands_changed")["commands"].to_string();
    assert!(changed.contains("sweep"), "{changed}");
    stage.prompt("two").await;
    stage.turn().await;
    let said = stage.said_to_model(2);
    assert!(said.iter().any(|text| text.contains("- sweep: sweeps")), "{said:?}");
    stage.end().await;
}

#[tokio::test]
async fn plugin_adds_commands_skills_agents_and_hooks() {
    let files = [
        (
            "plug/.claude-plugin/plugin.json",
            r#"{"name":"plug","version":"1.0.0"}"#,
        ),
        ("plug/commands/pc.md", "PLUGCMD $ARGUMENTS"),
        ("plug/skills/ps/SKILL.md", "---\ndescription: plugin skill\n---\nPS"),
        ("plug/agents/pa.md", "---\nname: pa\ndescription: plugin agent\n---\nPA"),
        (
            "plug/hooks/hooks.json",
            r#"{"hooks":{"UserPromptSubmit":[{"hooks":[{"type":"command","command":"echo from the plugin"}]}]}}"#,
        ),
    ];
    let mut stage = Stage::with(Script::new().text("One"), |options| {
        with_files(options, &files);
        options.catalogue.plugin_dirs = vec![PluginDir {
            path: options.cwd.join("plug"),
            without_mcp: false,
            failed: None,
        }];
    })
    .await;
    stage.prompt("/plug:pc foo").await;
    stage.result().await;
    let init = stage.last("init");
    assert_eq!(init["plugins"][0]["source"], "plug@inline");
    assert_eq!(init["skills"], json!(["plug:ps"]));
    assert!(init["agents"].as_array().unwrap().contains(&json!("plug:pa")), "{init}");
    let said = stage.said_to_model(1);
    assert!(said.iter().any(|text| text == "PLUGCMD foo"), "{said:?}");
    assert!(said.iter().any(|text| text.contains("from the plugin")), "{said:?}");
    let answer = stage.control(json!({"subtype": "reload_plugins"})).await;
    assert_eq!(answer["response"]["error_count"], 0);
    assert_eq!(answer["response"]["plugins"][0]["name"], "plug");
    stage.end().await;
}

#[tokio::test]
async fn host_selects_skills_and_adds_plugins() {
    let files = [
        PAINT,
        ("plug/skills/ps/SKILL.md", "---\ndescription: plugin skill\n---\nPS"),
    ];
    let mut stage = stage(Script::new().text("One"), &files).await;
    let plugin = json!({"type": "local", "path": stage.path("plug")});
    let request = json!({"subtype": "initialize", "skills": ["plug:ps"], "plugins": [plugin]});
    let answer = stage.control(request).await;
    assert_eq!(answer["response"]["plugins_applied"], true);
    stage.prompt("go").await;
    stage.result().await;
    let said = stage.said_to_model(1).join("\n");
    assert!(said.contains("plug:ps") && !said.contains("paint"), "{said}");
    stage.end().await;
}

#[tokio::test]
async fn unchanged_skill_is_not_sent_again() {
    let script = Script::new()
        .reply(Reply::tool("Skill", json!({"skill": "paint", "args": "red"})))
        .reply(Reply::tool("Skill", json!({"skill": "paint", "args": "red"})))
        .reply(Reply::tool("Skill", json!({"skill": "paint", "args": "blue"})))
        .text("Done");
    let mut stage = stage(script, &[PAINT]).await;
    stage.prompt("go").await;
    assert_eq!(
        stage.turn().await,
        "init assistant:tool_use user:tool_result nudge assistant:tool_use user:tool_result nudge assistant:tool_use \
         user:tool_result nudge nudge assistant:text result:success"
    );
    let told: Vec<String> = stage.all("nudge").iter().map(|it| it["message"].to_string()).collect();
    let painted: Vec<bool> = told.iter().map(|it| it.contains("Paint it")).collect();
    assert_eq!(painted, [true, false, false, true]);
    stage.end().await;
}

#[tokio::test]
async fn context_usage_of_skills_and_commands_is_returned() {
    let hidden = (
        ".claude/skills/hidden/SKILL.md",
        "---\ndescription: hides\ndisable-model-invocation: true\n---\nHide.",
    );
    let command = (".claude/commands/go.md", "---\ndescription: goes\n---\nGo.");
    let mut stage = stage(Script::new().text("Hello"), &[PAINT, hidden, command]).await;
    stage.prompt("hi").await;
    stage.turn().await;
    let answer = stage.control(json!({"subtype": "get_context_usage"})).await;
    let usage = &answer["response"];
    let (skills, commands) = (
        "- paint: paints things".len().div_ceil(4),
        "- go: goes".len().div_ceil(4),
    );
    let paint = json!({"name": "paint", "source": "projectSettings", "tokens": skills});
    assert_eq!(
        usage["skills"],
        json!({"totalSkills": 2, "includedSkills": 1, "tokens": skills, "skillFrontmatter": [paint]})
    );
    assert_eq!(
        usage["slashCommands"],
        json!({"totalCommands": 1, "includedCommands": 1, "tokens": commands})
    );
    let categories = usage["categories"].as_array().unwrap();
    let tokens = |id: &str| {
        categories.iter().find(|part| part["id"] == id).unwrap()["tokens"]
            .as_u64()
            .unwrap()
    };
    assert_eq!(tokens("skills"), u64::try_from(skills + commands).unwrap());
    assert!(tokens("messages") > 0, "{categories:?}");
    stage.end().await;
}

#[tokio::test]
async fn session_variables_are_replaced() {
    let text = "---\ndescription: d\n---\nLog to ${CLAUDE_SESSION_ID}.log of ${CLAUDE_PROJECT_DIR} at ${CLAUDE_EFFORT}, keep ${OTHER}.";
    let mut stage = Stage::with(Script::new().text("Done"), |options| {
        with_files(options, &[("home/.claude/commands/go.md", text)]);
        options.model.effort = Some("low".to_owned());
    })
    .await;
    stage.prompt("/go").await;
    stage.result().await;
    let folder = stage.dir.path().display().to_string();
    let expected = format!("Log to 11111111-2222-4333-8444-555555555555.log of {folder} at low, keep ${{OTHER}}.");
    assert!(stage.sent(1).to_string().contains(&expected), "{}", stage.sent(1));
    stage.end().await;
}
