//! Starting sessions, and errors at the start.

use std::io::Write as _;
use std::process::Command;

use serde_json::{Value, json};

use crate::binary::{Lab, Ran, kinds, says};

const STREAM: [&str; 5] = [
    "--output-format",
    "stream-json",
    "--input-format",
    "stream-json",
    "--verbose",
];

fn prompt(text: &str) -> String {
    let message = json!({"type": "user", "message": {"role": "user", "content": text}});
    format!("{message}\n")
}

fn initialize(fields: &Value) -> String {
    let mut request = json!({"subtype": "initialize"});
    request
        .as_object_mut()
        .unwrap()
        .extend(fields.as_object().unwrap().clone());
    format!(
        "{}\n",
        json!({"type": "control_request", "request_id": "r1", "request": request})
    )
}

/// Runs with a host that requests results for startup failures.
fn told(lab: &Lab, args: &[&str], stdin: &str) -> Ran {
    let mut command = lab.command(args);
    let mut child = command.env("CLAUDE_CODE_STARTUP_FAILURE_RESULTS", "1").spawn().unwrap();
    child.stdin.take().unwrap().write_all(stdin.as_bytes()).ok();
    Ran::from(child.wait_with_output().unwrap())
}

#[test]
fn initialize_is_waited_for_and_read() {
    let lab = Lab::new(&json!([says("Hello")]));
    let args = [&STREAM[..], &["--await-initialize"]].concat();
    let ran = lab.run(&args, &format!("\n{}{}", initialize(&json!({})), prompt("hi")));
    assert_eq!(
        kinds(&ran.lines()),
        ["control_response", "system/init", "assistant", "result/success"]
    );
    assert_eq!(lab.run(&args, "").clean(), "", "no input is no session");
}

#[test]
fn another_first_message_is_refused_with_text_and_reason() {
    let lab = Lab::new(&json!([]));
    let args = [&STREAM[..], &["--await-initialize"]].concat();
    let ran = lab.run(&args, &prompt("hi"));
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""));
    assert!(ran.stderr.contains("a different message"), "{ran:?}");
    let ran = told(&lab, &args, &prompt("hi"));
    let [result] = &ran.lines()[..] else { panic!("{ran:?}") };
    assert_eq!(result["subtype"], "error_during_execution");
    assert_eq!(result["startup_failure_reason"], "initialize_not_first");
    assert_eq!([&result["is_error"], &result["num_turns"]], [&json!(true), &json!(0)]);
    assert!(result["errors"][0].as_str().unwrap().contains("first stdin line"));
}

#[test]
fn managed_settings_come_with_initialize() {
    let lab = Lab::new(&json!([says("Hello")]));
    let args = [&STREAM[..], &["--await-initialize", "--managed-settings-in-initialize"]].concat();
    let settings = json!({"managedSettings": {"permissions": {"deny": ["Bash"]}}});
    let ran = lab.run(&args, &format!("{}{}", initialize(&settings), prompt("hi")));
    let lines = ran.lines();
    let init = lines.iter().find(|line| line["subtype"] == "init").unwrap();
    assert!(!init["tools"].as_array().unwrap().contains(&json!("Bash")), "{init}");
    let ran = told(&lab, &args, &initialize(&json!({})));
    assert_eq!(
        ran.lines()[0]["startup_failure_reason"],
        "managed_settings_not_delivered"
    );
    let alone = [&STREAM[..], &["--managed-settings-in-initialize"]].concat();
    let ran = told(&lab, &alone, "");
    assert_eq!(
        ran.lines()[0]["startup_failure_reason"],
        "managed_settings_not_delivered"
    );
}

/// Runs git in the working folder of a lab.
pub(crate) fn git(lab: &Lab, args: &[&str]) {
    let identity = ["-c", "user.name=n", "-c", "user.email=e"];
    let git = Command::new("git")
        .args(identity)
        .args(args)
        .current_dir(lab.work())
        .status();
    assert!(git.unwrap().success(), "{args:?}");
}

const IN_WORKTREE: [&str; 7] = [
    "-p",
    "hi",
    "--worktree",
    "one",
    "--output-format",
    "stream-json",
    "--verbose",
];

#[test]
fn a_worktree_of_a_plain_repository_needs_no_trust_and_is_entered_again() {
    let lab = Lab::new(&json!([says("Hello"), says("Again")]));
    let refused = lab.run(&IN_WORKTREE, "");
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("git repository"), "{refused:?}");
    git(&lab, &["init", "-q"]);
    git(&lab, &["commit", "-q", "--allow-empty", "-m", "x"]);
    for _ in 0..2 {
        let ran = lab.run(&IN_WORKTREE, "");
        let cwd = ran.lines()[0]["cwd"].as_str().unwrap().to_owned();
        assert!(cwd.ends_with("work/.claude/worktrees/one"), "{cwd}");
    }
    assert!(lab.has(".claude/worktrees/one/.git"));
}

#[test]
fn filter_programs_of_a_repository_run_for_a_worktree_only_in_a_trusted_folder() {
    let lab = Lab::new(&json!([says("Hello"), says("Hello")]));
    let ran = lab.work().join("ran");
    git(&lab, &["init", "-q"]);
    std::fs::write(lab.work().join(".gitattributes"), "* filter=f\n").unwrap();
    git(&lab, &["add", "."]);
    git(&lab, &["commit", "-q", "-m", "x"]);
    git(
        &lab,
        &["config", "filter.f.smudge", &format!("touch '{}'; cat", ran.display())],
    );
    let refused = lab.run(&IN_WORKTREE, "");
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("filter.f.smudge: touch"), "{refused:?}");
    assert!(!ran.exists() && !lab.has(".claude/worktrees/one"));
    let trusted: Vec<&str> = IN_WORKTREE.into_iter().chain(["--trust-folder"]).collect();
    lab.run(&trusted, "").clean();
    assert!(ran.exists());
}

#[test]
fn a_work_tree_elsewhere_is_refused() {
    let lab = Lab::new(&json!([says("Hello")]));
    git(&lab, &["init", "-q"]);
    git(&lab, &["commit", "-q", "--allow-empty", "-m", "x"]);
    let elsewhere = tempfile::tempdir().unwrap();
    git(
        &lab,
        &["config", "core.worktree", &elsewhere.path().display().to_string()],
    );
    let refused = lab.run(&IN_WORKTREE, "");
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("does not contain"), "{refused:?}");
    assert_eq!(std::fs::read_dir(elsewhere.path()).unwrap().count(), 0);
}

#[test]
fn an_additional_folder_that_is_missing_is_reported() {
    let lab = Lab::new(&json!([says("Hello")]));
    std::fs::write(lab.work().join("file"), "").unwrap();
    let ran = lab.run(&["-p", "hi", "--add-dir", "missing", "file", "."], "");
    assert_eq!((ran.code, ran.stdout.trim()), (Some(0), "Hello"), "{ran:?}");
    assert!(ran.stderr.contains("--add-dir missing: no such folder"), "{ran:?}");
    assert!(ran.stderr.contains("--add-dir file: not a folder"), "{ran:?}");
    assert_eq!(ran.stderr.matches("--add-dir").count(), 2, "{ran:?}");
}

#[test]
fn the_debug_log_contains_events() {
    let lab = Lab::new(&json!([says("Hello"), says("Hello"), says("Hello")]));
    lab.run(&["-p", "hi", "--debug-file", "log.txt"], "").clean();
    let log = std::fs::read_to_string(lab.work().join("log.txt")).unwrap();
    for part in [
        "startup: 2.1.326",
        "api: model",
        "<- {\"type\":\"user\"",
        "-> {",
        "ended with 0",
    ] {
        assert!(log.contains(part), "{part}: {log}");
    }
    lab.run(&["-p", "hi", "--debug-file", "some.txt", "--debug", "startup"], "")
        .clean();
    let some = std::fs::read_to_string(lab.work().join("some.txt")).unwrap();
    assert!(some.lines().all(|line| line.contains("[DEBUG] startup: ")), "{some}");
    lab.run(&["-p", "hi", "-d"], "").clean();
    let latest = std::fs::read_to_string(lab.work().join("../home/.claude/debug/latest")).unwrap();
    assert!(latest.contains("ended with 0"), "{latest}");
}

#[test]
fn a_bare_session_has_few_tools_and_no_customisation() {
    let lab = Lab::new(&json!([says("Hello")]));
    std::fs::write(lab.work().join("CLAUDE.md"), "Be kind.").unwrap();
    let ran = lab.run(
        &["-p", "hi", "--bare", "--output-format", "stream-json", "--verbose"],
        "",
    );
    let init = &ran.lines()[0];
    let mut tools: Vec<&str> = init["tools"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    tools.sort_unstable();
    assert_eq!(tools, ["Bash", "Edit", "Read"], "{init}");
    assert_eq!(init["memory_paths"], Value::Null);
}

#[test]
fn unsupported_flags_print_an_error_and_a_hint() {
    let lab = Lab::new(&json!([]));
    for args in [
        &["--bg", "hi"][..],
        &["-p", "hi", "--from-pr", "12"],
        &["--sdk-url", "wss://x"],
    ] {
        let ran = lab.run(args, "");
        assert_eq!(ran.code, Some(1), "{ran:?}");
        assert_eq!(ran.stderr.lines().count(), 2, "{ran:?}");
        assert!(ran.stderr.contains("is not available here\nhint: "), "{ran:?}");
    }
}

#[test]
fn doctor_names_what_is_wrong_and_says_so_by_its_exit_code() {
    let lab = Lab::new(&json!([]));
    let fine = lab.run(&["doctor"], "");
    assert!(fine.clean().contains("no problems"), "{fine:?}");
    std::fs::create_dir_all(lab.work().join(".claude/agents")).unwrap();
    std::fs::write(lab.work().join(".claude/settings.json"), "{").unwrap();
    std::fs::write(
        lab.work().join(".claude/agents/a.md"),
        "---\nname: a\n---\nNo description.",
    )
    .unwrap();
    std::fs::write(
        lab.work().join(".mcp.json"),
        r#"{"mcpServers": {"s": {"type": "http"}}}"#,
    )
    .unwrap();
    let ran = lab.run(&["doctor"], "");
    assert_eq!(ran.code, Some(1));
    for part in ["settings.json", "a.md", "The server s", "3 problems"] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
}

#[test]
fn a_plugin_is_checked_without_a_session() {
    let lab = Lab::new(&json!([]));
    let folder = lab.work().join("p");
    std::fs::create_dir_all(folder.join(".claude-plugin")).unwrap();
    std::fs::create_dir_all(folder.join("commands")).unwrap();
    std::fs::write(folder.join("commands/c.md"), "Do it.").unwrap();
    std::fs::write(folder.join(".claude-plugin/plugin.json"), r#"{"name": "p"}"#).unwrap();
    let ran = lab.run(&["plugin", "validate", "p"], "");
    assert!(ran.clean().ends_with("p is valid\n"), "{ran:?}");
    assert_eq!(lab.run(&["plugin", "validate", "p", "--strict"], "").code, Some(1));
    let ran = lab.run(&["plugin", "validate", "none", "--json"], "");
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((ran.code, &report["valid"]), (Some(1), &json!(false)));
    assert_eq!(lab.run(&["plugin", "list", "--json"], "").clean(), "[]\n");
}

#[test]
fn available_credentials_are_reported_to_programs() {
    let lab = Lab::new(&json!([]));
    let ran = lab.run(&["auth", "status"], "");
    let status: Value = serde_json::from_str(ran.clean()).unwrap();
    let config = lab.home().join(".claude");
    let expected = json!({
        "loggedIn": true,
        "authMethod": "api_key",
        "apiProvider": "firstParty",
        "analyticsDisabled": true,
        "projectsDirectory": config.join("projects"),
        "configDirectory": config,
        "loginExpiresAt": null,
        "consoleProfileSignInOffered": false,
        "apiKeySource": "ANTHROPIC_API_KEY",
    });
    assert_eq!(status, expected);

    let mut command = lab.command(&["auth", "status", "--text"]);
    command
        .env_remove("ANTHROPIC_API_KEY")
        .env("CLAUDE_CODE_OAUTH_TOKEN", "token");
    let ran = Ran::from(command.spawn().unwrap().wait_with_output().unwrap());
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(lines[0], "Auth token: CLAUDE_CODE_OAUTH_TOKEN");
    assert!(lines[1].starts_with("Anthropic base URL: http"), "{ran:?}");
}

#[test]
fn a_custom_server_has_custom_models() {
    let lab = Lab::new(&json!([says("Hello")]));
    let args = [
        "-p",
        "hi",
        "--model",
        "sonnet",
        "--output-format",
        "stream-json",
        "--verbose",
    ];
    let child = lab
        .command(&args)
        .env("ANTHROPIC_DEFAULT_SONNET_MODEL", "own-model")
        .spawn();
    let ran = Ran::from(child.unwrap().wait_with_output().unwrap());
    assert_eq!(ran.lines()[0]["model"], "own-model", "{ran:?}");
}

#[test]
fn trust_folder_starts_the_servers_of_the_project() {
    let lab = Lab::new(&json!([says("Hello"), says("Hello")]));
    let server = json!({"command": "sh", "args": ["-c", "touch started"]});
    let file = json!({"mcpServers": {"tracker": server}});
    std::fs::write(lab.work().join(".mcp.json"), file.to_string()).unwrap();
    lab.run(&["-p", "hi"], "");
    assert!(!lab.has("started"));
    let ran = lab.run(&["-p", "hi", "--trust-folder"], "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(lab.has("started"), "{ran:?}");
}
