//! Stored sessions and resuming them.
//!
//! [`Stage::next`] checks for every test that each message is in the transcript before it is sent.

use std::fs;
use std::path::{Path, PathBuf};

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_engine::transcript::{Choice, Projects, Which, resume};
use sluice_engine::{Options, Signal};
use sluice_simulator::{Reply, Script};
use tempfile::TempDir;

use crate::stage::Stage;

pub(crate) const ID: &str = "11111111-2222-4333-8444-555555555555";
const FORK: &str = "99999999-2222-4333-8444-555555555555";

/// A folder for transcripts that outlives a session.
pub(crate) struct Shelf {
    pub(crate) dir: TempDir,
}

impl Shelf {
    pub(crate) fn new() -> Self {
        Self {
            dir: tempfile::tempdir().unwrap(),
        }
    }

    fn projects(&self) -> Projects {
        Projects::new(self.dir.path().join("projects"))
    }

    /// The transcript of the session with this id.
    pub(crate) fn file(&self, id: &str) -> PathBuf {
        self.projects().file(Path::new("/work"), id)
    }

    pub(crate) fn lines(&self, id: &str) -> Vec<Value> {
        let text = fs::read_to_string(self.file(id)).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The UUIDs and parents of the conversation entries.
    fn chain(&self, id: &str) -> Vec<(Value, Value)> {
        let lines = self.lines(id).into_iter().filter(|line| line["uuid"].is_string());
        lines
            .map(|line| (line["parentUuid"].clone(), line["uuid"].clone()))
            .collect()
    }

    /// Starts a new session that is stored here.
    pub(crate) async fn begin(&self, script: Script) -> Stage {
        Stage::with(script, |options| self.keep(options, ID)).await
    }

    /// Resumes the stored session with other options.
    pub(crate) async fn resume_with(&self, script: Script, change: impl FnOnce(&mut Options)) -> Stage {
        let choice = Choice {
            which: Which::Named(ID.to_owned()),
            at: None,
            drops_turn: None,
            fork: false,
        };
        let earlier = resume::find(&self.projects(), Path::new("/work"), &choice).unwrap();
        Stage::with(script, |options| {
            options.session.earlier = earlier;
            self.keep(options, ID);
            change(options);
        })
        .await
    }

    /// Resumes the stored session.
    pub(crate) async fn resume(&self, script: Script, change: impl FnOnce(&mut Choice)) -> Stage {
        let mut choice = Choice {
            which: Which::Named(ID.to_owned()),
            at: None,
            drops_turn: None,
            fork: false,
        };
        change(&mut choice);
        let earlier = resume::find(&self.projects(), Path::new("/work"), &choice).unwrap();
        Stage::with(script, |options| {
            options.session.earlier = earlier;
            self.keep(options, if choice.fork { FORK } else { ID });
        })
        .await
    }

    pub(crate) fn keep(&self, options: &mut Options, id: &str) {
        options.session.id = id.to_owned();
        options.session.keeping.projects = self.projects();
        options.session.keeping.file = Some(self.file(id));
        options.permissions.allowed = vec!["Bash".into()];
    }
}

pub(crate) fn messages(body: &Value) -> &[Value] {
    body["messages"].as_array().unwrap()
}

/// The messages without cache markers, whose position changes with every request.
pub(crate) fn unmarked(messages: &[Value]) -> Vec<Value> {
    let mut messages = messages.to_vec();
    for block in messages
        .iter_mut()
        .filter_map(|message| message["content"].as_array_mut())
        .flatten()
    {
        block.as_object_mut().unwrap().remove("cache_control");
    }
    messages
}

#[tokio::test]
async fn transcript_entries_form_a_chain_with_the_uuids_of_messages() {
    let shelf = Shelf::new();
    let calls = Reply::text("Two")
        .and_tool("Bash", json!({"command": "echo one"}))
        .and_tool("Bash", json!({"command": "echo two"}));
    let mut stage = shelf.begin(Script::new().reply(calls).text("Done")).await;
    stage.prompt_as("u1", "run both").await;
    stage.result().await;
    let uuid = |at: usize, word: &str| stage.all(word)[at]["uuid"].clone();
    let (text, done) = (uuid(0, "assistant:text"), uuid(1, "assistant:text"));
    let calls = [uuid(0, "assistant:tool_use"), uuid(1, "assistant:tool_use")];
    let results = [uuid(0, "user:tool_result"), uuid(1, "user:tool_result")];
    // The calls run concurrently and may end in any order; the parent of a result is its own call.
    let (called, ended) = (stage.all("assistant:tool_use"), stage.all("user:tool_result"));
    let parents: Vec<Value> = ended
        .iter()
        .map(|result| {
            let id = &result["message"]["content"][0]["tool_use_id"];
            let call = called.iter().find(|call| call["message"]["content"][0]["id"] == *id);
            call.unwrap()["uuid"].clone()
        })
        .collect();
    assert_eq!(
        shelf.chain(ID),
        [
            (Value::Null, json!("u1")),
            (json!("u1"), text.clone()),
            (text, calls[0].clone()),
            (calls[0].clone(), calls[1].clone()),
            (parents[0].clone(), results[0].clone()),
            (parents[1].clone(), results[1].clone()),
            (results[1].clone(), done.clone()),
        ]
    );
    let mut lines = shelf.lines(ID);
    let waited: Vec<Value> = lines.extract_if(.., |line| line["type"] == "queue-operation").collect();
    let waited: Vec<_> = waited
        .iter()
        .map(|line| (&line["operation"], &line["content"]))
        .collect();
    assert_eq!(
        waited,
        [
            (&json!("enqueue"), &json!("run both")),
            (&json!("dequeue"), &Value::Null)
        ]
    );
    assert_eq!(lines[0]["message"]["content"], "run both", "a string stays one");
    assert_eq!(lines[4]["sourceToolAssistantUUID"], parents[0]);
    assert_eq!(lines[4]["toolUseResult"], ended[0]["tool_use_result"]);
    for line in lines.iter().filter(|line| line["uuid"].is_string()) {
        for (key, value) in [
            ("sessionId", ID),
            ("entrypoint", "sdk-cli"),
            ("gitBranch", "HEAD"),
            ("userType", "external"),
        ] {
            assert_eq!(line[key], value);
        }
    }
    let last = lines.iter().find(|line| line["type"] == "last-prompt").unwrap();
    assert_eq!((&last["lastPrompt"], &last["leafUuid"]), (&json!("run both"), &done));
    assert_eq!(stage.end().await, 0);
}

#[tokio::test]
async fn session_is_resumed_with_its_conversation_and_cost() {
    let shelf = Shelf::new();
    let script = Script::new()
        .reply(Reply::thinking("hm").and_tool("Bash", json!({"command": "echo one"})))
        .text("First");
    let mut first = shelf.begin(script).await;
    first.prompt_as("u1", "one").await;
    let cost = first.result().await["total_cost_usd"].as_f64().unwrap();
    assert!(cost > 0.0);
    let shown = unmarked(messages(&first.sent(2)));
    assert_eq!(first.end().await, 0);

    let mut second = shelf.resume(Script::new().text("Second"), |_| {}).await;
    second.prompt_as("u1", "one").await;
    assert_eq!(second.next().await["state"], "completed", "it was run long ago");
    second.silent().await;
    second.prompt_as("u2", "two").await;
    let result = second.result().await;
    assert_eq!(result["session_id"], ID);
    assert!(
        result["total_cost_usd"].as_f64().unwrap() > cost,
        "the bill goes on too"
    );
    let body = second.sent(1);
    let all = unmarked(messages(&body));
    assert_eq!(all[..shown.len()], shown[..], "what was shown once stays as it was");
    assert_eq!(
        all[shown.len()],
        json!({"role": "assistant", "content": [{"type": "text", "text": "First"}]})
    );
    assert_eq!(second.said_to_model(1), ["two"]);
    assert_eq!(second.leave_now().await, 0);

    let chain = shelf.chain(ID);
    let broken = chain
        .iter()
        .skip(1)
        .find(|(parent, _)| !chain.iter().any(|(_, uuid)| uuid == parent));
    assert_eq!(broken, None, "one chain through both");
}

#[tokio::test]
async fn fork_writes_to_its_own_file() {
    let shelf = Shelf::new();
    let mut first = shelf.begin(Script::new().text("First").text("Second")).await;
    first.prompt_as("u1", "one").await;
    first.result().await;
    first.prompt_as("u2", "two").await;
    first.result().await;
    let at = first.all("assistant:text")[0]["uuid"].as_str().unwrap().to_owned();
    assert_eq!(first.end().await, 0);
    let before = fs::read(shelf.file(ID)).unwrap();

    let fork = |choice: &mut Choice| {
        choice.fork = true;
        choice.at = Some(at.clone());
        choice.drops_turn = Some("u2".to_owned());
    };
    let mut second = shelf.resume(Script::new().text("Other"), fork).await;
    second.prompt_as("u2", "two again").await;
    assert_eq!(second.result().await["session_id"], FORK);
    assert_eq!(messages(&second.sent(1)).len(), 3, "the dropped turn is not shown");
    assert_eq!(second.end().await, 0);

    assert_eq!(fs::read(shelf.file(ID)).unwrap(), before);
    let lines = shelf.lines(FORK);
    assert!(lines.iter().all(|line| line["sessionId"] == FORK), "{lines:?}");
    assert_eq!(shelf.chain(FORK).len(), 4);
    assert_eq!(shelf.chain(FORK)[2], (json!(at), json!("u2")));
}

#[tokio::test]
async fn fork_copies_entries_unchanged() {
    let shelf = Shelf::new();
    let mut first = shelf.begin(Script::new().text("First")).await;
    first.prompt_as("u1", "one").await;
    first.result().await;
    assert_eq!(first.end().await, 0);
    // The same content in the format of another program.
    let spelled = r#""role":"user","spelled":{"n":1.50e2,"t":"\u00e9"},"#;
    let text = fs::read_to_string(shelf.file(ID)).unwrap();
    let text = text.replacen(r#""role":"user","#, spelled, 1);
    assert!(text.contains(spelled), "{text}");
    fs::write(shelf.file(ID), text).unwrap();

    let mut second = shelf
        .resume(Script::new().text("Other"), |choice| choice.fork = true)
        .await;
    second.prompt_as("u2", "two").await;
    second.result().await;
    assert_eq!(second.end().await, 0);
    let text = fs::read_to_string(shelf.file(FORK)).unwrap();
    assert!(text.contains(spelled), "{text}");
}

#[tokio::test]
async fn unanswered_call_is_resumed_with_an_error_result() {
    let shelf = Shelf::new();
    let input = json!({"file_path": "/x", "content": "y"});
    let script = Script::new().reply(Reply::text("I ask").and_tool_with_id("t1", "Write", input.clone()));
    let mut first = shelf.begin(script).await;
    first.prompt("one").await;
    first.ask().await;
    first.signal(Signal::Leave(143)).await;
    assert_eq!(first.leave().await, 143);
    // Simulate a process that was killed while writing.
    let mut torn = fs::read(shelf.file(ID)).unwrap();
    torn.extend(br#"{"parentUuid":"x","type":"us"#);
    fs::write(shelf.file(ID), torn).unwrap();

    let mut second = shelf.resume(Script::new().text("Second").text("Third"), |_| {}).await;
    second.prompt("two").await;
    second.result().await;
    let body = second.sent(1);
    let shown = unmarked(messages(&body));
    let call = json!({"type": "tool_use", "id": "t1", "name": "Write", "input": input});
    assert_eq!(
        shown[..2],
        [
            json!({"role": "user", "content": [{"type": "text", "text": "one"}]}),
            json!({"role": "assistant", "content": [{"type": "text", "text": "I ask"}, call]}),
        ]
    );
    assert_eq!(
        (
            &shown[2]["content"][0]["tool_use_id"],
            &shown[2]["content"][0]["is_error"]
        ),
        (&json!("t1"), &json!(true))
    );
    assert_eq!(shown[2]["content"][1], json!({"type": "text", "text": "two"}));
    assert_eq!(second.end().await, 0);
    let text = fs::read_to_string(shelf.file(ID)).unwrap();
    let bad = text.lines().filter(|line| serde_json::from_str::<Value>(line).is_err());
    assert_eq!(bad.count(), 1, "the torn line harms no other");
}

#[tokio::test]
async fn session_that_cannot_be_resumed_sends_an_error_result() {
    let mut stage = Stage::with(Script::new(), |options| {
        options.session.refusal = Some("No conversation found with session ID: x".to_owned());
    })
    .await;
    stage.request(json!({"subtype": "initialize"})).await;
    let result = stage.next().await;
    assert_eq!(result["subtype"], "error_during_execution");
    assert_eq!(result["errors"], json!(["No conversation found with session ID: x"]));
    assert_eq!((&result["num_turns"], &result["is_error"]), (&json!(0), &json!(true)));
    assert_eq!(stage.leave().await, 1);
}

#[tokio::test]
async fn mirror_contains_every_line_of_the_transcript() {
    let shelf = Shelf::new();
    let script = Script::new().tool("Bash", json!({"command": "echo one"})).text("Done");
    let mut stage = Stage::with(script, |options| {
        shelf.keep(options, ID);
        options.session.keeping.mirror = true;
        options.session.keeping.title = Some("Blue Fence".to_owned());
    })
    .await;
    stage.prompt("go").await;
    stage.result().await;
    let mirrored = stage.all("transcript_mirror");
    assert!(
        mirrored
            .iter()
            .all(|frame| frame["filePath"] == shelf.file(ID).display().to_string())
    );
    let entries: Vec<Value> = mirrored
        .iter()
        .flat_map(|frame| frame["entries"].as_array().unwrap().clone())
        .collect();
    assert_eq!(entries, shelf.lines(ID));
    assert_eq!(stage.leave_now().await, 0);
}

#[tokio::test]
async fn unwritable_transcript_folder_is_reported_once() {
    let shelf = Shelf::new();
    fs::write(shelf.dir.path().join("projects"), "a file, no folder").unwrap();
    let mut stage = shelf.begin(Script::new().text("One").text("Two").text("Three")).await;
    for prompt in ["one", "two"] {
        stage.prompt(prompt).await;
        assert_eq!(stage.result().await["subtype"], "success");
    }
    assert_eq!(stage.all("info").len(), 1);
    // Once the folder is writable, nothing is missing.
    fs::remove_file(shelf.dir.path().join("projects")).unwrap();
    assert_eq!(
        stage
            .control(json!({"subtype": "rename_session", "title": "Late"}))
            .await["subtype"],
        "success"
    );
    stage.prompt("three").await;
    stage.result().await;
    assert_eq!(shelf.chain(ID).len(), 6);
    assert_eq!(stage.end().await, 0);
}

#[tokio::test]
async fn session_without_transcript_writes_no_files() {
    let shelf = Shelf::new();
    let mut stage = Stage::with(Script::new().text("One"), |options| {
        shelf.keep(options, ID);
        options.session.keeping.file = None;
        options.session.keeping.mirror = true;
    })
    .await;
    stage.prompt("one").await;
    assert_eq!(stage.turn().await, "init assistant:text result:success");
    assert_eq!(stage.end().await, 0);
    assert!(!shelf.dir.path().join("projects").exists());
}

#[tokio::test]
async fn title_is_stored_reported_and_searchable() {
    let shelf = Shelf::new();
    let mut stage = shelf.begin(Script::new().text("One")).await;
    let blank = stage.control(json!({"subtype": "rename_session", "title": "  "})).await;
    assert_eq!(blank["subtype"], "error");
    stage.prompt("one").await;
    stage.result().await;
    stage
        .control(json!({"subtype": "rename_session", "title": "Blue Fence"}))
        .await;
    assert_eq!(stage.last("session_title_changed")["title"], "Blue Fence");
    let other = stage
        .control(json!({"subtype": "rename_session", "title": "x", "session_id": FORK}))
        .await;
    assert_eq!(other["subtype"], "error", "there is no such session");
    assert_eq!(stage.end().await, 0);
    let lines = shelf.lines(ID);
    let title = json!({"type": "custom-title", "customTitle": "Blue Fence", "sessionId": ID});
    assert!(lines.contains(&title), "{lines:?}");
    let beside = fs::read_to_string(shelf.file(ID).with_extension("").join("custom-title.json")).unwrap();
    assert_eq!(beside, r#"{"customTitle":"Blue Fence"}"#);

    let by_title = |choice: &mut Choice| choice.which = Which::Named("blue fence".to_owned());
    let mut again = shelf.resume(Script::new().text("Two"), by_title).await;
    assert_eq!(again.next().await["title"], "Blue Fence");
    again.prompt("two").await;
    again.result().await;
    assert_eq!(messages(&again.sent(1)).len(), 3);
    assert_eq!(again.end().await, 0);
}

#[tokio::test]
async fn unfinished_background_tasks_are_reported_once() {
    let shelf = Shelf::new();
    let bell = crate::bell::Bell::listen().await;
    let ring = json!({"command": bell.command(), "description": "ring", "run_in_background": true});
    let script = Script::new().tool("Bash", ring).text("Launched");
    let mut first = Stage::with(script, |options| {
        shelf.keep(options, ID);
        options.permissions.allowed = vec!["Bash".into()];
    })
    .await;
    first.prompt("go").await;
    let _caller = bell.connected().await;
    first.result().await;
    let id = first.last("task_started")["task_id"].clone();
    first.quit();
    first.leave().await;

    let mut second = shelf.resume(Script::new().text("Second"), |_| {}).await;
    second.prompt("two").await;
    assert_eq!(second.turn().await, "task:stopped init result:success");
    assert_eq!(second.last("task:stopped")["task_id"], id);
    let told = second.last("result:success").clone();
    assert_eq!((&told["num_turns"], &told["result"]), (&json!(0), &json!("")));
    assert_eq!(told["origin"]["kind"], "task-notification");
    assert_eq!(second.result().await["result"], "Second");
    let said = second.said_to_model(1).join("\n");
    assert!(said.contains("didn't finish") && said.contains("two"), "{said}");
    assert_eq!(second.end().await, 0);

    let mut third = shelf.resume(Script::new().text("Third"), |_| {}).await;
    third.prompt("three").await;
    assert_eq!(third.turn().await, "init assistant:text result:success");
    assert_eq!(third.end().await, 0);
}

#[tokio::test]
async fn open_call_of_killed_process_is_resumed_with_an_error_result() {
    let shelf = Shelf::new();
    let script = Script::new().reply(Reply::tool_with_id("toolu_k", "Bash", json!({"command": "touch made"})));
    let mut first = Stage::with(script, |options| {
        shelf.keep(options, ID);
        options.permissions.allowed.clear();
    })
    .await;
    first.prompt("one").await;
    first.ask().await;
    // The file at this time is all that a killed process would leave.
    let left = fs::read_to_string(shelf.file(ID)).unwrap();
    first.quit();
    first.leave().await;
    fs::write(shelf.file(ID), left).unwrap();

    let mut second = shelf.resume(Script::new().text("Seen"), |_| {}).await;
    second.prompt("two").await;
    second.result().await;
    let sent = second.sent(1);
    let shown = messages(&sent);
    assert_eq!(shown[1]["content"][0]["id"], "toolu_k");
    assert_eq!(shown[2]["content"][0]["tool_use_id"], "toolu_k");
    assert_eq!(shown[2]["content"][0]["is_error"], true);
    assert_eq!(second.end().await, 0);
}
