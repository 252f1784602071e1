//! Files with prompts, answers and tool results are readable only by their owner, with any umask.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use pty_process::blocking::Command as PtyCommand;
use serde_json::json;

use crate::binary::Lab;
use crate::terminal::Terminal;
use crate::terminal_asks::send;
use crate::terminal_journeys::{IDLE, leave};

/// Collects files below `folder` that others can read or write, and folders that others can enter.
fn open_to_others(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let metadata = entry.path().symlink_metadata().unwrap();
        if metadata.is_symlink() {
            continue;
        }
        if metadata.permissions().mode() & 0o077 != 0 {
            found.push(format!(
                "{:o} {}",
                metadata.permissions().mode(),
                entry.path().display()
            ));
        }
        if metadata.is_dir() {
            open_to_others(&entry.path(), found);
        }
    }
}

/// Returns the command line that runs the binary with umask 000.
fn without_umask(args: &[&str]) -> Vec<String> {
    let mut line = vec![
        "-c".to_owned(),
        "umask 000; exec \"$@\"".to_owned(),
        "sh".to_owned(),
        env!("CARGO_BIN_EXE_sluice").to_owned(),
    ];
    line.extend(args.iter().map(|arg| (*arg).to_owned()));
    line
}

fn lab() -> Lab {
    let write = json!({"type": "tool_use", "name": "Write", "input": {"file_path": "made.txt", "content": "x"}});
    let edit = json!({"type": "tool_use", "name": "Bash", "input": {"command": "seq 1 40000", "description": "count"}});
    let agent = json!({"type": "tool_use", "name": "Agent", "input": {"description": "d", "prompt": "p", "subagent_type": "general-purpose"}});
    let says = |text: &str| json!([{"type": "text", "text": text}]);
    Lab::new(&json!([
        [write],
        [edit],
        [agent],
        says("from the agent"),
        says("done"),
        says("again")
    ]))
}

fn assert_private(lab: &Lab) {
    let mut found = Vec::new();
    open_to_others(&lab.home(), &mut found);
    assert_eq!(found, [] as [&str; 0]);
}

#[test]
fn a_print_run_leaves_private_files_only() {
    let lab = lab();
    let args = ["-p", "go", "--debug", "--dangerously-skip-permissions"];
    let mut command = std::process::Command::new("/bin/sh");
    command.args(without_umask(&args));
    for (name, value) in lab.command(&[]).get_envs() {
        command.env(name, value.unwrap_or_default());
    }
    command
        .env("CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING", "1")
        .env("IS_SANDBOX", "1")
        .current_dir(lab.work())
        .stdin(std::process::Stdio::null());
    let ran = command.output().unwrap();
    assert!(ran.status.success(), "{ran:?}");
    assert!(lab.home().join(".claude/projects").is_dir());
    assert!(lab.home().join(".claude/debug").is_dir());
    assert_private(&lab);
}

#[test]
fn the_terminal_leaves_private_files_only() {
    let lab = lab();
    let home = lab.home();
    let work = lab.work();
    let base = lab.command(&[]);
    let mut command = PtyCommand::new("/bin/sh").args(without_umask(&["--allowedTools", "Bash", "Write", "Agent"]));
    for (name, value) in base.get_envs() {
        command = command.env(name, value.unwrap_or_default());
    }
    command = command
        .env("TERM", "xterm-256color")
        .env("LANG", "C.UTF-8")
        .current_dir(&work);
    let terminal = Terminal::of(lab, command, 100, 30);
    terminal.shows(IDLE);
    send(&terminal, "go");
    // The subagent runs in the background, so its report is a separate turn.
    terminal.shows("again");
    terminal.shows(IDLE);
    send(&terminal, "/export talk.md");
    terminal.shows("written to talk.md");
    let mode = fs::metadata(work.join("talk.md")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "the export");
    let mut found = Vec::new();
    open_to_others(&home, &mut found);
    assert_eq!(found, [] as [&str; 0]);
    assert!(home.join(".claude/history.jsonl").exists());
    leave(terminal);
}
