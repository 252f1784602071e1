//! Runs the binary like a person or a script, with a scripted model.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

/// A home folder, a working folder and a model that plays a script; removed when dropped.
pub(crate) struct Lab {
    folder: TempDir,
    model: Child,
    address: String,
}

impl Lab {
    /// Creates a lab. `replies` as in a script file: each a list of content blocks, or an object around one.
    pub(crate) fn new(replies: &Value) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("script.json");
        std::fs::write(&script, json!({ "replies": replies }).to_string()).unwrap();
        for name in ["home", "work"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        let mut model = Command::new(env!("CARGO_BIN_EXE_sluice"))
            .args(["sim", "model"])
            .arg(script)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut address = String::new();
        BufReader::new(model.stdout.take().unwrap())
            .read_line(&mut address)
            .unwrap();
        let address = address.trim_end().to_owned();
        assert!(address.starts_with("http://127.0.0.1:"), "{address:?}");
        Self { folder, model, address }
    }

    /// Returns a command that runs the binary with these arguments in the lab, with pipes.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sluice"));
        command
            .args(args)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.folder.path().join("home"))
            .env("ANTHROPIC_BASE_URL", &self.address)
            .env("ANTHROPIC_API_KEY", "sk-test")
            .current_dir(self.folder.path().join("work"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Returns the address of the model.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// Returns the transcript of a session, if it was saved.
    pub(crate) fn transcript(&self, session: &str) -> Option<PathBuf> {
        let projects = self.folder.path().join("home/.claude/projects");
        let mut projects = std::fs::read_dir(projects).ok()?.flatten();
        projects.find_map(|project| {
            let file = project.path().join(format!("{session}.jsonl"));
            file.exists().then_some(file)
        })
    }

    /// Runs the binary with this standard input and waits for its end.
    pub(crate) fn run(&self, args: &[&str], stdin: &str) -> Ran {
        let mut child = self.command(args).spawn().unwrap();
        // If the command line is rejected, the input is never read.
        child.stdin.take().unwrap().write_all(stdin.as_bytes()).ok();
        Ran::from(child.wait_with_output().unwrap())
    }

    /// Returns the working folder.
    pub(crate) fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    /// Returns the home folder.
    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// True if the working folder contains this file.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.folder.path().join("work").join(name).exists()
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        self.model.kill().ok();
        self.model.wait().ok();
    }
}

/// Exit code and output of a run.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        Self {
            code: output.status.code(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }
}

impl Ran {
    /// Returns the standard output of a run without errors.
    pub(crate) fn clean(&self) -> &str {
        assert_eq!((self.code, self.stderr.as_str()), (Some(0), ""), "{self:?}");
        &self.stdout
    }

    /// Returns the messages on standard output, one per line.
    pub(crate) fn lines(&self) -> Vec<Value> {
        self.stdout
            .lines()
            .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
            .collect()
    }
}

/// Returns the `type` of each message, with its `subtype` if there is one.
pub(crate) fn kinds(messages: &[Value]) -> Vec<String> {
    let kind = |message: &Value| match (message["type"].as_str(), message["subtype"].as_str()) {
        (Some(of), Some(sub)) => format!("{of}/{sub}"),
        (Some(of), None) => of.to_owned(),
        _ => panic!("no type: {message}"),
    };
    messages.iter().map(kind).collect()
}

/// Builds a reply with this text.
pub(crate) fn says(text: &str) -> Value {
    json!([{ "type": "text", "text": text }])
}

/// Builds a reply that calls Bash.
pub(crate) fn runs(command: &str) -> Value {
    json!([{ "type": "tool_use", "id": "toolu_01", "name": "Bash", "input": { "command": command, "description": "run" } }])
}
