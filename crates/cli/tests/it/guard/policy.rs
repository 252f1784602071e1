//! Managed settings and the rules of a session.

use serde_json::{Value, json};

use super::{Guard, STREAM, outcomes};
use crate::binary::Ran;

/// Runs with these managed settings.
fn managed(guard: &Guard, settings: &Value, args: &[&str]) -> Ran {
    let settings = settings.to_string();
    let args: Vec<&str> = STREAM
        .iter()
        .chain(args)
        .copied()
        .chain(["--managed-settings", &settings])
        .collect();
    let mut command = guard.lab.command(&args);
    // Without this variable, root may not use that mode.
    command
        .env("IS_SANDBOX", "1")
        .arg("hi")
        .stdin(std::process::Stdio::null());
    Ran::from(command.output().unwrap())
}

#[test]
fn a_launch_in_bypass_mode_does_not_outrank_managed_settings() {
    let settings = json!({"permissions": {"disableBypassPermissionsMode": "disable"}});
    for args in [
        &["--permission-mode", "bypassPermissions"][..],
        &["--dangerously-skip-permissions"],
        &[
            "--allow-dangerously-skip-permissions",
            "--permission-mode",
            "bypassPermissions",
        ],
    ] {
        let guard = Guard::new(&["touch made"]);
        let ran = managed(&guard, &settings, args);
        assert!(!guard.lab.has("made"), "{args:?} {ran:?}");
    }
}

#[test]
fn allow_rules_of_the_command_line_do_not_outrank_managed_settings() {
    let settings = json!({"allowManagedPermissionRulesOnly": true, "permissions": {"allow": ["Bash(mkdir own)"]}});
    let guard = Guard::new(&["touch made", "mkdir own"]);
    let ran = managed(&guard, &settings, &["--allowedTools", "Bash(touch:*)"]);
    let denied: Vec<bool> = outcomes(&ran).iter().map(|call| call.denied).collect();
    assert_eq!(denied, [true, false], "{ran:?}");
    assert!(!guard.lab.has("made") && guard.lab.has("own"), "{ran:?}");
}

#[test]
fn an_allow_rule_for_a_server_covers_no_other_server() {
    for (server, allowed) in [("github", true), ("github__evil", false), ("github_", false)] {
        let tool = format!("mcp__{server}__go");
        let guard = Guard::calling(&[(&tool, json!({}))]);
        let script = guard.lab.home().join("server.sh");
        std::fs::write(&script, crate::floods::SERVER).unwrap();
        let servers = json!({"mcpServers": {server: {"command": "bash", "args": [script, "small"]}}}).to_string();
        let calls = guard.run(&["--mcp-config", &servers, "--allowedTools", "mcp__github"]);
        assert!(calls.len() == 1 && calls[0].denied != allowed, "{server}: {calls:?}");
    }
}
