//! Test stage: feeds a conversation and presses keys.

use std::path::PathBuf;

use serde_json::{Value, json};
use sluice_host::conversation::{ConversationEvent, ConversationState, Submit, Time, What, step};
use sluice_host::items::ItemCursor;
use sluice_wire::Frame;
use sluice_wire::stdin::User;

use crate::app::{Act, App, Now};
use crate::facts::Facts;
use crate::input::{Input, Key};
use crate::screen::{Frame as Drawn, Writer};
use crate::text::Row;
use crate::theme::{Glyphs, Theme};
use crate::view::snapshot::Snapshot;

/// A conversation and the terminal state of its user.
pub(super) struct Stage {
    pub(super) app: App,
    pub(super) state: ConversationState,
    pub(super) now: Now,
    pub(super) from: ItemCursor,
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
            state: ConversationState::default(),
            now: 10_000,
            from: ItemCursor::default(),
            committed: Vec::new(),
        };
        stage.happen(What::Starting { resumed: false });
        stage.happen(What::Up);
        stage.happen(What::Connected);
        stage
    }

    pub(super) fn happen(&mut self, what: What) {
        let event = ConversationEvent {
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
        let snapshot = Snapshot::of(&self.state, self.from.clone(), Time(self.now));
        self.from = snapshot.cursor.clone();
        self.app.set_snapshot(snapshot, self.now);
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
        looks_right_everywhere(&frame.commit, self.app.columns);
        looks_right_everywhere(&frame.region, self.app.columns);
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

/// Checks a screen with every theme and glyph set: same text at the same positions, no colours where colours are off,
/// and only ASCII in ASCII mode.
fn looks_right_everywhere(rows: &[Row], columns: usize) {
    let own: Vec<&Row> = rows.iter().filter(|row| row.width() <= columns).collect();
    let (height, width) = (u16::try_from(own.len() + 1).unwrap(), u16::try_from(columns).unwrap());
    let drawn = |theme: Theme, glyphs: Glyphs| {
        let mut writer = Writer::new(theme, glyphs, columns, own.len() + 1);
        let bytes = writer.draw(Drawn {
            region: own.iter().map(|row| (*row).clone()).collect(),
            shows_cursor: true,
            ..Drawn::default()
        });
        let mut screen = vt100::Parser::new(height.try_into().unwrap(), width.try_into().unwrap(), 0);
        screen.process(bytes.as_bytes());
        let rows = screen.screen().rows(0, width).map(|row| row.trim_end().to_owned());
        (rows.take(own.len()).collect::<Vec<_>>(), bytes)
    };
    let texts: Vec<String> = own.iter().map(|row| row.text().trim_end().to_owned()).collect();
    // The width of joined emoji depends on the terminal.
    let is_plain = texts
        .iter()
        .all(|text| !text.contains('\u{200d}') && !text.contains('\u{fe0f}'));
    for theme in [
        Theme::Terminal,
        Theme::None,
        Theme::Dark,
        Theme::Light,
        Theme::DarkBlind,
        Theme::LightBlind,
    ] {
        let (shown, bytes) = drawn(theme, Glyphs::Full);
        if is_plain {
            pretty_assertions::assert_eq!(shown, texts, "{theme:?}");
        }
        let has = |mut colours: std::ops::Range<u32>| {
            colours.any(|colour| {
                [format!("[{colour}m"), format!(";{colour}m"), format!("[{colour};")]
                    .iter()
                    .any(|form| bytes.contains(form))
            })
        };
        assert!(
            theme != Theme::None || !has(30..38) && !bytes.contains("38;2;"),
            "{bytes:?}"
        );
        let is_bright = has(90..98) || has(100..108);
        assert!(theme != Theme::Terminal || !is_bright, "a bright colour: {bytes:?}");
    }
    let (shown, bytes) = drawn(Theme::None, Glyphs::Ascii);
    assert!(
        shown.len() == own.len() && !bytes.contains("...\r\n..."),
        "rows that are cut fit in ASCII too"
    );
    for (row, text) in shown.iter().zip(&texts) {
        // External text is shown unchanged; every mark of ours has an ASCII form.
        let foreign = text.chars().filter(|it| !it.is_ascii() && !OURS.contains(*it)).count();
        assert!(foreign > 0 || row.is_ascii(), "{row:?} of {text:?} in {bytes:?}");
    }
}

/// All marks of ours except the two spinners.
const OURS: &str = "›‹✓✗⊘∙⋯⣿⣀";
