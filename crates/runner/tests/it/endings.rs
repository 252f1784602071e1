//! Ending: exits, signals, shutdown, and how long the runner waits for its bridge.

use serde_json::{Value, json};
use sluice_runner::{AgentStatus, FromRunner, Kind, Record, Signal, ToRunner};

use crate::stage::{Bridge, Stage, eventually, kill};

fn exited(record: &Record) -> Value {
    assert_eq!(record.kind, Kind::Exited);
    serde_json::from_slice(&record.body).unwrap()
}

fn last_record(stage: &Stage) -> Record {
    stage.records().pop().unwrap()
}

#[test]
fn runner_exits_when_a_bridge_that_has_everything_disconnects() {
    let stage = Stage::run("read line; echo bye; exit 4");
    let (mut bridge, _) = Bridge::connect_with_hello(&stage.dir, 1, 1);
    bridge.write(1, "go");
    let (_, last) = bridge.until(|frame| matches!(frame, FromRunner::Record(record) if record.kind == Kind::Exited));
    let FromRunner::Record(last) = last else { unreachable!() };
    assert_eq!(exited(&last), json!({"code": 4, "signal": null}));
    drop(bridge);
    stage.wait_for_runner_exit();
    assert_eq!(last_record(&stage), last);
}

#[test]
fn runner_exits_although_the_bridge_stays_connected() {
    let stage = Stage::run("read line");
    let (mut bridge, _) = Bridge::connect_with_hello(&stage.dir, 1, 1);
    bridge.write(1, "go");
    bridge.read_to_end();
    stage.wait_for_runner_exit();
}

#[test]
fn bridge_that_connects_after_the_exit_is_told_the_exit_status() {
    let stage = Stage::run("read line; exit 9");
    let (mut bridge, _) = Bridge::connect_with_hello(&stage.dir, 1, 1);
    bridge.write(1, "go");
    bridge.until(|frame| matches!(frame, FromRunner::Record(record) if record.kind == Kind::Exited));
    let (_late, welcome) = Bridge::connect_with_hello(&stage.dir, 2, 1);
    let FromRunner::Welcome { agent, .. } = welcome else {
        unreachable!()
    };
    assert_eq!(
        agent,
        AgentStatus::Exited {
            code: Some(9),
            signal: None
        }
    );
}

#[test]
fn signals_reach_the_whole_process_group() {
    let stage = Stage::run(
        "trap 'echo interrupted' INT; (trap 'echo child too; exit' INT; echo ready; sleep 1000 & wait); cat",
    );
    let (mut bridge, _) = Bridge::connect_with_hello(&stage.dir, 1, 1);
    bridge.read_until_output("ready");
    bridge.send(&ToRunner::Signal(Signal::Interrupt));
    bridge.read_until_output("interrupted");
    assert!(stage.bodies(Kind::Said).contains(&"child too".to_owned()));
    bridge.send(&ToRunner::Signal(Signal::Kill));
    bridge.read_to_end();
    assert_eq!(exited(&last_record(&stage)), json!({"code": null, "signal": 9}));
}

#[test]
fn shutdown_closes_the_input_first() {
    let stage = Stage::run("cat; echo input ended; exit 0");
    let (mut bridge, _) = Bridge::connect_with_hello(&stage.dir, 1, 1);
    bridge.send(&ToRunner::Shutdown { grace_ms: 60_000 });
    bridge.read_until_output("input ended");
    bridge.read_to_end();
    stage.wait_for_runner_exit();
    assert_eq!(exited(&last_record(&stage)), json!({"code": 0, "signal": null}));
}

#[test]
fn shutdown_terminates_then_kills() {
    let stage = Stage::run("trap 'echo asked' TERM; echo ready; while :; do sleep 1000 & wait; done");
    let (mut bridge, _) = Bridge::connect_with_hello(&stage.dir, 1, 1);
    bridge.read_until_output("ready");
    bridge.send(&ToRunner::Shutdown { grace_ms: 400 });
    bridge.read_until_output("asked");
    bridge.read_to_end();
    stage.wait_for_runner_exit();
    assert_eq!(exited(&last_record(&stage)), json!({"code": null, "signal": 9}));
}

#[test]
fn stopped_agent_receives_sigterm() {
    let stage = Stage::run("trap 'echo asked; exit 0' TERM; echo ready; while :; do sleep 1000 & wait; done");
    let (mut bridge, _) = Bridge::connect_with_hello(&stage.dir, 1, 1);
    bridge.read_until_output("ready");
    kill(stage.agent().pid, "STOP");
    bridge.send(&ToRunner::Signal(Signal::Terminate));
    bridge.read_until_output("asked");
}

#[test]
fn sigterm_to_the_runner_ends_the_agent_first() {
    let stage = Stage::run("trap 'echo asked; exit 0' TERM; echo ready; while :; do sleep 1000 & wait; done");
    eventually("the agent is ready", || stage.bodies(Kind::Said) == ["ready"]);
    kill(stage.runner().pid, "TERM");
    stage.wait_for_runner_exit();
    assert_eq!(stage.bodies(Kind::Said), ["ready", "asked"]);
    assert_eq!(last_record(&stage).kind, Kind::Exited);
}

#[test]
fn terminal_signals_do_not_end_a_runner() {
    let stage = Stage::run("cat");
    let runner = stage.runner();
    for signal in ["HUP", "INT", "QUIT", "PIPE"] {
        kill(runner.pid, signal);
    }
    let (mut bridge, _) = Bridge::connect_with_hello(&stage.dir, 1, 1);
    bridge.write(1, "there");
    bridge.read_until_output("there");
    // The agent, unlike the runner, has default signal handling.
    let status = std::fs::read_to_string(format!("/proc/{}/status", stage.agent().pid)).unwrap();
    // Signals 1, 2, 3, 13 and 15.
    let mask = 0b101_0000_0000_0111_u64;
    for field in ["SigIgn:", "SigBlk:"] {
        let line = status.lines().find_map(|line| line.strip_prefix(field)).unwrap();
        assert_eq!(
            u64::from_str_radix(line.trim(), 16).unwrap() & mask,
            0,
            "{field} {line}"
        );
    }
}
