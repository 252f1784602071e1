//! Worktree tools and goals in the binary.

use serde_json::{Value, json};

use crate::binary::{Lab, says};

fn call(name: &str, input: &Value) -> Value {
    json!([{"type": "tool_use", "id": format!("toolu_{name}"), "name": name, "input": input}])
}

const PRINT: [&str; 7] = [
    "-p",
    "go",
    "--output-format",
    "stream-json",
    "--verbose",
    "--allowedTools",
    "Bash(pwd)",
];

/// Returns the `tool_use_result` of each call.
fn results(messages: &[Value]) -> Vec<Value> {
    let users = messages.iter().filter(|message| message["type"] == "user");
    users.map(|message| message["tool_use_result"].clone()).collect()
}

#[test]
fn the_model_moves_the_session_into_a_worktree_and_back() {
    let lab = Lab::new(&json!([
        call("EnterWorktree", &json!({"name": "one"})),
        call("Bash", &json!({"command": "pwd"})),
        call("ExitWorktree", &json!({"action": "remove"})),
        says("Done"),
    ]));
    for arguments in [
        ["init", "-q", ".", "-b", "main"].as_slice(),
        &[
            "-c",
            "user.name=x",
            "-c",
            "user.email=x@y",
            "commit",
            "-q",
            "--allow-empty",
            "-m",
            "x",
        ],
    ] {
        let git = std::process::Command::new("git")
            .args(arguments)
            .current_dir(lab.work())
            .status();
        assert!(git.unwrap().success());
    }
    let ran = lab.run(&PRINT, "");
    let came = results(&ran.lines());
    assert_eq!(came[0]["worktreeBranch"], "worktree-one");
    assert!(
        came[1]["stdout"].as_str().unwrap().ends_with(".claude/worktrees/one"),
        "{came:?}"
    );
    assert_eq!(came[2]["action"], "remove");
    assert!(!lab.has(".claude/worktrees/one"));
}

#[test]
fn a_goal_is_pursued_in_print_mode() {
    let lab = Lab::new(&json!([
        says("I begin"),
        says("{\"met\": false, \"reason\": \"not yet\"}"),
        says("I am done"),
        says("{\"met\": true, \"reason\": \"it is\"}"),
    ]));
    let ran = lab.run(&["-p", "/goal be done"], "");
    assert_eq!(ran.clean().trim(), "I am done");
}
