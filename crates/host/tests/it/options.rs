//! Options are passed to the agent in the way of the official SDKs.

use std::ffi::OsStr;

use serde_json::{Value, json};
use sluice_host::transport::Start;
use sluice_host::wire::hook::HookOutput;
use sluice_host::{ErrorKind, McpServer, Options, PermissionDecision, Plugin, Skills, SystemPrompt, Thinking, Tools};

fn sdk_options() -> Options {
    // Not set by default in the official SDKs.
    Options::new().replay_user_messages(false)
}

fn argv(options: &Options) -> Vec<String> {
    let args = options.argv(&Start::fresh()).unwrap();
    args.into_iter().map(|arg| arg.into_string().unwrap()).collect()
}

/// Returns the arguments between those that are always present.
fn variable_args(options: &Options) -> Vec<String> {
    let all = argv(options);
    let (first, rest) = all.split_at(3);
    assert_eq!(first, ["--output-format", "stream-json", "--verbose"]);
    let (middle, last) = rest.split_at(rest.len() - 2);
    assert_eq!(last, ["--input-format", "stream-json"]);
    middle.to_vec()
}

/// Checks the arguments that options add, apart from the empty default system prompt.
fn assert_args(options: &Options, words: &[&str]) {
    let middle = variable_args(&options.clone().system_prompt(SystemPrompt::preset()));
    assert_eq!(middle, words);
}

#[test]
fn default_system_prompt_is_empty() {
    assert_eq!(variable_args(&sdk_options()), ["--system-prompt", ""]);
    assert_eq!(
        variable_args(&sdk_options().system_prompt("Be brief")),
        ["--system-prompt", "Be brief"]
    );
    let append = SystemPrompt::Preset {
        append: Some("more".to_owned()),
    };
    assert_eq!(
        variable_args(&sdk_options().system_prompt(append)),
        ["--append-system-prompt", "more"]
    );
    let file = SystemPrompt::File("p.md".into());
    assert_eq!(
        variable_args(&sdk_options().system_prompt(file)),
        ["--system-prompt-file", "p.md"]
    );
}

#[test]
fn every_flag_of_the_official_sdks_is_supported() {
    assert_args(&sdk_options().tools(Tools::Preset), &["--tools", "default"]);
    assert_args(&sdk_options().tools(Vec::<String>::new()), &["--tools", ""]);
    assert_args(&sdk_options().tools(["Read", "Bash"]), &["--tools", "Read,Bash"]);
    assert_args(
        &sdk_options().allowed_tools(["Read", "Bash(git *)"]),
        &["--allowedTools", "Read,Bash(git *)"],
    );
    assert_args(
        &sdk_options().disallowed_tools(["WebFetch"]),
        &["--disallowedTools", "WebFetch"],
    );
    assert_args(&sdk_options().max_turns(3_u64), &["--max-turns", "3"]);
    assert_args(&sdk_options().max_turns(0_u64), &[]);
    assert_args(&sdk_options().max_budget_usd(0.5), &["--max-budget-usd", "0.5"]);
    assert_args(&sdk_options().task_budget(9_u64), &["--task-budget", "9"]);
    assert_args(
        &sdk_options().model("m").fallback_model(["a", "b"]),
        &["--model", "m", "--fallback-model", "a,b"],
    );
    assert_args(&sdk_options().betas(["x"]), &["--betas", "x"]);
    assert_args(&sdk_options().asks(true), &["--permission-prompt-tool", "stdio"]);
    assert_args(
        &sdk_options().on_permission(|_| async { PermissionDecision::allow() }),
        &["--permission-prompt-tool", "stdio"],
    );
    assert_args(
        &sdk_options().permission_prompt_tool_name("mcp__a__b"),
        &["--permission-prompt-tool", "mcp__a__b"],
    );
    assert_args(
        &sdk_options().permission_prompts_none(true),
        &["--permission-prompts", "none"],
    );
    assert_args(&sdk_options().permission_mode("plan"), &["--permission-mode", "plan"]);
    assert_args(
        &sdk_options().allow_dangerously_skip_permissions(true),
        &["--allow-dangerously-skip-permissions"],
    );
    assert_args(&sdk_options().continue_conversation(true), &["--continue"]);
    assert_args(
        &sdk_options().resume("id").fork_session(true),
        &["--resume=id", "--fork-session"],
    );
    assert_args(&sdk_options().session_id("id"), &["--session-id=id"]);
    assert_args(
        &sdk_options().resume_session_at("u").resume_drops_turn(""),
        &["--resume-session-at=u", "--resume-drops-turn="],
    );
    assert_args(&sdk_options().persist_session(false), &["--no-session-persistence"]);
    assert_args(&sdk_options().session_mirror(true), &["--session-mirror"]);
    assert_args(&sdk_options().settings(json!({"a": 1})), &["--settings", "{\"a\":1}"]);
    assert_args(
        &sdk_options().sandbox(json!({"enabled": true})),
        &["--settings", "{\"sandbox\":{\"enabled\":true}}"],
    );
    assert_args(
        &sdk_options().managed_settings(json!({})),
        &["--managed-settings", "{}"],
    );
    assert_args(
        &sdk_options().setting_sources(["user", "local"]),
        &["--setting-sources=user,local"],
    );
    assert_args(
        &sdk_options().setting_sources(Vec::<String>::new()),
        &["--setting-sources="],
    );
    assert_args(
        &sdk_options().add_dirs(["/a", "/b"]),
        &["--add-dir", "/a", "--add-dir", "/b"],
    );
    assert_args(&sdk_options().project_config_root("/r"), &["--project-config-root=/r"]);
    assert_args(&sdk_options().strict_mcp_config(true), &["--strict-mcp-config"]);
    assert_args(&sdk_options().mcp_config("m.json"), &["--mcp-config", "m.json"]);
    let plugin = Plugin {
        path: "/q".into(),
        skip_mcp: true,
    };
    assert_args(
        &sdk_options().plugins([Plugin::from("/p"), plugin]),
        &["--plugin-dir", "/p", "--plugin-dir-no-mcp=/q"],
    );
    assert_args(
        &sdk_options().include_partial_messages(true),
        &["--include-partial-messages"],
    );
    assert_args(&sdk_options().include_hook_events(true), &["--include-hook-events"]);
    assert_args(&sdk_options().agent("lead"), &["--agent", "lead"]);
    let adaptive = Thinking::Adaptive(Some("omitted".to_owned()));
    assert_args(
        &sdk_options().thinking(adaptive),
        &["--thinking", "adaptive", "--thinking-display", "omitted"],
    );
    assert_args(&sdk_options().thinking(Thinking::Disabled), &["--thinking", "disabled"]);
    assert_args(
        &sdk_options().thinking(Thinking::Enabled(1024)),
        &["--max-thinking-tokens", "1024"],
    );
    assert_args(
        &sdk_options().max_thinking_tokens(5_u64),
        &["--max-thinking-tokens", "5"],
    );
    assert_args(&sdk_options().effort("high"), &["--effort", "high"]);
    assert_args(
        &sdk_options().output_schema(json!({"type": "object"})),
        &["--json-schema", "{\"type\":\"object\"}"],
    );
    assert_args(
        &sdk_options().debug(true).debug_file("/d"),
        &["--debug", "--debug-file=/d"],
    );
    assert_args(
        &sdk_options()
            .extra_arg("x", None)
            .extra_arg("y", Some("-1"))
            .extra_arg("z", Some("2")),
        &["--x", "--y=-1", "--z", "2"],
    );
    assert_args(
        &sdk_options().skills(Skills::All),
        &["--allowedTools", "Skill", "--setting-sources=user,project"],
    );
    let one = Skills::Only(vec!["pdf".to_owned()]);
    assert_args(
        &sdk_options().skills(one),
        &["--allowedTools", "Skill(pdf)", "--setting-sources=user,project"],
    );
    assert_args(&Options::new(), &["--replay-user-messages"]);
}

#[test]
fn external_and_in_process_servers_are_on_the_command_line() {
    let options = sdk_options()
        .mcp_server_config("files", json!({"command": "files"}))
        .mcp_server(McpServer::new("calc"));
    let middle = variable_args(&options);
    let at = middle.iter().position(|arg| arg == "--mcp-config").unwrap();
    let config: Value = serde_json::from_str(&middle[at + 1]).unwrap();
    let expected = json!({"mcpServers": {"files": {"command": "files"}, "calc": {"type": "sdk", "name": "calc"}}});
    assert_eq!(config, expected);
    assert_eq!(options.greeting().sdk_mcp_servers.unwrap(), ["calc"]);
}

#[test]
fn restarted_agent_resumes_only_its_session() {
    let options = sdk_options()
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
fn contradicting_options_are_rejected() {
    let both = sdk_options().asks(true).permission_prompt_tool_name("mcp__a__b");
    assert_eq!(both.argv(&Start::fresh()).unwrap_err().kind(), ErrorKind::Options);
    let neither = sdk_options().asks(true).permission_prompts_none(true);
    assert_eq!(neither.argv(&Start::fresh()).unwrap_err().kind(), ErrorKind::Options);
}

#[test]
fn environment_identifies_the_host() {
    let options = sdk_options()
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
    assert_eq!(value("CLAUDECODE"), Some(None), "a nested agent is independent");
    let own = sdk_options()
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
fn initialize_numbers_hooks_across_events() {
    let options = sdk_options()
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
