//! What the reference agents did, both versions, both directions: the machine understands all of it.

use std::collections::HashMap;

use sluice_host::conversation::{
    Activity, AskState, ConversationEvent, ConversationState, Effect, Effects, Exit, ProcessStatus, PromptState,
    Snapshot, What, step,
};
use sluice_wire::Frame;

use super::shared::{Recording, Step, recordings};

/// Plays a recording to its end: the process exits and none follows.
fn events(recording: &Recording) -> Vec<ConversationEvent> {
    let mut now = 0;
    let mut events = vec![
        ConversationEvent::new(now, What::Starting { resumed: false }),
        ConversationEvent::new(now, What::Up),
    ];
    for step in &recording.steps {
        now += 10;
        match step {
            Step::Agent(line) => events.push(ConversationEvent::line(now, line)),
            Step::Host(line) => {
                if let Ok(frame) = Frame::parse(line) {
                    events.push(ConversationEvent::new(now, What::Wrote(frame)));
                }
            }
            Step::Restart => {
                events.push(ConversationEvent::new(now, What::Exited(Exit::default())));
                events.push(ConversationEvent::new(now, What::Starting { resumed: true }));
                events.push(ConversationEvent::new(now, What::Up));
            }
        }
    }
    events.push(ConversationEvent::new(now, What::Exited(Exit::default())));
    events.push(ConversationEvent::new(now, What::Closed));
    events
}

fn fold(events: &[ConversationEvent]) -> (ConversationState, Vec<Effects>) {
    let mut state = ConversationState::default();
    let effects = events.iter().map(|event| step(&mut state, event.clone())).collect();
    (state, effects)
}

#[test]
fn every_recording_ends_with_everything_settled() {
    let mut problems = Vec::new();
    let mut undelivered = Vec::new();
    let (mut lines, mut played) = (0, 0);
    for recording in recordings() {
        played += 1;
        let events = events(&recording);
        lines += events.len();
        let (state, effects) = fold(&events);
        let mut problem = |what: String| problems.push(format!("{}: {what}", recording.name));
        for prompt in state.prompts() {
            match prompt.state {
                PromptState::Delivered => {}
                // Those the agent never took up: it would not start (a session that is unknown or in use, a flag it
                // refuses), the prompt was none, or a line before it ended it. 2.1.38 ends on any line it cannot read
                // and on a `control_cancel_request`, in `control_misc` and `interrupt_cancel_then_interrupt` too:
                // the prompt after that was written to nobody.
                PromptState::Failed(_) => undelivered.push(format!("{} {}", recording.name, prompt.id)),
                other => problem(format!("prompt {} is {other:?}", prompt.id)),
            }
        }
        let mut settled: HashMap<usize, usize> = HashMap::new();
        for effect in effects.iter().flatten() {
            if let Effect::Settled(ask) = effect {
                *settled.entry(*ask).or_default() += 1;
            }
        }
        for (at, ask) in state.asks().iter().enumerate() {
            if ask.state == AskState::Pending || settled.get(&at) != Some(&1) {
                problem(format!(
                    "ask {} is {:?}, settled {:?}",
                    ask.id,
                    ask.state,
                    settled.get(&at)
                ));
            }
        }
        if state.activity() != Activity::Idle || !matches!(state.process(), ProcessStatus::Exited { .. }) {
            problem(format!("{:?} {:?}", state.activity(), state.process()));
        }
        let results = recording.steps.iter().filter(|step| match step {
            Step::Agent(line) => Frame::parse(line).is_ok_and(|frame| frame.ty() == "result"),
            _ => false,
        });
        let (results, ended) = (
            results.count(),
            state.turns().iter().filter(|it| it.entry.is_some()).count(),
        );
        if results != ended {
            problem(format!("{results} results, {ended} turns ended by one"));
        }
        if state.drift().unknown > 0 {
            problem(format!("{:?}", state.drift()));
        }
    }
    println!("{played} recordings, {lines} events; prompts that failed: {undelivered:#?}");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn reading_the_log_again_gives_the_state_that_was_lived() {
    for recording in recordings() {
        let events = events(&recording);
        let (lived, _) = fold(&events);
        let written = serde_json::to_string(&events).unwrap();
        let read: Vec<ConversationEvent> = serde_json::from_str(&written).unwrap();
        let (replayed, _) = fold(&read);
        assert!(lived == replayed, "{}", recording.name);
    }
}

#[test]
fn a_conversation_goes_on_from_a_snapshot_at_any_line() {
    for recording in recordings() {
        let events = events(&recording);
        let mut state = ConversationState::default();
        for (at, event) in events.iter().enumerate() {
            let snapshot = state.snapshot();
            let snapshot = if at % 16 == 5 {
                let written = serde_json::to_string(&snapshot).unwrap();
                serde_json::from_str::<Snapshot>(&written).unwrap()
            } else {
                snapshot
            };
            let mut restored = ConversationState::restore(snapshot).unwrap();
            assert!(restored == state, "{} before {at}: {event:?}", recording.name);
            let effects = step(&mut state, event.clone());
            assert_eq!(
                step(&mut restored, event.clone()),
                effects,
                "{} at {at}",
                recording.name
            );
            assert!(restored == state, "{} after {at}: {event:?}", recording.name);
        }
    }
}
