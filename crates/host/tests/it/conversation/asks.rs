//! Every ask has one outcome.

use serde_json::{Value, json};
use sluice_host::conversation::{Activity, AskAnswer, AskKind, AskState, AskVerdict, Effect, Effects, What};
use sluice_wire::{Frame, Raw};

use super::play::{Play, ask, id, result, result_of, sent, success, tool_result, tool_use};

fn asking() -> Play {
    let mut play = Play::new();
    play.submit("p1");
    play.takes_up("p1");
    play.says(tool_use("c1", "Bash"));
    play.says(ask("a1", "c1"));
    play
}

fn settled(effects: &Effects) -> usize {
    effects.iter().filter(|it| matches!(it, Effect::Settled(_))).count()
}

#[test]
fn whoever_answers_is_told_once() {
    let mut play = asking();
    let again = play.says(ask("a1", "c1"));
    assert!(!again.contains(&Effect::Asked(0)), "a line that came twice");
    assert_eq!(play.state.asks().len(), 1);
    assert!(matches!(play.state.activity(), Activity::Waiting { ask: 0, .. }));
}

#[test]
fn the_first_answer_wins_and_others_see_who_gave_it() {
    let mut play = asking();
    let mut first = AskAnswer::allow(id("a1"));
    first.by = Some("phone".into());
    let effects = play.answer(first);
    assert_eq!((sent(&effects).len(), settled(&effects)), (1, 1));
    let late = play.answer(AskAnswer::deny(id("a1"), "no"));
    assert!(sent(&late).is_empty(), "a late answer is noted, never written");
    assert!(late.contains(&Effect::TooLate(0)));
    let ask = &play.state.asks()[0];
    assert_eq!(
        (ask.state, ask.by.as_deref(), ask.late),
        (AskState::Allowed, Some("phone"), 1)
    );
}

#[test]
fn a_yes_repeats_the_input_for_agents_that_refuse_one_without() {
    let mut play = asking();
    let line = sent(&play.answer(AskAnswer::allow(id("a1")))).remove(0);
    let value: Value = serde_json::from_str(&line).unwrap();
    let response = &value["response"]["response"];
    assert_eq!(response["behavior"], "allow");
    assert_eq!(response["updatedInput"], json!({"command": "touch x"}));
}

#[test]
fn an_ask_the_agent_withdraws_is_not_answered_into_the_void() {
    let mut play = asking();
    let effects = play.says(json!({"type": "control_cancel_request", "request_id": "a1"}));
    assert_eq!(settled(&effects), 1);
    assert!(sent(&play.answer(AskAnswer::allow(id("a1")))).is_empty());
    assert_eq!(play.state.asks()[0].state, AskState::Cancelled);
}

#[test]
fn an_ask_is_over_when_the_agent_goes_on_without_an_answer() {
    let mut play = asking();
    play.says(tool_result("c1"));
    assert_eq!(play.state.asks()[0].state, AskState::Superseded);
    let mut play = asking();
    play.says(result_of(&["p1"]));
    assert_eq!(play.state.asks()[0].state, AskState::Superseded);
    assert_eq!(play.state.activity(), Activity::Idle);
}

#[test]
fn an_ask_dies_with_the_process_that_waits_for_it() {
    let mut play = asking();
    play.dies();
    assert_eq!(play.state.asks()[0].state, AskState::Expired);
    play.happens(What::Starting { resumed: true });
    play.happens(What::Up);
    assert!(
        sent(&play.answer(AskAnswer::allow(id("a1")))).is_empty(),
        "the next process never asked"
    );
}

#[test]
fn an_ask_outlives_the_socket_and_its_answer_waits_for_the_way() {
    let mut play = asking();
    play.happens(What::Lost);
    assert!(play.state.asks()[0].is_pending());
    assert!(sent(&play.answer(AskAnswer::allow(id("a1")))).is_empty());
    assert_eq!(sent(&play.happens(What::Connected)).len(), 1);
    assert!(sent(&play.happens(What::Connected)).is_empty(), "written once");
}

#[test]
fn an_answered_ask_in_old_lines_is_not_asked_again() {
    let mut play = Play::new();
    play.happens(What::CatchingUp);
    let mut told = Vec::new();
    told.extend(play.says(ask("a1", "c1")));
    let answer = r#"{"type":"control_response","response":{"subtype":"success","request_id":"a1","response":{"behavior":"deny","message":"no"}}}"#;
    told.extend(play.happens(What::Wrote(Frame::parse(answer).unwrap())));
    told.extend(play.says(ask("a2", "c2")));
    told.extend(play.happens(What::Connected));
    let asked: Vec<&Effect> = told.iter().filter(|it| matches!(it, Effect::Asked(_))).collect();
    assert_eq!(asked, [&Effect::Asked(1)]);
    assert_eq!(play.state.asks()[0].state, AskState::Denied);
}

#[test]
fn a_host_that_comes_back_is_told_what_still_waits() {
    let mut play = Play::new();
    play.happens(What::Request(sluice_host::conversation::OwnRequest::new(
        "r1",
        sluice_wire::control::Initialize::default(),
    )));
    let effects = play.says(json!({
        "type": "control_response",
        "response": {
            "subtype": "success", "request_id": "r1", "response": {},
            "pending_permission_requests": [ask("a1", "c1")],
        },
    }));
    assert!(effects.contains(&Effect::Asked(0)));
}

#[test]
fn several_asks_at_once_are_answered_in_any_order() {
    let mut play = asking();
    play.says(tool_use("c2", "Bash"));
    play.says(ask("a2", "c2"));
    play.answer(AskAnswer::deny(id("a2"), "no"));
    play.answer(AskAnswer::allow(id("a1")));
    let states: Vec<AskState> = play.state.asks().iter().map(|it| it.state).collect();
    assert_eq!(states, [AskState::Allowed, AskState::Denied]);
}

#[test]
fn a_hook_is_served_and_keeps_nobody_waiting() {
    let mut play = asking();
    play.answer(AskAnswer::allow(id("a1")));
    let effects = play.says(json!({
        "type": "control_request", "request_id": "h1",
        "request": {"subtype": "hook_callback", "callback_id": "hook_0", "input": {}, "tool_use_id": "c1"},
    }));
    assert!(effects.contains(&Effect::Asked(1)));
    assert_eq!(play.state.asks()[1].kind, AskKind::Hook);
    assert!(matches!(play.state.activity(), Activity::Running { .. }));
    let given = Raw::from_text("{}".to_owned()).unwrap();
    let effects = play.answer(AskAnswer::new(id("h1"), AskVerdict::Give(given)));
    assert_eq!(sent(&effects).len(), 1);
}

#[test]
fn an_ask_of_a_subagent_in_the_background_outlives_the_turn() {
    let mut play = Play::new();
    play.submit("p1");
    play.takes_up("p1");
    play.says(tool_use("agent-1", "Agent"));
    play.says(tool_result("agent-1"));
    let mut request = ask("a1", "c9");
    request["request"]["agent_id"] = json!("agent");
    play.says(request);
    play.says(result_of(&["p1"]));
    assert!(play.state.asks()[0].is_pending());
    assert!(matches!(play.state.activity(), Activity::Waiting { .. }));
}

#[test]
fn our_own_answer_echoed_is_nothing_new() {
    let mut play = asking();
    play.answer(AskAnswer::allow(id("a1")));
    play.says(success("a1", json!({"behavior": "allow"})));
    assert_eq!(play.state.drift().foreign, 0);
    play.says(success("nobodys", json!({})));
    assert_eq!(play.state.drift().foreign, 1);
}

#[test]
fn new_text_while_an_ask_waits_does_not_abort_it() {
    let mut play = asking();
    assert_eq!(sent(&play.submit("p2")).len(), 1);
    assert!(play.state.asks()[0].is_pending());
}

#[test]
fn an_ask_with_a_number_for_an_id_is_answered_under_that_number() {
    let mut play = Play::new();
    let mut request = ask("", "c1");
    request["request_id"] = json!(7);
    play.says(request);
    let ask = play.state.asks()[0].id.clone();
    let line = sent(&play.answer(AskAnswer::deny(ask, "no"))).remove(0);
    let value: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(value["response"]["request_id"], json!(7));
}

#[test]
fn an_ask_outside_any_turn_still_ends() {
    let mut play = Play::new();
    play.says(ask("a1", "c1"));
    play.says(result());
    play.dies();
    assert_eq!(play.state.asks()[0].state, AskState::Expired);
}
