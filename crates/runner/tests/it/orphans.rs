//! No process is left behind when an agent ends or a runner is killed.

use std::process::{Command, Stdio};

use sluice_runner::process::{Identity, MARK};
use sluice_runner::{Kind, Registration, registry};

use crate::stage::{Bridge, Stage, eventually, kill, script};

/// Starts three processes that outlive the shell: a plain child, one in a new session without environment, and a
/// grandchild.
const LEAVE_PROCESSES_BEHIND: &str = "sleep 1000 >/dev/null 2>&1 & echo $!; \
    setsid env -i sleep 1000 >/dev/null 2>&1 & echo $!; \
    setsid sh -c 'sleep 1000 & echo $!; exec >&- 2>&-; wait' & ";

fn left_behind(stage: &Stage) -> Vec<Identity> {
    eventually("the processes are started", || stage.bodies(Kind::Said).len() == 3);
    let lines = stage.bodies(Kind::Said);
    lines
        .iter()
        .filter_map(|line| line.parse().ok())
        .map(Identity::of)
        .collect()
}

/// Returns the number of children of a process.
fn children(of: u32) -> usize {
    std::fs::read_to_string(format!("/proc/{of}/task/{of}/children"))
        .unwrap()
        .split_whitespace()
        .count()
}

#[test]
fn descendants_end_with_their_agent() {
    let stage = Stage::run(&format!("{LEAVE_PROCESSES_BEHIND} read line; exit 0"));
    let left = left_behind(&stage);
    assert!(left.iter().all(Identity::is_alive));
    let (mut bridge, _) = Bridge::connect_with_hello(&stage.dir, 1, 1);
    bridge.write(1, "end");
    bridge.read_to_end();
    stage.wait_for_runner_exit();
    assert!(!left.iter().any(Identity::is_alive));
}

#[test]
fn orphans_are_reaped_while_the_agent_runs() {
    // Each inner shell exits at once; its background process is reparented and exits a moment later.
    let stage = Stage::run("for n in 1 2 3 4 5; do sh -c '(exec true) & exit 0'; done; echo done; cat");
    let (mut bridge, _) = Bridge::connect_with_hello(&stage.dir, 1, 1);
    bridge.read_until_output("done");
    let runner = stage.runner().pid;
    eventually("only the agent is left", || children(runner) == 1);
}

#[test]
fn sweep_after_a_killed_runner_kills_agent_and_descendants() {
    let stage = Stage::run(&format!(
        "trap '' TERM; {LEAVE_PROCESSES_BEHIND} while :; do sleep 1000; done"
    ));
    let left = left_behind(&stage);
    let (runner, agent) = (stage.runner(), stage.agent());
    assert!(registry::sweep(&stage.dir).runner_alive);
    kill(runner.pid, "KILL");
    eventually("the runner is dead", || !runner.is_alive());
    assert!(!registry::is_alive(&registry::read(&stage.dir).unwrap()));
    assert!(agent.is_alive(), "it ignores the signal it gets");
    let swept = registry::sweep(&stage.dir);
    assert!(!swept.runner_alive);
    assert!(swept.killed.contains(&agent.pid), "{swept:?}");
    eventually("all processes are gone", || {
        !agent.is_alive() && !left.iter().any(Identity::is_alive)
    });
    assert_eq!(registry::sweep(&stage.dir).killed, Vec::<u32>::new());
}

#[test]
fn agent_ends_when_its_runner_is_killed() {
    let stage = Stage::run("exec sleep 1000");
    let (runner, agent) = (stage.runner(), stage.agent());
    eventually("the agent has replaced the shell", || {
        std::fs::read_to_string(format!("/proc/{}/comm", agent.pid))
            .unwrap()
            .trim()
            == "sleep"
    });
    kill(runner.pid, "KILL");
    eventually("the agent is gone", || !agent.is_alive());
}

#[test]
fn sweep_ignores_reused_process_ids() {
    let stage = Stage::run("true");
    stage.wait_for_runner_exit();
    let mut unrelated = Command::new("sleep").arg("1000").stdin(Stdio::null()).spawn().unwrap();
    let identity = Identity::of(unrelated.id());
    let reused = Registration {
        agent: Some(Identity {
            started: identity.started - 1,
            ..identity
        }),
        runner: Identity {
            started: identity.started - 1,
            ..identity
        },
        ..registry::read(&stage.dir).unwrap()
    };
    std::fs::write(stage.dir.join("runner.json"), serde_json::to_vec(&reused).unwrap()).unwrap();
    assert!(!registry::is_alive(&reused));
    assert_eq!(registry::sweep(&stage.dir), sluice_runner::SweepReport::default());
    assert!(identity.is_alive());
    // The same process id and start time, but from another boot.
    let other_boot = Registration {
        agent: Some(identity),
        boot: "another".to_owned(),
        ..reused.clone()
    };
    std::fs::write(stage.dir.join("runner.json"), serde_json::to_vec(&other_boot).unwrap()).unwrap();
    assert_eq!(registry::sweep(&stage.dir), sluice_runner::SweepReport::default());
    assert!(identity.is_alive());
    // Control: a registry with the right identity does end the process.
    let right = Registration {
        agent: Some(identity),
        ..reused
    };
    std::fs::write(stage.dir.join("runner.json"), serde_json::to_vec(&right).unwrap()).unwrap();
    assert_eq!(registry::sweep(&stage.dir).killed, [identity.pid]);
    unrelated.wait().unwrap();
}

#[test]
fn new_runner_kills_the_agent_of_a_killed_runner() {
    let stage = Stage::run("trap '' TERM; echo ready; while :; do sleep 1000; done");
    eventually("the agent is ready", || stage.bodies(Kind::Said) == ["ready"]);
    let (runner, agent) = (stage.runner(), stage.agent());
    kill(runner.pid, "KILL");
    eventually("the runner is dead", || !runner.is_alive());
    stage.start(&script("cat")).unwrap();
    eventually("the old agent is gone", || !agent.is_alive());
    assert!(stage.agent().is_alive());
}

#[test]
fn every_agent_gets_a_new_mark() {
    let stage = Stage::run(&format!("echo ${MARK}"));
    stage.wait_for_runner_exit();
    let first = registry::read(&stage.dir).unwrap().mark;
    assert_eq!(stage.bodies(Kind::Said), std::slice::from_ref(&first));
    stage.start(&script("true")).unwrap();
    assert_ne!(registry::read(&stage.dir).unwrap().mark, first);
}

#[test]
fn sweep_in_a_copied_folder_ignores_processes_of_the_original() {
    let stage = Stage::run("trap '' TERM; echo ready; while :; do sleep 1000; done");
    eventually("the agent is ready", || stage.bodies(Kind::Said) == ["ready"]);
    let (runner, agent) = (stage.runner(), stage.agent());
    let copy = tempfile::tempdir().unwrap();
    std::fs::copy(stage.dir.join("runner.json"), copy.path().join("runner.json")).unwrap();
    assert_eq!(registry::sweep(copy.path()).killed, Vec::<u32>::new());
    assert!(!registry::kill(copy.path()));
    assert!(runner.is_alive() && agent.is_alive());
    // Control: in the original folder the runner is killed.
    assert!(registry::kill(&stage.dir));
    eventually("the runner is gone", || !runner.is_alive());
    assert!(registry::sweep(&stage.dir).killed.contains(&agent.pid));
}
