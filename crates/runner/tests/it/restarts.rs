//! A second runner in the same folder.

use std::fs::{self, OpenOptions};

use sluice_runner::{FromRunner, Kind, ToRunner};

use crate::stage::{Bridge, Stage, assert_in_order, kill, script};

#[test]
fn numbers_and_term_continue_after_a_restart() {
    let stage = Stage::run("echo first; cat");
    let (mut bridge, _) = Bridge::connect_with_hello(&stage.dir, 3, 1);
    bridge.read_until_output("first");
    bridge.send(&ToRunner::Shutdown { grace_ms: 10_000 });
    bridge.read_to_end();
    stage.wait_for_runner_exit();
    let before = stage.records();

    stage.start(&script("echo second; cat")).unwrap();
    let mut stale = Bridge::connect(&stage.dir);
    stale.send(&ToRunner::Hello { term: 3, from: 1 });
    assert_eq!(stale.read_to_end(), [FromRunner::Refused { term: 3 }]);
    let (mut bridge, _) = Bridge::connect_with_hello(&stage.dir, 4, 1);
    let records = bridge.read_until_output("second");
    assert_in_order(&records, 1);
    assert_eq!(records[..before.len()], before);
    let kinds: Vec<Kind> = records.iter().map(|record| record.kind).collect();
    assert_eq!(
        kinds,
        [Kind::Started, Kind::Said, Kind::Exited, Kind::Started, Kind::Said]
    );
}

#[test]
fn new_runner_waits_for_one_that_is_exiting() {
    let stage = Stage::run("read line");
    let (mut bridge, _) = Bridge::connect_with_hello(&stage.dir, 1, 1);
    bridge.write(1, "go");
    bridge.until(|frame| matches!(frame, FromRunner::Record(record) if record.kind == Kind::Exited));
    // The bridge is still connected, so the runner has not exited yet.
    let old = stage.runner();
    assert!(old.is_alive());
    let started = stage.start(&script("cat")).unwrap();
    assert_ne!(started.pid, old.pid);
    assert!(!old.is_alive());
}

#[test]
fn torn_tail_of_a_killed_runner_is_cut_and_noted() {
    let stage = Stage::run("echo one; echo two; cat");
    let (mut bridge, _) = Bridge::connect_with_hello(&stage.dir, 1, 1);
    bridge.read_until_output("two");
    let runner = stage.runner();
    kill(runner.pid, "KILL");
    stage.wait_for_runner_exit();
    let segment = stage.dir.join(format!("log/{:020}.seg", 1));
    let length = fs::metadata(&segment).unwrap().len();
    OpenOptions::new()
        .write(true)
        .open(&segment)
        .unwrap()
        .set_len(length - 2)
        .unwrap();
    assert_eq!(stage.bodies(Kind::Said), ["one"]);

    stage.start(&script("echo three")).unwrap();
    stage.wait_for_runner_exit();
    assert_in_order(&stage.records(), 1);
    assert_eq!(stage.bodies(Kind::Said), ["one", "three"]);
    assert_eq!(stage.notes(), ["tail_cut"]);
}

#[test]
fn records_sent_by_a_killed_runner_are_in_the_log() {
    let stage = Stage::new();
    let mut seen = Vec::new();
    for round in 1..=8_u64 {
        stage
            .start(&script("i=0; while :; do i=$((i+1)); echo line $i; done"))
            .unwrap();
        let (mut bridge, _) = Bridge::connect_with_hello(&stage.dir, round, seen.len() as u64 + 1);
        for _ in 0..round * 300 {
            if let Some(FromRunner::Record(record)) = bridge.next() {
                seen.push(record);
            }
        }
        let runner = stage.runner();
        kill(runner.pid, "KILL");
        stage.wait_for_runner_exit();
        // Records in the socket buffer can still be read.
        let rest = bridge.read_to_end().into_iter().filter_map(|frame| match frame {
            FromRunner::Record(record) => Some(record),
            _ => None,
        });
        seen.extend(rest);
        let logged = stage.records();
        assert_in_order(&logged, 1);
        assert!(logged.starts_with(&seen), "round {round}");
    }
}
