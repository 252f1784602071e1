//! An interrupt is a request with an end of its own.

use serde_json::json;
use sluice_host::conversation::{
    Activity, AskState, Effect, End, Failure, PromptState, RequestOutcome, Rung, Signal, What,
};

use super::play::{Play, ask, id, result, result_of, sent, success, tool_use};

fn running() -> Play {
    let mut play = Play::new();
    play.submit("p1");
    play.takes_up("p1");
    play
}

fn rung(play: &Play) -> Rung {
    match play.state.activity() {
        Activity::Interrupting { rung, .. } => rung,
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_interrupt_is_over_with_the_result_and_not_with_its_acknowledgement() {
    let mut play = running();
    assert_eq!(sent(&play.interrupt("r1")).len(), 1);
    assert_eq!(rung(&play), Rung::Asked);
    play.says(success("r1", json!({"still_queued": []})));
    assert_eq!(rung(&play), Rung::Acknowledged);
    play.says(result_of(&["p1"]));
    assert_eq!(play.state.activity(), Activity::Idle);
}

#[test]
fn an_interrupt_while_nothing_runs_leaves_nothing_behind() {
    let mut play = Play::new();
    play.interrupt("r1");
    assert_eq!(play.state.activity(), Activity::Idle);
    let effects = play.says(success("r1", json!({})));
    assert!(effects.iter().any(|it| matches!(
        it,
        Effect::Replied {
            reply: RequestOutcome::Answered(_),
            ..
        }
    )));
    assert_eq!(sent(&play.submit("p1")).len(), 1);
}

#[test]
fn the_ladder_is_climbed_when_nothing_helps_and_the_process_comes_back() {
    let mut play = running();
    play.interrupt("r1");
    let effects = play.wait(11);
    assert!(effects.contains(&Effect::Signal(Signal::Terminate)));
    assert_eq!(rung(&play), Rung::Terminated);
    let effects = play.wait(6);
    assert!(effects.contains(&Effect::Signal(Signal::Kill)));
    let effects = play.dies();
    assert!(effects.contains(&Effect::Respawn));
    assert!(matches!(play.last_turn().end, Some(End::Died(_))));
}

#[test]
fn an_acknowledged_interrupt_without_a_result_is_not_believed_for_ever() {
    let mut play = running();
    play.interrupt("r1");
    play.says(success("r1", json!({})));
    assert!(!play.wait(14).contains(&Effect::Signal(Signal::Terminate)));
    assert!(play.wait(2).contains(&Effect::Signal(Signal::Terminate)));
}

#[test]
fn the_machine_wants_to_be_woken_for_each_rung() {
    let mut play = running();
    play.interrupt("r1");
    for signal in [Signal::Terminate, Signal::Kill] {
        play.now = play.state.deadline().unwrap().0;
        assert!(play.happens(What::Tick).contains(&Effect::Signal(signal)));
    }
}

#[test]
fn a_prompt_sent_during_an_interrupt_waits_and_is_not_swept_away() {
    let mut play = running();
    play.interrupt("r1");
    assert!(sent(&play.submit("p2")).is_empty());
    play.says(success("r1", json!({})));
    let effects = play.says(result_of(&["p1"]));
    assert_eq!(sent(&effects).len(), 1);
    assert_eq!(play.prompt_state("p2"), PromptState::Sent);
}

#[test]
fn an_interrupt_during_an_ask_withdraws_it_once() {
    let mut play = running();
    play.says(tool_use("c1", "Bash"));
    play.says(ask("a1", "c1"));
    play.interrupt("r1");
    // The agent withdraws first and acknowledges then.
    play.says(json!({"type": "control_cancel_request", "request_id": "a1"}));
    play.says(success("r1", json!({})));
    play.says(result_of(&["p1"]));
    assert_eq!(play.state.asks()[0].state, AskState::Cancelled);
    assert_eq!(play.state.activity(), Activity::Idle);
}

#[test]
fn two_interrupts_get_two_answers_and_end_one_turn() {
    let mut play = running();
    play.interrupt("r1");
    play.interrupt("r2");
    play.says(success("r1", json!({})));
    play.says(success("r2", json!({})));
    play.says(result_of(&["p1"]));
    assert!(play.state.requests().is_empty());
    assert_eq!(play.state.turns().len(), 1);
}

#[test]
fn prompts_swept_away_by_an_interrupt_are_known_to_be() {
    let mut play = running();
    play.submit("p2");
    play.interrupt("r1");
    play.says(success("r1", json!({"still_queued": [], "cancelled": ["p2"]})));
    assert_eq!(play.prompt_state("p2"), PromptState::Failed(Failure::Withdrawn));
}

#[test]
fn an_old_agent_that_never_answers_a_request_does_not_hang_the_caller() {
    let mut play = Play::new();
    play.happens(What::Request(sluice_host::conversation::OwnRequest::new(
        "r1",
        sluice_wire::control::GetContextUsage::default(),
    )));
    let effects = play.wait(61);
    assert!(effects.contains(&Effect::Replied {
        request: id("r1"),
        reply: RequestOutcome::Expired
    }));
    // The answer that comes after all is nobody's.
    play.says(success("r1", json!({})));
    assert_eq!(play.state.drift().foreign, 1);
}

#[test]
fn the_second_answer_to_one_request_is_dropped() {
    // Old agents answer `set_permission_mode` twice.
    let mut play = Play::new();
    play.happens(What::Request(sluice_host::conversation::OwnRequest::new(
        "r1",
        sluice_wire::control::SetPermissionMode {
            mode: "plan".into(),
            ..Default::default()
        },
    )));
    let first = play.says(success("r1", json!({"mode": "plan"})));
    let second = play.says(json!({
        "type": "control_response", "response": {"subtype": "success", "request_id": "r1"},
    }));
    let replied = |effects: &[Effect]| effects.iter().filter(|it| matches!(it, Effect::Replied { .. })).count();
    assert_eq!((replied(&first), replied(&second)), (1, 0));
    assert_eq!(play.state.session().mode.as_ref().unwrap().as_str(), "plan");
}

#[test]
fn a_result_that_was_already_on_its_way_ends_the_interrupted_turn() {
    let mut play = Play::new();
    play.submit("p1");
    play.init();
    play.interrupt("r1");
    play.says(result());
    assert_eq!(play.state.activity(), Activity::Idle);
    play.says(success("r1", json!({})));
    assert_eq!(play.state.activity(), Activity::Idle);
}
