//! Permissions from outside: which effects commands of a model can have without a permission request.

mod commands;
mod confined;
mod policy;
mod repositories;
mod results;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::binary::{Lab, Ran};

/// Flags of the print mode with stream-json output.
const STREAM: [&str; 4] = ["-p", "--output-format", "stream-json", "--verbose"];

/// A working folder, a model that calls tools, and a trace file that only a planted program creates.
struct Guard {
    lab: Lab,
}

/// Outcome of a call.
#[derive(Debug)]
struct Call {
    denied: bool,
    text: String,
}

impl Guard {
    /// Creates a model that calls Bash with each of the lines in turn.
    fn new(lines: &[&str]) -> Self {
        let calls: Vec<(&str, Value)> = lines.iter().map(|line| ("Bash", json!({"command": line}))).collect();
        Self::calling(&calls)
    }

    /// Creates a model that calls these tools in turn.
    fn calling(calls: &[(&str, Value)]) -> Self {
        let call = |(at, (name, input)): (usize, &(&str, Value))| json!([{"type": "tool_use", "id": format!("toolu_{at}"), "name": name, "input": input}]);
        let mut replies: Vec<Value> = calls.iter().enumerate().map(call).collect();
        replies.push(json!([{"type": "text", "text": "done"}]));
        Self {
            lab: Lab::new(&Value::Array(replies)),
        }
    }

    fn beside(&self, name: &str) -> PathBuf {
        self.lab.work().join("..").join(name)
    }

    /// Writes a file in the working folder; `../` refers to its parent.
    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.lab.work().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn link(&self, name: &str, to: impl AsRef<Path>) {
        let path = self.lab.work().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(to, path).unwrap();
    }

    /// Creates a program that leaves a trace, and returns its path.
    fn trap(&self) -> String {
        let path = self.lab.home().join("trap");
        let trace = self.beside("trace");
        let text = format!("#!/bin/sh\ntouch '{}'\ncat\n", trace.display());
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path.display().to_string()
    }

    /// True if the program was run.
    fn sprung(&self) -> bool {
        self.beside("trace").exists()
    }

    /// Runs git in a folder of the working folder.
    fn git(&self, at: &str, words: &[&str]) {
        let ran = Command::new("git")
            .args([
                "-c",
                "user.name=n",
                "-c",
                "user.email=e",
                "-c",
                "protocol.file.allow=always",
            ])
            .args(words)
            .current_dir(self.lab.work().join(at))
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        assert!(ran.unwrap().success(), "git {words:?}");
    }

    /// Creates a repository with one commit of one file.
    fn repository(&self, at: &str) {
        self.write(&format!("./{at}/file"), "one\n");
        self.git(at, &["init", "-q", "-b", "main", "."]);
        self.git(at, &["add", "."]);
        self.git(at, &["commit", "-qm", "one"]);
    }

    /// Makes git compare the content of `file` again.
    fn touch(&self, file: &str) {
        let file = fs::File::options()
            .append(true)
            .open(self.lab.work().join(file))
            .unwrap();
        file.set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000))
            .unwrap();
    }

    fn run(&self, args: &[&str]) -> Vec<Call> {
        let args: Vec<&str> = STREAM.iter().chain(args).copied().collect();
        outcomes(&self.lab.run(&args, "hi"))
    }
}

/// Returns the outcomes of the calls in order.
fn outcomes(ran: &Ran) -> Vec<Call> {
    let messages = ran.lines();
    let result = messages.last().expect("a result");
    assert_eq!(result["type"], "result", "{ran:?}");
    let denials = result["permission_denials"].as_array().cloned().unwrap_or_default();
    let results = messages.iter().filter(|message| message["type"] == "user");
    let blocks = results
        .filter_map(|message| message["message"]["content"].as_array())
        .flatten();
    let calls = blocks.filter(|block| block["type"] == "tool_result");
    calls
        .map(|block| Call {
            denied: denials
                .iter()
                .any(|denial| denial["tool_use_id"] == block["tool_use_id"]),
            text: match &block["content"] {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            },
        })
        .collect()
}
