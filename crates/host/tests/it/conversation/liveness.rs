//! "Running" is shown on evidence, and evidence grows old.

use serde_json::json;
use sluice_host::conversation::{Activity, AskAnswer, Change, Effect, End, Evidence, Time, What};

use super::play::{
    Play, ask, block_start, delta, id, lifecycle, message_start, result, result_of, stream, system, text, tool_result,
    tool_use,
};

fn evidence(play: &Play) -> Evidence {
    match play.state.activity() {
        Activity::Running { evidence, .. } => evidence,
        other => panic!("{other:?}"),
    }
}

fn running() -> Play {
    let mut play = Play::new();
    play.submit("p1");
    play.takes_up("p1");
    play
}

fn is_stalled(play: &Play) -> bool {
    matches!(play.state.activity(), Activity::Stalled { .. })
}

#[test]
fn a_spinner_does_not_turn_for_ever_over_a_silent_agent() {
    let mut play = running();
    play.wait(329);
    assert_eq!(evidence(&play), Evidence::Announced);
    let effects = play.wait(2);
    assert!(is_stalled(&play));
    assert!(effects.contains(&Effect::Changed(Change::Activity)));
}

#[test]
fn a_stalled_turn_that_gives_a_sign_runs_again() {
    let mut play = running();
    play.wait(1_000);
    play.says(message_start("m1"));
    assert_eq!(evidence(&play), Evidence::Streaming);
}

#[test]
fn the_machine_says_when_it_wants_to_be_woken() {
    let mut play = running();
    let deadline = play.state.deadline().unwrap();
    assert!(!matches!(
        play.state.activity_at(Time(deadline.0 - 1)),
        Activity::Stalled { .. }
    ));
    play.now = deadline.0;
    play.happens(What::Tick);
    assert!(is_stalled(&play));
    assert_eq!(play.state.deadline(), None, "nothing more changes by itself");
}

#[test]
fn a_result_is_owed_soon_after_the_model_stops() {
    let mut play = running();
    play.says(message_start("m1"));
    play.says(block_start(0));
    play.says(delta(0, "done"));
    play.says(text("m1", "done"));
    play.says(stream(
        json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}}),
    ));
    play.says(stream(json!({"type": "message_stop"})));
    assert_eq!(evidence(&play), Evidence::Stopped);
    play.wait(16);
    assert!(is_stalled(&play));
}

#[test]
fn the_watchdog_does_not_bark_while_a_call_runs() {
    let mut play = running();
    play.says(tool_use("c1", "Bash"));
    play.says(stream(
        json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}}),
    ));
    play.wait(600);
    assert!(!is_stalled(&play));
    play.wait(120);
    assert!(is_stalled(&play));
}

#[test]
fn a_call_that_gave_signs_of_life_is_missed_sooner() {
    let mut play = running();
    play.says(tool_use("c1", "Bash"));
    play.wait(30);
    play.says(json!({
        "type": "tool_progress", "tool_use_id": "c1-heartbeat-0", "tool_name": "Bash", "parent_tool_use_id": "c1",
        "elapsed_time_seconds": 30, "heartbeat": true, "session_id": "session",
    }));
    play.wait(99);
    assert!(!is_stalled(&play));
    play.wait(2);
    assert!(is_stalled(&play));
}

#[test]
fn nobody_is_hurried_to_answer() {
    let mut play = running();
    play.says(tool_use("c1", "Bash"));
    play.says(ask("a1", "c1"));
    play.wait(86_400);
    assert!(matches!(play.state.activity(), Activity::Waiting { .. }));
    play.answer(AskAnswer::allow(id("a1")));
    assert_eq!(evidence(&play), Evidence::Calling);
}

#[test]
fn compaction_and_retries_are_not_hangs() {
    let mut play = running();
    play.says(system("status", json!({"status": "compacting"})));
    play.wait(200);
    assert_eq!(evidence(&play), Evidence::Compacting);
    play.says(system("status", json!({"status": null})));
    play.says(system(
        "api_retry",
        json!({"attempt": 1, "max_retries": 10, "retry_delay_ms": 500}),
    ));
    play.wait(200);
    assert_eq!(evidence(&play), Evidence::Retrying);
}

#[test]
fn a_lost_way_says_nothing_about_the_turn() {
    let mut play = running();
    play.happens(What::Lost);
    assert_eq!(evidence(&play), Evidence::Announced);
    play.wait(400);
    assert!(is_stalled(&play));
    play.happens(What::CatchingUp);
    play.says(text("m1", "went on meanwhile"));
    play.says(result_of(&["p1"]));
    play.happens(What::Connected);
    assert_eq!(play.state.activity(), Activity::Idle);
}

#[test]
fn idle_is_a_hint_until_the_result_had_its_time() {
    let mut play = running();
    play.says(system("session_state_changed", json!({"state": "idle"})));
    assert_eq!(evidence(&play), Evidence::SaidIdle);
    play.wait(16);
    assert_eq!(play.state.activity(), Activity::Idle);
    assert_eq!(play.last_turn().end, Some(End::Unreported));
}

#[test]
fn a_folded_prompt_that_is_done_first_does_not_end_the_turn() {
    // Seen with a prompt that joins a turn during a call: it completes before the result.
    let mut play = running();
    play.says(tool_use("c1", "Bash"));
    play.submit("p2");
    play.says(lifecycle("p2", "queued"));
    play.says(tool_result("c1"));
    play.says(lifecycle("p2", "started"));
    play.says(text("m2", "both"));
    play.says(lifecycle("p2", "completed"));
    assert_eq!(evidence(&play), Evidence::Said);
    play.says(result_of(&["p1", "p2"]));
    assert_eq!(play.last_turn().prompts, [0, 1]);
}

#[test]
fn a_clock_that_goes_back_makes_nothing_younger() {
    let mut play = running();
    play.wait(400);
    play.now -= 300_000;
    play.happens(What::Tick);
    assert!(is_stalled(&play));
}

#[test]
fn background_work_does_not_hold_a_turn_open() {
    let mut play = running();
    play.says(system(
        "task_started",
        json!({"task_id": "t1", "task_type": "local_bash", "description": "build", "is_backgrounded": true}),
    ));
    play.says(result_of(&["p1"]));
    assert_eq!(play.state.activity(), Activity::Idle);
    assert!(play.state.tasks()[0].is_open());
}

#[test]
fn the_age_of_the_last_word_is_known() {
    let mut play = running();
    let heard = play.state.heard().unwrap();
    play.wait(5);
    assert_eq!(play.state.now().since(heard).as_secs(), 5);
    play.says(result());
    assert!(play.state.heard().unwrap() > heard);
}
