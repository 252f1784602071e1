#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::needless_pass_by_value)]

use std::fs;
use std::path::Path;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::super::block::{self, Block, Looked};
use super::super::history_builder::Conversation;
use super::*;

const ID: &str = "11111111-2222-4333-8444-555555555555";

/// A project's folder with one session in it.
struct Shelf {
    dir: tempfile::TempDir,
    projects: Projects,
}

impl Shelf {
    fn with(lines: &[Value]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let projects = Projects::new(dir.path().join("projects"));
        let shelf = Self { projects, dir };
        shelf.put(ID, lines);
        shelf
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

/// The messages of a conversation, and what is said next as one more.
#[derive(Default)]
struct Told(Vec<Value>);

impl Conversation for Told {
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
    let as_it_is = |block| Looked {
        block,
        can_carry: true,
        tokens: 1,
    };
    earlier.tell::<Told>(as_it_is).unwrap().0.0
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

fn lost(id: &str) -> Value {
    let block = block::lost(id, Default::default()).unwrap();
    serde_json::from_slice(&block.spelled).unwrap()
}

#[test]
fn a_call_that_was_cut_off_at_the_end_is_shown_with_a_result() {
    let shelf = Shelf::with(&[user("u1", None, json!("one")), reply("a1", "u1", "m1", call("t1"))]);
    assert_eq!(
        shelf.shown(),
        [
            json!({"role": "user", "content": [text("one")]}),
            json!({"role": "assistant", "content": [call("t1")]}),
            json!({"role": "user", "content": [lost("t1")]}),
        ]
    );
}

#[test]
fn a_call_without_a_result_is_given_one_and_a_result_without_its_call_is_not_shown() {
    let shelf = Shelf::with(&[
        user("u1", None, json!("one")),
        reply("a1", "u1", "m1", text("I run it")),
        reply("a2", "a1", "m1", call("t1")),
        reply("a3", "a2", "m1", call("t2")),
        result("r2", "a3", "t2", "p-u1"),
        result("rx", "r2", "gone", "p-u1"),
        user("u2", Some("rx"), json!("two")),
    ]);
    assert_eq!(
        shelf.shown(),
        [
            json!({"role": "user", "content": [text("one")]}),
            json!({"role": "assistant", "content": [text("I run it"), call("t1"), call("t2")]}),
            json!({"role": "user", "content":
                [lost("t1"), {"type": "tool_result", "tool_use_id": "t2", "content": "done"}, text("two")]}),
        ]
    );
}

#[test]
fn our_own_words_in_the_models_place_are_not_shown_to_it() {
    let mut error = reply("e1", "u1", "x", text("API Error"));
    error["isApiErrorMessage"] = json!(true);
    let shelf = Shelf::with(&[
        user("u1", None, json!("one")),
        error,
        user("u2", Some("e1"), json!([text("two")])),
    ]);
    assert_eq!(
        shelf.shown(),
        [json!({"role": "user", "content": [text("one"), text("two")]})]
    );
}

#[test]
fn what_the_session_said_last_is_not_lost() {
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
    let shown = Shelf::with(&lines).shown();
    assert_eq!(shown.len(), 3);
    assert_eq!(shown[2], json!({"role": "user", "content": [text("go on")]}));
}

#[test]
fn an_unknown_session_is_refused_and_so_is_one_in_which_nothing_was_said() {
    let shelf = Shelf::with(&[json!({"type": "custom-title", "customTitle": "Empty", "sessionId": ID})]);
    for name in [ID, "99999999-2222-4333-8444-555555555555"] {
        let refusal = shelf.find(&named(name)).unwrap_err().to_string();
        assert_eq!(refusal, format!("No conversation found with session ID: {name}"));
    }
    assert!(matches!(shelf.find(&named("Empty")), Err(Refusal::Untitled(_))));
    let newest = Choice {
        which: Which::Newest,
        ..named("")
    };
    assert!(shelf.find(&newest).unwrap().is_none(), "there is none to go on with");
}

#[test]
fn a_session_is_found_by_its_last_title_whatever_the_case() {
    let title = |title: &str| json!({"type": "custom-title", "customTitle": title, "sessionId": ID});
    let shelf = Shelf::with(&[user("u1", None, json!("one")), title("Old"), title("Blue Fence")]);
    assert_eq!(shelf.find(&named("blue fence ")).unwrap().unwrap().session_id, ID);
    assert!(matches!(shelf.find(&named("old")), Err(Refusal::Untitled(_))));
}

#[test]
fn the_newest_session_is_the_one_written_last() {
    let shelf = Shelf::with(&[user("u1", None, json!("one"))]);
    let other = "22222222-2222-4333-8444-555555555555";
    shelf.put(other, &[user("u1", None, json!("other"))]);
    let newest = Choice {
        which: Which::Newest,
        ..named("")
    };
    for (id, age) in [(ID, 10), (other, 20)] {
        let file = fs::File::options()
            .append(true)
            .open(shelf.projects.file(shelf.cwd(), id))
            .unwrap();
        let then = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000 - age);
        file.set_modified(then).unwrap();
    }
    assert_eq!(shelf.find(&newest).unwrap().unwrap().session_id, ID);
}

fn two_turns() -> Shelf {
    Shelf::with(&[
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
fn a_conversation_may_be_taken_up_at_an_earlier_place() {
    let shelf = two_turns();
    let earlier = shelf.find(&cut_at("a1", None)).unwrap().unwrap();
    assert_eq!(shown(&earlier).len(), 2);
    let keys = |uuids: &[&str]| {
        let mut keys: Vec<Key> = uuids.iter().map(|uuid| Key::of(uuid)).collect();
        keys.sort_unstable();
        keys
    };
    assert_eq!(
        earlier.known,
        keys(&["u1", "u2", "r1"]),
        "all of the file's: none of them is new"
    );
    let fork = Choice {
        fork: true,
        ..cut_at("a1", Some("u2"))
    };
    let earlier = shelf.find(&fork).unwrap().unwrap();
    assert_eq!(earlier.known, keys(&["u1"]), "the rest is not in the fork's file");
    assert!(matches!(shelf.find(&cut_at("nowhere", None)), Err(Refusal::NoEntry(_))));
}

#[test]
fn only_the_named_turn_may_be_dropped() {
    let shelf = two_turns();
    assert!(shelf.find(&cut_at("a1", Some("u2"))).is_ok());
    assert!(
        shelf.find(&cut_at("a3", Some("u2"))).is_ok(),
        "nothing is dropped at all"
    );
    for (at, prompt) in [("a1", "u1"), ("u1", "u2"), ("a2", "u2"), ("a1", "else")] {
        let refusal = shelf.find(&cut_at(at, Some(prompt))).unwrap_err().to_string();
        assert!(
            refusal.starts_with("Resume rejected by --resume-drops-turn: "),
            "{at} {prompt}: {refusal}"
        );
    }
}

#[test]
fn a_prompt_that_joined_the_turn_is_not_dropped_with_it() {
    let mut joined = user("u3", Some("r1"), json!("and this"));
    joined["promptId"] = json!("p-u2");
    let shelf = Shelf::with(&[
        user("u1", None, json!("one")),
        reply("a1", "u1", "m1", text("first")),
        user("u2", Some("a1"), json!("two")),
        reply("a2", "u2", "m2", call("t1")),
        result("r1", "a2", "t1", "p-u2"),
        joined,
        reply("a3", "u3", "m3", text("second")),
    ]);
    let refusal = shelf.find(&cut_at("a1", Some("u2"))).unwrap_err();
    assert!(matches!(refusal, Refusal::DropsMore(_)), "{refusal}");
}

#[test]
fn a_rewound_conversation_ends_at_the_message_until_something_else_is_said() {
    let lines = [
        user("u1", None, json!("one")),
        reply("a1", "u1", "m1", text("first answer")),
        user("u2", Some("a1"), json!("two")),
        reply("a2", "u2", "m2", text("second answer")),
    ];
    let rewound = json!({"type": "rewound", "leafUuid": "a1", "sessionId": ID});
    let shelf = Shelf::with(&lines);
    assert_eq!(shelf.shown().len(), 4);
    let with = |more: &[Value]| {
        let all: Vec<Value> = lines.iter().chain(more).cloned().collect();
        Shelf::with(&all).shown().len()
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
    assert_eq!(with(&more), 5, "what was said after it counts");
    let folders = shelf.projects.all().unwrap();
    folders.rewind(ID, "a1").unwrap();
    assert_eq!(folders.messages(ID).unwrap().len(), 2);
}
