//! A session that moves into a git worktree and back.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use sluice_engine::{Asker, Options};
use sluice_simulator::Script;
use sluice_wire::mode::PermissionMode;

use crate::stage::Stage;

fn git(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=x", "-c", "user.email=x@example.com"]);
    let output = command.args(arguments).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// A session in a repository with one commit.
async fn in_repository(script: Script, change: impl FnOnce(&mut Options)) -> Stage {
    Stage::with(script, |options| {
        git(&options.cwd, &["init", "-q"]);
        std::fs::write(options.cwd.join("kept"), "x").unwrap();
        git(&options.cwd, &["add", "kept"]);
        git(&options.cwd, &["commit", "-q", "-m", "x"]);
        let path = std::env::var_os("PATH").unwrap_or_default();
        std::sync::Arc::make_mut(&mut options.env).push(("PATH".into(), path));
        options.permissions.allowed = vec!["Bash(pwd)".into()];
        change(options);
    })
    .await
}

/// The results of the calls, as hosts see them.
fn results(stage: &Stage) -> Vec<Value> {
    let users = stage.heard.iter().filter(|message| message["type"] == "user");
    users.map(|message| message["tool_use_result"].clone()).collect()
}

#[tokio::test]
async fn session_works_in_the_worktree_until_it_leaves() {
    let script = Script::new()
        .tool("EnterWorktree", json!({"name": "one"}))
        .tool("Bash", json!({"command": "pwd"}))
        .text("There")
        .tool("EnterWorktree", json!({}))
        .tool("ExitWorktree", json!({"action": "remove"}))
        .tool("Bash", json!({"command": "pwd"}))
        .text("Back")
        .tool("ExitWorktree", json!({"action": "keep"}))
        .text("Done");
    let mut stage = in_repository(script, |_| {}).await;
    let root = stage.dir.path().canonicalize().unwrap();
    let tree = root.join(".claude/worktrees/one");
    stage.prompt("go").await;
    stage.result().await;
    let came = results(&stage);
    assert_eq!(came[0]["worktreePath"], json!(tree));
    assert_eq!(came[0]["worktreeBranch"], "worktree-one");
    assert_eq!(came[1]["stdout"], json!(tree));

    stage.prompt("and back").await;
    let init = stage.until("init").await;
    assert_eq!(init["cwd"], json!(tree));
    assert_eq!(init["original_cwd"], json!(tree));
    stage.result().await;
    assert!(
        stage.sent(4)["messages"]
            .to_string()
            .contains(&format!("Working directory: {}", tree.display()))
    );
    let came = results(&stage);
    assert!(
        came[2].as_str().unwrap().contains("already works in the worktree"),
        "{}",
        came[2]
    );
    assert_eq!(came[3]["action"], "remove");
    assert_eq!(came[3]["restoredCwd"], came[3]["originalCwd"]);
    assert_eq!(came[3]["originalCwdMissing"], false);
    assert_eq!(
        (&came[3]["discardedFiles"], &came[3]["discardedCommits"]),
        (&json!(0), &json!(0))
    );
    assert_eq!(came[4]["stdout"], stage.dir.path().display().to_string());
    assert!(!tree.exists());
    assert_eq!(git(&root, &["branch", "--list", "worktree-*"]), "");

    stage.prompt("again").await;
    stage.result().await;
    assert!(results(&stage)[5].as_str().unwrap().contains("none to leave"));
    stage.leave_now().await;
}

#[tokio::test]
async fn edits_outside_of_the_worktree_need_permission() {
    let script = Script::new()
        .tool("EnterWorktree", json!({"name": "one"}))
        .tool("Write", json!({"file_path": "new", "content": "x"}))
        .tool("Write", json!({"file_path": "../../../new", "content": "y"}))
        .text("Done");
    let mut stage = in_repository(script, |options| {
        options.permissions.mode = Some(PermissionMode::AcceptEdits);
        options.permissions.asker = Asker::Host;
    })
    .await;
    let root = stage.dir.path().canonicalize().unwrap();
    stage.prompt("go").await;
    let ask = stage.ask().await;
    assert_eq!(ask["request"]["input"]["file_path"], json!(root.join("new")));
    assert!(root.join(".claude/worktrees/one/new").exists());
    stage.deny(&ask).await;
    stage.result().await;
    assert!(!root.join("new").exists());
    stage.leave_now().await;
}

#[tokio::test]
async fn worktree_with_changes_is_not_removed() {
    let script = Script::new()
        .tool("EnterWorktree", json!({"name": "one"}))
        .tool("Bash", json!({"command": "touch new"}))
        .tool("ExitWorktree", json!({"action": "remove"}))
        .tool("ExitWorktree", json!({"action": "remove", "discard_changes": true}))
        .text("Done");
    let mut stage = in_repository(script, |options| options.permissions.allowed = vec!["Bash".into()]).await;
    stage.prompt("go").await;
    stage.result().await;
    let came = results(&stage);
    let refused = came[2].as_str().unwrap();
    assert!(refused.contains("1 change uncommitted"), "{refused}");
    assert_eq!(came[3]["discardedFiles"], 1);
    assert!(!stage.dir.path().join(".claude/worktrees/one").exists());
    stage.leave_now().await;
}

#[tokio::test]
async fn kept_worktree_can_be_entered_by_path_but_not_removed() {
    let script = Script::new()
        .tool("EnterWorktree", json!({"name": "one"}))
        .tool("ExitWorktree", json!({"action": "keep"}))
        .tool("EnterWorktree", json!({"path": ".claude/worktrees/one"}))
        .tool("ExitWorktree", json!({"action": "remove", "discard_changes": true}))
        .tool("EnterWorktree", json!({"path": "/etc"}))
        .text("Done");
    let mut stage = in_repository(script, |_| {}).await;
    stage.prompt("go").await;
    stage.result().await;
    let came = results(&stage);
    assert_eq!(came[1]["action"], "keep");
    assert_eq!(came[2]["worktreeBranch"], "worktree-one");
    assert!(
        came[3].as_str().unwrap().contains("not created with EnterWorktree"),
        "{}",
        came[3]
    );
    assert!(came[4].as_str().unwrap().contains("not a worktree"), "{}", came[4]);
    assert!(stage.dir.path().join(".claude/worktrees/one").exists());
    stage.leave_now().await;
}

#[tokio::test]
async fn hooks_create_and_remove_the_worktree() {
    let hook = |command: &str| json!([{"hooks": [{"type": "command", "command": command}]}]);
    let script = Script::new()
        .tool("EnterWorktree", json!({"name": "one"}))
        .tool("Bash", json!({"command": "pwd"}))
        .tool("ExitWorktree", json!({"action": "remove"}))
        .text("Done");
    let mut stage = Stage::with(script, |options| {
        options.permissions.allowed = vec!["Bash".into()];
        let create = "mkdir -p \"$CLAUDE_PROJECT_DIR/trees/one\"; echo \"$CLAUDE_PROJECT_DIR/trees/one\"";
        let hooks = json!({"hooks": {
            "WorktreeCreate": hook(create),
            "WorktreeRemove": hook("cat > \"$HOME/removed\""),
        }});
        let home = options.folders.home.clone();
        std::sync::Arc::make_mut(&mut options.env).push(("HOME".into(), home.into()));
        options.settings.set_flag(hooks.as_object().unwrap());
    })
    .await;
    stage.prompt("go").await;
    stage.result().await;
    let came = results(&stage);
    assert!(came[1]["stdout"].as_str().unwrap().ends_with("trees/one"), "{came:?}");
    assert_eq!(came[2]["action"], "remove");
    let removed = std::fs::read_to_string(stage.dir.path().join("home/removed")).unwrap();
    let removed: Value = serde_json::from_str(&removed).unwrap();
    assert_eq!(removed["worktree_path"], came[0]["worktreePath"]);
    stage.leave_now().await;
}
