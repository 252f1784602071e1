//! A conversation that is fed, and keys that are pressed.

use std::path::PathBuf;

use serde_json::{Value, json};
use sluice_host::conversation::{Event, State, Submit, Time, What, step};
use sluice_wire::Frame;
use sluice_wire::stdin::User;

use crate::app::{Act, App, Now};
use crate::facts::Facts;
use crate::input::{Input, Key};
use crate::text::Row;
use crate::view::picture::Picture;

/// A conversation and the person's side of it.
pub(super) struct Stage {
    pub(super) app: App,
    pub(super) state: State,
    pub(super) now: Now,
    pub(super) from: usize,
    pub(super) committed: Vec<String>,
}

impl Stage {
    pub(super) fn facts() -> Facts {
        Facts {
            version: "0.4.0".to_owned(),
            folder: PathBuf::from("/home/me/code/shop"),
            home: PathBuf::from("/home/me"),
            config_dir: PathBuf::from("/dev/null/claude"),
            model: "claude-sonnet-4-5".to_owned(),
            ..Facts::default()
        }
    }

    pub(super) fn new(columns: usize, rows: usize) -> Self {
        Self::of(Self::facts(), columns, rows)
    }

    pub(super) fn of(facts: Facts, columns: usize, rows: usize) -> Self {
        let mut app = App::new(facts, columns, rows, 10_000);
        app.read_file = |_| Some("1\n2\n3\n4\n5\nfn add(a: i32, b: i32) -> i32 {\n    a - b\n}\n".to_owned());
        let mut stage = Self {
            app,
            state: State::default(),
            now: 10_000,
            from: 0,
            committed: Vec::new(),
        };
        stage.happen(What::Starting { resumed: false });
        stage.happen(What::Up);
        stage.happen(What::Connected);
        stage
    }

    pub(super) fn happen(&mut self, what: What) {
        let event = Event {
            at: Time(self.now),
            what,
        };
        step(&mut self.state, event);
    }

    pub(super) fn says(&mut self, line: &Value) {
        self.happen(What::Said(Frame::parse(&line.to_string()).unwrap()));
    }

    pub(super) fn ask(&mut self, id: &str, tool: &str, input: &Value, suggestions: &Value) {
        self.says(
            &json!({"type": "assistant", "message": {"id": format!("m{id}"), "type": "message", "role": "assistant",
            "model": "x", "content": [{"type": "tool_use", "id": format!("t{id}"), "name": tool, "input": input}],
            "stop_reason": null, "stop_sequence": null, "usage": {"input_tokens": 1, "output_tokens": 1}},
            "parent_tool_use_id": null, "session_id": "s", "uuid": format!("a{id}")}),
        );
        self.says(&json!({"type": "control_request", "request_id": id, "request": {"subtype": "can_use_tool",
            "tool_name": tool, "input": input, "tool_use_id": format!("t{id}"), "permission_suggestions": suggestions}}));
        self.look();
    }

    pub(super) fn edit(&mut self, id: &str) {
        let input = json!({"file_path": "/home/me/code/shop/src/add.rs", "old_string": "a - b", "new_string": "a + b"});
        self.ask(
            id,
            "Edit",
            &input,
            &json!([{"type": "setMode", "mode": "acceptEdits", "destination": "session"}]),
        );
    }

    pub(super) fn turn(&mut self, text: &str) {
        self.happen(What::Submit(Submit::new("p1", User::new(text))));
        self.says(
            &json!({"type": "system", "subtype": "init", "cwd": "/", "session_id": "6da3ebdf-0000", "tools": [],
            "mcp_servers": [], "model": "claude-sonnet-4-5", "permissionMode": "default", "slash_commands": [],
            "apiKeySource": "none", "claude_code_version": "2", "output_style": "default", "uuid": "i",
            "user_message_uuids": ["p1"]}),
        );
        self.look();
    }

    pub(super) fn delta(&mut self, text: &str) {
        let event = json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}});
        self.streams(&event);
    }

    pub(super) fn streams(&mut self, event: &Value) {
        let uuid = uuid::Uuid::new_v4().to_string();
        self.says(&json!({"type": "stream_event", "event": event, "session_id": "s", "parent_tool_use_id": null, "uuid": uuid}));
    }

    pub(super) fn begins_text(&mut self) {
        for event in [
            json!({"type": "message_start", "message": {"id": "m1", "type": "message", "role": "assistant", "model": "x",
                "content": [], "stop_reason": null, "stop_sequence": null, "usage": {"input_tokens": 1, "output_tokens": 1}}}),
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
        ] {
            self.streams(&event);
        }
    }

    pub(super) fn look(&mut self) {
        let picture = Picture::of(&self.state, self.from, Time(self.now));
        self.from = picture.next;
        self.app.see(picture, self.now);
    }

    pub(super) fn later(&mut self, by: Now) {
        self.now += by;
    }

    pub(super) fn press(&mut self, keys: &[&str]) {
        for key in keys {
            self.app.input(Input::Key(Key::named(key).unwrap()), self.now);
        }
    }

    pub(super) fn write(&mut self, text: &str) {
        for letter in text.chars() {
            self.app.input(Input::Key(Key::char(letter)), self.now);
        }
    }

    pub(super) fn region(&mut self) -> Vec<String> {
        let frame = self.app.frame(self.now);
        self.committed.extend(frame.commit.iter().map(Row::text));
        assert!(
            frame.region.iter().all(|row| row.width() <= self.app.columns),
            "a row is too wide"
        );
        assert!(frame.region.len() <= self.app.rows, "the region is too high");
        frame.region.iter().map(Row::text).collect()
    }

    pub(super) fn acts(&mut self) -> Vec<Act> {
        self.app
            .take_acts()
            .into_iter()
            .filter(|act| !matches!(act, Act::Ring(_)))
            .collect()
    }

    pub(super) fn answer(&mut self) -> Value {
        match self.acts().into_iter().find(|act| matches!(act, Act::Answer { .. })) {
            Some(Act::Answer { response, .. }) => serde_json::to_value(response).unwrap(),
            other => panic!("{other:?}"),
        }
    }
}
