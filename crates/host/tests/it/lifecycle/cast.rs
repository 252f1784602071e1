//! The agents of the scenarios: a script, or a program with a scripted model.

use std::path::PathBuf;
use std::sync::Mutex;

use serde_json::{Value, json};
use sluice_host::{Client, Options, SystemPrompt};
use sluice_simulator::{ModelServer, Reply, Script};

use crate::stage::{SESSION, Stage, brisk, forever, hello};

/// A scenario.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scenario {
    Normal,
    Interrupted,
    Ask,
    Question,
    Queue,
    Background,
    Crash,
    /// Continues in a fork of another session.
    Forked,
}

pub(super) struct Cast {
    kind: Kind,
    folder: tempfile::TempDir,
    model: Mutex<Option<ModelServer>>,
}

enum Kind {
    Scripted,
    Program { path: PathBuf, starts_turns: bool },
}

impl Cast {
    pub(super) fn scripted() -> Self {
        Self::of(Kind::Scripted)
    }

    /// Returns `sluice`, if it is built.
    pub(super) async fn sluice() -> Option<Self> {
        let path = sluice()?;
        Some(Self::of(Kind::Program {
            path,
            starts_turns: true,
        }))
    }

    /// Returns another agent, if one is configured. `SLUICE_HOST_AGENT_OLD` declares that it never starts turns by itself.
    pub(super) async fn other() -> Option<Self> {
        let Some(path) = std::env::var_os("SLUICE_HOST_AGENT").map(PathBuf::from) else {
            println!("skipped: SLUICE_HOST_AGENT is not set");
            return None;
        };
        let starts_turns = std::env::var_os("SLUICE_HOST_AGENT_OLD").is_none();
        Some(Self::of(Kind::Program { path, starts_turns }))
    }

    fn of(kind: Kind) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("work")).unwrap();
        std::fs::create_dir_all(folder.path().join("config")).unwrap();
        Self {
            kind,
            folder,
            model: Mutex::default(),
        }
    }

    pub(super) fn is_scripted(&self) -> bool {
        matches!(self.kind, Kind::Scripted)
    }

    /// Returns whether the agent starts turns by itself.
    pub(super) fn starts_turns(&self) -> bool {
        match self.kind {
            Kind::Scripted => true,
            Kind::Program { starts_turns, .. } => starts_turns,
        }
    }

    pub(super) fn touched(&self) -> bool {
        self.folder.path().join("work/touched.txt").exists()
    }

    /// Releases the model, or the background task.
    pub(super) fn release(&self) {
        std::fs::write(self.folder.path().join("work/go"), "").unwrap();
        if let Some(model) = &*self.model.lock().unwrap() {
            model.gate("go").open();
        }
    }

    pub(super) async fn client(&self, scenario: Scenario) -> Client {
        self.client_with(scenario, |options| options).await
    }

    pub(super) async fn client_with(&self, scenario: Scenario, more: impl FnOnce(Options) -> Options) -> Client {
        match &self.kind {
            Kind::Scripted => {
                let stage = Stage::new(scripts(scenario));
                stage.client(more(brisk().asks(true))).await
            }
            Kind::Program { path, .. } => {
                let model = ModelServer::start(self.script(scenario)).await.unwrap();
                let options = Options::new()
                    .program(path.as_path())
                    .cwd(self.folder.path().join("work"))
                    .system_prompt(SystemPrompt::preset())
                    .include_partial_messages(true)
                    .asks(true)
                    .setting_sources(["user"])
                    .env("HOME", self.folder.path())
                    .env("CLAUDE_CONFIG_DIR", self.folder.path().join("config"))
                    .env("ANTHROPIC_BASE_URL", model.url())
                    .env("ANTHROPIC_API_KEY", "none")
                    .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
                    .env("DISABLE_AUTOUPDATER", "1")
                    .env("DISABLE_TELEMETRY", "1")
                    .model("claude-sonnet-4-5");
                *self.model.lock().unwrap() = Some(model);
                Client::connect(more(options)).await.unwrap()
            }
        }
    }

    /// Kills the agent in the middle of a turn.
    pub(super) async fn crash(&self, client: &Client) {
        match &self.kind {
            // The script ends the agent.
            Kind::Scripted => {}
            Kind::Program { .. } => {
                // Older agents save their sessions late; the session has to be on disk to be resumed.
                let sessions = sluice_host::sessions::Sessions::under(self.folder.path().join("config"));
                let id = client.session_id().await.unwrap().unwrap();
                let mut look = tokio::time::interval(std::time::Duration::from_millis(20));
                while !sessions.messages(&id, None).is_ok_and(|messages| messages.len() > 1) {
                    // The file is written by another program, so it is polled.
                    look.tick().await;
                }
                let mut events = client.events_from(0);
                let process = crate::stage::until(&mut events, |event| match event {
                    sluice_host::Event::Connected { process, .. } => *process,
                    _ => None,
                })
                .await;
                let killed = std::process::Command::new("kill")
                    .args(["-KILL", &process.pid.to_string()])
                    .status();
                assert!(killed.unwrap().success());
            }
        }
    }

    /// Returns the script of the model.
    fn script(&self, scenario: Scenario) -> Script {
        let endless = || {
            let parts = json!({"type": "text", "parts": ["First ", {"gate": "go"}, "then the rest"]});
            Reply::empty().and_block(parts)
        };
        let script = Script::new();
        match scenario {
            Scenario::Normal | Scenario::Forked => script.reply(Reply::text("Hello there").repeat()),
            Scenario::Interrupted | Scenario::Queue => {
                script.reply(endless()).reply(Reply::text("Hello there").repeat())
            }
            Scenario::Crash => script
                .reply(Reply::text("Hello there"))
                .reply(endless())
                .reply(Reply::text("Hello there").repeat()),
            Scenario::Ask => script
                .reply(Reply::tool(
                    "Bash",
                    json!({"command": "touch touched.txt", "description": "Touches it"}),
                ))
                .reply(Reply::text("So be it").repeat()),
            Scenario::Question => script
                .reply(Reply::tool("AskUserQuestion", json!({"questions": [question()]})))
                .reply(Reply::text("Red it is").repeat()),
            Scenario::Background => {
                let command = "until [ -e go ]; do sleep 0.05; done";
                let input = json!({"command": command, "description": "Waits", "run_in_background": true});
                script
                    .reply(Reply::tool("Bash", input))
                    .reply(Reply::text("It runs").repeat())
            }
        }
    }
}

/// Returns the path of `sluice`, if it is built: the binary of `SLUICE_BIN`, or the one beside this test.
pub(crate) fn sluice() -> Option<PathBuf> {
    let beside = || {
        let test = std::env::current_exe().ok()?;
        Some(test.parent()?.parent()?.join("sluice"))
    };
    let path = std::env::var_os("SLUICE_BIN").map(PathBuf::from).or_else(beside)?;
    if !path.is_file() {
        println!(
            "skipped: sluice does not exist at {}; build it, or set SLUICE_BIN",
            path.display()
        );
        return None;
    }
    Some(path)
}

fn question() -> Value {
    json!({"question": "Which colour?", "header": "Colour", "multiSelect": false,
        "options": [{"label": "Red", "description": "warm"}, {"label": "Blue", "description": "cold"}]})
}

/// Returns the scripts of the scripted agent, one for each start.
fn scripts(scenario: Scenario) -> Vec<Value> {
    let stopped = json!([{"result": {"subtype": "error_during_execution", "is_error": true}}]);
    let words = json!({"say": {"type": "stream_event", "session_id": "$SID", "uuid": "$UUID", "parent_tool_use_id": null,
        "event": {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "First "}}}});
    let turn = |steps: Value| {
        let mut all = vec![json!({"expect": {"type": "user"}, "as": "prompt"}), json!({"init": {}})];
        all.extend(steps.as_array().unwrap().clone());
        json!({"steps": all, "session_id": SESSION, "on_interrupt": stopped})
    };
    let after = |mut first: Value, rest: Value| {
        let more = rest["steps"].as_array().unwrap().clone();
        let steps = first["steps"].as_array_mut().unwrap();
        let first_steps = std::mem::take(steps);
        // An interrupt leaves the innermost `repeat` and continues after it.
        steps.push(json!({"repeat": 1, "steps": first_steps}));
        steps.extend(more);
        first
    };
    let there = json!([{"text": "Hello there"}, {"result": {"result": "Hello there"}}]);
    match scenario {
        Scenario::Normal => vec![forever(there)],
        Scenario::Forked => {
            let mut script = forever(there);
            script["session_id"] = json!("99999999-2222-4333-8444-555555555555");
            vec![script]
        }
        Scenario::Interrupted => vec![after(turn(json!([words, {"sleep": 1000}])), forever(there))],
        Scenario::Queue => vec![after(
            turn(json!([words, {"sleep": 1}, {"result": {}}])),
            forever(there),
        )],
        Scenario::Ask => {
            let ask = json!([
                {"tool": {"id": "toolu_01", "name": "Bash", "input": {"command": "touch touched.txt"}}},
                {"ask": {"tool_name": "Bash", "input": {"command": "touch touched.txt"}, "tool_use_id": "toolu_01"}, "as": "answer"},
                {"tool_result": {"tool_use_id": "toolu_01", "content": "done"}},
                {"when": {"response": {"response": {"interrupt": true}}}, "of": "answer",
                 "then": [{"result": {"subtype": "error_during_execution", "is_error": true}}],
                 "else": [{"text": "So be it"}, {"result": {"result": "So be it"}}]}
            ]);
            vec![turn(ask)]
        }
        Scenario::Question => vec![turn(json!([
            {"tool": {"id": "toolu_01", "name": "AskUserQuestion", "input": {"questions": [question()]}}},
            {"ask": {"tool_name": "AskUserQuestion", "input": {"questions": [question()]}, "tool_use_id": "toolu_01"}},
            {"tool_result": {"tool_use_id": "toolu_01", "content": "Red"}},
            {"text": "Red it is"}, {"result": {"result": "Red it is"}}
        ]))],
        Scenario::Background => vec![turn(json!([
            {"text": "It runs"}, {"result": {"result": "It runs"}},
            {"sleep": 5},
            {"init": {}}, {"text": "It is done"},
            {"result": {"result": "It is done", "origin": {"kind": "task-notification"}}}
        ]))],
        Scenario::Crash => vec![
            turn(json!([
                {"text": "Hello there"}, {"result": {"result": "Hello there"}},
                {"expect": {"type": "user"}}, {"init": {}},
                words, {"sleep": 1}, {"fault": "crash", "code": 137}
            ])),
            forever(hello()),
        ],
    }
}
