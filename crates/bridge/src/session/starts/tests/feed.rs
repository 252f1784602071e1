//! What clients get of the items of a session, and of its lines.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::*;
use crate::api::LineCursor;
use crate::outbox::Outbox;
use crate::session::{Command, Level, Listener};

/// A client that applies the messages it gets.
struct Client {
    listener: Listener,
    items: BTreeMap<u64, Value>,
    revision: u64,
    lines: Vec<Value>,
}

impl Client {
    fn new(key: u64, level: Level) -> Self {
        let outbox = Arc::new(Outbox::new());
        let (items, lines) = (BTreeMap::new(), Vec::new());
        Self {
            listener: Listener { key, level, outbox },
            items,
            revision: 0,
            lines,
        }
    }

    /// Subscribes, and returns whether everything was sent again.
    async fn subscribe(&mut self, hub: &Hub, revision: Option<u64>) -> bool {
        let listener = self.listener.clone();
        let subscribe = |reply| Command::Subscribe {
            listener: listener.clone(),
            revision,
            turns: 20,
            reply,
        };
        hub.ask("s", subscribe).await.unwrap();
        let caught_up = self.until("caught_up").await;
        caught_up["reset"] == true
    }

    async fn until(&mut self, kind: &str) -> Value {
        loop {
            let messages = self.read().await;
            if let Some(found) = messages.into_iter().find(|message| message["type"] == kind) {
                return found;
            }
        }
    }

    /// Applies what is there, and returns it.
    async fn read(&mut self) -> Vec<Value> {
        let taken = tokio::time::timeout(Duration::from_secs(10), self.listener.outbox.take());
        let frames = taken.await.expect("nothing is sent").frames;
        let messages: Vec<Value> = frames.iter().map(|it| serde_json::from_str(it).unwrap()).collect();
        for message in &messages {
            self.apply(message);
        }
        messages
    }

    fn apply(&mut self, message: &Value) {
        match message["type"].as_str() {
            Some("caught_up" | "items") => {
                if message["reset"] == true {
                    self.items.clear();
                }
                for item in message["items"].as_array().unwrap() {
                    self.items.insert(item["id"].as_u64().unwrap(), item.clone());
                }
                for removed in message["removed"].as_array().unwrap() {
                    self.items.remove(&removed.as_u64().unwrap());
                }
                let revision = message["revision"].as_u64().unwrap();
                assert!(revision >= self.revision, "a revision went back");
                self.revision = revision;
            }
            Some("item_delta") => {
                let item = self.items.get_mut(&message["item"].as_u64().unwrap()).unwrap();
                let text = item["body"]["text"].as_str().unwrap().to_owned();
                item["body"]["text"] = (text + message["text"].as_str().unwrap()).into();
            }
            Some("line") => self.lines.push(message.clone()),
            _ => {}
        }
    }

    /// Reads this number of lines.
    async fn until_lines(&mut self, count: usize) {
        while self.lines.len() < count {
            self.read().await;
        }
    }

    /// Reads until an item has this text.
    async fn until_text(&mut self, text: &str) {
        while !self.items.values().any(|item| item["body"]["text"] == text) {
            self.read().await;
        }
    }
}

fn stream(event: &Value) -> Value {
    json!({"type": "stream_event", "session_id": "p", "parent_tool_use_id": null, "event": event,
        "uuid": uuid::Uuid::new_v4().to_string()})
}

fn block_start() -> Value {
    stream(&json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}))
}

fn delta(text: &str) -> Value {
    stream(&json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}))
}

fn answer(text: &str) -> Value {
    json!({"type": "assistant", "session_id": "p", "uuid": text, "parent_tool_use_id": null,
        "message": {"id": "m", "role": "assistant", "content": [{"type": "text", "text": text}]}})
}

const NONE: [(&str, &str); 2] = [(FIRST, "delivered"), (SECOND, "delivered")];

async fn say(runner: &mut Runner, number: u64, line: &Value) {
    runner.say(vec![record(number, Kind::Said, line)]).await;
}

#[tokio::test]
async fn a_client_has_what_a_client_that_comes_later_gets() {
    let state = tempfile::tempdir().unwrap();
    let (hub, mut runner) = open(state.path(), Vec::new(), NONE).await;
    runner.replay(0, &[started(), (Kind::Said, init())]).await;
    let mut first = Client::new(1, Level::One);
    assert!(first.subscribe(&hub, None).await, "it had nothing");
    for (number, line) in (3..).zip([message_start(), block_start(), delta("Hel"), delta("lo")]) {
        say(&mut runner, number, &line).await;
    }
    first.until_text("Hello").await;
    let mut second = Client::new(2, Level::One);
    second.subscribe(&hub, None).await;
    second.until_text("Hello").await;
    say(&mut runner, 7, &delta(" there")).await;
    for client in [&mut first, &mut second] {
        client.until_text("Hello there").await;
    }
    say(&mut runner, 8, &answer("Hello there.")).await;
    say(&mut runner, 9, &result()).await;
    for client in [&mut first, &mut second] {
        while !client.items.values().any(|item| item["body"]["type"] == "turn_end") {
            client.read().await;
        }
    }
    let mut last = Client::new(3, Level::One);
    last.subscribe(&hub, None).await;
    assert_eq!(first.items, last.items);
    assert_eq!(second.items, last.items);
    assert_eq!(
        last.items
            .values()
            .filter(|item| item["body"]["text"] == "Hello there.")
            .count(),
        1
    );
}

#[tokio::test]
async fn a_client_that_comes_back_gets_only_what_has_changed() {
    let state = tempfile::tempdir().unwrap();
    let (hub, mut runner) = open(state.path(), Vec::new(), NONE).await;
    runner
        .replay(0, &[started(), (Kind::Said, init()), (Kind::Said, answer("one"))])
        .await;
    let mut client = Client::new(1, Level::One);
    client.subscribe(&hub, None).await;
    client.until_text("one").await;
    let (before, revision) = (client.items.len(), client.revision);
    hub.ask("s", |reply| Command::ItemsBefore {
        before: sluice_host::items::ItemId(0),
        turns: 1,
        reply,
    })
    .await
    .map(|page| assert!(page.items.is_empty() && !page.more))
    .unwrap();
    say(&mut runner, 4, &answer("two")).await;
    client.until_text("two").await;
    let mut back = Client::new(2, Level::One);
    assert!(!back.subscribe(&hub, Some(revision)).await, "its revision is known");
    assert!(
        before > 1 && back.items.len() == 1,
        "only the new item: {:?}",
        back.items
    );
    assert_eq!(back.revision, client.revision);
}

#[tokio::test]
async fn no_revision_is_used_twice_when_the_bridge_was_killed() {
    let state = tempfile::tempdir().unwrap();
    let store = store(state.path(), "retired", records_without_start(), 3, NONE).await;
    let mut revisions = Vec::new();
    let mut shown = Vec::new();
    for _ in 0..3 {
        // Without an end: as after a kill.
        let hub = open_hub(state.path(), store.clone()).await;
        let mut client = Client::new(1, Level::One);
        let last = revisions.last().copied();
        assert!(
            client.subscribe(&hub, last).await,
            "the revision is one of another generation"
        );
        let own: Vec<u64> = client
            .items
            .values()
            .filter_map(|item| item["revision"].as_u64())
            .collect();
        assert!(
            last.is_none_or(|last| own.iter().all(|own| *own > last)),
            "{last:?} {own:?}"
        );
        revisions.push(client.revision);
        let texts = client
            .items
            .values()
            .map(|item| (item["id"].clone(), item["body"].clone()));
        shown.push(texts.collect::<Vec<_>>());
    }
    assert!(revisions.is_sorted() && revisions[0] < revisions[2], "{revisions:?}");
    assert!(shown[0] == shown[1] && shown[1] == shown[2], "the items are the same");
}

#[tokio::test]
async fn a_client_of_lines_gets_those_it_lacks_and_streamed_text() {
    let state = tempfile::tempdir().unwrap();
    let (hub, mut runner) = open(state.path(), Vec::new(), NONE).await;
    runner
        .replay(0, &[started(), (Kind::Said, init()), (Kind::Said, answer("one"))])
        .await;
    let mut client = Client::new(1, Level::Lines);
    let listener = client.listener.clone();
    let after = LineCursor { epoch: 1, seq: 0 };
    hub.ask("s", |reply| Command::FollowLines {
        listener: listener.clone(),
        after: Some(after),
        turns: 1,
        reply,
    })
    .await
    .unwrap();
    client.until_lines(1).await;
    assert_eq!(client.lines[0]["what"]["type"], "assistant");
    say(&mut runner, 4, &message_start()).await;
    say(&mut runner, 5, &answer("two")).await;
    client.until_lines(3).await;
    assert_eq!(client.lines[1]["seq"], Value::Null, "streamed text is not kept");
    assert_eq!(
        (&client.lines[2]["seq"], &client.lines[2]["what"]["uuid"]),
        (&json!(2), &json!("two"))
    );
    assert!(client.items.is_empty());
}
