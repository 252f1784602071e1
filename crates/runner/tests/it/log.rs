//! The log reader and writer: torn and damaged logs, and a disk that refuses writes.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use sluice_runner::log::{LogDamage, Storage};
use sluice_runner::{Kind, LogReader, LogWriter, Record};
use tempfile::TempDir;

/// A segment size larger than any log of these tests.
const ONE_SEGMENT: u64 = 1 << 20;

fn segment_files(dir: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(dir.join("log"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    files
}

fn read_all(dir: &Path, from: u64) -> Vec<Record> {
    LogReader::open(dir).unwrap().read_from(from).collect()
}

fn output_record(number: u64, body: &[u8]) -> Record {
    Record {
        number,
        at: number * 10,
        kind: Kind::Said,
        body: body.to_vec(),
    }
}

fn write(dir: &Path, segment: u64, bodies: &[Vec<u8>]) -> LogWriter {
    let (mut log, _) = LogWriter::open(dir, segment).unwrap();
    for body in bodies {
        let at = log.next_number() * 10;
        log.append(Kind::Said, at, body);
        log.flush().unwrap();
    }
    log
}

fn bodies(count: usize) -> Vec<Vec<u8>> {
    (0..count).map(|n| format!("line {n}").into_bytes()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]
    #[test]
    fn torn_tail_is_cut_and_numbering_continues(
        before in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..4),
        last in prop::collection::vec(any::<u8>(), 0..40),
    ) {
        let dir = TempDir::new().unwrap();
        drop(write(dir.path(), ONE_SEGMENT, &before));
        let intact = fs::metadata(&segment_files(dir.path())[0]).unwrap().len();
        drop(write(dir.path(), ONE_SEGMENT, std::slice::from_ref(&last)));
        let file = segment_files(dir.path())[0].clone();
        let whole = fs::read(&file).unwrap();
        let next = before.len() as u64 + 1;
        for length in intact..whole.len() as u64 {
            fs::write(&file, &whole[..usize::try_from(length).unwrap()]).unwrap();
            let (mut log, cut) = LogWriter::open(dir.path(), ONE_SEGMENT).unwrap();
            let expected = (length > intact).then_some(LogDamage::Tail { segment: 1, offset: intact, bytes: length - intact });
            prop_assert_eq!(cut, expected);
            prop_assert_eq!(log.append(Kind::Said, next * 10, b"new"), next);
            log.flush().unwrap();
            let mut records: Vec<Record> = (1..).zip(&before).map(|(number, body)| output_record(number, body)).collect();
            records.push(output_record(next, b"new"));
            prop_assert_eq!(read_all(dir.path(), 1), records);
        }
    }

    #[test]
    fn no_record_is_lost_or_duplicated_when_writes_fail(
        lines in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..60), 1..30),
        results in prop::collection::vec(prop_oneof![Just(None), (0_usize..50).prop_map(Some)], 1..60),
        segment in 30_u64..400,
    ) {
        let dir = TempDir::new().unwrap();
        let (mut log, _) = LogWriter::open_on(Faulty { results }, dir.path(), segment).unwrap();
        let mut expected = Vec::new();
        for (at, line) in lines.iter().enumerate() {
            if at % 3 == 0 {
                // The record is either in the log and on the disk, or not there at all.
                let number = log.next_number();
                if log.append_synced(Kind::Said, number * 10, std::iter::once(line.as_slice())).is_err() {
                    continue;
                }
                expected.push(output_record(number, line));
            } else {
                let number = log.next_number();
                log.append(Kind::Said, number * 10, line);
                expected.push(output_record(number, line));
                log.flush().ok();
            }
        }
        // After its scripted results, the storage accepts everything.
        while log.flush().is_err() {}
        prop_assert_eq!(log.next(), expected.len() as u64 + 1);
        prop_assert_eq!(read_all(dir.path(), 1), expected);
    }
}

/// A storage that writes as many bytes as its list says or fails (`None`); after the list it writes everything.
struct Faulty {
    results: Vec<Option<usize>>,
}

impl Storage for Faulty {
    fn write_at(&mut self, file: &File, bytes: &[u8], offset: u64) -> io::Result<usize> {
        match self.results.pop() {
            None => file.write_at(bytes, offset),
            Some(Some(most)) if most > 0 => file.write_at(&bytes[..most.min(bytes.len())], offset),
            Some(_) => Err(io::ErrorKind::StorageFull.into()),
        }
    }

    fn sync(&mut self, _: &File) -> io::Result<()> {
        match self.results.pop() {
            Some(None) => Err(io::ErrorKind::StorageFull.into()),
            _ => Ok(()),
        }
    }
}

#[test]
fn damage_is_reported_and_reading_continues_with_the_next_segment() {
    let dir = TempDir::new().unwrap();
    let lines = bodies(12);
    let log = write(dir.path(), 100, &lines);
    let files = segment_files(dir.path());
    assert!(files.len() >= 4, "{files:?}");
    // Flips a bit in the last byte of the second segment's first record.
    let mut bytes = fs::read(&files[1]).unwrap();
    let length = 4 + u32::from_le_bytes(bytes[24..28].try_into().unwrap()) as usize;
    bytes[24 + length - 1] ^= 1;
    fs::write(&files[1], bytes).unwrap();

    let first_of = |at: usize| files[at].file_stem().unwrap().to_str().unwrap().parse::<u64>().unwrap();
    let mut records = LogReader::open(dir.path()).unwrap().read_from(1);
    let numbers: Vec<u64> = records.by_ref().map(|record| record.number).collect();
    let expected: Vec<u64> = (1..first_of(1)).chain(first_of(2)..=12).collect();
    assert_eq!(numbers, expected);
    assert_eq!(records.damage().len(), 1);
    assert_eq!(records.damage()[0].segment, files[1]);
    assert_eq!(
        (records.damage()[0].offset, records.damage()[0].number),
        (24, first_of(1))
    );
    drop(log);
}

#[test]
fn damaged_middle_is_kept_and_no_number_is_reused() {
    let dir = TempDir::new().unwrap();
    drop(write(dir.path(), ONE_SEGMENT, &bodies(9)));
    let file = segment_files(dir.path())[0].clone();
    let mut bytes = fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    fs::write(&file, &bytes).unwrap();
    let (mut log, cut) = LogWriter::open(dir.path(), ONE_SEGMENT).unwrap();
    assert!(matches!(cut, Some(LogDamage::Middle { segment: 1, .. })), "{cut:?}");
    assert_eq!(log.append(Kind::Said, 0, b"after"), 10);
    log.flush().unwrap();
    assert_eq!(fs::read(&file).unwrap(), bytes);
    let mut records = LogReader::open(dir.path()).unwrap().read_from(1);
    let last = records.by_ref().last().unwrap();
    assert_eq!((last.number, last.body.as_slice()), (10, &b"after"[..]));
    assert_eq!(records.damage().len(), 1);
}

#[test]
fn segment_with_a_torn_header_is_recreated() {
    let dir = TempDir::new().unwrap();
    drop(write(dir.path(), ONE_SEGMENT, &bodies(3)));
    fs::write(dir.path().join(format!("log/{:020}.seg", 4)), b"SLUI").unwrap();
    let (mut log, cut) = LogWriter::open(dir.path(), ONE_SEGMENT).unwrap();
    assert_eq!(
        cut,
        Some(LogDamage::Tail {
            segment: 4,
            offset: 0,
            bytes: 4
        })
    );
    assert_eq!(log.append(Kind::Said, 0, b"on"), 4);
    log.flush().unwrap();
    assert_eq!(read_all(dir.path(), 1).len(), 4);
}

#[test]
fn log_of_a_later_version_is_not_changed() {
    let dir = TempDir::new().unwrap();
    drop(write(dir.path(), ONE_SEGMENT, &bodies(1)));
    let file = segment_files(dir.path())[0].clone();
    let mut bytes = fs::read(&file).unwrap();
    bytes[8] = 2;
    fs::write(&file, &bytes).unwrap();
    let error = LogWriter::open(dir.path(), ONE_SEGMENT).unwrap_err();
    assert!(error.to_string().contains("later version (2)"), "{error}");
    assert_eq!(fs::read(&file).unwrap(), bytes);
}

#[test]
fn reader_sees_records_written_later() {
    let dir = TempDir::new().unwrap();
    let (mut log, _) = LogWriter::open(dir.path(), 120).unwrap();
    let mut records = LogReader::open(dir.path()).unwrap().read_from(3);
    for number in 1..50 {
        log.append(Kind::Said, number * 10, b"x");
        log.flush().unwrap();
        let expected = (number >= 3).then(|| output_record(number, b"x"));
        assert_eq!(records.next(), expected, "{number}");
    }
    assert_eq!(records.next(), None);
    assert_eq!(records.damage(), []);
}

#[test]
fn trim_deletes_whole_segments_and_keeps_numbering() {
    let dir = TempDir::new().unwrap();
    let mut log = write(dir.path(), 100, &bodies(20));
    log.trim(11);
    assert!((2..=11).contains(&log.first()), "{}", log.first());
    assert_eq!(read_all(dir.path(), 1).first().unwrap().number, log.first());
    log.trim(21);
    assert_eq!((log.first(), log.next()), (21, 21));
    drop(log);
    let (log, cut) = LogWriter::open(dir.path(), 100).unwrap();
    assert_eq!((log.next_number(), cut), (21, None));
}
