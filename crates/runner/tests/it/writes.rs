//! Writing lines to the agent.

use sluice_runner::{FromRunner, Kind, Signal, ToRunner};

use crate::stage::{Bridge, Stage, assert_in_order, script};

#[test]
fn line_is_logged_before_it_is_acknowledged_and_delivered() {
    let stage = Stage::run("cat");
    let (mut bridge, _) = Bridge::connect_with_hello(&stage.dir, 1, 1);
    bridge.write(41, "ping");
    let (_, wrote) = bridge.until(|frame| matches!(frame, FromRunner::Wrote { .. }));
    let FromRunner::Wrote { id: 41, number } = wrote else {
        panic!("{wrote:?}")
    };
    let logged = stage
        .records()
        .into_iter()
        .find(|record| record.number == number)
        .unwrap();
    assert_eq!((logged.kind, logged.body.as_slice()), (Kind::Wrote, &b"ping"[..]));
    bridge.read_until_output("ping");
    let output = stage
        .records()
        .into_iter()
        .find(|record| record.kind == Kind::Said)
        .unwrap();
    assert!(output.number > number);
}

#[test]
fn lines_arrive_in_order_and_input_ends_after_the_last() {
    let stage = Stage::run("cat; echo end");
    let (mut bridge, _) = Bridge::connect_with_hello(&stage.dir, 1, 1);
    for id in 0..2000 {
        bridge.write(id, &format!("line {id}"));
    }
    bridge.send(&ToRunner::EndInput);
    let records = bridge.read_until_output("end");
    assert_in_order(&records, 1);
    let output: Vec<_> = records.iter().filter(|record| record.kind == Kind::Said).collect();
    assert_eq!(output.len(), 2001);
    assert!(
        (0..2000)
            .zip(&output)
            .all(|(id, record)| record.body == format!("line {id}").as_bytes())
    );
}

#[test]
fn line_with_a_line_end_and_line_after_end_of_input_are_refused() {
    let stage = Stage::run("cat >/dev/null; echo end; sleep 100");
    let (mut bridge, _) = Bridge::connect_with_hello(&stage.dir, 1, 1);
    bridge.write(1, "two\nlines");
    let refused = |frame: &FromRunner| matches!(frame, FromRunner::NotWritten { .. });
    let (_, reason) = bridge.until(refused);
    assert_eq!(
        reason,
        FromRunner::NotWritten {
            id: 1,
            reason: "a line must not contain a line end".to_owned()
        }
    );
    bridge.send(&ToRunner::EndInput);
    bridge.write(2, "late");
    let (_, reason) = bridge.until(refused);
    assert_eq!(
        reason,
        FromRunner::NotWritten {
            id: 2,
            reason: "the agent's input has ended".to_owned()
        }
    );
    assert_eq!(stage.bodies(Kind::Wrote), Vec::<String>::new());
}

#[test]
fn input_queue_of_an_agent_that_does_not_read_is_bounded() {
    let stage = Stage::run("trap 'cat >/dev/null; echo read' INT; echo ready; sleep 1000 & wait");
    let (mut bridge, _) = Bridge::connect_with_hello(&stage.dir, 1, 1);
    bridge.read_until_output("ready");
    let line = "x".repeat(1 << 20);
    for id in 0..20 {
        bridge.write(id, &line);
    }
    let mut wrote = 0;
    let (_, refused) = bridge.until(|frame| {
        wrote += u32::from(matches!(frame, FromRunner::Wrote { .. }));
        matches!(frame, FromRunner::NotWritten { .. })
    });
    assert!(matches!(&refused, FromRunner::NotWritten { reason, .. } if reason == "the agent does not read"));
    assert!((15..=17).contains(&wrote), "{wrote}");
    // The agent reads again: the queued lines are delivered.
    bridge.send(&ToRunner::Signal(Signal::Interrupt));
    bridge.send(&ToRunner::EndInput);
    bridge.read_until_output("read");
}

#[test]
fn undeliverable_lines_are_noted() {
    let stage = Stage::run("exec <&-; echo closed; sleep 1000");
    let (mut bridge, _) = Bridge::connect_with_hello(&stage.dir, 1, 1);
    bridge.read_until_output("closed");
    bridge.write(1, "to nobody");
    let (_, note) = bridge.until(|frame| matches!(frame, FromRunner::Record(record) if record.kind == Kind::Note));
    let FromRunner::Record(note) = note else { unreachable!() };
    let wrote = stage
        .records()
        .into_iter()
        .find(|record| record.kind == Kind::Wrote)
        .unwrap();
    let expected = serde_json::json!({"what": "not_delivered", "numbers": [wrote.number]});
    assert_eq!(
        serde_json::from_slice::<serde_json::Value>(&note.body).unwrap(),
        expected
    );
}

#[test]
fn too_long_line_is_noted_and_next_line_is_complete() {
    let stage = Stage::new();
    let mut launch = script("head -c 300000 /dev/zero | tr '\\0' x; echo; echo short");
    launch.line_cap = 100_000;
    stage.start(&launch).unwrap();
    stage.wait_for_runner_exit();
    assert_eq!(stage.bodies(Kind::Said), ["short"]);
    let note = stage.bodies(Kind::Note);
    assert_eq!(note, [r#"{"what":"too_long","bytes":300000}"#]);
}

#[test]
fn line_larger_than_any_buffer_arrives_complete() {
    let stage = Stage::new();
    let mut launch = script("head -c 20000000 /dev/zero | tr '\\0' x; echo; echo next; cat");
    launch.line_cap = 24 << 20;
    stage.start(&launch).unwrap();
    let (mut bridge, _) = Bridge::connect_with_hello(&stage.dir, 1, 1);
    let records = bridge.read_until_output("next");
    assert_in_order(&records, 1);
    let large = &records[records.len() - 2].body;
    assert!(large.len() == 20_000_000 && large.iter().all(|byte| *byte == b'x'));
    // The memory for the long line was released.
    let memory = stage.memory();
    assert!(memory <= 4096, "{memory} KiB");
}
