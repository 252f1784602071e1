//! Both sandboxes against the same cases, for real. What this machine cannot do is skipped, and said.
#![allow(clippy::print_stderr)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use sluice_tools::sandbox::{Config, Kind, Sandbox};
use sluice_tools::{Outcome, TaskStatus};

use crate::support::{Lab, said};

/// A lab with a sandbox: beside the project there are a home and a place that is nobody's business.
struct Inside {
    lab: Lab,
    kind: Kind,
    base: PathBuf,
}

fn config(base: &std::path::Path, settings: &Value) -> Config {
    let mut settings = settings.clone();
    settings["enabled"] = json!(true);
    Config::from_settings(
        &settings,
        vec![base.join("work")],
        base.join("home"),
        vec![base.join("home/.config/sluice")],
    )
    .unwrap()
    .unwrap()
}

impl Inside {
    fn new(kind: Kind, settings: &Value) -> Option<Self> {
        let mut lab = Lab::new();
        let base = lab.work.parent().unwrap().to_owned();
        for name in ["home", "outside", "work/src"] {
            fs::create_dir_all(base.join(name)).unwrap();
        }
        let config = config(&base, settings);
        let sandbox = match kind {
            Kind::Bubblewrap => Sandbox::new(config),
            Kind::Landlock => Sandbox::landlock(config),
        };
        match sandbox {
            Ok(sandbox) if sandbox.kind() == Some(kind) => lab.cx.sandbox = Some(Arc::new(sandbox)),
            Ok(other) => {
                eprintln!("skipped: {kind} does not work here, {} does", other.describe());
                return None;
            }
            Err(why) => {
                eprintln!("skipped: {why}");
                return None;
            }
        }
        Some(Self { lab, kind, base })
    }

    async fn bash(&self, command: &str) -> Outcome {
        self.lab.bash(command).await
    }

    /// Runs something that must fail.
    async fn refused(&self, command: &str) -> Outcome {
        let outcome = self.bash(command).await;
        assert_eq!(
            outcome.is_error,
            Some(true),
            "{}: {command}: {}",
            self.kind,
            said(&outcome)
        );
        outcome
    }

    /// Runs something that must succeed.
    async fn fine(&self, command: &str) -> String {
        let outcome = self.bash(command).await;
        assert_eq!(
            outcome.is_error,
            Some(false),
            "{}: {command}: {}",
            self.kind,
            said(&outcome)
        );
        assert_eq!(outcome.result["sandbox"], self.kind.to_string());
        said(&outcome).to_owned()
    }

    /// What lies in the project, after stand-ins have gone.
    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(&self.lab.work)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

/// One of each kind that works here.
fn each(settings: &Value) -> Vec<Inside> {
    [Kind::Bubblewrap, Kind::Landlock]
        .into_iter()
        .filter_map(|kind| Inside::new(kind, settings))
        .collect()
}

/// Waits for something the kernel does in its own time.
async fn eventually(what: &str, mut done: impl FnMut() -> bool) {
    let wait = tokio::time::timeout(Duration::from_secs(20), async {
        while !done() {
            tokio::task::yield_now().await;
        }
    });
    wait.await.unwrap_or_else(|_| panic!("{what}"));
}

/// Whether a process with these words is there.
fn runs(words: &str) -> bool {
    fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        fs::read(entry.path().join("cmdline")).is_ok_and(|line| {
            String::from_utf8_lossy(&line)
                .replace('\0', " ")
                .trim_end()
                .ends_with(words)
        })
    })
}

#[tokio::test]
async fn writing_is_for_the_project_and_the_temporary_folder() {
    for inside in each(&json!({})) {
        let base = inside.base.display().to_string();
        inside.lab.file("src/there.txt", "old");
        inside
            .fine("echo new >src/there.txt; mkdir src/deep; echo x >src/deep/y; mv src/deep/y src/z; rm -r src/deep")
            .await;
        assert_eq!(inside.lab.text("src/there.txt"), "new\n");
        assert_eq!(inside.lab.text("src/z"), "x\n");
        inside
            .fine("t=$(mktemp) && echo x >$t && cat <<END >$t.2\nhere\nEND\ntest -s $t.2 && rm $t $t.2")
            .await;
        fs::write(inside.base.join("outside/f"), "old").unwrap();
        fs::write(inside.base.join("home/f"), "old").unwrap();
        for command in [
            format!("echo x >{base}/outside/new"),
            format!("echo x >{base}/outside/f"),
            format!(": >{base}/outside/f"),
            format!("truncate -s 0 {base}/outside/f"),
            format!("rm {base}/outside/f"),
            format!("mv {base}/outside/f src/moved"),
            format!("ln {base}/outside/f src/f && echo x >src/f"),
            format!("mkdir {base}/home/d"),
            format!("echo x >>{base}/home/f"),
            "touch /etc/sluice-test".to_owned(),
            "touch /tmp/sluice-sandbox-test".to_owned(),
        ] {
            inside.refused(&command).await;
        }
        assert_eq!(fs::read_to_string(inside.base.join("outside/f")).unwrap(), "old");
        assert_eq!(fs::read_to_string(inside.base.join("home/f")).unwrap(), "old");
        assert!(!inside.lab.work.join("src/f").exists());
        // devices of no consequence are for everybody
        inside
            .fine("echo x >/dev/null; head -c 4 /dev/urandom >/dev/null; echo y | cat >/dev/stdout")
            .await;
    }
}

#[tokio::test]
async fn the_top_folder_is_open_where_names_can_be_masked() {
    for inside in each(&json!({})) {
        match inside.kind {
            Kind::Bubblewrap => drop(inside.fine("echo x >new; mkdir target").await),
            Kind::Landlock => {
                let outcome = inside.refused("echo x >new").await;
                assert!(said(&outcome).contains("top folder"), "{}", said(&outcome));
            }
        }
    }
}

/// CVE-2026-25725: settings were protected only once they existed. Cursor's CVE-2026-26268: hooks of git.
#[tokio::test]
async fn cve_2026_25725_and_26268_protected_places_existing_and_absent() {
    for present in [true, false] {
        for inside in each(&json!({})) {
            if present {
                for (name, text) in [
                    (".git/config", "old"),
                    (".git/hooks/x", "old"),
                    (".claude/settings.json", "old"),
                    (".mcp.json", "old"),
                    (".vscode/tasks.json", "old"),
                    (".npmrc", "old"),
                ] {
                    inside.lab.file(name, text);
                }
            }
            let before = inside.names();
            for command in [
                "mkdir -p .git/hooks && echo evil >.git/hooks/pre-commit",
                "mkdir -p .git && echo evil >.git/config",
                "mkdir -p .claude && echo evil >.claude/settings.json",
                "mkdir -p .claude && echo evil >.claude/settings.local.json",
                "echo evil >.mcp.json",
                "rm -rf .mcp.json && echo evil >.mcp.json",
                "echo evil >src/m && mv -fT src/m .mcp.json",
                "echo evil >src/m && ln -f src/m .mcp.json",
                "mkdir -p .vscode && echo evil >.vscode/tasks.json",
                "mv .claude src/moved && mkdir .claude && echo evil >.claude/settings.json",
                "rm -rf .git && mkdir .git && echo evil >.git/config",
                "mkdir -p src/g && mv -T src/g .git",
                "ln -s src .claude",
            ] {
                let outcome = inside.bash(&format!("{command} || exit 7")).await;
                assert_eq!(
                    outcome.is_error,
                    Some(true),
                    "{}: {command}: {}",
                    inside.kind,
                    said(&outcome)
                );
            }
            if present {
                inside.refused("echo evil >.npmrc").await;
                for name in [
                    ".git/config",
                    ".git/hooks/x",
                    ".claude/settings.json",
                    ".mcp.json",
                    ".npmrc",
                ] {
                    assert_eq!(inside.lab.text(name), "old", "{name}");
                }
                // what is kept from changing can be read
                assert_eq!(inside.fine("cat .mcp.json .claude/settings.json").await, "oldold");
            }
            // nothing of ours stays behind
            eventually("stand-ins stay behind", || inside.names() == before).await;
        }
    }
}

/// 2.1.210 in the public changelog: a protected name that is a link.
#[tokio::test]
async fn a_protected_name_that_is_a_link_stays_one() {
    for inside in each(&json!({})) {
        inside.lab.file("plain/settings.json", "old");
        symlink("plain", inside.lab.work.join(".claude")).unwrap();
        for command in [
            "echo evil >.claude/settings.json",
            "echo evil >plain/settings.json",
            "rm .claude",
            "ln -sfn src .claude",
            "mv .claude src/x",
        ] {
            inside.refused(command).await;
        }
        assert_eq!(inside.lab.text(".claude/settings.json"), "old");
        assert!(inside.lab.work.join(".claude").is_symlink());
        inside.fine("echo x >src/still-open").await;
    }
}

/// CVE-2025-55345 and CVE-2026-39861: links that lead out of the project, also ones made inside.
#[tokio::test]
async fn cve_2025_55345_links_do_not_lead_out() {
    for inside in each(&json!({})) {
        let base = inside.base.display().to_string();
        fs::write(inside.base.join("outside/f"), "old").unwrap();
        for command in [
            format!("ln -s {base}/outside src/out; echo x >src/out/new"),
            format!("ln -s {base}/outside/f src/f; echo x >src/f"),
            format!("echo x >/proc/self/root{base}/outside/new"),
            "echo x >/proc/self/cwd/../outside/new".to_owned(),
            format!("echo x >/proc/$$/root{base}/outside/new"),
            format!("echo x >/proc/1/root{base}/outside/new"),
            format!("cd {base}/outside && echo x >new"),
            format!("mount -o remount,rw / ; echo x >{base}/outside/new"),
            format!("mount --bind {base}/outside src ; echo x >{base}/outside/new"),
            format!("unshare -Urm sh -c 'mount -o remount,bind,rw {base}/outside; echo x >{base}/outside/new'"),
            format!("nsenter -t $PPID -m sh -c 'echo x >{base}/outside/new'"),
        ] {
            inside.refused(&command).await;
        }
        assert_eq!(fs::read_to_string(inside.base.join("outside/f")).unwrap(), "old");
        assert!(!inside.base.join("outside/new").exists());
    }
}

/// CVE-2025-59532: where a command runs decided what it could write.
#[tokio::test]
async fn cve_2025_59532_the_directory_is_no_root() {
    for inside in each(&json!({})) {
        inside.lab.cx.cwd.set(inside.base.join("outside"));
        inside.refused("echo x >new").await;
        assert!(!inside.base.join("outside/new").exists());
    }
}

/// 2.1.224 in the public changelog: a deny that ended in a slash did not hold.
#[tokio::test]
async fn what_the_settings_close_and_open() {
    let settings = json!({"filesystem": {
        "allowWrite": ["../outside"], "denyWrite": ["src/closed/", "src/a/b/unborn"],
        "denyRead": ["../home/secrets/", "../home/key"], "allowRead": ["../home/secrets/open"],
    }});
    for inside in each(&settings) {
        let base = inside.base.display().to_string();
        for name in ["src/closed", "src/a/b"] {
            fs::create_dir_all(inside.lab.work.join(name)).unwrap();
        }
        fs::create_dir_all(inside.base.join("home/secrets/open")).unwrap();
        for name in ["home/secrets/f", "home/secrets/open/f", "home/key", "home/plain"] {
            fs::write(inside.base.join(name), format!("text of {name}\n")).unwrap();
        }
        inside.fine(&format!("echo x >{base}/outside/new")).await;
        for command in [
            "touch src/closed/f",
            "mv src/closed src/x",
            "echo x >src/a/b/unborn",
            "mv src/a src/c && mkdir -p src/a/b && touch src/a/b/unborn",
            "mv src/a/b src/a/c && mkdir -p src/a/b && touch src/a/b/unborn",
        ] {
            inside.refused(command).await;
        }
        for name in ["secrets/f", "key"] {
            let outcome = inside.bash(&format!("cat {base}/home/{name}; echo end")).await;
            assert!(
                !said(&outcome).contains("text of"),
                "{}: {}",
                inside.kind,
                said(&outcome).replace(&base, "")
            );
        }
        let shown = inside
            .fine(&format!("cat {base}/home/secrets/open/f {base}/home/plain"))
            .await;
        assert_eq!(shown, "text of home/secrets/open/f\ntext of home/plain");
    }
}

#[tokio::test]
async fn git_that_a_person_opened_keeps_its_hooks_and_config_closed() {
    for inside in each(&json!({"filesystem": {"allowWrite": [".git"]}})) {
        inside.lab.file(".git/config", "old");
        inside.lab.file(".git/refs/x", "old");
        inside.fine("echo new >.git/refs/x").await;
        for command in [
            "echo evil >.git/config",
            "mkdir -p .git/hooks && echo evil >.git/hooks/x",
            "rm -rf .git/config && echo evil >.git/config",
            "mv .git src/g && mkdir .git && echo evil >.git/config",
        ] {
            inside.refused(command).await;
        }
        assert_eq!(inside.lab.text(".git/config"), "old");
    }
}

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
        // a failure of the command's own is not blamed on the sandbox
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
    // Landlock cannot let through single domains, so without bubblewrap there is nothing left
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
async fn without_bubblewrap_the_kernel_does_it() {
    let lab = Lab::new();
    let base = lab.work.parent().unwrap().to_owned();
    match Sandbox::new(config(&base, &json!({"bwrapPath": base.join("nothing")}))) {
        Ok(sandbox) => assert_eq!(sandbox.kind(), Some(Kind::Landlock)),
        Err(why) => eprintln!("skipped: {why}"),
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
        // while it runs, another call must not take its stand-ins away
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

#[tokio::test]
async fn the_rules_bind_no_thread_of_ours() {
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
