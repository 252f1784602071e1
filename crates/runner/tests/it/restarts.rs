//! A second runner on the same folder.

use std::fs::{self, OpenOptions};

use sluice_runner::{FromRunner, Kind, ToRunner};

use crate::stage::{Bridge, Stage, assert_in_order, kill, script};

#[test]
fn the_numbers_go_on_and_so_does_the_term() {
    let stage = Stage::run("echo first; cat");
    let (mut bridge, _) = Bridge::welcomed(&stage.dir, 3, 1);
    bridge.until_said("first");
    bridge.send(&ToRunner::Shutdown { grace_ms: 10_000 });
    bridge.rest();
    stage.runner_is_gone();
    let before = stage.records();

    stage.start(&script("echo second; cat")).unwrap();
    let mut stale = Bridge::connect(&stage.dir);
    stale.send(&ToRunner::Hello { term: 3, from: 1 });
    assert_eq!(stale.rest(), [FromRunner::Refused { term: 3 }]);
    let (mut bridge, _) = Bridge::welcomed(&stage.dir, 4, 1);
    let records = bridge.until_said("second");
    assert_in_order(&records, 1);
    assert_eq!(records[..before.len()], before);
    let kinds: Vec<Kind> = records.iter().map(|record| record.kind).collect();
    assert_eq!(
        kinds,
        [Kind::Started, Kind::Said, Kind::Exited, Kind::Started, Kind::Said]
    );
}

#[test]
fn a_new_runner_waits_for_one_that_is_leaving() {
    let stage = Stage::run("read line");
    let (mut bridge, _) = Bridge::welcomed(&stage.dir, 1, 1);
    bridge.write(1, "go");
    bridge.until(|frame| matches!(frame, FromRunner::Record(record) if record.kind == Kind::Exited));
    // The bridge is still connected, so the runner is still there.
    let old = stage.runner();
    assert!(old.is_alive());
    let started = stage.start(&script("cat")).unwrap();
    assert_ne!(started.pid, old.pid);
    assert!(!old.is_alive());
}

#[test]
fn after_a_killed_runner_a_torn_tail_is_cut_and_noted() {
    let stage = Stage::run("echo one; echo two; cat");
    let (mut bridge, _) = Bridge::welcomed(&stage.dir, 1, 1);
    bridge.until_said("two");
    let runner = stage.runner();
    kill(runner.pid, "KILL");
    stage.runner_is_gone();
    let segment = stage.dir.join(format!("log/{:020}.seg", 1));
    let length = fs::metadata(&segment).unwrap().len();
    OpenOptions::new()
        .write(true)
        .open(&segment)
        .unwrap()
        .set_len(length - 2)
        .unwrap();
    assert_eq!(stage.said(Kind::Said), ["one"]);

    stage.start(&script("echo three")).unwrap();
    stage.runner_is_gone();
    assert_in_order(&stage.records(), 1);
    assert_eq!(stage.said(Kind::Said), ["one", "three"]);
    assert_eq!(stage.notes(), ["tail_cut"]);
}

#[test]
fn a_killed_runner_takes_nothing_back_that_it_sent() {
    let stage = Stage::new();
    let mut seen = Vec::new();
    for round in 1..=8_u64 {
        stage
            .start(&script("i=0; while :; do i=$((i+1)); echo line $i; done"))
            .unwrap();
        let (mut bridge, _) = Bridge::welcomed(&stage.dir, round, seen.len() as u64 + 1);
        for _ in 0..round * 300 {
            if let Some(FromRunner::Record(record)) = bridge.next() {
                seen.push(record);
            }
        }
        let runner = stage.runner();
        kill(runner.pid, "KILL");
        stage.runner_is_gone();
        // What was on its way is still there to be read.
        let rest = bridge.rest().into_iter().filter_map(|frame| match frame {
            FromRunner::Record(record) => Some(record),
            _ => None,
        });
        seen.extend(rest);
        let logged = stage.records();
        assert_in_order(&logged, 1);
        assert!(logged.starts_with(&seen), "round {round}");
    }
}
