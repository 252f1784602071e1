//! Bridges: terms, slow ones, silent ones, strangers.

use std::io::{Read, Write};

use sluice_runner::{AgentStatus, FromRunner, Kind, ToRunner, connect, registry};

use crate::stage::{Bridge, DEADLINE, Stage, assert_in_order, eventually};

#[test]
fn a_welcome_tells_what_there_is_and_then_comes_exactly_that() {
    let stage = Stage::run("echo one; echo two; echo three; cat");
    eventually("it has spoken", || stage.said(Kind::Said).len() == 3);
    let (mut bridge, welcome) = Bridge::welcomed(&stage.dir, 7, 3);
    let agent = stage.agent();
    let running = AgentStatus::Running {
        pid: agent.pid,
        started: agent.started,
    };
    assert_eq!(
        welcome,
        FromRunner::Welcome {
            term: 7,
            first: 1,
            next: 5,
            agent: running
        }
    );
    let (records, caught_up) = bridge.until(|frame| matches!(frame, FromRunner::CaughtUp { .. }));
    assert_eq!(caught_up, FromRunner::CaughtUp { next: 5 });
    assert_in_order(&records, 3);
    assert_eq!(records, stage.records()[2..]);
}

#[test]
fn the_higher_term_takes_over_and_the_older_bridge_is_told() {
    let stage = Stage::run("cat");
    let (mut old, _) = Bridge::welcomed(&stage.dir, 5, 1);
    let (mut new, _) = Bridge::welcomed(&stage.dir, 6, 1);
    assert_eq!(old.rest().pop(), Some(FromRunner::Overtaken { term: 6 }));
    new.write(1, "from the new one");
    new.until_said("from the new one");
    for term in [0, 5, 6] {
        let mut late = Bridge::connect(&stage.dir);
        late.send(&ToRunner::Hello { term, from: 1 });
        assert_eq!(late.rest(), [FromRunner::Refused { term: 6 }]);
    }
    new.write(2, "still in force");
    new.until_said("still in force");
    assert_eq!(registry::read(&stage.dir).unwrap().term, 6);
}

#[test]
fn a_bridge_that_was_overtaken_cannot_write() {
    let stage = Stage::run("cat");
    let (mut old, _) = Bridge::welcomed(&stage.dir, 1, 1);
    let (mut new, _) = Bridge::welcomed(&stage.dir, 2, 1);
    let mut bytes = Vec::new();
    ToRunner::Write {
        id: 1,
        line: b"from the old one".to_vec(),
    }
    .encode(&mut bytes);
    // It may be closed already.
    old.stream.write_all(&bytes).ok();
    new.write(1, "from the new one");
    new.until_said("from the new one");
    assert_eq!(stage.said(Kind::Wrote), ["from the new one"]);
}

#[test]
fn bridges_come_and_go_and_the_agent_works_on() {
    let stage = Stage::run("while read -r line; do echo \"got $line\"; done");
    let mut next = 1;
    for term in 1..20 {
        let (mut bridge, _) = Bridge::welcomed(&stage.dir, term, next);
        bridge.write(term, &format!("{term}"));
        // Gone without reading the answer, every other time.
        if term % 2 == 0 {
            let records = bridge.until_said(&format!("got {term}"));
            assert_in_order(&records, next);
            next = records.last().unwrap().number + 1;
        }
    }
    eventually("all arrived", || stage.said(Kind::Said).len() == 19);
    assert_in_order(&stage.records(), 1);
}

#[test]
fn strangers_are_shown_the_door_and_nothing_else_happens() {
    let stage = Stage::run("cat");
    let (mut bridge, _) = Bridge::welcomed(&stage.dir, 1, 1);
    let mut early = Vec::new();
    ToRunner::Write {
        id: 1,
        line: b"no hello".to_vec(),
    }
    .encode(&mut early);
    let too_long = (40_u32 << 20).to_le_bytes();
    for garbage in [&b"GET / HTTP/1.1\r\n\r\n"[..], &early, &too_long, &[1, 0, 0, 0, 77]] {
        let mut stranger = connect(&stage.dir).unwrap();
        stranger.set_read_timeout(Some(DEADLINE)).unwrap();
        stranger.write_all(garbage).unwrap();
        let mut answer = Vec::new();
        stranger.read_to_end(&mut answer).ok();
        assert_eq!(answer, b"");
    }
    bridge.write(1, "undisturbed");
    bridge.until_said("undisturbed");
    assert_eq!(stage.said(Kind::Wrote), ["undisturbed"]);
}

#[test]
fn a_bridge_that_sends_garbage_is_closed_and_another_can_come() {
    let stage = Stage::run("cat");
    let (mut bridge, _) = Bridge::welcomed(&stage.dir, 1, 1);
    bridge.stream.write_all(&[1, 0, 0, 0, 77]).unwrap();
    bridge.rest();
    let (mut bridge, _) = Bridge::welcomed(&stage.dir, 2, 1);
    bridge.write(1, "again");
    bridge.until_said("again");
}

#[test]
fn a_peer_that_never_says_hello_is_closed() {
    let stage = Stage::run("cat");
    let mut silent = connect(&stage.dir).unwrap();
    silent.set_read_timeout(Some(DEADLINE)).unwrap();
    assert_eq!(silent.read(&mut [0; 8]).unwrap(), 0);
}

#[test]
fn a_hello_from_beyond_the_end_waits_for_what_comes() {
    let stage = Stage::run("cat");
    let (mut bridge, welcome) = Bridge::welcomed(&stage.dir, 1, 1000);
    let FromRunner::Welcome { next, .. } = welcome else {
        unreachable!()
    };
    bridge.write(1, "new");
    assert_in_order(&bridge.until_said("new"), next);
}
