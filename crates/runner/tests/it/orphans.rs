//! Nobody is left behind: not after an agent, not after a runner that was killed.

use std::process::{Command, Stdio};

use sluice_runner::process::{Identity, MARK};
use sluice_runner::{Kind, Registered, registry};

use crate::stage::{Bridge, Stage, eventually, kill, script};

/// Starts three that outlive it: one as it is, one in a session of its own without any environment, one further down.
const LEAVES_OTHERS: &str = "sleep 1000 >/dev/null 2>&1 & echo $!; \
    setsid env -i sleep 1000 >/dev/null 2>&1 & echo $!; \
    setsid sh -c 'sleep 1000 & echo $!; exec >&- 2>&-; wait' & ";

fn left_behind(stage: &Stage) -> Vec<Identity> {
    eventually("they are started", || stage.said(Kind::Said).len() == 3);
    let said = stage.said(Kind::Said);
    said.iter()
        .filter_map(|line| line.parse().ok())
        .map(Identity::of)
        .collect()
}

/// Processes that are children of this one.
fn children(of: u32) -> usize {
    std::fs::read_to_string(format!("/proc/{of}/task/{of}/children"))
        .unwrap()
        .split_whitespace()
        .count()
}

#[test]
fn whoever_an_agent_leaves_behind_ends_with_it() {
    let stage = Stage::run(&format!("{LEAVES_OTHERS} read line; exit 0"));
    let left = left_behind(&stage);
    assert!(left.iter().all(Identity::is_alive));
    let (mut bridge, _) = Bridge::welcomed(&stage.dir, 1, 1);
    bridge.write(1, "end");
    bridge.rest();
    stage.runner_is_gone();
    assert!(!left.iter().any(Identity::is_alive));
}

#[test]
fn what_an_agent_adopts_out_is_reaped_while_it_lives() {
    // Each inner shell ends at once; what it started is adopted, and ends a moment later.
    let stage = Stage::run("for n in 1 2 3 4 5; do sh -c '(exec true) & exit 0'; done; echo done; cat");
    let (mut bridge, _) = Bridge::welcomed(&stage.dir, 1, 1);
    bridge.until_said("done");
    let runner = stage.runner().pid;
    eventually("only the agent is left", || children(runner) == 1);
}

#[test]
fn after_a_killed_runner_a_sweep_ends_the_agent_and_all_it_started() {
    let stage = Stage::run(&format!("trap '' TERM; {LEAVES_OTHERS} while :; do sleep 1000; done"));
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
    eventually("all are gone", || {
        !agent.is_alive() && !left.iter().any(Identity::is_alive)
    });
    assert_eq!(registry::sweep(&stage.dir).killed, Vec::<u32>::new());
}

#[test]
fn an_agent_ends_with_a_killed_runner_by_itself() {
    let stage = Stage::run("exec sleep 1000");
    let (runner, agent) = (stage.runner(), stage.agent());
    eventually("it is what it will be", || {
        std::fs::read_to_string(format!("/proc/{}/comm", agent.pid))
            .unwrap()
            .trim()
            == "sleep"
    });
    kill(runner.pid, "KILL");
    eventually("the agent is gone", || !agent.is_alive());
}

#[test]
fn a_sweep_leaves_alone_who_got_the_number_since() {
    let stage = Stage::run("true");
    stage.runner_is_gone();
    let mut innocent = Command::new("sleep").arg("1000").stdin(Stdio::null()).spawn().unwrap();
    let identity = Identity::of(innocent.id());
    let reused = Registered {
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
    assert_eq!(registry::sweep(&stage.dir), sluice_runner::Swept::default());
    assert!(identity.is_alive());
    // The very same number and time, but of another start of the machine.
    let other_boot = Registered {
        agent: Some(identity),
        boot: "another".to_owned(),
        ..reused.clone()
    };
    std::fs::write(stage.dir.join("runner.json"), serde_json::to_vec(&other_boot).unwrap()).unwrap();
    assert_eq!(registry::sweep(&stage.dir), sluice_runner::Swept::default());
    assert!(identity.is_alive());
    // The right one is ended: so the test can fail.
    let right = Registered {
        agent: Some(identity),
        ..reused
    };
    std::fs::write(stage.dir.join("runner.json"), serde_json::to_vec(&right).unwrap()).unwrap();
    assert_eq!(registry::sweep(&stage.dir).killed, [identity.pid]);
    innocent.wait().unwrap();
}

#[test]
fn a_new_runner_in_a_folder_ends_what_a_killed_one_left() {
    let stage = Stage::run("trap '' TERM; echo ready; while :; do sleep 1000; done");
    eventually("it is ready", || stage.said(Kind::Said) == ["ready"]);
    let (runner, agent) = (stage.runner(), stage.agent());
    kill(runner.pid, "KILL");
    eventually("the runner is dead", || !runner.is_alive());
    stage.start(&script("cat")).unwrap();
    eventually("the old agent is gone", || !agent.is_alive());
    assert!(stage.agent().is_alive());
}

#[test]
fn the_mark_is_new_for_every_agent() {
    let stage = Stage::run(&format!("echo ${MARK}"));
    stage.runner_is_gone();
    let first = registry::read(&stage.dir).unwrap().mark;
    assert_eq!(stage.said(Kind::Said), std::slice::from_ref(&first));
    stage.start(&script("true")).unwrap();
    assert_ne!(registry::read(&stage.dir).unwrap().mark, first);
}

#[test]
fn a_sweep_in_a_copied_folder_leaves_the_processes_of_the_original_alone() {
    let stage = Stage::run("trap '' TERM; echo ready; while :; do sleep 1000; done");
    eventually("it is ready", || stage.said(Kind::Said) == ["ready"]);
    let (runner, agent) = (stage.runner(), stage.agent());
    let copy = tempfile::tempdir().unwrap();
    std::fs::copy(stage.dir.join("runner.json"), copy.path().join("runner.json")).unwrap();
    assert_eq!(registry::sweep(copy.path()).killed, Vec::<u32>::new());
    assert!(!registry::kill(copy.path()));
    assert!(runner.is_alive() && agent.is_alive());
    // In the folder itself it is ended: so the test can fail.
    assert!(registry::kill(&stage.dir));
    eventually("the runner is gone", || !runner.is_alive());
    assert!(registry::sweep(&stage.dir).killed.contains(&agent.pid));
}
