use proptest::prelude::*;
use serde_json::json;
use sluice_call::{AskedOf, CallEvent, End, Grant, PermissionAnswer, Rules};
use sluice_permission::{Decision, PermissionMode, Reason};
use sluice_tools::Pins;

use super::*;

/// The state of a call in these tests.
#[derive(Debug, Clone, Copy)]
enum Stands {
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
fn way_to_run() -> Vec<CallEvent> {
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

fn calls(spec: &[(bool, Stands)]) -> Calls {
    let mut calls = Calls::default();
    for (index, (safe, stands)) in spec.iter().enumerate() {
        let mut call = Call::new(format!("toolu_{index}"), "T".to_owned(), Value::Null, None);
        call.safe = *safe;
        let steps = match stands {
            Stands::Proposed => 0,
            Stands::Asking => 3,
            Stands::Running => 5,
            Stands::Done => {
                step(&mut call, stopped());
                0
            }
        };
        way_to_run()
            .into_iter()
            .take(steps)
            .for_each(|event| step(&mut call, event));
        calls.list.push(call);
    }
    calls
}

#[test]
fn safe_calls_begin_together() {
    let calls = calls(&[(true, Stands::Running), (true, Stands::Proposed)]);
    assert_eq!(calls.startable(), Some(1));
}

#[test]
fn an_unsafe_call_waits_for_those_before_it() {
    let waiting = calls(&[(true, Stands::Running), (false, Stands::Proposed)]);
    assert_eq!(waiting.startable(), None);
    let free = calls(&[(true, Stands::Done), (false, Stands::Proposed)]);
    assert_eq!(free.startable(), Some(1));
}

#[test]
fn an_unsafe_call_holds_up_those_behind_it() {
    let calls = calls(&[(false, Stands::Asking), (true, Stands::Proposed)]);
    assert_eq!(calls.startable(), None);
    assert_eq!((calls.asking("r"), calls.open_asks().len()), (Some(0), 1));
}

#[test]
fn a_safe_call_does_not_overtake_a_waiting_unsafe_one() {
    let calls = calls(&[
        (true, Stands::Running),
        (false, Stands::Proposed),
        (true, Stands::Proposed),
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
    fn every_call_of_a_message_begins_in_its_turn_and_ends_once(
        safe in proptest::collection::vec(any::<bool>(), 1..7),
        moves in proptest::collection::vec((any::<prop::sample::Index>(), 0u8..8), 0..80),
        stop_at in proptest::option::of(0usize..80),
    ) {
        let spec: Vec<(bool, Stands)> = safe.iter().map(|safe| (*safe, Stands::Proposed)).collect();
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
                            4 => way_to_run().into_iter().for_each(|event| step(call, event)),
                            5 => step(call, CallEvent::Withdrawn),
                            6 => step(call, stopped()),
                            _ => {
                                way_to_run().into_iter().for_each(|event| step(call, event));
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
