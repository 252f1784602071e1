//! A full disk: no record is lost or written twice. Mounting a small disk needs root. Without it, a file size limit is
//! tested here and a storage that returns errors in `log.rs`.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use sluice_runner::{FromRunner, Kind, Record, start};
use tempfile::TempDir;

use crate::stage::{Bridge, Stage, assert_in_order, eventually, script, sluice};

/// A mounted disk of a given size, unmounted when dropped.
struct SmallDisk {
    folder: TempDir,
}

impl SmallDisk {
    fn mount(size: &str) -> Option<Self> {
        let folder = TempDir::new().unwrap();
        let options = format!("size={size}");
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &options, "none"])
            .arg(folder.path())
            .output();
        if mounted.is_ok_and(|mounted| mounted.status.success()) {
            return Some(Self { folder });
        }
        println!("skipped: no disk can be mounted without root");
        None
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Fills the remaining space.
    fn fill(&self) -> PathBuf {
        let ballast = self.path().join("ballast");
        let filled = Command::new("dd")
            .args(["if=/dev/zero", "bs=4096"])
            .arg(format!("of={}", ballast.display()))
            .output()
            .unwrap();
        assert!(!filled.status.success(), "the disk is not full");
        ballast
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let unmounted = Command::new("umount").arg("-l").arg(self.path()).status();
        assert!(unmounted.is_ok_and(|status| status.success()));
    }
}

/// Writes lines until one is refused.
fn write_until_refused(bridge: &mut Bridge) {
    let answered = |frame: &FromRunner| matches!(frame, FromRunner::Wrote { .. } | FromRunner::NotWritten { .. });
    eventually("the disk is full", || {
        bridge.write(2, "while the disk is full");
        match bridge.until(answered).1 {
            FromRunner::NotWritten { reason, .. } => {
                assert!(reason.starts_with("the log cannot be written"), "{reason}");
                true
            }
            _ => false,
        }
    });
}

/// Checks that the agent counted to 100,000 and that each number was logged once.
fn assert_counted(records: &[Record]) {
    assert_in_order(records, 1);
    let output = records.iter().filter(|record| record.kind == Kind::Said);
    let mut expected: Vec<String> = (1..=100_000).map(|number| number.to_string()).collect();
    expected.push("end".to_owned());
    assert!(
        output
            .map(|record| String::from_utf8_lossy(&record.body).into_owned())
            .eq(expected)
    );
}

#[test]
fn file_size_limit_acts_like_a_full_disk_until_lifted() {
    let stage = Stage::new();
    let folder = TempDir::new().unwrap();
    let limited = folder.path().join("limited");
    let text = format!("#!/bin/sh\nulimit -S -f 64\nexec '{}' \"$@\"\n", sluice().display());
    fs::write(&limited, text).unwrap();
    fs::set_permissions(&limited, fs::Permissions::from_mode(0o700)).unwrap();
    let started = start(&limited, &stage.dir, &script("seq 1 100000; echo end; cat")).unwrap();
    let (mut bridge, _) = Bridge::connect_with_hello(&stage.dir, 1, 1);
    write_until_refused(&mut bridge);
    let lifted = Command::new("prlimit")
        .args(["--fsize=unlimited:unlimited", "--pid", &started.pid.to_string()])
        .status();
    assert!(lifted.unwrap().success());
    bridge.read_until_output("end");
    assert_counted(&stage.records());
    assert_eq!(stage.notes(), ["disk_full", "disk_ok"]);
}

#[test]
fn full_disk_suspends_the_agent_without_loss_or_duplicates() {
    let Some(disk) = SmallDisk::mount("8m") else { return };
    let stage = Stage::at(disk.path().join("session"));
    stage.start(&script("read go; seq 1 100000; echo end; cat")).unwrap();
    let (mut bridge, _) = Bridge::connect_with_hello(&stage.dir, 1, 1);
    bridge.write(1, "go");
    let ballast = disk.fill();
    bridge.until(|frame| matches!(frame, FromRunner::Wrote { id: 1, .. }));
    write_until_refused(&mut bridge);
    let before = stage.records();
    // Another bridge can connect while the disk is full.
    let (mut bridge, _) = Bridge::connect_with_hello(&stage.dir, 2, 1);
    fs::remove_file(ballast).unwrap();
    let records = bridge.read_until_output("end");
    assert_in_order(&records, 1);
    assert_eq!(records[..before.len()], before);
    assert_counted(&records);
    assert_eq!(stage.notes(), ["disk_full", "disk_ok"]);
    bridge.write(1, "and it goes on");
    bridge.read_until_output("and it goes on");
}

#[test]
fn shutdown_completes_on_a_full_disk() {
    let Some(disk) = SmallDisk::mount("4m") else { return };
    let stage = Stage::at(disk.path().join("session"));
    stage.start(&script("read go; seq 1 1000000; cat")).unwrap();
    let (mut bridge, _) = Bridge::connect_with_hello(&stage.dir, 1, 1);
    let ballast = disk.fill();
    fs::OpenOptions::new()
        .write(true)
        .open(ballast)
        .unwrap()
        .set_len(64 << 10)
        .unwrap();
    bridge.write(1, "go");
    write_until_refused(&mut bridge);
    bridge.send(&sluice_runner::ToRunner::Shutdown { grace_ms: 100 });
    stage.wait_for_runner_exit();
    assert!(!stage.agent().is_alive());
}
