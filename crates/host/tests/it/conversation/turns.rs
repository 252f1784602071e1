//! Whose turn it is.

use serde_json::json;
use sluice_host::conversation::{Activity, Change, Effect, End, What};
use sluice_wire::origin::OriginKind;

use super::play::{
    Play, assistant, init, lifecycle, result, result_from, result_of, system, text, tool_result, tool_use,
};

#[test]
fn nothing_is_waited_for_before_the_first_prompt() {
    let play = Play::new();
    assert_eq!(play.state.activity(), Activity::Idle);
    assert_eq!(play.state.deadline(), None);
}

#[test]
fn a_turn_nobody_asked_for_is_a_turn_and_nobodys() {
    let mut play = Play::new();
    play.init();
    play.says(text("m1", "the task is done"));
    assert!(!play.last_turn().is_own());
    play.says(result_from("task-notification"));
    assert_eq!(play.last_turn().origin, Some(OriginKind::TaskNotification));
    assert_eq!(play.state.activity(), Activity::Idle);
}

#[test]
fn the_result_of_a_background_wake_does_not_end_the_prompts_turn() {
    let mut play = Play::new();
    play.submit("p1");
    play.takes_up("p1");
    play.says(result_from("task-notification"));
    assert!(play.turn_of("p1").is_open());
    assert_eq!(play.state.turns().len(), 2);
    play.says(result_of(&["p1"]));
    assert!(!play.turn_of("p1").is_open());
    assert_eq!(play.state.activity(), Activity::Idle);
}

#[test]
fn a_spurious_result_does_not_end_the_prompts_turn() {
    // Seen when a session is resumed: a result that answers nothing, before the answer.
    let mut play = Play::new();
    play.submit("p1");
    play.takes_up("p1");
    play.says(result());
    assert!(play.turn_of("p1").is_open());
}

#[test]
fn the_result_of_another_prompt_does_not_end_the_prompts_turn() {
    let mut play = Play::new();
    play.submit("p1");
    play.takes_up("p1");
    play.says(result_of(&["someone-elses"]));
    assert!(play.turn_of("p1").is_open());
}

#[test]
fn a_prompt_waiting_behind_a_wake_is_not_taken_for_its_owner() {
    let mut play = Play::new();
    play.submit("p1");
    play.says(lifecycle("p1", "queued"));
    play.init();
    assert!(!play.last_turn().is_own());
    play.says(result_from("task-notification"));
    play.takes_up("p1");
    assert_eq!(play.prompt("p1").turn, Some(1));
}

#[test]
fn a_presumed_owner_waits_again_when_the_result_names_another_origin() {
    let mut play = Play::new();
    play.submit("p1");
    play.init();
    assert!(play.last_turn().is_own(), "all an old agent lets one believe");
    play.says(result_from("task-notification"));
    assert_eq!(play.state.turns()[0].prompts, [0_usize; 0]);
    play.init();
    play.says(result());
    assert_eq!(play.prompt("p1").turn, Some(1));
}

#[test]
fn a_result_without_a_turn_is_kept_and_leaves_everything_idle() {
    let mut play = Play::new();
    play.submit("p1");
    play.says(result_of(&["p1"]));
    assert_eq!(play.prompt("p1").turn, Some(0));
    assert_eq!(play.state.activity(), Activity::Idle);
}

#[test]
fn a_result_that_comes_twice_ends_one_turn() {
    let mut play = Play::new();
    play.submit("p1");
    play.init();
    let mut once = result();
    once["uuid"] = json!("result-1");
    play.says(once.clone());
    play.submit("p2");
    play.init();
    play.says(once);
    assert!(play.last_turn().is_open());
    assert_eq!(play.state.drift().repeated, 1);
}

#[test]
fn a_lost_result_does_not_swallow_the_next_turn() {
    let mut play = Play::new();
    play.submit("p1");
    play.takes_up("p1");
    play.submit("p2");
    play.says(lifecycle("p1", "completed"));
    play.says(lifecycle("p2", "started"));
    play.says(init(&["p2"]));
    assert_eq!(play.turn_of("p1").end, Some(End::Unreported));
    assert!(play.turn_of("p2").is_open());
}

#[test]
fn a_broken_field_in_a_result_does_not_keep_the_turn_open() {
    let mut play = Play::new();
    play.submit("p1");
    play.init();
    let mut odd = result();
    odd["usage"] = json!("none");
    odd["total_cost_usd"] = json!(null);
    odd["modelUsage"] = json!([1, 2]);
    play.says(odd);
    assert!(!play.last_turn().is_open());
}

#[test]
fn the_key_order_of_a_result_is_nothing_to_go_by() {
    let mut play = Play::new();
    play.submit("p1");
    play.init();
    let line =
        r#"{"duration_api_ms":1,"stop_reason":null,"type":"result","subtype":"success","is_error":false,"uuid":"r"}"#;
    play.happens(What::Said(sluice_wire::Frame::parse(line).unwrap()));
    assert!(!play.last_turn().is_open());
}

#[test]
fn an_interrupted_turn_is_an_error_even_where_the_agent_says_it_is_none() {
    let mut play = Play::new();
    play.submit("p1");
    play.init();
    let mut interrupted = result();
    interrupted["subtype"] = json!("error_during_execution");
    play.says(interrupted);
    assert!(play.last_turn().end.as_ref().unwrap().is_error());
}

#[test]
fn a_subagent_that_goes_on_after_the_turn_opens_no_turn() {
    let mut play = Play::new();
    play.submit("p1");
    play.takes_up("p1");
    play.says(tool_use("agent-1", "Agent"));
    play.says(tool_result("agent-1"));
    play.says(result_of(&["p1"]));
    let mut inner = assistant(
        "sub",
        json!({"type": "tool_use", "id": "c2", "name": "Bash", "input": {}}),
    );
    inner["parent_tool_use_id"] = json!("agent-1");
    play.says(inner);
    assert_eq!(play.state.activity(), Activity::Idle);
    assert_eq!(play.state.thread(Some(0)).count(), 1);
    let call = play.state.call("c2").unwrap();
    assert_eq!(call.parent, Some(0));
}

#[test]
fn compacting_before_the_announcement_is_part_of_the_turn() {
    let mut play = Play::new();
    play.submit("p1");
    play.says(system("status", json!({"status": "compacting"})));
    assert!(!play.state.activity().is_idle());
    play.says(system("status", json!({"status": null})));
    play.init();
    play.says(result());
    assert_eq!(play.state.turns().len(), 1);
}

#[test]
fn a_crash_ends_the_turn_and_what_ran_in_it() {
    let mut play = Play::new();
    play.submit("p1");
    play.takes_up("p1");
    play.says(tool_use("c1", "Bash"));
    let effects = play.dies();
    assert!(matches!(play.last_turn().end, Some(End::Died(_))));
    assert_eq!(play.state.running_calls().count(), 0);
    assert!(effects.contains(&Effect::Changed(Change::Turn(0))));
    // Lines that were still in the pipe open nothing.
    play.says(text("m2", "late"));
    assert_eq!(play.state.activity(), Activity::Idle);
}
