//! `sluice mcp serve` as started by a client.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A server in a separate folder.
struct Server {
    child: Child,
    out: BufReader<ChildStdout>,
    folder: TempDir,
}

impl Server {
    fn start(args: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_sluice"))
            .args(["mcp", "serve"])
            .args(args)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", folder.path())
            .current_dir(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let mut server = Self { child, out, folder };
        let client = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
        let hello = server.ask(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": client}));
        assert_eq!(hello["result"]["serverInfo"]["name"], "sluice");
        server
    }

    fn say(&mut self, message: &Value) {
        let stdin = self.child.stdin.as_mut().unwrap();
        stdin.write_all(format!("{message}\n").as_bytes()).unwrap();
    }

    fn ask(&mut self, message: &Value) -> Value {
        self.say(message);
        let mut line = String::new();
        self.out.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    /// Waits until the server closes its output, and returns its exit code.
    fn ended(self) -> Option<i32> {
        let Self { mut child, mut out, .. } = self;
        let (tell, told) = mpsc::channel();
        let waiting = std::thread::spawn(move || {
            let mut rest = Vec::new();
            out.read_to_end(&mut rest).unwrap();
            tell.send(()).unwrap();
        });
        if told.recv_timeout(Duration::from_secs(30)).is_err() {
            child.kill().unwrap();
        }
        waiting.join().unwrap();
        child.wait().unwrap().code()
    }
}

fn call(command: &str) -> Value {
    let params = json!({"name": "Bash", "arguments": {"command": command}});
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
}

#[test]
fn a_signal_stops_the_server_and_its_commands() {
    let mut server = Server::start(&["--allowedTools", "Bash"]);
    let made = server.ask(&call("mkfifo begun"));
    assert_eq!(made["result"]["isError"], false, "{made}");
    server.say(&call("echo $$ > begun; exec sleep 1000"));
    let pid = std::fs::read_to_string(server.folder.path().join("begun")).unwrap();
    let child = Pid::from_raw(i32::try_from(server.child.id()).unwrap()).unwrap();
    kill_process(child, Signal::TERM).unwrap();
    assert_eq!(server.ended(), Some(0));
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
    assert!(
        stat.is_err() || stat.is_ok_and(|stat| stat.contains(") Z ")),
        "the command is gone"
    );
}

#[test]
fn an_unknown_flag_is_refused_before_the_start() {
    let refused = Command::new(env!("CARGO_BIN_EXE_sluice"))
        .args(["mcp", "serve", "--output-format", "json"])
        .output()
        .unwrap();
    assert_eq!(refused.status.code(), Some(1));
    assert!(refused.stdout.is_empty());
    assert!(String::from_utf8_lossy(&refused.stderr).contains("--output-format"));
}

#[test]
fn the_agent_is_offered_with_a_flag() {
    let mut server = Server::start(&["--agent"]);
    let listed = server.ask(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}));
    assert_eq!(listed["result"]["tools"][0]["name"], "run");
    // A client may not request a less strict mode than that of the server.
    let params = json!({"name": "run", "arguments": {"prompt": "x", "permission_mode": "bypassPermissions"}});
    let refused = server.ask(&json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}));
    assert_eq!(refused["result"]["isError"], true);
    drop(server.child.stdin.take());
    assert_eq!(server.ended(), Some(0));
}
