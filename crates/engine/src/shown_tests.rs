#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::fs;
use std::path::PathBuf;

use proptest::prelude::*;
use serde_json::json;
use sluice_transcript::{Choice, Entry, Keeping, Projects, Prompt, Stamp, Transcript, Which, resume};
use sluice_wire::stdout;

use super::*;
use crate::history::is_blank;
use crate::messages;

const ID: &str = "11111111-2222-4333-8444-555555555555";

/// The messages of the transcript in a folder of projects.
fn messages_of(projects: &Projects) -> Vec<Message> {
    let choice = Choice {
        which: Which::Named(ID.to_owned()),
        at: None,
        drops_turn: None,
        fork: false,
    };
    let earlier = resume::find(projects, "/nowhere".as_ref(), &choice).unwrap().unwrap();
    shown_to_model(&earlier).unwrap()
}

/// The messages of a transcript with these lines.
fn messages_in(lines: &[Value]) -> Vec<Message> {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("p")).unwrap();
    let lines: Vec<String> = lines.iter().map(|line| format!("{line}\n")).collect();
    fs::write(dir.path().join(format!("p/{ID}.jsonl")), lines.concat()).unwrap();
    messages_of(&Projects::new(dir.path().to_owned()))
}

fn any_block() -> impl Strategy<Value = Value> {
    let words = "[a\"\\\\\n\u{e9}\u{1f600}]{0,6}";
    let mark = prop_oneof![Just(None), Just(Some(json!({"type": "ephemeral"})))];
    let block = prop_oneof![
        words.prop_map(|words| json!({"type": "text", "text": words})),
        words.prop_map(|words| json!({"type": "thinking", "thinking": words, "signature": "s"})),
        words.prop_map(|words| json!({"type": "tool_result", "tool_use_id": words, "content": words})),
        words.prop_map(|words| json!({"type": "tool_use", "id": words, "name": "n", "input": {"a": [1.5, words]}})),
        words.prop_map(|words| json!({"type": "tool_result", "tool_use_id": "t",
            "content": [{"type": "text", "text": words}, {"type": "tool_reference", "tool_name": words}]})),
        words.prop_map(|words| json!({"type": "image", "source": {"type": "base64", "data": words}})),
        words.prop_map(|words| json!({"type": words, "text": 1})),
        Just(json!({})),
        Just(json!({"type": "text"})),
    ];
    (block, mark).prop_map(|(mut block, mark)| {
        if let Some(mark) = mark {
            block["cache_control"] = mark;
        }
        block
    })
}

proptest! {
    /// The fast path produces the same bytes as parsing every block, including cache markers.
    #[test]
    fn stored_blocks_are_sent_unchanged(content in prop::collection::vec(any_block(), 0..5)) {
        let thorough: Vec<Value> = content.iter().cloned().map(|block| look(block).block).collect();
        let thorough: Vec<Value> = thorough.into_iter().filter(|block| !is_blank(block)).collect();
        let thinks = |block: &Value| kind(block) == "thinking";
        let sent = messages_in(&[
            json!({"type": "user", "uuid": "u", "message": {"role": "user", "content": "one"}}),
            json!({"type": "assistant", "uuid": "a", "parentUuid": "u", "message": {"id": "m", "content": content}}),
        ]);
        let sent = sent.into_iter().find(Message::is_assistant);
        let wanted = (!thorough.iter().all(thinks)).then(|| Message::new(Role::Assistant, &thorough));
        prop_assert_eq!(sent, wanted);
    }

    #[test]
    fn text_content_becomes_a_block(words in "[a\"\\\\\n\u{e9}\u{1f600}\u{7}]{0,6}") {
        let sent = messages_in(&[
            json!({"type": "user", "uuid": "u", "message": {"role": "user", "content": words}}),
            json!({"type": "assistant", "uuid": "a", "parentUuid": "u",
                "message": {"id": "m", "content": [{"type": "text", "text": "x"}]}}),
        ]);
        prop_assert_eq!(&sent[0], &Message::new(Role::User, &[json!({"type": "text", "text": words})]));
    }
}

/// A part of a turn.
#[derive(Debug, Clone)]
enum Part {
    Prompt(String),
    Reply(Vec<String>),
    Calls(usize),
}

fn parts() -> impl Strategy<Value = Vec<Part>> {
    let words = "[a-zA-Zé🦀\"\\\\\n ]{1,12}";
    let turn = (
        words,
        prop::collection::vec(1_usize..4, 0..3),
        prop::collection::vec(words, 1..3),
    );
    prop::collection::vec(turn, 1..5).prop_map(|turns| {
        let parts = turns.into_iter().flat_map(|(prompt, calls, reply)| {
            let calls = calls.into_iter().map(Part::Calls);
            std::iter::once(Part::Prompt(prompt))
                .chain(calls)
                .chain(std::iter::once(Part::Reply(reply)))
        });
        parts.collect()
    })
}

/// Writes a transcript like a session does, and builds the expected messages.
struct TranscriptWriter {
    _dir: tempfile::TempDir,
    projects: Projects,
    transcript: Transcript,
    history: History,
    made: usize,
}

impl TranscriptWriter {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let projects = Projects::new(dir.path().to_owned());
        let keeping = Keeping {
            projects: projects.clone(),
            file: Some(PathBuf::from(dir.path()).join(format!("p/{ID}.jsonl"))),
            entrypoint: "sdk-cli".to_owned(),
            git_branch: "HEAD".to_owned(),
            mirror: false,
            title: None,
        };
        Self {
            _dir: dir,
            projects,
            transcript: Transcript::new(Stamp::default(), &keeping, None),
            history: History::default(),
            made: 0,
        }
    }

    fn name(&mut self, kind: &str) -> String {
        self.made += 1;
        format!("{kind}{}", self.made)
    }

    fn put(&mut self, entry: Entry) {
        self.transcript.append(entry, look).unwrap();
    }

    fn prompt(&mut self, words: &str) {
        let entry = Entry::prompt(&Prompt {
            uuid: &self.name("u"),
            content: &json!(words),
            timestamp: "2026-01-01T00:00:00.000Z",
            mode: "default",
            synthetic: false,
            origin: None,
        });
        self.history.user_text(words);
        self.put(entry);
    }

    fn reply(&mut self, blocks: &[Value]) {
        let message = self.name("m");
        for block in blocks {
            let frame = stdout::Assistant {
                message: serde_json::from_value(json!({"id": message, "type": "message", "role": "assistant",
                    "model": "claude-opus-5-5", "content": [], "usage": {"input_tokens": 1, "output_tokens": 1}}))
                .unwrap(),
                uuid: self.name("a"),
                ..stdout::Assistant::default()
            };
            let entry = self.transcript.block(&frame, Some(block), "claude-opus-5-5");
            self.put(entry);
        }
        // As if a request had been sent.
        self.history.messages();
        self.history.assistant(blocks);
    }

    fn calls(&mut self, count: usize) {
        let ids: Vec<String> = (0..count).map(|_| self.name("t")).collect();
        let calls = ids
            .iter()
            .map(|id| json!({"type": "tool_use", "id": id, "name": "Bash", "input": {}}));
        self.reply(&calls.collect::<Vec<Value>>());
        for id in &ids {
            let block = json!({"tool_use_id": id, "type": "tool_result", "content": "done"});
            let frame = messages::tool_result(id, &block, json!({"stdout": "done"}), None);
            self.history.user([block.clone()]);
            let entry = Entry::tool_result(&frame, block, self.transcript.holder(id));
            self.put(entry);
        }
    }
}

proptest! {
    /// The conversation that is read equals the one that was written, byte for byte.
    #[test]
    fn conversation_is_restored_unchanged_from_its_transcript(parts in parts()) {
        let mut writer = TranscriptWriter::new();
        for part in parts {
            match part {
                Part::Prompt(words) => writer.prompt(&words),
                Part::Reply(texts) => {
                    let texts = texts.iter().map(|words| json!({"type": "text", "text": words}));
                    writer.reply(&texts.collect::<Vec<Value>>());
                }
                Part::Calls(count) => writer.calls(count),
            }
        }
        prop_assert_eq!(messages_of(&writer.projects), writer.history.messages());
    }
}
