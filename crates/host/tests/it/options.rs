//! Options as the official SDKs write them.

use std::ffi::OsStr;

use serde_json::{Value, json};
use sluice_host::transport::Start;
use sluice_host::wire::hook::HookOutput;
use sluice_host::{ErrorKind, McpServer, Options, PermissionDecision, Plugin, Skills, SystemPrompt, Thinking, Tools};

fn bare() -> Options {
    // What the official SDKs do not say by themselves.
    Options::new().replay_user_messages(false)
}

fn argv(options: &Options) -> Vec<String> {
    let args = options.argv(&Start::fresh()).unwrap();
    args.into_iter().map(|arg| arg.into_string().unwrap()).collect()
}

/// What stands between the words that are always there.
fn between(options: &Options) -> Vec<String> {
    let all = argv(options);
    let (first, rest) = all.split_at(3);
    assert_eq!(first, ["--output-format", "stream-json", "--verbose"]);
    let (middle, last) = rest.split_at(rest.len() - 2);
    assert_eq!(last, ["--input-format", "stream-json"]);
    middle.to_vec()
}

/// Options, and the words they add after the empty system prompt every session has.
fn says(options: &Options, words: &[&str]) {
    let middle = between(&options.clone().system_prompt(SystemPrompt::preset()));
    assert_eq!(middle, words);
}

#[test]
fn without_options_there_is_an_empty_system_prompt() {
    assert_eq!(between(&bare()), ["--system-prompt", ""]);
    assert_eq!(
        between(&bare().system_prompt("Be brief")),
        ["--system-prompt", "Be brief"]
    );
    let append = SystemPrompt::Preset {
        append: Some("more".to_owned()),
    };
    assert_eq!(
        between(&bare().system_prompt(append)),
        ["--append-system-prompt", "more"]
    );
    let file = SystemPrompt::File("p.md".into());
    assert_eq!(between(&bare().system_prompt(file)), ["--system-prompt-file", "p.md"]);
}

#[test]
fn every_flag_of_the_official_sdks_is_there() {
    says(&bare().tools(Tools::Preset), &["--tools", "default"]);
    says(&bare().tools(Vec::<String>::new()), &["--tools", ""]);
    says(&bare().tools(["Read", "Bash"]), &["--tools", "Read,Bash"]);
    says(
        &bare().allowed_tools(["Read", "Bash(git *)"]),
        &["--allowedTools", "Read,Bash(git *)"],
    );
    says(
        &bare().disallowed_tools(["WebFetch"]),
        &["--disallowedTools", "WebFetch"],
    );
    says(&bare().max_turns(3_u64), &["--max-turns", "3"]);
    says(&bare().max_turns(0_u64), &[]);
    says(&bare().max_budget_usd(0.5), &["--max-budget-usd", "0.5"]);
    says(&bare().task_budget(9_u64), &["--task-budget", "9"]);
    says(
        &bare().model("m").fallback_model(["a", "b"]),
        &["--model", "m", "--fallback-model", "a,b"],
    );
    says(&bare().betas(["x"]), &["--betas", "x"]);
    says(&bare().asks(true), &["--permission-prompt-tool", "stdio"]);
    says(
        &bare().on_permission(|_| async { PermissionDecision::allow() }),
        &["--permission-prompt-tool", "stdio"],
    );
    says(
        &bare().permission_prompt_tool_name("mcp__a__b"),
        &["--permission-prompt-tool", "mcp__a__b"],
    );
    says(&bare().permission_prompts_none(true), &["--permission-prompts", "none"]);
    says(&bare().permission_mode("plan"), &["--permission-mode", "plan"]);
    says(
        &bare().allow_dangerously_skip_permissions(true),
        &["--allow-dangerously-skip-permissions"],
    );
    says(&bare().continue_conversation(true), &["--continue"]);
    says(
        &bare().resume("id").fork_session(true),
        &["--resume=id", "--fork-session"],
    );
    says(&bare().session_id("id"), &["--session-id=id"]);
    says(
        &bare().resume_session_at("u").resume_drops_turn(""),
        &["--resume-session-at=u", "--resume-drops-turn="],
    );
    says(&bare().persist_session(false), &["--no-session-persistence"]);
    says(&bare().session_mirror(true), &["--session-mirror"]);
    says(&bare().settings(json!({"a": 1})), &["--settings", "{\"a\":1}"]);
    says(
        &bare().sandbox(json!({"enabled": true})),
        &["--settings", "{\"sandbox\":{\"enabled\":true}}"],
    );
    says(&bare().managed_settings(json!({})), &["--managed-settings", "{}"]);
    says(
        &bare().setting_sources(["user", "local"]),
        &["--setting-sources=user,local"],
    );
    says(&bare().setting_sources(Vec::<String>::new()), &["--setting-sources="]);
    says(&bare().add_dirs(["/a", "/b"]), &["--add-dir", "/a", "--add-dir", "/b"]);
    says(&bare().project_config_root("/r"), &["--project-config-root=/r"]);
    says(&bare().strict_mcp_config(true), &["--strict-mcp-config"]);
    says(&bare().mcp_config("m.json"), &["--mcp-config", "m.json"]);
    let plugin = Plugin {
        path: "/q".into(),
        skip_mcp: true,
    };
    says(
        &bare().plugins([Plugin::from("/p"), plugin]),
        &["--plugin-dir", "/p", "--plugin-dir-no-mcp=/q"],
    );
    says(&bare().include_partial_messages(true), &["--include-partial-messages"]);
    says(&bare().include_hook_events(true), &["--include-hook-events"]);
    says(&bare().agent("lead"), &["--agent", "lead"]);
    let adaptive = Thinking::Adaptive(Some("omitted".to_owned()));
    says(
        &bare().thinking(adaptive),
        &["--thinking", "adaptive", "--thinking-display", "omitted"],
    );
    says(&bare().thinking(Thinking::Disabled), &["--thinking", "disabled"]);
    says(
        &bare().thinking(Thinking::Enabled(1024)),
        &["--max-thinking-tokens", "1024"],
    );
    says(&bare().max_thinking_tokens(5_u64), &["--max-thinking-tokens", "5"]);
    says(&bare().effort("high"), &["--effort", "high"]);
    says(
        &bare().output_schema(json!({"type": "object"})),
        &["--json-schema", "{\"type\":\"object\"}"],
    );
    says(&bare().debug(true).debug_file("/d"), &["--debug", "--debug-file=/d"]);
    says(
        &bare()
            .extra_arg("x", None)
            .extra_arg("y", Some("-1"))
            .extra_arg("z", Some("2")),
        &["--x", "--y=-1", "--z", "2"],
    );
    says(
        &bare().skills(Skills::All),
        &["--allowedTools", "Skill", "--setting-sources=user,project"],
    );
    let one = Skills::Only(vec!["pdf".to_owned()]);
    says(
        &bare().skills(one),
        &["--allowedTools", "Skill(pdf)", "--setting-sources=user,project"],
    );
    says(&Options::new(), &["--replay-user-messages"]);
}

#[test]
fn servers_of_both_kinds_are_named_on_the_command_line() {
    let options = bare()
        .mcp_server_config("files", json!({"command": "files"}))
        .mcp_server(McpServer::new("calc"));
    let middle = between(&options);
    let at = middle.iter().position(|arg| arg == "--mcp-config").unwrap();
    let config: Value = serde_json::from_str(&middle[at + 1]).unwrap();
    let expected = json!({"mcpServers": {"files": {"command": "files"}, "calc": {"type": "sdk", "name": "calc"}}});
    assert_eq!(config, expected);
    assert_eq!(options.greeting().sdk_mcp_servers.unwrap(), ["calc"]);
}

#[test]
fn an_agent_that_is_started_again_goes_on_with_its_session_and_nothing_else() {
    let options = bare()
        .system_prompt(SystemPrompt::preset())
        .resume("old")
        .fork_session(true)
        .session_id("new");
    let args = options.argv(&Start::resume("lived")).unwrap();
    assert!(args.contains(&"--resume=lived".into()));
    assert!(
        !args
            .iter()
            .any(|arg| arg == "--fork-session" || arg.to_string_lossy().starts_with("--session-id"))
    );
}

#[test]
fn what_contradicts_itself_is_refused() {
    let both = bare().asks(true).permission_prompt_tool_name("mcp__a__b");
    assert_eq!(both.argv(&Start::fresh()).unwrap_err().kind(), ErrorKind::Options);
    let neither = bare().asks(true).permission_prompts_none(true);
    assert_eq!(neither.argv(&Start::fresh()).unwrap_err().kind(), ErrorKind::Options);
}

#[test]
fn the_environment_says_who_started_the_agent() {
    let options = bare()
        .cwd("/w")
        .client_app("app/1")
        .enable_file_checkpointing(true)
        .env("A", "1")
        .env_remove("B");
    let env = options.launch(&Start::fresh()).unwrap().env;
    let value = |name: &str| env.get(OsStr::new(name)).cloned();
    let text = |name: &str| value(name).flatten().map(|it| it.into_string().unwrap());
    assert_eq!(text("CLAUDE_CODE_ENTRYPOINT").as_deref(), Some("sdk-rs"));
    assert_eq!(text("CLAUDE_CODE_SDK_READS_SESSION_STATE").as_deref(), Some("1"));
    assert_eq!(text("CLAUDE_AGENT_SDK_CLIENT_APP").as_deref(), Some("app/1"));
    assert_eq!(
        text("CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING").as_deref(),
        Some("true")
    );
    assert!(text("CLAUDE_AGENT_SDK_VERSION").is_some());
    assert_eq!(text("PWD").as_deref(), Some("/w"));
    assert_eq!(text("A").as_deref(), Some("1"));
    assert_eq!(value("B"), Some(None));
    assert_eq!(value("CLAUDECODE"), Some(None), "an agent inside an agent is its own");
    let own = bare()
        .env("CLAUDE_CODE_ENTRYPOINT", "mine")
        .launch(&Start::fresh())
        .unwrap()
        .env;
    assert_eq!(
        own[OsStr::new("CLAUDE_CODE_ENTRYPOINT")].as_deref(),
        Some(OsStr::new("mine"))
    );
}

#[test]
fn the_greeting_numbers_hooks_over_all_events() {
    let options = bare()
        .hook("PreToolUse", Some("Bash"), |_| async { HookOutput::default() })
        .hook("Stop", None, |_| async { HookOutput::default() })
        .hook_within("PreToolUse", None, Some(std::time::Duration::from_secs(5)), |_| async {
            HookOutput::default()
        })
        .or_block();
    let greeting = serde_json::to_value(options.greeting()).unwrap();
    assert_eq!(
        greeting,
        json!({"subtype": "initialize", "hooks": {
            "PreToolUse": [
                {"matcher": "Bash", "hookCallbackIds": ["hook_0"]},
                {"hookCallbackIds": ["hook_2"], "timeout": 5, "onFailure": "block"}
            ],
            "Stop": [{"hookCallbackIds": ["hook_1"]}]
        }})
    );
}
