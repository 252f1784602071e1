//! Test setup: a folder, a runner in it, and bridges that connect to it.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::Value;
use sluice_runner::process::Identity;
use sluice_runner::{
    Decoder, FromRunner, Kind, Launch, LogReader, Record, StartError, Started, ToRunner, connect, registry, start,
};
use tempfile::TempDir;

/// Longer than any test takes on a busy machine.
pub(crate) const DEADLINE: Duration = Duration::from_secs(60);

/// Returns the path of `examples/runner.rs`, which is built with the tests.
pub(crate) fn sluice() -> PathBuf {
    let own = std::env::current_exe().unwrap();
    let path = own.ancestors().nth(2).unwrap().join("examples/runner");
    assert!(
        path.exists(),
        "{} is not built: run the tests of the whole crate",
        path.display()
    );
    path
}

pub(crate) fn script(text: &str) -> Launch {
    Launch {
        program: "sh".to_owned(),
        args: vec!["-c".to_owned(), text.to_owned()],
        env: BTreeMap::from([("PATH".to_owned(), std::env::var("PATH").unwrap())]),
        cwd: std::env::temp_dir(),
        log_cap: 2 << 30,
        line_cap: 1 << 20,
    }
}

/// Waits until a condition is true.
pub(crate) fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + DEADLINE;
    while !holds() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

pub(crate) struct Stage {
    pub(crate) dir: PathBuf,
    _holds: Option<TempDir>,
}

impl Stage {
    pub(crate) fn new() -> Self {
        let holds = TempDir::new().unwrap();
        Self {
            dir: holds.path().join("session"),
            _holds: Some(holds),
        }
    }

    pub(crate) fn at(dir: PathBuf) -> Self {
        Self { dir, _holds: None }
    }

    /// Starts a runner with a shell script as its agent.
    pub(crate) fn run(text: &str) -> Self {
        let stage = Self::new();
        stage.start(&script(text)).unwrap();
        stage
    }

    pub(crate) fn start(&self, launch: &Launch) -> Result<Started, StartError> {
        start(&sluice(), &self.dir, launch)
    }

    pub(crate) fn runner(&self) -> Identity {
        registry::read(&self.dir).unwrap().runner
    }

    pub(crate) fn agent(&self) -> Identity {
        registry::read(&self.dir).unwrap().agent.unwrap()
    }

    /// Returns the resident memory of the runner in KiB.
    pub(crate) fn memory(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.runner().pid)).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }

    pub(crate) fn records(&self) -> Vec<Record> {
        LogReader::open(&self.dir).unwrap().read_from(1).collect()
    }

    /// Returns the bodies of all records of a kind.
    pub(crate) fn bodies(&self, kind: Kind) -> Vec<String> {
        let of_kind = self.records().into_iter().filter(|record| record.kind == kind);
        of_kind.map(|record| String::from_utf8(record.body).unwrap()).collect()
    }

    /// Returns the kinds of the notes that the runner logged.
    pub(crate) fn notes(&self) -> Vec<String> {
        notes(&self.records())
    }

    pub(crate) fn wait_for_runner_exit(&self) {
        let runner = self.runner();
        eventually("the runner exits", || !runner.is_alive());
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        if let Some(left) = registry::read(&self.dir).filter(registry::is_alive) {
            kill(left.runner.pid, "KILL");
            eventually("the runner is killed", || !left.runner.is_alive());
        }
        let _swept = registry::sweep(&self.dir);
    }
}

pub(crate) fn notes(records: &[Record]) -> Vec<String> {
    let notes = records.iter().filter(|record| record.kind == Kind::Note);
    notes
        .map(|note| {
            let note: Value = serde_json::from_slice(&note.body).unwrap();
            note["what"].as_str().unwrap().to_owned()
        })
        .collect()
}

pub(crate) fn kill(pid: u32, signal: &str) {
    let killed = std::process::Command::new("kill")
        .args([&format!("-{signal}"), &pid.to_string()])
        .status()
        .unwrap();
    assert!(killed.success());
}

/// Checks that the record numbers have no gaps.
pub(crate) fn assert_in_order(records: &[Record], first: u64) {
    for (number, record) in (first..).zip(records) {
        assert_eq!(record.number, number);
    }
}

/// A bridge that is connected to the runner's socket.
pub(crate) struct Bridge {
    pub(crate) stream: UnixStream,
    decoder: Decoder<FromRunner>,
}

impl Bridge {
    pub(crate) fn connect(dir: &Path) -> Self {
        let stream = connect(dir).unwrap();
        stream.set_read_timeout(Some(DEADLINE)).unwrap();
        Self {
            stream,
            decoder: Decoder::new(),
        }
    }

    /// Connects, sends a hello and returns the welcome.
    pub(crate) fn connect_with_hello(dir: &Path, term: u64, from: u64) -> (Self, FromRunner) {
        let mut bridge = Self::connect(dir);
        bridge.send(&ToRunner::Hello { term, from });
        let welcome = bridge.next().unwrap();
        assert!(matches!(welcome, FromRunner::Welcome { .. }), "{welcome:?}");
        (bridge, welcome)
    }

    pub(crate) fn send(&mut self, frame: &ToRunner) {
        let mut bytes = Vec::new();
        frame.encode(&mut bytes);
        self.stream.write_all(&bytes).unwrap();
    }

    pub(crate) fn write(&mut self, id: u64, line: &str) {
        let line = line.as_bytes().to_vec();
        self.send(&ToRunner::Write { id, line });
    }

    /// Returns the next frame, or `None` when the runner closed the connection.
    pub(crate) fn next(&mut self) -> Option<FromRunner> {
        let mut buffer = vec![0; 64 << 10];
        loop {
            if let Some(frame) = self.decoder.next().unwrap() {
                return Some(frame);
            }
            match self.stream.read(&mut buffer) {
                Ok(0) => return None,
                Ok(read) => self.decoder.push(&buffer[..read]),
                Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => return None,
                Err(error) => panic!("nothing came: {error}"),
            }
        }
    }

    /// Reads until a frame matches. Returns the records before it, and the frame.
    pub(crate) fn until(&mut self, mut wanted: impl FnMut(&FromRunner) -> bool) -> (Vec<Record>, FromRunner) {
        let mut records = Vec::new();
        loop {
            let frame = self.next().expect("the runner closed the connection");
            if wanted(&frame) {
                return (records, frame);
            }
            if let FromRunner::Record(record) = frame {
                records.push(record);
            }
        }
    }

    /// Reads until the agent has written this line.
    pub(crate) fn read_until_output(&mut self, line: &str) -> Vec<Record> {
        let said = |frame: &FromRunner| matches!(frame, FromRunner::Record(record) if record.kind == Kind::Said && record.body == line.as_bytes());
        let (mut records, last) = self.until(said);
        if let FromRunner::Record(record) = last {
            records.push(record);
        }
        records
    }

    /// Returns all remaining frames, until the runner closes the connection.
    pub(crate) fn read_to_end(&mut self) -> Vec<FromRunner> {
        std::iter::from_fn(|| self.next()).collect()
    }
}
