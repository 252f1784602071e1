//! Misbehaving hosts.

use std::io::{Read as _, Write as _};
use std::process::Child;
use std::sync::mpsc;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::binary::{Lab, says};

/// Returns the exit code, if the process exits. Its output is not read until then.
fn ended(mut child: Child) -> Option<i32> {
    let pid = Pid::from_child(&child);
    let (tell, told) = mpsc::channel();
    let waiting = std::thread::spawn(move || {
        let out = child.stdout.take();
        tell.send(child.wait().unwrap().code()).ok();
        drop(out);
    });
    let code = told.recv_timeout(Duration::from_secs(60));
    if code.is_err() {
        kill_process(pid, Signal::KILL).unwrap();
    }
    waiting.join().unwrap();
    code.ok().flatten()
}

#[test]
fn a_host_that_reads_nothing_can_still_end_it() {
    let lab = Lab::new(&json!([says("Hello")]));
    let args = [
        "-p",
        "--input-format",
        "stream-json",
        "--output-format",
        "stream-json",
        "--verbose",
    ];
    let mut child = lab.command(&args).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // Exceeds the capacity of the pipe and the session's queues, so the writer blocks as well.
    let flood = std::thread::spawn(move || {
        for n in 0..20_000 {
            let request = json!({"type": "control_request", "request_id": format!("r{n}"),
                "request": {"subtype": "list_models"}});
            if writeln!(stdin, "{request}").is_err() {
                return;
            }
        }
    });
    // The process has started and responded.
    let mut first = [0; 1];
    child.stdout.as_mut().unwrap().read_exact(&mut first).unwrap();
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    assert_eq!(ended(child), Some(143));
    flood.join().unwrap();
}

#[test]
fn a_lost_response_is_a_failure() {
    let lab = Lab::new(&json!([says("Hello")]));
    let Ok(full) = std::fs::OpenOptions::new().write(true).open("/dev/full") else {
        println!("skipped: there is no /dev/full");
        return;
    };
    let mut command = lab.command(&["-p", "Hi"]);
    let ran = command
        .stdin(std::process::Stdio::null())
        .stdout(full)
        .output()
        .unwrap();
    assert_eq!(ran.status.code(), Some(1));
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(said.contains("standard output cannot be written"), "{said}");
}
