//! Life and end of commands inside, and the messages about them, for both sandboxes.
#![allow(clippy::print_stderr)]

use std::fs;
use std::sync::Arc;

use serde_json::json;
use sluice_tools::TaskStatus;
use sluice_tools::sandbox::{Kind, Sandbox};

use crate::sandbox_lab::{Inside, config, each, eventually, runs, skip};
use crate::support::{Lab, said};

#[tokio::test]
async fn refusals_are_explained_and_not_tried_again_outside() {
    for inside in each(&json!({})) {
        let base = inside.base.display();
        let outcome = inside.refused(&format!("echo x >{base}/outside/new")).await;
        let text = said(&outcome);
        let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("[sandbox: ")).collect();
        assert_eq!(lines.len(), 1, "{text}");
        assert!(lines[0].contains(&inside.kind.to_string()) && lines[0].contains("ask the person"));
        assert!(!inside.base.join("outside/new").exists());
        // an error of the command itself is not attributed to the sandbox
        assert_eq!(said(&inside.refused("echo sorry; exit 3").await), "Exit code 3\nsorry");
    }
}

#[tokio::test]
async fn asking_to_leave_the_sandbox_works_only_where_it_is_allowed() {
    for (allowed, kind) in [
        (true, Kind::Bubblewrap),
        (false, Kind::Bubblewrap),
        (false, Kind::Landlock),
    ] {
        let settings = json!({"allowUnsandboxedCommands": allowed, "excludedCommands": ["printf"]});
        let Some(inside) = Inside::new(kind, &settings) else {
            continue;
        };
        let outside = inside.base.join("outside/new");
        let command = format!("echo x >{}", outside.display());
        let input = json!({"command": command, "dangerouslyDisableSandbox": true});
        let outcome = inside.lab.call("Bash", input).await;
        assert_eq!(outcome.is_error, Some(!allowed), "{}", said(&outcome));
        assert_eq!(outside.exists(), allowed);
        let outcome = inside.bash("printf x").await;
        assert_eq!(outcome.result.get("sandbox"), None);
        inside.fine("printf x; true").await;
    }
}

#[tokio::test]
async fn a_sandbox_that_cannot_be_made_refuses_every_command() {
    let mut lab = Lab::new();
    let base = lab.work.parent().unwrap().to_owned();
    // Landlock does not support single domains, so without bubblewrap no kind is left
    let settings = json!({"bwrapPath": base.join("nothing"), "network": {"allowedDomains": ["example.com"]}, "failIfUnavailable": false});
    let why = Sandbox::new(config(&base, &settings)).unwrap_err();
    assert!(why.landlock.contains("allowedDomains"), "{why}");
    lab.cx.sandbox = Some(Arc::new(Sandbox::refusing(&why)));
    for input in [
        json!({"command": "touch made"}),
        json!({"command": "touch made", "dangerouslyDisableSandbox": true}),
    ] {
        let outcome = lab.call("Bash", input).await;
        assert_eq!(outcome.is_error, Some(true));
        assert_eq!(said(&outcome), why.to_string());
    }
    assert!(!lab.work.join("made").exists());
}

#[tokio::test]
async fn without_bubblewrap_landlock_is_used() {
    let lab = Lab::new();
    let base = lab.work.parent().unwrap().to_owned();
    let without = || config(&base, &json!({"bwrapPath": base.join("nothing")}));
    match Sandbox::new(without()) {
        Ok(sandbox) => assert_eq!(sandbox.kind(), Some(Kind::Landlock)),
        Err(why) => {
            // Skipped only if the kernel lacks support; then Landlock alone must fail with the same error.
            let itself = Sandbox::landlock(without()).unwrap_err();
            assert_eq!(why.landlock, itself.landlock);
            skip(&why.to_string());
        }
    }
}

#[tokio::test]
async fn directory_exit_code_output_and_environment_are_as_outside() {
    for inside in each(&json!({"credentials": {"envVars": [{"name": "SECRET", "mode": "deny"}]}})) {
        let work = inside.lab.work.display().to_string();
        inside.fine("cd src").await;
        assert_eq!(inside.fine("pwd").await, format!("{work}/src"));
        let outcome = inside.bash("cd /").await;
        assert_eq!(outcome.content, format!("Shell cwd was reset to {work}"));
        assert!(said(&inside.refused("echo out; echo err >&2; exit 3").await).starts_with("Exit code 3\nout\nerr"));
        assert!(said(&inside.refused("kill -9 $$").await).starts_with("Exit code 137"));
        assert_eq!(inside.fine("read x || echo empty").await, "empty");
        assert_eq!(inside.fine("echo \"[$SECRET]\"").await, "[]");
    }
}

#[tokio::test]
async fn cancelling_ends_every_descendant_and_lets_them_tidy_up() {
    for (inside, mark) in each(&json!({})).into_iter().zip(["7001", "7002"]) {
        let gate = inside.lab.gate("src/gate");
        let family = format!(
            "trap 'echo tidy >src/tidied; exit 1' TERM\n\
             sleep {mark}1 & setsid sleep {mark}2 &\n\
             env -i PATH=\"$PATH\" bash -c \"trap '' TERM HUP INT; sleep {mark}3; sleep {mark}4\" &\n\
             echo up >src/gate; wait"
        );
        let (outcome, ()) = tokio::join!(inside.bash(&family), async {
            gate.said().await;
            eventually("the family is not complete", || {
                (1..=3).all(|n| runs(&format!("sleep {mark}{n}")))
            })
            .await;
            inside.lab.cx.cancel.cancel();
        });
        assert!(outcome.interrupted);
        for n in 1..=4 {
            assert!(
                !runs(&format!("sleep {mark}{n}")),
                "{}: sleep {mark}{n} survived",
                inside.kind
            );
        }
        assert_eq!(inside.lab.text("src/tidied"), "tidy\n", "{}", inside.kind);
        eventually("stand-ins stay behind", || !inside.lab.work.join(".git").exists()).await;
    }
}

#[tokio::test]
async fn background_commands_are_inside_too_and_end_when_told() {
    for (inside, mark) in each(&json!({})).into_iter().zip(["70031", "70041"]) {
        let base = inside.base.display();
        let gate = inside.lab.gate("src/gate");
        let command = format!("echo x >{base}/outside/new; echo up >src/gate; sleep {mark}");
        let input = json!({"command": command, "run_in_background": true});
        let outcome = inside.lab.call("Bash", input).await;
        assert_eq!(outcome.result["sandbox"], inside.kind.to_string());
        gate.said().await;
        let id = outcome.result["backgroundTaskId"].as_str().unwrap();
        // another call must not remove the stand-ins while it runs
        if inside.kind == Kind::Bubblewrap {
            inside.fine("true").await;
            assert!(inside.lab.work.join(".claude").is_dir());
        }
        assert_eq!(inside.lab.cx.tasks.kill(id).await.unwrap().status, TaskStatus::Killed);
        assert!(!runs(&format!("sleep {mark}")));
        assert!(!inside.base.join("outside/new").exists());
        eventually("stand-ins stay behind", || !inside.lab.work.join(".claude").exists()).await;
    }
}

#[tokio::test]
async fn with_bubblewrap_what_a_command_leaves_running_ends_with_it() {
    let Some(inside) = Inside::new(Kind::Bubblewrap, &json!({})) else {
        return;
    };
    inside
        .fine("sleep 70051 >/dev/null 2>&1 & setsid sleep 70052 >/dev/null 2>&1 & echo started")
        .await;
    eventually("something was left running", || {
        !runs("sleep 70051") && !runs("sleep 70052")
    })
    .await;
}

#[tokio::test]
async fn with_bubblewrap_other_processes_are_not_there() {
    let Some(inside) = Inside::new(Kind::Bubblewrap, &json!({})) else {
        return;
    };
    let own = std::process::id().to_string();
    let seen = inside.fine("echo /proc/[0-9]*").await;
    assert!(!seen.split(' ').any(|path| path == format!("/proc/{own}")), "{seen}");
}

/// Runs itself again as the victim: with a folder in the environment, it is the session that is killed.
#[tokio::test]
async fn killing_our_process_kills_sandboxed_commands() {
    const VICTIM: &str = "SLUICE_TEST_SANDBOX_VICTIM";
    const NAME: &str = "sandbox_life::killing_our_process_kills_sandboxed_commands";
    let family = |kind: Kind| {
        format!(
            "setsid sleep 7006{0} & sleep 7007{0} & echo up >src/gate; wait",
            kind as u8
        )
    };
    for (kind, name) in [(Kind::Bubblewrap, "bubblewrap"), (Kind::Landlock, "landlock")] {
        if let Some(wanted) = std::env::var_os(VICTIM) {
            let (wanted, folder) = wanted.to_str().unwrap().split_once(':').unwrap();
            if wanted != name {
                continue;
            }
            let mut inside = Inside::new(kind, &json!({"network": {}})).unwrap();
            inside.lab.cx.roots.push(folder.into());
            inside.lab.cx.cwd.set(folder);
            let outcome = inside.bash(&family(kind)).await;
            panic!("ended by itself: {outcome:?}");
        }
        let Some(inside) = Inside::new(kind, &json!({})) else {
            continue;
        };
        let gate = inside.lab.gate("src/gate");
        let mut victim = tokio::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", NAME])
            .env(VICTIM, format!("{name}:{}", inside.lab.work.display()))
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        gate.said().await;
        let alive = || [6, 7].iter().any(|n| runs(&format!("sleep 700{n}{}", kind as u8)));
        let both = || [6, 7].iter().all(|n| runs(&format!("sleep 700{n}{}", kind as u8)));
        eventually("the family is not complete", both).await;
        victim.kill().await.unwrap();
        eventually("something survived our death", || !alive()).await;
        // stand-ins left behind are removed by the next command
        inside.fine("true").await;
        eventually("stand-ins stay behind", || !inside.lab.work.join(".claude").exists()).await;
    }
}

#[tokio::test]
async fn the_rules_do_not_restrict_our_threads() {
    let Some(inside) = Inside::new(Kind::Landlock, &json!({})) else {
        return;
    };
    inside
        .fine("grep -q 'NoNewPrivs:\t1' /proc/self/status && grep -q 'Seccomp:\t2' /proc/self/status")
        .await;
    for entry in fs::read_dir("/proc/self/task").unwrap() {
        let status = fs::read_to_string(entry.unwrap().path().join("status")).unwrap_or_default();
        assert!(!status.contains("Seccomp:\t2"), "{status}");
    }
    fs::write(inside.base.join("outside/ours"), "x").unwrap();
    std::net::TcpListener::bind("127.0.0.1:0").unwrap();
}

#[test]
fn the_report_says_what_works() {
    let lines = sluice_tools::sandbox::report();
    let names: Vec<&str> = lines.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["sandbox", "bubblewrap", "landlock", "allowed domains"]);
    assert!(lines.iter().all(|(_, text)| !text.is_empty()));
}
