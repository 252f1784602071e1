//! A tool context in a temporary folder.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use sluice_tools::{Context, Cwd, FileState, Lists, NoServices, Outcome, Tasks, ToolEvent, Web, WebConfig, find};
use tempfile::TempDir;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

pub(crate) struct Lab {
    pub(crate) cx: Context,
    pub(crate) events: mpsc::Receiver<ToolEvent>,
    /// The project folder, resolved, because the temporary folder of the system may be a symlink.
    pub(crate) work: PathBuf,
    pub(crate) outputs: PathBuf,
    _folder: TempDir,
}

impl Lab {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let (work, outputs) = (root.join("work"), root.join("outputs"));
        std::fs::create_dir(&work).unwrap();
        let (sender, events) = mpsc::channel(64);
        let env = std::env::vars_os()
            .filter(|(name, _)| name == "PATH")
            .collect::<Vec<_>>();
        let cx = Context {
            call_id: "toolu_01".to_owned(),
            cwd: Arc::new(Cwd::new(&work)),
            roots: vec![work.clone()],
            env: Arc::new(env),
            files: Arc::new(FileState::new()),
            output_dir: outputs.clone(),
            cancel: CancellationToken::new(),
            events: sender,
            tasks: Arc::new(Tasks::new()),
            hidden: None,
            pins: None,
            policy: None,
            takes_shared: false,
            services: Arc::new(NoServices),
            lists: Arc::new(Lists::new()),
            web: Arc::new(Web::new(WebConfig::default())),
            sandbox: None,
        };
        Self {
            cx,
            events,
            work,
            outputs,
            _folder: folder,
        }
    }

    pub(crate) async fn call(&self, tool: &str, input: Value) -> Outcome {
        find(tool).unwrap().run(input, &self.cx).await
    }

    pub(crate) async fn vet(&self, tool: &str, input: &Value) -> Option<Outcome> {
        find(tool).unwrap().vet(input, &self.cx).await
    }

    pub(crate) async fn bash(&self, command: &str) -> Outcome {
        self.call("Bash", serde_json::json!({"command": command, "description": "run"}))
            .await
    }

    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.work.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }

    pub(crate) fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.work.join(name)).unwrap()
    }

    /// Creates a named pipe with which a command and a test synchronize without sleeping.
    pub(crate) fn gate(&self, name: &str) -> Gate {
        let path = self.work.join(name);
        let made = std::process::Command::new("mkfifo").arg(&path).status().unwrap();
        assert!(made.success());
        Gate { path }
    }
}

pub(crate) struct Gate {
    path: PathBuf,
}

impl Gate {
    /// Waits until the command closes the pipe, and returns what it wrote.
    pub(crate) async fn said(&self) -> String {
        tokio::fs::read_to_string(&self.path).await.unwrap()
    }

    /// Lets a command that reads from the pipe continue.
    pub(crate) async fn open(&self) {
        tokio::fs::write(&self.path, "go\n").await.unwrap();
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

pub(crate) fn said(outcome: &Outcome) -> &str {
    outcome.content.as_str().unwrap()
}

/// True if a process is running and not a zombie.
pub(crate) fn is_alive(pid: &str) -> bool {
    match std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())) {
        Ok(stat) => !stat.rsplit_once(')').unwrap().1.trim_start().starts_with('Z'),
        Err(_) => false,
    }
}
