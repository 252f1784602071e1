//! Who plays the agent: a script, or a program with a scripted model.

use std::path::PathBuf;
use std::sync::Mutex;

use serde_json::{Value, json};
use sluice_host::{Client, Options, SystemPrompt};
use sluice_simulator::{ModelServer, Reply, Script};

use crate::stage::{SESSION, Stage, brisk, forever, hello};

/// What is to be lived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Life {
    Normal,
    Interrupted,
    Ask,
    Question,
    Queue,
    Background,
    Crash,
    /// Goes on elsewhere with what another session said.
    Forked,
}

pub(super) struct Cast {
    kind: Kind,
    folder: tempfile::TempDir,
    model: Mutex<Option<ModelServer>>,
}

enum Kind {
    Scripted,
    Program { path: PathBuf, wakes: bool },
}

impl Cast {
    pub(super) fn scripted() -> Self {
        Self::of(Kind::Scripted)
    }

    /// `sluice`, when it is built.
    pub(super) async fn sluice() -> Option<Self> {
        let path = sluice()?;
        Some(Self::of(Kind::Program { path, wakes: true }))
    }

    /// Another agent, when one is named. `SLUICE_HOST_AGENT_OLD` says that it is of the kind that never wakes by itself.
    pub(super) async fn other() -> Option<Self> {
        let Some(path) = std::env::var_os("SLUICE_HOST_AGENT").map(PathBuf::from) else {
            println!("skipped: SLUICE_HOST_AGENT names no other agent");
            return None;
        };
        let wakes = std::env::var_os("SLUICE_HOST_AGENT_OLD").is_none();
        Some(Self::of(Kind::Program { path, wakes }))
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

    /// Whether it begins turns by itself.
    pub(super) fn wakes(&self) -> bool {
        match self.kind {
            Kind::Scripted => true,
            Kind::Program { wakes, .. } => wakes,
        }
    }

    pub(super) fn touched(&self) -> bool {
        self.folder.path().join("work/touched.txt").exists()
    }

    /// Lets the model, or what runs in the background, go on.
    pub(super) fn go_on(&self) {
        std::fs::write(self.folder.path().join("work/go"), "").unwrap();
        if let Some(model) = &*self.model.lock().unwrap() {
            model.gate("go").open();
        }
    }

    pub(super) async fn client(&self, life: Life) -> Client {
        self.client_with(life, |options| options).await
    }

    pub(super) async fn client_with(&self, life: Life, more: impl FnOnce(Options) -> Options) -> Client {
        match &self.kind {
            Kind::Scripted => {
                let stage = Stage::new(scripts(life));
                stage.client(more(brisk().asks(true))).await
            }
            Kind::Program { path, .. } => {
                let model = ModelServer::start(self.script(life)).await.unwrap();
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

    /// Ends the agent in the middle of a turn.
    pub(super) async fn crash(&self, client: &Client) {
        match &self.kind {
            // It does that by itself.
            Kind::Scripted => {}
            Kind::Program { .. } => {
                // Older agents write their sessions late: what is to be gone on with has to be there.
                let sessions = sluice_host::sessions::Sessions::under(self.folder.path().join("config"));
                let id = client.session_id().await.unwrap().unwrap();
                let mut look = tokio::time::interval(std::time::Duration::from_millis(20));
                while !sessions.messages(&id, None).is_ok_and(|messages| messages.len() > 1) {
                    // A file of another program: nothing else tells when it is there.
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

    /// What the model says.
    fn script(&self, life: Life) -> Script {
        let endless = || {
            let parts = json!({"type": "text", "parts": ["First ", {"gate": "go"}, "then the rest"]});
            Reply::empty().and_block(parts)
        };
        let script = Script::new();
        match life {
            Life::Normal | Life::Forked => script.reply(Reply::text("Hello there").repeat()),
            Life::Interrupted | Life::Queue => script.reply(endless()).reply(Reply::text("Hello there").repeat()),
            Life::Crash => script
                .reply(Reply::text("Hello there"))
                .reply(endless())
                .reply(Reply::text("Hello there").repeat()),
            Life::Ask => script
                .reply(Reply::tool(
                    "Bash",
                    json!({"command": "touch touched.txt", "description": "Touches it"}),
                ))
                .reply(Reply::text("So be it").repeat()),
            Life::Question => script
                .reply(Reply::tool("AskUserQuestion", json!({"questions": [question()]})))
                .reply(Reply::text("Red it is").repeat()),
            Life::Background => {
                let command = "until [ -e go ]; do sleep 0.05; done";
                let input = json!({"command": command, "description": "Waits", "run_in_background": true});
                script
                    .reply(Reply::tool("Bash", input))
                    .reply(Reply::text("It runs").repeat())
            }
        }
    }
}

/// `sluice`, when it is built: the binary `SLUICE_BIN` names, or the one beside this test.
pub(crate) fn sluice() -> Option<PathBuf> {
    let beside = || {
        let test = std::env::current_exe().ok()?;
        Some(test.parent()?.parent()?.join("sluice"))
    };
    let path = std::env::var_os("SLUICE_BIN").map(PathBuf::from).or_else(beside)?;
    if !path.is_file() {
        println!(
            "skipped: there is no sluice at {}; build it, or set SLUICE_BIN",
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

/// What the scripted agent does, one script for each time it is started.
fn scripts(life: Life) -> Vec<Value> {
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
        let begun = std::mem::take(steps);
        // An interrupt leaves the innermost round and goes on after it.
        steps.push(json!({"repeat": 1, "steps": begun}));
        steps.extend(more);
        first
    };
    let there = json!([{"text": "Hello there"}, {"result": {"result": "Hello there"}}]);
    match life {
        Life::Normal => vec![forever(there)],
        Life::Forked => {
            let mut script = forever(there);
            script["session_id"] = json!("99999999-2222-4333-8444-555555555555");
            vec![script]
        }
        Life::Interrupted => vec![after(turn(json!([words, {"sleep": 1000}])), forever(there))],
        Life::Queue => vec![after(
            turn(json!([words, {"sleep": 1}, {"result": {}}])),
            forever(there),
        )],
        Life::Ask => {
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
        Life::Question => vec![turn(json!([
            {"tool": {"id": "toolu_01", "name": "AskUserQuestion", "input": {"questions": [question()]}}},
            {"ask": {"tool_name": "AskUserQuestion", "input": {"questions": [question()]}, "tool_use_id": "toolu_01"}},
            {"tool_result": {"tool_use_id": "toolu_01", "content": "Red"}},
            {"text": "Red it is"}, {"result": {"result": "Red it is"}}
        ]))],
        Life::Background => vec![turn(json!([
            {"text": "It runs"}, {"result": {"result": "It runs"}},
            {"sleep": 5},
            {"init": {}}, {"text": "It is done"},
            {"result": {"result": "It is done", "origin": {"kind": "task-notification"}}}
        ]))],
        Life::Crash => vec![
            turn(json!([
                {"text": "Hello there"}, {"result": {"result": "Hello there"}},
                {"expect": {"type": "user"}}, {"init": {}},
                words, {"sleep": 1}, {"fault": "crash", "code": 137}
            ])),
            forever(hello()),
        ],
    }
}
