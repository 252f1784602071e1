//! Connections of bridges: terms, slow and silent bridges, invalid clients.

use std::io::{Read, Write};

use sluice_runner::{AgentStatus, FromRunner, Kind, ToRunner, connect, registry};

use crate::stage::{Bridge, DEADLINE, Stage, assert_in_order, eventually};

#[test]
fn welcome_announces_the_records_that_follow() {
    let stage = Stage::run("echo one; echo two; echo three; cat");
    eventually("the agent wrote its lines", || stage.bodies(Kind::Said).len() == 3);
    let (mut bridge, welcome) = Bridge::connect_with_hello(&stage.dir, 7, 3);
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
fn higher_term_takes_over_and_older_bridge_is_notified() {
    let stage = Stage::run("cat");
    let (mut old, _) = Bridge::connect_with_hello(&stage.dir, 5, 1);
    let (mut new, _) = Bridge::connect_with_hello(&stage.dir, 6, 1);
    assert_eq!(old.read_to_end().pop(), Some(FromRunner::Overtaken { term: 6 }));
    new.write(1, "from the new one");
    new.read_until_output("from the new one");
    for term in [0, 5, 6] {
        let mut late = Bridge::connect(&stage.dir);
        late.send(&ToRunner::Hello { term, from: 1 });
        assert_eq!(late.read_to_end(), [FromRunner::Refused { term: 6 }]);
    }
    new.write(2, "still in force");
    new.read_until_output("still in force");
    assert_eq!(registry::read(&stage.dir).unwrap().term, 6);
}

#[test]
fn overtaken_bridge_cannot_write() {
    let stage = Stage::run("cat");
    let (mut old, _) = Bridge::connect_with_hello(&stage.dir, 1, 1);
    let (mut new, _) = Bridge::connect_with_hello(&stage.dir, 2, 1);
    let mut bytes = Vec::new();
    ToRunner::Write {
        id: 1,
        line: b"from the old one".to_vec(),
    }
    .encode(&mut bytes);
    // The connection may already be closed.
    old.stream.write_all(&bytes).ok();
    new.write(1, "from the new one");
    new.read_until_output("from the new one");
    assert_eq!(stage.bodies(Kind::Wrote), ["from the new one"]);
}

#[test]
fn agent_is_unaffected_by_bridges_connecting_and_disconnecting() {
    let stage = Stage::run("while read -r line; do echo \"got $line\"; done");
    let mut next = 1;
    for term in 1..20 {
        let (mut bridge, _) = Bridge::connect_with_hello(&stage.dir, term, next);
        bridge.write(term, &format!("{term}"));
        // Every other bridge disconnects without reading the answer.
        if term % 2 == 0 {
            let records = bridge.read_until_output(&format!("got {term}"));
            assert_in_order(&records, next);
            next = records.last().unwrap().number + 1;
        }
    }
    eventually("all lines arrived", || stage.bodies(Kind::Said).len() == 19);
    assert_in_order(&stage.records(), 1);
}

#[test]
fn invalid_clients_are_disconnected_without_effect() {
    let stage = Stage::run("cat");
    let (mut bridge, _) = Bridge::connect_with_hello(&stage.dir, 1, 1);
    let mut early = Vec::new();
    ToRunner::Write {
        id: 1,
        line: b"no hello".to_vec(),
    }
    .encode(&mut early);
    let too_long = (40_u32 << 20).to_le_bytes();
    for garbage in [&b"GET / HTTP/1.1\r\n\r\n"[..], &early, &too_long, &[1, 0, 0, 0, 77]] {
        let mut client = connect(&stage.dir).unwrap();
        client.set_read_timeout(Some(DEADLINE)).unwrap();
        client.write_all(garbage).unwrap();
        let mut answer = Vec::new();
        client.read_to_end(&mut answer).ok();
        assert_eq!(answer, b"");
    }
    bridge.write(1, "undisturbed");
    bridge.read_until_output("undisturbed");
    assert_eq!(stage.bodies(Kind::Wrote), ["undisturbed"]);
}

#[test]
fn bridge_that_sends_garbage_is_disconnected_and_another_can_connect() {
    let stage = Stage::run("cat");
    let (mut bridge, _) = Bridge::connect_with_hello(&stage.dir, 1, 1);
    bridge.stream.write_all(&[1, 0, 0, 0, 77]).unwrap();
    bridge.read_to_end();
    let (mut bridge, _) = Bridge::connect_with_hello(&stage.dir, 2, 1);
    bridge.write(1, "again");
    bridge.read_until_output("again");
}

#[test]
fn client_without_hello_is_disconnected() {
    let stage = Stage::run("cat");
    let mut silent = connect(&stage.dir).unwrap();
    silent.set_read_timeout(Some(DEADLINE)).unwrap();
    assert_eq!(silent.read(&mut [0; 8]).unwrap(), 0);
}

#[test]
fn hello_from_beyond_the_end_receives_only_new_records() {
    let stage = Stage::run("cat");
    let (mut bridge, welcome) = Bridge::connect_with_hello(&stage.dir, 1, 1000);
    let FromRunner::Welcome { next, .. } = welcome else {
        unreachable!()
    };
    bridge.write(1, "new");
    assert_in_order(&bridge.read_until_output("new"), next);
}
