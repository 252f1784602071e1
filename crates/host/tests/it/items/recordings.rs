//! Projects the recordings of both versions of the reference CLI.

use std::collections::BTreeSet;

use sluice_host::conversation::{ConversationEvent, ConversationState, Exit, What, step};
use sluice_host::items::{Item, ItemBody, ItemCursor, Subject};
use sluice_wire::Frame;

use crate::conversation::shared::{Recording, Step, recordings};

fn events(recording: &Recording) -> Vec<ConversationEvent> {
    let mut events = vec![What::Starting { resumed: false }, What::Up];
    for step in &recording.steps {
        match step {
            Step::Agent(line) => events.push(match Frame::parse(line) {
                Ok(frame) => What::Said(frame),
                Err(_) => What::Garbled(line.as_str().into()),
            }),
            Step::Host(line) => events.extend(Frame::parse(line).ok().map(What::Wrote)),
            Step::Restart => events.extend([
                What::Exited(Exit::default()),
                What::Starting { resumed: true },
                What::Up,
            ]),
        }
    }
    events.push(What::Exited(Exit::default()));
    let events = events.into_iter().enumerate();
    events
        .map(|(at, what)| ConversationEvent::new(at as u64 * 10, what))
        .collect()
}

#[test]
fn every_recording_projects_without_an_unknown_item_or_an_open_one() {
    // Messages that only a broken agent sends.
    let known_strangers = BTreeSet::from(["nonsense".to_owned(), "update_environment_variables".to_owned()]);
    let mut problems = Vec::new();
    let mut played = 0;
    for recording in recordings() {
        played += 1;
        let mut state = ConversationState::default();
        let (mut cursor, mut seen) = (ItemCursor::default(), Vec::<Item>::new());
        for event in events(&recording) {
            step(&mut state, event);
            for change in state.item_changes(&mut cursor) {
                change.apply(&mut seen);
            }
        }
        let items: Vec<Item> = state.items().collect();
        if seen != items {
            problems.push(format!("{}: a client that follows has other items", recording.name));
        }
        for item in &items {
            match &item.body {
                ItemBody::Unknown { raw_type: Some(ty) } if !known_strangers.contains(ty) => {
                    problems.push(format!("{}: unknown {ty}", recording.name));
                }
                ItemBody::ToolCall(call)
                    if matches!(call.card.subject, Subject::Input(_)) && &*call.tool != "Nonsense" =>
                {
                    problems.push(format!("{}: no card for {}", recording.name, call.tool));
                }
                _ => {}
            }
            if item.status.is_open() {
                problems.push(format!("{}: {:?} is open: {:?}", recording.name, item.id, item.body));
            }
        }
    }
    println!("{played} recordings");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
