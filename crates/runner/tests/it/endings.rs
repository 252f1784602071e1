//! How it ends: exits, signals, the ladder, and who waits for whom.

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
fn a_bridge_is_sent_everything_and_the_runner_leaves_when_it_closes() {
    let stage = Stage::run("read line; echo bye; exit 4");
    let (mut bridge, _) = Bridge::welcomed(&stage.dir, 1, 1);
    bridge.write(1, "go");
    let (_, last) = bridge.until(|frame| matches!(frame, FromRunner::Record(record) if record.kind == Kind::Exited));
    let FromRunner::Record(last) = last else { unreachable!() };
    assert_eq!(exited(&last), json!({"code": 4, "signal": null}));
    drop(bridge);
    stage.runner_is_gone();
    assert_eq!(last_record(&stage), last);
}

#[test]
fn a_bridge_that_stays_is_left_after_a_while() {
    let stage = Stage::run("read line");
    let (mut bridge, _) = Bridge::welcomed(&stage.dir, 1, 1);
    bridge.write(1, "go");
    bridge.rest();
    stage.runner_is_gone();
}

#[test]
fn a_bridge_that_comes_while_the_last_one_is_served_sees_the_exit() {
    let stage = Stage::run("read line; exit 9");
    let (mut bridge, _) = Bridge::welcomed(&stage.dir, 1, 1);
    bridge.write(1, "go");
    bridge.until(|frame| matches!(frame, FromRunner::Record(record) if record.kind == Kind::Exited));
    let (_late, welcome) = Bridge::welcomed(&stage.dir, 2, 1);
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
fn signals_reach_the_whole_group() {
    let stage = Stage::run(
        "trap 'echo interrupted' INT; (trap 'echo child too; exit' INT; echo ready; sleep 1000 & wait); cat",
    );
    let (mut bridge, _) = Bridge::welcomed(&stage.dir, 1, 1);
    bridge.until_said("ready");
    bridge.send(&ToRunner::Signal(Signal::Interrupt));
    bridge.until_said("interrupted");
    assert!(stage.said(Kind::Said).contains(&"child too".to_owned()));
    bridge.send(&ToRunner::Signal(Signal::Kill));
    bridge.rest();
    assert_eq!(exited(&last_record(&stage)), json!({"code": null, "signal": 9}));
}

#[test]
fn a_shutdown_ends_the_input_first() {
    let stage = Stage::run("cat; echo input ended; exit 0");
    let (mut bridge, _) = Bridge::welcomed(&stage.dir, 1, 1);
    bridge.send(&ToRunner::Shutdown { grace_ms: 60_000 });
    bridge.until_said("input ended");
    bridge.rest();
    stage.runner_is_gone();
    assert_eq!(exited(&last_record(&stage)), json!({"code": 0, "signal": null}));
}

#[test]
fn a_shutdown_asks_then_kills() {
    let stage = Stage::run("trap 'echo asked' TERM; echo ready; while :; do sleep 1000 & wait; done");
    let (mut bridge, _) = Bridge::welcomed(&stage.dir, 1, 1);
    bridge.until_said("ready");
    bridge.send(&ToRunner::Shutdown { grace_ms: 400 });
    bridge.until_said("asked");
    bridge.rest();
    stage.runner_is_gone();
    assert_eq!(exited(&last_record(&stage)), json!({"code": null, "signal": 9}));
}

#[test]
fn a_stopped_agent_can_be_asked_to_end() {
    let stage = Stage::run("trap 'echo asked; exit 0' TERM; echo ready; while :; do sleep 1000 & wait; done");
    let (mut bridge, _) = Bridge::welcomed(&stage.dir, 1, 1);
    bridge.until_said("ready");
    kill(stage.agent().pid, "STOP");
    bridge.send(&ToRunner::Signal(Signal::Terminate));
    bridge.until_said("asked");
}

#[test]
fn a_runner_that_is_told_to_end_ends_its_agent_first() {
    let stage = Stage::run("trap 'echo asked; exit 0' TERM; echo ready; while :; do sleep 1000 & wait; done");
    eventually("it is ready", || stage.said(Kind::Said) == ["ready"]);
    kill(stage.runner().pid, "TERM");
    stage.runner_is_gone();
    assert_eq!(stage.said(Kind::Said), ["ready", "asked"]);
    assert_eq!(last_record(&stage).kind, Kind::Exited);
}

#[test]
fn a_closed_terminal_and_an_interrupt_do_not_reach_a_runner() {
    let stage = Stage::run("cat");
    let runner = stage.runner();
    for signal in ["HUP", "INT", "QUIT", "PIPE"] {
        kill(runner.pid, signal);
    }
    let (mut bridge, _) = Bridge::welcomed(&stage.dir, 1, 1);
    bridge.write(1, "there");
    bridge.until_said("there");
    // And its agent hears them as anybody does.
    let status = std::fs::read_to_string(format!("/proc/{}/status", stage.agent().pid)).unwrap();
    // Signals 1, 2, 3, 13 and 15.
    let asked = 0b101_0000_0000_0111_u64;
    for field in ["SigIgn:", "SigBlk:"] {
        let line = status.lines().find_map(|line| line.strip_prefix(field)).unwrap();
        assert_eq!(
            u64::from_str_radix(line.trim(), 16).unwrap() & asked,
            0,
            "{field} {line}"
        );
    }
}
