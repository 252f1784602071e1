#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::needless_pass_by_value)]

use std::fs;
use std::path::Path;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::super::block::{self, Block, Looked};
use super::super::history_builder::Conversation;
use super::*;

const ID: &str = "11111111-2222-4333-8444-555555555555";

/// A project folder with one session.
struct TestProject {
    dir: tempfile::TempDir,
    projects: Projects,
}

impl TestProject {
    fn with(lines: &[Value]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let projects = Projects::new(dir.path().join("projects"));
        let project = Self { projects, dir };
        project.put(ID, lines);
        project
    }

    fn put(&self, id: &str, lines: &[Value]) {
        let file = self.projects.file(self.dir.path(), id);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        let lines: Vec<String> = lines.iter().map(|line| format!("{line}\n")).collect();
        fs::write(file, lines.concat()).unwrap();
    }

    fn cwd(&self) -> &Path {
        self.dir.path()
    }

    fn find(&self, choice: &Choice) -> Result<Option<Earlier>, Refusal> {
        find(&self.projects, self.cwd(), choice)
    }

    fn earlier(&self) -> Earlier {
        self.find(&named(ID)).unwrap().unwrap()
    }

    fn shown(&self) -> Vec<Value> {
        shown(&self.earlier())
    }
}

/// Collects the messages of a conversation. The incomplete `user` message is the last one.
#[derive(Default)]
struct Messages(Vec<Value>);

impl Conversation for Messages {
    fn say(&mut self, by_model: bool, blocks: &[Block]) {
        let role = if by_model { "assistant" } else { "user" };
        let blocks = blocks
            .iter()
            .map(|block| serde_json::from_slice(&block.spelled).unwrap());
        let blocks: Vec<Value> = blocks.collect();
        self.0.push(json!({"role": role, "content": blocks}));
    }

    fn take_back(&mut self, messages: usize) {
        self.0.truncate(self.0.len() - messages);
    }

    fn open(&mut self, blocks: &[Block]) {
        if !blocks.is_empty() {
            self.say(false, blocks);
        }
    }
}

fn shown(earlier: &Earlier) -> Vec<Value> {
    let unchanged = |block| Looked {
        block,
        can_carry: true,
        tokens: 1,
    };
    earlier.tell::<Messages>(unchanged).unwrap().0.0
}

fn named(name: &str) -> Choice {
    Choice {
        which: Which::Named(name.to_owned()),
        at: None,
        drops_turn: None,
        fork: false,
    }
}

fn user(uuid: &str, parent: Option<&str>, content: Value) -> Value {
    json!({"parentUuid": parent, "type": "user", "uuid": uuid, "promptId": format!("p-{uuid}"), "promptSource": "sdk",
        "message": {"role": "user", "content": content}})
}

fn reply(uuid: &str, parent: &str, message: &str, block: Value) -> Value {
    json!({"parentUuid": parent, "type": "assistant", "uuid": uuid, "message": {"id": message, "content": [block]}})
}

fn text(words: &str) -> Value {
    json!({"type": "text", "text": words})
}

fn call(id: &str) -> Value {
    json!({"type": "tool_use", "id": id, "name": "Bash", "input": {}})
}

fn result(uuid: &str, parent: &str, id: &str, prompt: &str) -> Value {
    json!({"parentUuid": parent, "type": "user", "uuid": uuid, "promptId": prompt, "sourceToolAssistantUUID": parent,
        "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": "done"}]}})
}

fn missing_result(id: &str) -> Value {
    let block = block::missing_result(id, Default::default()).unwrap();
    serde_json::from_slice(&block.spelled).unwrap()
}

#[test]
fn a_call_without_a_result_at_the_end_gets_one() {
    let project = TestProject::with(&[user("u1", None, json!("one")), reply("a1", "u1", "m1", call("t1"))]);
    assert_eq!(
        project.shown(),
        [
            json!({"role": "user", "content": [text("one")]}),
            json!({"role": "assistant", "content": [call("t1")]}),
            json!({"role": "user", "content": [missing_result("t1")]}),
        ]
    );
}

#[test]
fn calls_without_results_get_one_and_results_without_calls_are_left_out() {
    let project = TestProject::with(&[
        user("u1", None, json!("one")),
        reply("a1", "u1", "m1", text("I run it")),
        reply("a2", "a1", "m1", call("t1")),
        reply("a3", "a2", "m1", call("t2")),
        result("r2", "a3", "t2", "p-u1"),
        result("rx", "r2", "gone", "p-u1"),
        user("u2", Some("rx"), json!("two")),
    ]);
    assert_eq!(
        project.shown(),
        [
            json!({"role": "user", "content": [text("one")]}),
            json!({"role": "assistant", "content": [text("I run it"), call("t1"), call("t2")]}),
            json!({"role": "user", "content":
                [missing_result("t1"), {"type": "tool_result", "tool_use_id": "t2", "content": "done"}, text("two")]}),
        ]
    );
}

#[test]
fn api_error_messages_are_not_sent_to_the_model() {
    let mut error = reply("e1", "u1", "x", text("API Error"));
    error["isApiErrorMessage"] = json!(true);
    let project = TestProject::with(&[
        user("u1", None, json!("one")),
        error,
        user("u2", Some("e1"), json!([text("two")])),
    ]);
    assert_eq!(
        project.shown(),
        [json!({"role": "user", "content": [text("one"), text("two")]})]
    );
}

#[test]
fn the_last_message_of_the_session_is_included() {
    let mut nudge = user("n1", Some("a1"), json!("go on"));
    nudge["isMeta"] = json!(true);
    let mut dead = user("n2", Some("u1"), json!("elsewhere"));
    dead["isMeta"] = json!(true);
    let lines = [
        user("u1", None, json!("one")),
        dead,
        reply("a1", "u1", "m1", text("first")),
        nudge,
    ];
    let shown = TestProject::with(&lines).shown();
    assert_eq!(shown.len(), 3);
    assert_eq!(shown[2], json!({"role": "user", "content": [text("go on")]}));
}

#[test]
fn unknown_and_empty_sessions_cannot_be_resumed() {
    let project = TestProject::with(&[json!({"type": "custom-title", "customTitle": "Empty", "sessionId": ID})]);
    for name in [ID, "99999999-2222-4333-8444-555555555555"] {
        let refusal = project.find(&named(name)).unwrap_err().to_string();
        assert_eq!(refusal, format!("No conversation found with session ID: {name}"));
    }
    assert!(matches!(project.find(&named("Empty")), Err(Refusal::Untitled(_))));
    let newest = Choice {
        which: Which::Newest,
        ..named("")
    };
    assert!(
        project.find(&newest).unwrap().is_none(),
        "there is no session to resume"
    );
}

#[test]
fn a_session_is_found_by_its_last_title_ignoring_case() {
    let title = |title: &str| json!({"type": "custom-title", "customTitle": title, "sessionId": ID});
    let project = TestProject::with(&[user("u1", None, json!("one")), title("Old"), title("Blue Fence")]);
    assert_eq!(project.find(&named("blue fence ")).unwrap().unwrap().session_id, ID);
    assert!(matches!(project.find(&named("old")), Err(Refusal::Untitled(_))));
}

#[test]
fn the_newest_session_is_the_one_written_last() {
    let project = TestProject::with(&[user("u1", None, json!("one"))]);
    let other = "22222222-2222-4333-8444-555555555555";
    project.put(other, &[user("u1", None, json!("other"))]);
    let newest = Choice {
        which: Which::Newest,
        ..named("")
    };
    for (id, age) in [(ID, 10), (other, 20)] {
        let file = fs::File::options()
            .append(true)
            .open(project.projects.file(project.cwd(), id))
            .unwrap();
        let then = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000 - age);
        file.set_modified(then).unwrap();
    }
    assert_eq!(project.find(&newest).unwrap().unwrap().session_id, ID);
}

fn two_turns() -> TestProject {
    TestProject::with(&[
        user("u1", None, json!("one")),
        reply("a1", "u1", "m1", text("first")),
        user("u2", Some("a1"), json!("two")),
        reply("a2", "u2", "m2", call("t1")),
        result("r1", "a2", "t1", "p-u2"),
        reply("a3", "r1", "m3", text("second")),
    ])
}

fn cut_at(at: &str, drops_turn: Option<&str>) -> Choice {
    Choice {
        at: Some(at.to_owned()),
        drops_turn: drops_turn.map(str::to_owned),
        ..named(ID)
    }
}

#[test]
fn a_conversation_can_be_resumed_at_an_earlier_entry() {
    let project = two_turns();
    let earlier = project.find(&cut_at("a1", None)).unwrap().unwrap();
    assert_eq!(shown(&earlier).len(), 2);
    let keys = |uuids: &[&str]| {
        let mut keys: Vec<Key> = uuids.iter().map(|uuid| Key::of(uuid)).collect();
        keys.sort_unstable();
        keys
    };
    assert_eq!(
        earlier.known,
        keys(&["u1", "u2", "r1"]),
        "all prompts of the file are known"
    );
    let fork = Choice {
        fork: true,
        ..cut_at("a1", Some("u2"))
    };
    let earlier = project.find(&fork).unwrap().unwrap();
    assert_eq!(earlier.known, keys(&["u1"]), "only copied prompts are known in a fork");
    assert!(matches!(
        project.find(&cut_at("nowhere", None)),
        Err(Refusal::NoEntry(_))
    ));
}

#[test]
fn only_the_given_turn_may_be_dropped() {
    let project = two_turns();
    assert!(project.find(&cut_at("a1", Some("u2"))).is_ok());
    assert!(project.find(&cut_at("a3", Some("u2"))).is_ok(), "nothing is dropped");
    for (at, prompt) in [("a1", "u1"), ("u1", "u2"), ("a2", "u2"), ("a1", "else")] {
        let refusal = project.find(&cut_at(at, Some(prompt))).unwrap_err().to_string();
        assert!(
            refusal.starts_with("Resume rejected by --resume-drops-turn: "),
            "{at} {prompt}: {refusal}"
        );
    }
}

#[test]
fn a_turn_with_a_joined_prompt_is_not_dropped() {
    let mut joined = user("u3", Some("r1"), json!("and this"));
    joined["promptId"] = json!("p-u2");
    let project = TestProject::with(&[
        user("u1", None, json!("one")),
        reply("a1", "u1", "m1", text("first")),
        user("u2", Some("a1"), json!("two")),
        reply("a2", "u2", "m2", call("t1")),
        result("r1", "a2", "t1", "p-u2"),
        joined,
        reply("a3", "u3", "m3", text("second")),
    ]);
    let refusal = project.find(&cut_at("a1", Some("u2"))).unwrap_err();
    assert!(matches!(refusal, Refusal::DropsMore(_)), "{refusal}");
}

#[test]
fn a_rewound_conversation_ends_at_its_target_until_a_message_is_added() {
    let lines = [
        user("u1", None, json!("one")),
        reply("a1", "u1", "m1", text("first answer")),
        user("u2", Some("a1"), json!("two")),
        reply("a2", "u2", "m2", text("second answer")),
    ];
    let rewound = json!({"type": "rewound", "leafUuid": "a1", "sessionId": ID});
    let project = TestProject::with(&lines);
    assert_eq!(project.shown().len(), 4);
    let with = |more: &[Value]| {
        let all: Vec<Value> = lines.iter().chain(more).cloned().collect();
        TestProject::with(&all).shown().len()
    };
    assert_eq!(with(std::slice::from_ref(&rewound)), 2, "the second prompt is gone");
    let unknown = json!({"type": "rewound", "leafUuid": "none", "sessionId": ID});
    assert_eq!(with(&[unknown]), 4, "a rewind to nothing changes nothing");
    let more = [
        rewound,
        user("u3", Some("a1"), json!("three")),
        reply("a3", "u3", "m3", text("third answer")),
        user("u4", Some("a3"), json!("four")),
    ];
    assert_eq!(with(&more), 5, "messages after the rewind count");
    let folders = project.projects.all().unwrap();
    folders.rewind(ID, "a1").unwrap();
    assert_eq!(folders.messages(ID).unwrap().len(), 2);
}
