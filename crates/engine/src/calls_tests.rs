use proptest::prelude::*;
use serde_json::json;
use sluice_call::{AskedOf, CallEvent, End, Grant, PermissionAnswer, Rules};
use sluice_permission::{Decision, PermissionMode, Reason};
use sluice_tools::Pins;

use super::*;

/// The state of a call in these tests.
#[derive(Debug, Clone, Copy)]
enum TestState {
    Proposed,
    Asking,
    Running,
    Done,
}

fn step(call: &mut Call, event: CallEvent) {
    let rules = Rules {
        decide: &|_| Decision::ask(Reason::default(), ""),
        mode: &PermissionMode::Default,
    };
    call.step(event, &rules);
}

fn begun() -> CallEvent {
    CallEvent::Begun(Pins::default())
}

fn stopped() -> CallEvent {
    CallEvent::Stopped(Box::new(End::stopped(Outcome::interrupted())))
}

/// The events that take a new call to running and to its result.
fn events_until_running() -> Vec<CallEvent> {
    let answer = PermissionAnswer::Allow {
        changed: None,
        updates: Vec::new(),
        grant: Grant::by("user_temporary"),
    };
    let hooks = CallEvent::HooksSaid {
        changed: None,
        verdict: None,
    };
    let asked = CallEvent::Asked {
        request_id: "r".to_owned(),
        of: AskedOf::Person,
    };
    vec![begun(), hooks, asked, CallEvent::Answered(answer), CallEvent::Kept]
}

fn calls(spec: &[(bool, TestState)]) -> Calls {
    let mut calls = Calls::default();
    for (index, (safe, stands)) in spec.iter().enumerate() {
        let mut call = Call::new(format!("toolu_{index}"), "T".to_owned(), Value::Null, None);
        call.safe = *safe;
        let steps = match stands {
            TestState::Proposed => 0,
            TestState::Asking => 3,
            TestState::Running => 5,
            TestState::Done => {
                step(&mut call, stopped());
                0
            }
        };
        events_until_running()
            .into_iter()
            .take(steps)
            .for_each(|event| step(&mut call, event));
        calls.list.push(call);
    }
    calls
}

#[test]
fn safe_calls_start_together() {
    let calls = calls(&[(true, TestState::Running), (true, TestState::Proposed)]);
    assert_eq!(calls.startable(), Some(1));
}

#[test]
fn unsafe_call_waits_for_earlier_calls() {
    let waiting = calls(&[(true, TestState::Running), (false, TestState::Proposed)]);
    assert_eq!(waiting.startable(), None);
    let free = calls(&[(true, TestState::Done), (false, TestState::Proposed)]);
    assert_eq!(free.startable(), Some(1));
}

#[test]
fn unsafe_call_blocks_later_calls() {
    let calls = calls(&[(false, TestState::Asking), (true, TestState::Proposed)]);
    assert_eq!(calls.startable(), None);
    assert_eq!((calls.asking("r"), calls.open_asks().len()), (Some(0), 1));
}

#[test]
fn safe_call_does_not_overtake_waiting_unsafe_call() {
    let calls = calls(&[
        (true, TestState::Running),
        (false, TestState::Proposed),
        (true, TestState::Proposed),
    ]);
    assert_eq!(calls.startable(), None);
}

/// True if an unsafe call that has started and is not done is the only open one.
fn unsafe_calls_are_alone(calls: &Calls) -> bool {
    let open = calls.list.iter().filter(|call| !call.is_proposed() && !call.is_done());
    open.clone().count() <= 1 || open.clone().all(|call| call.safe)
}

proptest! {
    #[test]
    fn calls_start_in_order_and_end_once(
        safe in proptest::collection::vec(any::<bool>(), 1..7),
        moves in proptest::collection::vec((any::<prop::sample::Index>(), 0u8..8), 0..80),
        stop_at in proptest::option::of(0usize..80),
    ) {
        let spec: Vec<(bool, TestState)> = safe.iter().map(|safe| (*safe, TestState::Proposed)).collect();
        let mut calls = calls(&spec);
        for (at, (index, what)) in moves.into_iter().enumerate() {
            if stop_at == Some(at) {
                break;
            }
            match (what, calls.startable()) {
                (0..=3, Some(next)) => step(&mut calls.list[next], begun()),
                _ => {
                    let open: Vec<usize> = calls.unfinished().into_iter().filter(|at| !calls.list[*at].is_proposed()).collect();
                    if !open.is_empty() {
                        let call = &mut calls.list[*index.get(&open)];
                        match what {
                            4 => events_until_running().into_iter().for_each(|event| step(call, event)),
                            5 => step(call, CallEvent::Withdrawn),
                            6 => step(call, stopped()),
                            _ => {
                                events_until_running().into_iter().for_each(|event| step(call, event));
                                step(call, CallEvent::Ran(Box::new(Outcome::ok("out", json!("out")))));
                                step(call, CallEvent::Settled(None));
                            }
                        }
                    }
                }
            }
            prop_assert!(unsafe_calls_are_alone(&calls));
            // A proposed call behind an open one can still start: nothing blocks forever.
            let open = calls.list.iter().any(|call| !call.is_proposed() && !call.is_done());
            prop_assert!(open || calls.all_done() || calls.startable().is_some());
        }
        for index in calls.unfinished() {
            step(&mut calls.list[index], stopped());
        }
        prop_assert!(calls.all_done());
        prop_assert_eq!(calls.take_results().len(), spec.len());
    }
}
