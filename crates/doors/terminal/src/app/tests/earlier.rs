//! What a resumed session prints again.

use serde_json::json;
use sluice_host::conversation::{ConversationEvent, ConversationState, step};
use sluice_wire::Frame;

use super::stage::Stage;

#[test]
fn the_end_of_a_very_long_saved_answer_is_printed() {
    let line = "A line of a very long answer with some words in it.\n";
    let long = format!("{}\nFINISHED", line.repeat(200_000));
    let prompt = json!({"type": "user", "message": {"role": "user", "content": "go"}, "uuid": "u1"});
    let answer = json!({"type": "assistant", "message": {"id": "m1", "type": "message", "role": "assistant", "model": "x",
        "content": [{"type": "text", "text": long}], "usage": {}}, "uuid": "a1", "session_id": "s"});
    let mut state = ConversationState::default();
    for message in [prompt, answer] {
        step(
            &mut state,
            ConversationEvent::said(1, Frame::parse(&message.to_string()).unwrap()),
        );
    }
    let mut stage = Stage::new(80, 24);
    stage.app.print_again(state.items().collect());
    stage.region();
    let bytes: usize = stage.committed.iter().map(String::len).sum();
    assert!(bytes < 400_000, "{bytes} bytes are printed");
    assert!(
        stage.committed.iter().any(|row| row.ends_with("before (ctrl+o)")),
        "{:?}",
        &stage.committed[..5]
    );
    assert!(stage.committed.iter().any(|row| row == "FINISHED"));
    assert_eq!(stage.app.feed.answer.len(), long.len(), "a copy of the answer is whole");
}
