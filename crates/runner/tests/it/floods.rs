//! Agents that flood, bridges that lag: the runner's memory stays what it is.

use sluice_runner::{FromRunner, Kind, ToRunner};

use crate::stage::{Bridge, Stage, assert_in_order, eventually, notes, script};

/// Kilobytes a runner may have while all this happens.
const FLAT: u64 = 6 << 10;

/// How far behind a reader is here, in bytes: `SLUICE_LONG=1` makes it a gibibyte.
fn behind() -> u64 {
    if std::env::var_os("SLUICE_LONG").is_some() {
        1 << 30
    } else {
        64 << 20
    }
}

#[test]
fn a_flood_of_lines_is_logged_whole_and_memory_stays_flat() {
    let stage = Stage::run("seq 1 2000000; echo end; cat");
    let mut most = 0;
    eventually("all is in the log", || {
        most = most.max(stage.memory());
        let (mut log, mut last) = (stage.dir.join("log").read_dir().unwrap().collect::<Vec<_>>(), 0);
        log.retain(|entry| entry.is_ok());
        for entry in log.into_iter().flatten() {
            let first: u64 = entry.file_name().to_str().unwrap()[..20].parse().unwrap();
            last = last.max(first);
        }
        let tail = sluice_runner::LogReader::open(&stage.dir)
            .unwrap()
            .read_from(last)
            .last();
        tail.is_some_and(|record| record.body == b"end")
    });
    assert!(most <= FLAT, "{most} KiB");
    let records = stage.records();
    assert_in_order(&records, 1);
    let said = records.iter().filter(|record| record.kind == Kind::Said);
    let numbers = said
        .take(2_000_000)
        .map(|record| std::str::from_utf8(&record.body).unwrap().parse::<u64>().unwrap());
    assert!(numbers.eq(1..=2_000_000));
}

#[test]
fn a_bridge_that_never_reads_holds_nobody_up() {
    let stage = Stage::run("read line; seq 1 500000; echo end >&2; cat");
    let (mut never, _) = Bridge::welcomed(&stage.dir, 1, 1);
    never.write(1, "go");
    eventually("the agent is done", || stage.said(Kind::Stderr) == ["end"]);
    let memory = stage.memory();
    assert!(memory <= FLAT, "{memory} KiB");
    // Another one takes over and has everything.
    let (mut bridge, _) = Bridge::welcomed(&stage.dir, 2, 1);
    let (records, _) = bridge.until(|frame| matches!(frame, FromRunner::CaughtUp { .. }));
    assert_eq!(records, stage.records());
}

#[test]
fn a_slow_bridge_gets_everything_in_order() {
    let stage = Stage::run("seq 1 300000; echo end; cat");
    let (mut slow, _) = Bridge::welcomed(&stage.dir, 1, 1);
    // Its socket is full while the agent goes on; then it reads in small pieces.
    eventually("the agent is done", || {
        stage.records().last().is_some_and(|record| record.body == b"end")
    });
    let records = slow.until_said("end");
    assert_in_order(&records, 1);
    assert_eq!(records, stage.records());
}

#[test]
fn a_reader_far_behind_costs_one_buffer() {
    let stage = Stage::new();
    let lines = behind() >> 16;
    // Lines of 64 KiB.
    let text = format!("yes $(head -c 65535 /dev/zero | tr '\\0' x) | head -n {lines}; echo end; cat");
    stage.start(&script(&text)).unwrap();
    let (mut first, _) = Bridge::welcomed(&stage.dir, 1, u64::MAX);
    let end = first.until_said("end").last().unwrap().number;
    drop(first);
    let (mut bridge, _) = Bridge::welcomed(&stage.dir, 2, 1);
    let mut most = 0;
    for number in 1..=end {
        match bridge.next().unwrap() {
            FromRunner::Record(record) => assert_eq!(record.number, number),
            FromRunner::CaughtUp { .. } => panic!("at {number}"),
            other => panic!("{other:?}"),
        }
        if number % 100 == 0 {
            most = most.max(stage.memory());
        }
    }
    assert_eq!(bridge.next(), Some(FromRunner::CaughtUp { next: end + 1 }));
    assert!(most <= FLAT, "{most} KiB");
}

#[test]
fn a_full_log_stops_the_agent_and_a_trim_lets_it_go_on() {
    let stage = Stage::new();
    let mut launch = script("seq 1 200000; echo end; cat");
    launch.log_cap = 1 << 20;
    stage.start(&launch).unwrap();
    eventually("the log is full", || stage.notes() == ["log_full"]);
    // The pipe of the agent is full: it waits.
    let agent = stage.agent();
    assert!(agent.is_alive());
    let (mut bridge, _) = Bridge::welcomed(&stage.dir, 1, 1);
    // It can still be answered.
    bridge.write(1, "while it waits");
    let mut all = Vec::new();
    loop {
        let FromRunner::Record(record) = (match bridge.next().unwrap() {
            FromRunner::CaughtUp { .. } | FromRunner::Wrote { id: 1, .. } => continue,
            frame => frame,
        }) else {
            panic!("a record comes");
        };
        let number = record.number;
        let done = record.body == b"end";
        let full = record.kind == Kind::Note && record.body.starts_with(br#"{"what":"log_full"#);
        all.push(record);
        if done {
            break;
        }
        if full {
            bridge.send(&ToRunner::Trim { below: number });
        }
    }
    assert_in_order(&all, 1);
    let said = all.iter().filter(|record| record.kind == Kind::Said).count();
    assert_eq!(said, 200_001);
    let notes = notes(&all);
    assert!(
        notes.len() > 4 && notes.chunks(2).all(|pair| pair == ["log_full", "log_ok"]),
        "{notes:?}"
    );
}
