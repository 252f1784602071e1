//! Runs arbitrary command lines that are allowed while `zap` is denied: none of them may run `zap` in real bash.
//!
//! Bash runs in a namespace without a network, with only `zap` on its `PATH`, which creates a marker file. Command lines
//! that could run a program by its path or write a file are analysed but not run.
#![no_main]

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use serde_json::json;
use sluice_permission::{Behavior, Call, Lexical, Policy, Rule, Source, ToolFacts, Verdict, decide};

static HOME: LazyLock<PathBuf> = LazyLock::new(|| {
    let home = std::env::temp_dir().join(format!("sluice-fuzz-{}", std::process::id()));
    std::fs::create_dir_all(home.join("bin")).expect("the folder of zap");
    let zap = home.join("bin/zap");
    std::fs::write(&zap, "#!/bin/sh\n: > \"$ZAP_MARK\"\n").expect("zap");
    std::fs::set_permissions(&zap, std::fs::Permissions::from_mode(0o755)).expect("the permissions of zap");
    home
});

static POLICY: LazyLock<Policy> = LazyLock::new(|| {
    let mut policy = Policy::new("/w", "/home/u");
    for (behavior, text) in [(Behavior::Allow, "Bash"), (Behavior::Deny, "Bash(zap:*)")] {
        let rule = Rule::parse(behavior, Source::User, "/w", text).expect("a rule");
        policy.rules.push(rule);
    }
    policy
});

fuzz_target!(|line: &str| {
    let input = json!({ "command": line });
    let decision = decide(&POLICY, &Call::new(ToolFacts::command("command"), &input, Path::new("/w")), &Lexical);
    let safe_to_run = !line.contains(['/', '>', '\0', '~', '*', '?', '&']);
    if decision.behavior != Verdict::Allow || !safe_to_run {
        return;
    }
    let mark = HOME.join("mark");
    let _ = std::fs::remove_file(&mark);
    let status = Command::new("/usr/bin/timeout")
        .args(["2", "/usr/bin/unshare", "-rn", "/bin/bash", "--noprofile", "--norc", "-c", line])
        .env_clear()
        .env("PATH", HOME.join("bin"))
        .env("ZAP_MARK", &mark)
        .current_dir(&*HOME)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    assert!(status.is_ok(), "bash could not be started");
    assert!(!mark.exists(), "allowed although it runs zap: {line:?}");
});
