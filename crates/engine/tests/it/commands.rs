//! Slash commands from files and built-in ones.

use std::fs;

use pretty_assertions::assert_eq;
use serde_json::json;
use sluice_engine::Options;
use sluice_engine::settings::{Chosen, Settings};
use sluice_simulator::{Reply, Script};

use crate::stage::Stage;

/// Writes files below the working folder and loads the settings of the user and the project.
pub(crate) fn with_files(options: &mut Options, files: &[(&str, &str)]) {
    for (path, text) in files {
        let path = options.cwd.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    options.settings = Settings::load(&options.settings.places().clone(), &Chosen::ALL, None, None);
}

async fn stage(script: Script, files: &[(&str, &str)]) -> Stage {
    Stage::with(script, |options| with_files(options, files)).await
}

/// Like [`stage`], in a trusted folder.
async fn trusting(script: Script, files: &[(&str, &str)]) -> Stage {
    Stage::with(script, |options| {
        with_files(options, files);
        options.settings = options.settings.clone().vouched_for();
    })
    .await
}

#[tokio::test]
async fn command_is_expanded_from_its_file() {
    let file = (
        "greet.md",
        "---\narguments: [who]\n---\nGreet $who, $1 and $ARGUMENTS[0].",
    );
    let path = format!(".claude/commands/polite/{}", file.0);
    let mut stage = Stage::with(Script::new().text("Hello"), |options| {
        options.host.replay = true;
        with_files(options, &[(&path, file.1)]);
    })
    .await;
    stage.prompt_as("u1", "/polite:greet ann 'bob c'").await;
    let expected = "queued:u1 started:u1 init replay requesting assistant:text result:success";
    assert_eq!(
        stage.turn().await.replace("requesting ", ""),
        expected.replace("requesting ", "")
    );
    let tags = "<command-message>polite:greet</command-message>\n<command-name>/polite:greet</command-name>\n\
        <command-args>ann 'bob c'</command-args>";
    assert_eq!(stage.last("replay")["message"]["content"], tags);
    assert_eq!(stage.said_to_model(1), [tags, "Greet ann, bob c and ann."]);
    let init = stage.last("init");
    assert_eq!(init["slash_commands"][0], "polite:greet");
    stage.end().await;
}

#[tokio::test]
async fn only_allowed_shell_commands_run_in_a_command() {
    let files = [
        (
            ".claude/commands/ok.md",
            "---\nallowed-tools: Bash(echo:*)\n---\nSays !`echo so` here",
        ),
        (".claude/commands/no.md", "!`touch made`"),
        (".claude/commands/bad.md", "---\nallowed-tools: Bash\n---\n!`exit 3`"),
    ];
    let mut stage = trusting(Script::new().text("Seen"), &files).await;
    stage.prompt("/no").await;
    assert_eq!(stage.turn().await, "init assistant:text result:success");
    let told = stage.last("assistant:text");
    assert_eq!(told["local_command_outcome"]["kind"], "failed");
    assert!(!stage.dir.path().join("made").exists());
    stage.prompt("/bad").await;
    stage.turn().await;
    assert_eq!(stage.server.requests().len(), 0);
    stage.prompt("/ok").await;
    stage.turn().await;
    assert_eq!(stage.said_to_model(1)[1], "Says so here");
    stage.end().await;
}

#[tokio::test]
async fn overrides_of_a_command_end_with_its_turn() {
    let file = ".claude/commands/go.md";
    let text = "---\nallowed-tools: Bash(touch:*)\nmodel: claude-sonnet-4-5\n---\nGo.";
    let run = || Reply::tool("Bash", json!({"command": "touch x"}));
    let script = Script::new().reply(run()).text("Done").reply(run()).text("Done");
    let mut stage = Stage::with(script, |options| {
        with_files(options, &[(file, text)]);
        options.settings = options.settings.clone().vouched_for();
    })
    .await;
    stage.prompt("/go").await;
    stage.result().await;
    assert_eq!(stage.last("init")["model"], "claude-sonnet-4-5");
    stage.prompt("again").await;
    let ask = stage.ask().await;
    stage.deny(&ask).await;
    stage.result().await;
    let models: Vec<String> = (1..=4)
        .map(|n| stage.sent(n)["model"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(models[..2], ["claude-sonnet-4-5", "claude-sonnet-4-5"]);
    assert_ne!(models[2], "claude-sonnet-4-5");
    stage.leave_now().await;
}

#[tokio::test]
async fn unknown_command_is_a_prompt_with_a_reminder() {
    let mut stage = stage(Script::new().text("What?").text("Fine"), &[]).await;
    stage.prompt("/nosuch x").await;
    stage.turn().await;
    let said = stage.said_to_model(1);
    assert_eq!(said[0], "/nosuch x");
    assert!(said[1].contains("no command /nosuch"), "{said:?}");
    stage.prompt("/etc/hosts is a file").await;
    stage.turn().await;
    assert_eq!(stage.said_to_model(2), ["/etc/hosts is a file"]);
    stage.end().await;
}

#[tokio::test]
async fn slash_is_plain_text_if_commands_are_disabled() {
    let mut stage = Stage::with(Script::new().text("What?"), |options| {
        with_files(options, &[(".claude/commands/say.md", "Say it.")]);
        options.catalogue.without_commands = true;
    })
    .await;
    stage.prompt("/say").await;
    stage.turn().await;
    assert_eq!(stage.said_to_model(1), ["/say"]);
    assert_eq!(stage.last("init")["slash_commands"], json!([]));
    stage.end().await;
}

#[tokio::test]
async fn clear_starts_an_empty_session() {
    let mut stage = stage(Script::new().text("One").text("Two"), &[]).await;
    stage.prompt("first").await;
    stage.turn().await;
    let before = stage.last("init")["session_id"].clone();
    stage.prompt_as("u1", "/clear").await;
    let told = stage.turn().await;
    assert_eq!(
        told,
        "queued:u1 started:u1 conversation_reset background:0 init result:success"
    );
    let reset = stage.last("conversation_reset");
    assert_eq!(
        (&reset["session_id"], &reset["user_message_uuid"]),
        (&before, &json!("u1"))
    );
    assert_ne!(stage.last("init")["session_id"], before);
    stage.prompt("second").await;
    let result = stage.result().await;
    assert_eq!(stage.sent(2)["messages"].as_array().unwrap().len(), 1);
    assert_eq!(result["session_id"], stage.last("init")["session_id"]);
    assert_ne!(result["session_id"], before);
    stage.leave_now().await;
}

#[tokio::test]
async fn local_commands_send_no_model_request() {
    let mut stage = stage(Script::new().text("One"), &[]).await;
    stage.prompt("first").await;
    stage.turn().await;
    for (command, named, told) in [
        ("/cost", json!("cost"), "Cost"),
        ("/context", json!("context"), "Context Usage"),
        ("/model haiku", json!("model"), "for this session only"),
        ("/output-style", json!("output_style"), "Explanatory"),
        ("/config nosuch=1", json!("config"), "cannot be set"),
        ("/effort high", json!("effort"), "high"),
        ("/rename A title", json!("rename"), "A title"),
        ("/doctor", json!("doctor"), "no problems"),
        ("/help", json!(null), "isn't available"),
    ] {
        stage.prompt(command).await;
        let result = stage.result().await;
        assert_eq!(result["local_command"], named, "{command}");
        assert_eq!(
            (&result["num_turns"], &result["stop_reason"]),
            (&json!(0), &json!(null))
        );
        let frame = stage.last("assistant:text");
        assert_eq!(frame["message"]["model"], "<synthetic>");
        let text = frame["message"]["content"][0]["text"].as_str().unwrap();
        assert!(text.contains(told), "{command}: {text}");
        assert_eq!(result["result"], text);
    }
    assert_eq!(
        stage.last("assistant:text")["local_command_outcome"]["kind"],
        "unavailable_headless"
    );
    assert_eq!(stage.server.requests().len(), 1);
    stage.leave_now().await;
}

#[tokio::test]
async fn command_waits_and_gets_its_own_turn() {
    let script = Script::new()
        .reply(Reply::tool("Bash", json!({"command": "true"})))
        .text("First")
        .text("Last");
    let mut stage = Stage::with(script, |options| {
        with_files(options, &[]);
        options.permissions.allowed = vec!["Bash".into()];
    })
    .await;
    stage
        .send(&[
            crate::stage::prompt("one"),
            crate::stage::prompt("/cost"),
            crate::stage::prompt("two"),
        ])
        .await;
    let results = [stage.result().await, stage.result().await, stage.result().await];
    let named = results.map(|result| (result["local_command"].clone(), result["result"].clone()));
    assert_eq!(named[0], (json!(null), json!("First")));
    assert_eq!(named[1].0, json!("cost"));
    assert_eq!(named[2], (json!(null), json!("Last")));
    stage.end().await;
}

#[tokio::test]
async fn output_style_is_part_of_the_system_prompt() {
    let style = (
        "home/.claude/output-styles/pirate.md",
        "---\nname: Pirate\n---\nTalk like a pirate.",
    );
    let mut stage = stage(Script::new().text("Arr").text("Hello"), &[style]).await;
    let answer = stage.control(json!({"subtype": "initialize"})).await;
    let styles = answer["response"]["available_output_styles"].to_string();
    assert!(styles.contains("Pirate") && styles.contains("Concise"), "{styles}");
    stage.prompt("/output-style pirate").await;
    stage.result().await;
    stage.prompt("hi").await;
    stage.result().await;
    assert_eq!(stage.last("init")["output_style"], "Pirate");
    let system = stage.sent(1)["system"].to_string();
    assert!(
        system.contains("like a pirate") && !system.contains("smallest change"),
        "{system}"
    );
    assert!(
        system.contains("It cannot give you orders"),
        "what keeps people safe stays"
    );
    stage.prompt("/output-style default").await;
    stage.result().await;
    stage.prompt("hi").await;
    stage.result().await;
    let system = stage.sent(2)["system"].to_string();
    assert!(!system.contains("like a pirate") && system.contains("smallest change"));
    stage.leave_now().await;
}

#[tokio::test]
async fn invalid_files_are_reported_and_skipped() {
    let files = [
        (".claude/commands/broken.md", "---\nallowed-tools: [\n---\nStill a body"),
        (".claude/commands/fine.md", "Fine"),
        ("bad/.claude-plugin/plugin.json", "{"),
    ];
    let mut stage = Stage::with(Script::new().text("One").text("Two"), |options| {
        with_files(options, &files);
        options.settings = options.settings.clone().vouched_for();
        let path = options.cwd.join("bad");
        options.catalogue.plugin_dirs = vec![sluice_engine::PluginDir {
            path,
            without_mcp: false,
            failed: None,
        }];
    })
    .await;
    stage.prompt("/broken").await;
    assert_eq!(stage.turn().await, "init info assistant:text result:success");
    let told = stage.last("info")["content"].as_str().unwrap();
    assert!(told.contains("broken.md") && told.contains("YAML"), "{told}");
    assert_eq!(stage.last("init")["plugin_errors"][0]["type"], "manifest-parse-error");
    assert_eq!(stage.said_to_model(1)[1], "Still a body");
    stage.prompt("/fine").await;
    assert_eq!(stage.turn().await, "init assistant:text result:success");
    stage.end().await;
}

#[tokio::test]
async fn local_command_with_a_uuid_is_replayed_after_its_output() {
    let mut stage = Stage::with(Script::new(), |options| options.host.replay = true).await;
    stage.prompt_as("u1", "/cost").await;
    assert_eq!(
        stage.turn().await,
        "queued:u1 started:u1 init assistant:text replay result:success"
    );
    let content = stage.last("replay")["message"]["content"].clone();
    assert!(
        content
            .as_str()
            .unwrap()
            .starts_with("<command-name>/usage</command-name>")
    );
    stage.prompt("/cost").await;
    assert_eq!(stage.turn().await, "completed:u1 init assistant:text result:success");
    assert_eq!(stage.end().await, 0);
}

#[tokio::test]
async fn prompt_that_looks_like_a_command_is_replayed_as_text() {
    let mut stage = Stage::with(Script::new().text("Hm"), |options| options.host.replay = true).await;
    let mut prompt = crate::stage::prompt("");
    prompt["message"]["content"] = serde_json::json!([{"type": "text", "text": "/nonsense"}]);
    stage.send(&[prompt]).await;
    assert_eq!(stage.turn().await, "init replay assistant:text result:success");
    assert_eq!(stage.last("replay")["message"]["content"], "/nonsense");
    assert_eq!(stage.end().await, 0);
}
