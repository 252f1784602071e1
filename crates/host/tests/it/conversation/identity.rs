//! Which messages count as repeats: only those with the same id and the same content.

use proptest::prelude::*;
use serde_json::{Value, json};
use sluice_host::conversation::EntryKind;

use super::play::{Play, result_of};

fn assistant(uuid: &str, text: &str) -> Value {
    json!({"type": "assistant", "uuid": uuid, "parent_tool_use_id": null, "session_id": "s",
        "message": {"id": "m", "role": "assistant", "model": "model", "content": [{"type": "text", "text": text}]}})
}

/// The two ids had the same 32-bit key, and the turn never ended.
#[test]
fn result_whose_id_collides_with_an_earlier_message_ends_the_turn() {
    let mut play = Play::new();
    play.submit("prompt");
    play.takes_up("prompt");
    play.says(assistant("ce7f1202-a9ea-4979-854c-d1edd980833d", "done"));
    let mut end = result_of(&["prompt"]);
    end["uuid"] = json!("b694373e-9d1b-4f1e-b9ee-76b11d255ddb");
    play.says(end);
    assert_eq!(play.state.open_turn(), None);
    assert_eq!(play.state.drift().repeated, 0);
}

#[test]
fn same_id_with_other_content_is_another_message() {
    let mut play = Play::new();
    play.submit("prompt");
    play.takes_up("prompt");
    let uuid = "ce7f1202-a9ea-4979-854c-d1edd980833d";
    for text in ["one", "two", "one"] {
        play.says(assistant(uuid, text));
    }
    assert_eq!(said(&play).len(), 2, "the third is the first one again");
    assert_eq!(play.state.drift().repeated, 1);
}

fn said(play: &Play) -> Vec<String> {
    let entries = play.state.entries().iter();
    let said = entries.filter(|entry| entry.kind == EntryKind::Assistant);
    said.map(|entry| entry.line.to_string()).collect()
}

proptest! {
    /// Few ids and few contents, so that equal ids are common. Each pair counts once.
    #[test]
    fn each_pair_of_id_and_content_is_kept_once(messages in prop::collection::vec((0..4_u8, 0..4_u8, any::<bool>()), 1..60)) {
        let mut play = Play::new();
        play.submit("prompt");
        play.takes_up("prompt");
        let mut expected: Vec<String> = Vec::new();
        for (id, content, is_uuid) in messages {
            let uuid = match is_uuid {
                true => format!("00000000-0000-4000-8000-00000000000{id}"),
                false => format!("message-{id}"),
            };
            let message = assistant(&uuid, &content.to_string());
            play.says(message.clone());
            let line = message.to_string();
            if !expected.contains(&line) {
                expected.push(line);
            }
        }
        prop_assert_eq!(said(&play), expected);
    }
}
