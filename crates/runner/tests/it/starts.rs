//! Starting a runner: what is passed to it, and the errors it reports.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use serde_json::Value;
use sluice_runner::{FromRunner, Kind, StartError, registry, start};

use crate::stage::{Bridge, Stage, eventually, script, sluice};

#[test]
fn runner_is_detached_and_its_folder_is_private() {
    let stage = Stage::run("echo ready; cat");
    let runner = stage.runner();
    let stat = fs::read_to_string(format!("/proc/{}/stat", runner.pid)).unwrap();
    let fields: Vec<&str> = stat.rsplit_once(") ").unwrap().1.split(' ').collect();
    // Parent, process group and session are not those of this process.
    assert_ne!(fields[1], std::process::id().to_string());
    assert_eq!(
        (fields[2], fields[3]),
        (runner.pid.to_string().as_str(), runner.pid.to_string().as_str())
    );
    assert_eq!(fs::metadata(&stage.dir).unwrap().permissions().mode() & 0o777, 0o700);
    assert!(registry::is_alive(&registry::read(&stage.dir).unwrap()));
    // The runner detaches from its original streams right after it has reported that it is ready.
    for stream in 0..3 {
        let link = format!("/proc/{}/fd/{stream}", runner.pid);
        eventually("the streams are redirected", || {
            fs::read_link(&link).unwrap().to_str() == Some("/dev/null")
        });
    }
}

#[test]
fn agent_has_only_the_given_environment_and_folder() {
    let stage = Stage::new();
    let folder = tempfile::tempdir().unwrap();
    let mut launch = script("pwd; env | sort; echo end");
    launch.env.insert("SECRET".to_owned(), "of the launch".to_owned());
    launch.cwd = folder.path().canonicalize().unwrap();
    stage.start(&launch).unwrap();
    stage.wait_for_runner_exit();
    let output = stage.bodies(Kind::Said);
    assert_eq!(output[0], launch.cwd.to_str().unwrap());
    let names: Vec<&str> = output[1..]
        .iter()
        .filter_map(|line| line.split_once('='))
        .map(|(name, _)| name)
        .collect();
    let of_shell = ["PWD", "OLDPWD", "SHLVL", "_"];
    let names: Vec<&str> = names.into_iter().filter(|name| !of_shell.contains(name)).collect();
    assert_eq!(names, ["PATH", "SECRET", "SLUICE_RUNNER_MARK"]);
    // The launch is not stored on disk.
    let registry = fs::read_to_string(stage.dir.join("runner.json")).unwrap();
    assert!(!registry.contains("of the launch"));
}

#[test]
fn missing_program_is_reported() {
    let stage = Stage::new();
    let mut launch = script("");
    launch.program = "no-such-program-anywhere".to_owned();
    let error = stage.start(&launch).unwrap_err();
    assert!(
        matches!(&error, StartError::NoProgram { program, .. } if program == "no-such-program-anywhere"),
        "{error:?}"
    );
    assert!(!stage.dir.join("socket").exists());
}

#[test]
fn program_that_is_not_executable_is_reported() {
    let stage = Stage::new();
    let mut launch = script("");
    launch.program = "/etc/passwd".to_owned();
    let error = stage.start(&launch).unwrap_err();
    assert!(
        matches!(&error, StartError::Refused { program, .. } if program == "/etc/passwd"),
        "{error:?}"
    );
}

#[test]
fn missing_folder_is_reported() {
    let stage = Stage::new();
    let mut launch = script("");
    launch.cwd = "/no/such/folder".into();
    let error = stage.start(&launch).unwrap_err();
    assert_eq!(
        error,
        StartError::NoFolder {
            folder: "/no/such/folder".into()
        }
    );
}

#[test]
fn second_runner_in_a_folder_is_refused() {
    let stage = Stage::run("echo ready; cat");
    let first = stage.runner();
    let error = stage.start(&script("cat")).unwrap_err();
    assert_eq!(
        error,
        StartError::Locked {
            dir: stage.dir.canonicalize().unwrap()
        }
    );
    assert_eq!(stage.runner(), first);
    let (mut bridge, _) = Bridge::connect_with_hello(&stage.dir, 1, 1);
    bridge.read_until_output("ready");
}

#[test]
fn program_that_is_not_a_runner_is_reported() {
    let stage = Stage::new();
    let error = start("/bin/false".as_ref(), &stage.dir, &script("")).unwrap_err();
    assert!(matches!(error, StartError::Gone { .. }), "{error:?}");
    let error = start("/no/such/sluice".as_ref(), &stage.dir, &script("")).unwrap_err();
    assert!(
        error.to_string().contains("/no/such/sluice cannot be started"),
        "{error}"
    );
}

#[test]
fn agent_that_exits_immediately_leaves_a_complete_log() {
    let stage = Stage::run("echo only; echo why >&2; printf unended; exit 3");
    stage.wait_for_runner_exit();
    assert_eq!(stage.bodies(Kind::Said), ["only", "unended"]);
    assert_eq!(stage.bodies(Kind::Stderr), ["why"]);
    let records = stage.records();
    assert_eq!(records.first().unwrap().kind, Kind::Started);
    assert_eq!(records.last().unwrap().kind, Kind::Exited);
    let exited: Value = serde_json::from_slice(&records.last().unwrap().body).unwrap();
    assert_eq!(exited, serde_json::json!({"code": 3, "signal": null}));
    assert!(!stage.dir.join("socket").exists());
}

#[test]
fn folder_with_a_long_path_is_reachable() {
    let holds = tempfile::tempdir().unwrap();
    let long = holds.path().join("a".repeat(120)).join("b".repeat(120));
    let stage = Stage::at(long);
    stage.start(&script("echo far away; cat")).unwrap();
    let (mut bridge, _) = Bridge::connect_with_hello(&stage.dir, 1, 1);
    bridge.read_until_output("far away");
}

#[test]
fn large_launch_is_passed_completely() {
    let stage = Stage::new();
    let mut launch = script("echo ${#LARGE}");
    launch.env.insert("LARGE".to_owned(), "x".repeat(100_000));
    stage.start(&launch).unwrap();
    eventually("the variable arrived", || stage.bodies(Kind::Said) == ["100000"]);
}

#[test]
fn runner_that_cannot_report_its_start_ends_its_agent() {
    let stage = Stage::new();
    let mut runner = Command::new(sluice())
        .args(["runner", "run"])
        .arg(&stage.dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    drop(runner.stdout.take());
    let launch = serde_json::to_vec(&script("trap '' TERM; while :; do sleep 1000; done")).unwrap();
    runner.stdin.take().unwrap().write_all(&launch).unwrap();
    assert_eq!(runner.wait().unwrap().code(), Some(1));
    assert!(!stage.agent().is_alive());
    assert!(!stage.dir.join("socket").exists());
}

#[test]
fn idle_runner_needs_little_memory_and_one_thread() {
    let stage = Stage::run("echo ready; cat");
    let (mut bridge, _) = Bridge::connect_with_hello(&stage.dir, 1, 1);
    bridge.until(|frame| matches!(frame, FromRunner::CaughtUp { .. }));
    bridge.write(1, "hello");
    bridge.read_until_output("hello");
    let memory = stage.memory();
    println!("{memory} KiB");
    assert!(memory <= 4096, "{memory} KiB");
    let threads = fs::read_dir(format!("/proc/{}/task", stage.runner().pid))
        .unwrap()
        .count();
    assert_eq!(threads, 1);
}
