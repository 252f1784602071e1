//! Partial messages, and when they are void.

use serde_json::{Value, json};
use sluice_host::conversation::DraftKind;

use super::play::{Play, block_start, delta, message_start, result, stream, system, text};

fn writing() -> Play {
    let mut play = Play::new();
    play.submit("p1");
    play.init();
    play.says(message_start("m1"));
    play.says(block_start(0));
    play.says(delta(0, "Hel"));
    play
}

fn draft(play: &Play) -> Option<String> {
    let draft = play.state.draft(None)?;
    Some(draft.blocks.iter().map(|block| block.text.as_str()).collect())
}

#[test]
fn a_draft_grows_and_is_no_entry() {
    let mut play = writing();
    let entries = play.state.entries().len();
    play.says(delta(0, "lo"));
    assert_eq!(draft(&play).as_deref(), Some("Hello"));
    assert_eq!(play.state.entries().len(), entries);
}

#[test]
fn a_block_that_was_said_is_not_shown_twice() {
    let mut play = writing();
    play.says(text("m1", "Hello"));
    assert_eq!(draft(&play).as_deref(), Some(""));
    play.says(stream(json!({"type": "content_block_stop", "index": 0})));
    play.says(block_start(1));
    play.says(delta(1, "More"));
    assert_eq!(draft(&play).as_deref(), Some("More"));
    play.says(stream(json!({"type": "message_stop"})));
    assert_eq!(draft(&play), None);
}

#[test]
fn a_delta_that_comes_twice_is_added_once() {
    let mut play = writing();
    let mut again = delta(0, "lo");
    again["uuid"] = json!("delta-1");
    play.says(again.clone());
    play.says(again);
    assert_eq!(draft(&play).as_deref(), Some("Hello"));
}

#[test]
fn an_orphaned_draft_is_void_when_another_message_comes() {
    let others: [fn() -> Value; 3] = [
        || message_start("m2"),
        || text("m2", "another"),
        || system("api_retry", json!({"attempt": 1})),
    ];
    for other in others {
        let mut play = writing();
        play.says(other());
        assert_ne!(draft(&play).as_deref(), Some("Hel"), "{}", other());
    }
}

#[test]
fn a_draft_does_not_outlive_the_turn_or_the_process() {
    let mut play = writing();
    play.says(result());
    assert_eq!(draft(&play), None);
    let mut play = writing();
    play.dies();
    assert!(play.state.drafts().is_empty());
}

#[test]
fn a_subagents_draft_is_its_own() {
    let mut play = writing();
    let mut start = message_start("sub");
    start["parent_tool_use_id"] = json!("agent-1");
    play.says(start);
    assert_eq!(draft(&play).as_deref(), Some("Hel"));
    assert_eq!(play.state.drafts().len(), 2);
}

#[test]
fn a_call_being_written_shows_its_input() {
    let mut play = writing();
    play.says(stream(json!({
        "type": "content_block_start", "index": 1,
        "content_block": {"type": "tool_use", "id": "c1", "name": "Bash", "input": {}},
    })));
    play.says(stream(json!({
        "type": "content_block_delta", "index": 1,
        "delta": {"type": "input_json_delta", "partial_json": "{\"comm"},
    })));
    let block = play.state.draft(None).unwrap().blocks.last().unwrap().clone();
    assert_eq!(block.text, "{\"comm");
    assert!(matches!(block.kind, DraftKind::Call { id, name } if &*id == "c1" && &*name == "Bash"));
}
