//! The test rig: a session between a scripted model and the test, which acts as its host.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use sluice_engine::settings::{Chosen, Places, Settings};
use sluice_engine::transcript::{Keeping, Projects};
use sluice_engine::{Asker, Input, Options, Port, Signal};
use sluice_model::{Auth, Config};
use sluice_simulator::{Brain, Gate, ModelServer};
use sluice_wire::{Frame, ToHost};
use tempfile::TempDir;

use crate::alarm::Alarm;
use crate::invariants;
use crate::words::{line, word};

/// Longer than any expected wait with a paused clock. The network takes real time, so a paused clock may run ahead of
/// it.
const NEVER: Duration = Duration::from_secs(24 * 3600);

/// A running session with its model server and folders.
pub(crate) struct Stage {
    /// The working folder, which also contains the home folder and large outputs.
    pub(crate) dir: TempDir,
    pub(crate) server: ModelServer,
    port: Port,
    alarm: Alarm,
    /// All messages so far, as JSON.
    pub(crate) heard: Vec<Value>,
    told: usize,
    asked: usize,
    transcript: Option<PathBuf>,
}

impl Stage {
    /// Starts a session whose model is `brain`.
    pub(crate) async fn begin(brain: impl Brain) -> Self {
        Self::with(brain, |_| {}).await
    }

    /// Starts a session with changed options.
    pub(crate) async fn with(brain: impl Brain, change: impl FnOnce(&mut Options)) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let server = ModelServer::start(brain).await.unwrap();
        let mut options = options(&dir, &server);
        change(&mut options);
        Self {
            transcript: options.session.keeping.file.clone(),
            port: sluice_engine::start(options).unwrap(),
            alarm: Alarm::set(),
            dir,
            server,
            heard: Vec::new(),
            told: 0,
            asked: 0,
        }
    }

    /// Sends a prompt without a uuid.
    pub(crate) async fn prompt(&self, text: &str) {
        self.send(&[prompt(text)]).await;
    }

    /// Sends a prompt with a uuid.
    pub(crate) async fn prompt_as(&self, uuid: &str, text: &str) {
        self.prompt_with(text, json!({"uuid": uuid})).await;
    }

    /// Sends a prompt with further fields.
    pub(crate) async fn prompt_with(&self, text: &str, fields: Value) {
        self.send(&[with(prompt(text), fields)]).await;
    }

    /// Sends a control request. Returns its id.
    pub(crate) async fn request(&mut self, request: Value) -> String {
        self.asked += 1;
        let id = format!("r{}", self.asked);
        self.send(&[json!({"type": "control_request", "request_id": id, "request": request})])
            .await;
        id
    }

    /// Sends a control request and waits for its response.
    pub(crate) async fn control(&mut self, request: Value) -> Value {
        let id = self.request(request).await;
        loop {
            let message = self.next().await;
            if message["type"] == "control_response" && message["response"]["request_id"] == *id {
                return message["response"].clone();
            }
        }
    }

    pub(crate) async fn interrupt(&mut self) {
        self.request(json!({"subtype": "interrupt"})).await;
    }

    /// Answers a request of the session.
    pub(crate) async fn answer(&self, ask: &Value, answer: Value) {
        let response = json!({"subtype": "success", "request_id": ask["request_id"], "response": answer});
        self.send(&[json!({"type": "control_response", "response": response})])
            .await;
    }

    pub(crate) async fn allow(&self, ask: &Value) {
        self.answer(ask, json!({"behavior": "allow"})).await;
    }

    pub(crate) async fn deny(&self, ask: &Value) {
        self.answer(ask, json!({"behavior": "deny", "message": "not today"}))
            .await;
    }

    /// Sends several lines together.
    pub(crate) async fn send(&self, lines: &[Value]) {
        self.put(lines.iter().map(input).collect()).await;
    }

    pub(crate) async fn signal(&self, signal: Signal) {
        self.put(vec![Input::Signal(signal)]).await;
    }

    /// Closes the connection without a message.
    pub(crate) fn quit(&self) {
        self.port.quit.cancel();
    }

    /// Ends the input.
    pub(crate) async fn eof(&self) {
        self.put(vec![Input::Eof]).await;
    }

    pub(crate) async fn put(&self, inputs: Vec<Input>) {
        self.port.input.send(inputs).await.expect("the session listens");
    }

    /// Waits for the next message of the session.
    pub(crate) async fn next(&mut self) -> Value {
        match self.hear().await {
            Some(message) => message,
            None => panic!("the session ended after: {}", line(&self.heard)),
        }
    }

    async fn hear(&mut self) -> Option<Value> {
        let said = self.alarm.guard(self.port.output.recv()).await;
        let said = said.unwrap_or_else(|| panic!("silence after: {}", line(&self.heard)))?;
        let message = on_the_wire(&said);
        if let (Some(id), Some(file)) = (message["new_conversation_id"].as_str(), &mut self.transcript) {
            *file = file.with_file_name(format!("{id}.jsonl"));
        }
        self.is_kept(&message);
        self.heard.push(message.clone());
        Some(message)
    }

    /// Checks that a conversation message is in the transcript before it is sent, if there is a transcript.
    fn is_kept(&self, message: &Value) {
        let Some(file) = self.transcript.as_ref().filter(|file| file.exists()) else {
            return;
        };
        // Messages of a subagent are in its own transcript.
        let beside = file.with_extension("").join("subagents");
        let file = &match message["agent_id"].as_str() {
            Some(id) => beside.join(format!("agent-{id}.jsonl")),
            None => file.clone(),
        };
        let speaks = matches!(message["type"].as_str(), Some("assistant" | "user"));
        if speaks && message["isReplay"] != true {
            let uuid = format!("\"uuid\":{}", message["uuid"]);
            let kept = std::fs::read_to_string(file).unwrap();
            assert!(kept.contains(&uuid), "{message} is not in {kept}");
        }
    }

    /// Receives the messages that have arrived, without waiting.
    pub(crate) fn overhear(&mut self) {
        while let Ok(said) = self.port.output.try_recv() {
            self.heard.push(on_the_wire(&said));
        }
    }

    /// Number of control requests sent.
    pub(crate) fn asked(&self) -> usize {
        self.asked
    }

    /// Waits for a message with this label (see `words`).
    pub(crate) async fn until(&mut self, wanted: &str) -> Value {
        loop {
            let message = self.next().await;
            if word(&message) == wanted {
                return message;
            }
        }
    }

    /// Waits for `count` messages with this label.
    pub(crate) async fn until_n(&mut self, wanted: &str, count: usize) {
        for _ in 0..count {
            self.until(wanted).await;
        }
    }

    /// Waits for a permission request.
    pub(crate) async fn ask(&mut self) -> Value {
        loop {
            let message = self.next().await;
            if word(&message).starts_with("ask:") {
                return message;
            }
        }
    }

    /// Waits for the result of a turn.
    pub(crate) async fn result(&mut self) -> Value {
        loop {
            let message = self.next().await;
            if message["type"] == "result" {
                return message;
            }
        }
    }

    /// The labels of the messages since the last call.
    pub(crate) fn told(&mut self) -> String {
        let line = line(&self.heard[self.told..]);
        self.told = self.heard.len();
        line
    }

    /// Waits for the end of the turn. Returns the labels of its messages.
    pub(crate) async fn turn(&mut self) -> String {
        self.result().await;
        self.told()
    }

    /// Checks that the session sends no message: the response to a request is its next message.
    pub(crate) async fn silent(&mut self) {
        let id = self.request(json!({"subtype": "get_binary_version"})).await;
        let answer = self.next().await;
        assert_eq!(answer["response"]["request_id"], *id, "{}", line(&self.heard));
        self.heard.pop();
    }

    /// Checks that the session sends a message with this label and no other.
    pub(crate) async fn silent_after(&mut self, wanted: &str) {
        let message = self.next().await;
        assert_eq!(word(&message), wanted, "{}", line(&self.heard));
        self.silent().await;
    }

    /// All messages with this label.
    pub(crate) fn all(&self, wanted: &str) -> Vec<&Value> {
        self.heard.iter().filter(|it| word(it) == wanted).collect()
    }

    /// The last message with this label.
    pub(crate) fn last(&self, wanted: &str) -> &Value {
        self.all(wanted)
            .pop()
            .unwrap_or_else(|| panic!("no {wanted} in {}", line(&self.heard)))
    }

    pub(crate) fn gate(&self, name: &str) -> Gate {
        self.server.gate(name)
    }

    /// The body of the `n`-th model request, starting at 1.
    pub(crate) fn sent(&self, n: usize) -> Value {
        self.server.requests()[n - 1].body.clone()
    }

    /// The texts in the last message of the `n`-th model request.
    pub(crate) fn said_to_model(&self, n: usize) -> Vec<String> {
        let body = self.sent(n);
        let last = body["messages"].as_array().unwrap().last().unwrap();
        let blocks = last["content"].as_array().unwrap().iter();
        blocks.filter_map(|it| it["text"].as_str().map(str::to_owned)).collect()
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.dir.path().join(name).display().to_string()
    }

    /// Ends the input, reads to the end, and checks the invariants. Returns the exit code.
    pub(crate) async fn end(mut self) -> i32 {
        // The session may have exited already.
        let _gone = self.port.input.send(vec![Input::Eof]).await;
        self.hear_out().await;
        invariants::of_messages(&self.heard);
        invariants::of_requests(&self.server.requests());
        if let Some(file) = &self.transcript {
            invariants::of_transcript(file, &self.server.requests());
        }
        self.leave().await
    }

    /// Like [`Self::end`] for a session with subagents, whose requests belong to several conversations.
    pub(crate) async fn end_crew(mut self) -> i32 {
        let _gone = self.port.input.send(vec![Input::Eof]).await;
        self.hear_out().await;
        invariants::of_messages(&self.heard);
        invariants::of_agents(&self.heard);
        invariants::of_conversations(&self.server.requests());
        self.leave().await
    }

    /// Ends the input without checking the invariants, for sessions with unusual requests.
    pub(crate) async fn leave_now(self) -> i32 {
        self.eof().await;
        self.leave().await
    }

    /// Receives all remaining messages.
    pub(crate) async fn hear_out(&mut self) {
        while self.hear().await.is_some() {}
    }

    /// Waits for the session to exit. Returns the exit code.
    pub(crate) async fn leave(mut self) -> i32 {
        self.hear_out().await;
        let exit = self.alarm.guard(self.port.done).await;
        exit.expect("the session ends")
            .expect("the session does not panic")
            .code
    }
}

/// A prompt as a host sends it.
pub(crate) fn prompt(text: &str) -> Value {
    json!({"type": "user", "message": {"role": "user", "content": text}, "parent_tool_use_id": null, "session_id": ""})
}

/// Adds fields to an object.
pub(crate) fn with(mut object: Value, fields: Value) -> Value {
    let Value::Object(fields) = fields else {
        panic!("fields are an object")
    };
    object.as_object_mut().unwrap().extend(fields);
    object
}

/// Parses a line like a door does.
fn input(line: &Value) -> Input {
    let frame = Frame::parse(&line.to_string()).unwrap();
    match frame.to_agent() {
        Ok(message) => Input::Message(Box::new(message)),
        Err(bad) => Input::BadRequest {
            request_id: frame.request_id(),
            subtype: line
                .pointer("/request/subtype")
                .and_then(Value::as_str)
                .map(str::to_owned),
            problem: bad.error,
        },
    }
}

/// Serializes a message, and checks that parsing it gives the same message.
fn on_the_wire(message: &ToHost) -> Value {
    let text = serde_json::to_string(message).unwrap();
    let read = Frame::parse(&text).unwrap().to_host().unwrap();
    let (read, value) = (
        serde_json::to_value(&read).unwrap(),
        serde_json::from_str(&text).unwrap(),
    );
    assert_eq!(read, value);
    value
}

/// Settings folders that are independent of this machine.
fn places(root: &Path) -> Places {
    Places {
        cwd: root.to_path_buf(),
        home: root.join("home"),
        config_dir: root.join("home/.claude"),
        managed: root.join("managed/settings.json"),
        global: root.join("home/.claude.json"),
    }
}

fn keeping(root: &Path) -> Keeping {
    Keeping {
        projects: Projects::new(root.join("home/projects")),
        file: Some(root.join("home/projects/stage/11111111-2222-4333-8444-555555555555.jsonl")),
        entrypoint: "sdk-cli".to_owned(),
        git_branch: "HEAD".to_owned(),
        mirror: false,
        title: None,
    }
}

pub(crate) fn options(dir: &TempDir, server: &ModelServer) -> Options {
    let root = dir.path();
    let mut model_config = Config::new(server.url(), Auth::ApiKey("test".to_owned()));
    model_config.user_agent = "sluice-test".to_owned();
    model_config.stall_timeout = NEVER;
    model_config.connect_timeout = NEVER;
    model_config.response_timeout = NEVER;
    model_config.max_response_time = NEVER;
    let settings = Settings::load(&places(root), &Chosen::NONE, None, None);
    let mut options = Options::new(settings, model_config);
    options.session.id = "11111111-2222-4333-8444-555555555555".to_owned();
    options.session.keeping = keeping(root);
    options.folders.plans = root.join("home/plans");
    options.folders.outputs = root.join("home/outputs");
    options.env = vec![("PATH".into(), std::env::var_os("PATH").unwrap_or_default())].into();
    options.prompt.date = "2026-01-01".to_owned();
    options.model.max_retries = 2;
    options.servers = sluice_engine::mcp::ServerOptions::new(root.join("home/mcp-credentials.json"));
    options.permissions.asker = Asker::Host;
    options
}
