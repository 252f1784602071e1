//! Damage to the log of a running runner: intact records are still sent, and the runner continues.

use std::fs;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use sluice_runner::{FromRunner, Kind, LogReader, Record};

use crate::stage::{Bridge, Stage, script};

/// Starts a runner whose log has many small segments. Returns it with the paths of the segments.
fn runner_with_segments(text: &str) -> (Stage, Vec<PathBuf>) {
    let stage = Stage::new();
    let mut launch = script(text);
    launch.log_cap = 4 << 20;
    stage.start(&launch).unwrap();
    let (mut bridge, _) = Bridge::connect_with_hello(&stage.dir, 1, 1);
    bridge.read_until_output("end");
    let mut files: Vec<PathBuf> = fs::read_dir(stage.dir.join("log"))
        .unwrap()
        .map(|file| file.unwrap().path())
        .collect();
    files.sort();
    (stage, files)
}

/// Changes one bit in the middle of a file.
fn flip_middle(path: &Path) {
    let file = fs::OpenOptions::new().read(true).write(true).open(path).unwrap();
    let middle = file.metadata().unwrap().len() / 2;
    let mut byte = [0];
    file.read_exact_at(&mut byte, middle).unwrap();
    file.write_all_at(&[byte[0] ^ 1], middle).unwrap();
}

fn first_of(path: &Path) -> u64 {
    path.file_stem().unwrap().to_str().unwrap().parse().unwrap()
}

fn caught_up(stage: &Stage, term: u64) -> (Bridge, Vec<Record>) {
    let (mut bridge, _) = Bridge::connect_with_hello(&stage.dir, term, 1);
    let (records, _) = bridge.until(|frame| matches!(frame, FromRunner::CaughtUp { .. }));
    (bridge, records)
}

#[test]
fn damaged_segment_is_skipped_and_later_records_are_sent() {
    let (stage, files) = runner_with_segments("seq 1 60000; echo end; cat");
    assert!(files.len() >= 3, "{files:?}");
    flip_middle(&files[1]);
    let (mut bridge, records) = caught_up(&stage, 2);
    // Reading the files gives the same records.
    let mut read = LogReader::open(&stage.dir).unwrap().read_from(1);
    assert!(read.by_ref().eq(records.iter().cloned()));
    assert_eq!(read.damage().len(), 1);
    assert_eq!(read.damage()[0].segment, files[1]);
    let missing: Vec<u64> = (1..=records.last().unwrap().number)
        .filter(|number| records.binary_search_by_key(number, |record| record.number).is_err())
        .collect();
    assert_eq!(missing.first(), Some(&read.damage()[0].number));
    assert_eq!(missing.last(), Some(&(first_of(&files[2]) - 1)));
    bridge.write(1, "on");
    bridge.read_until_output("on");
}

#[test]
fn damage_in_the_active_segment_starts_a_new_one() {
    let (stage, files) = runner_with_segments("seq 1 1000; echo end; cat");
    assert_eq!(files.len(), 1);
    flip_middle(&files[0]);
    let (mut bridge, before) = caught_up(&stage, 2);
    assert!((10..900).contains(&before.len()), "{}", before.len());
    bridge.write(1, "on");
    bridge.read_until_output("on");
    let (_, all) = caught_up(&stage, 3);
    assert_eq!(all.last().unwrap().body, b"on");
}

#[test]
fn damaged_record_larger_than_the_buffer_is_not_sent() {
    let large = "head -c 900000 /dev/zero | tr '\\0' x; echo";
    let (stage, files) = runner_with_segments(&format!("{large}; {large}; echo end; cat"));
    assert!(files.len() >= 2, "{files:?}");
    flip_middle(&files[0]);
    let (_, records) = caught_up(&stage, 2);
    let lengths: Vec<usize> = records
        .iter()
        .filter(|record| record.kind == Kind::Said)
        .map(|record| record.body.len())
        .collect();
    assert_eq!(lengths, [900_000, 3]);
}
