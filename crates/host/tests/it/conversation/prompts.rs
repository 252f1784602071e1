//! Prompts arrive once, or it is known that nobody knows.

use sluice_host::conversation::{Effect, EntryKind, Failure, PromptState, Proof, RequestOutcome, What};

use super::play::{
    Play, echo, id, init, lifecycle, result, result_from, result_of, sent, success, text, tool_result, tool_use,
};

#[test]
fn a_prompt_before_the_process_is_up_waits_and_is_not_dropped() {
    let mut play = Play::cold();
    assert!(sent(&play.submit("p1")).is_empty());
    assert_eq!(play.prompt_state("p1"), PromptState::Queued);
    play.happens(What::Starting { resumed: false });
    assert_eq!(sent(&play.happens(What::Up)).len(), 1);
    assert_eq!(play.prompt_state("p1"), PromptState::Sent);
}

#[test]
fn prompts_are_written_in_the_order_they_were_handed_in() {
    let mut play = Play::cold();
    for prompt in ["p1", "p2", "p3"] {
        play.submit(prompt);
    }
    let lines = sent(&play.happens(What::Up));
    let order: Vec<bool> = lines
        .iter()
        .zip(["p1", "p2", "p3"])
        .map(|(line, id)| line.contains(id))
        .collect();
    assert_eq!(order, [true, true, true]);
}

#[test]
fn a_command_sent_twice_by_a_client_that_retries_is_one_prompt() {
    let mut play = Play::new();
    assert_eq!(sent(&play.submit("p1")).len(), 1);
    assert!(sent(&play.submit("p1")).is_empty());
    assert_eq!(play.state.prompts().len(), 1);
}

#[test]
fn a_prompt_is_delivered_when_the_agent_takes_it_up_and_not_before() {
    let mut play = Play::new();
    play.submit("p1");
    play.says(lifecycle("p1", "queued"));
    assert_eq!(play.prompt_state("p1"), PromptState::Sent);
    play.says(lifecycle("p1", "started"));
    assert_eq!(play.prompt_state("p1"), PromptState::Delivered);
    assert_eq!(play.prompt("p1").proof, Some(Proof::Named));
}

#[test]
fn a_prompt_stands_in_the_conversation_where_it_was_read_and_only_once() {
    let mut play = Play::new();
    play.submit("p1");
    play.takes_up("p1");
    play.says(echo("p1"));
    play.says(text("m1", "one"));
    play.submit("p2");
    play.says(result_of(&["p1"]));
    play.says(echo("p2"));
    play.takes_up("p2");
    play.says(echo("p2"));
    let kinds: Vec<EntryKind> = play.state.entries().iter().map(|entry| entry.kind).collect();
    assert_eq!(
        kinds,
        [
            EntryKind::Prompt(0),
            EntryKind::Assistant,
            EntryKind::End,
            EntryKind::Prompt(1)
        ]
    );
}

#[test]
fn a_prompt_written_just_before_a_crash_is_neither_lost_nor_run_twice() {
    let mut play = Play::new();
    play.submit("p1");
    play.dies();
    assert_eq!(play.prompt_state("p1"), PromptState::Indeterminate);
    play.happens(What::Starting { resumed: true });
    let lines = sent(&play.happens(What::Up));
    assert_eq!(lines.len(), 1, "written again, under the same uuid");
    assert!(lines[0].contains(r#""uuid":"p1""#));
    // It had arrived: the agent repeats it and runs nothing.
    play.says(echo("p1"));
    assert_eq!(play.prompt_state("p1"), PromptState::Delivered);
    assert_eq!(play.state.turns().len(), 0);
}

/// p1 was run by a process that died before it could say so. The next process is in a turn of its own, of which the
/// beginning was not heard, when it is told p1 again.
fn repeated_in_anothers_turn() -> Play {
    let mut play = Play::new();
    play.submit("p1");
    play.dies();
    play.submit("p2");
    play.happens(What::Starting { resumed: true });
    play.happens(What::Up);
    play.says(text("m0", "words"));
    play.says(echo("p1"));
    play
}

#[test]
fn a_prompt_that_was_run_before_is_not_of_the_turn_it_is_repeated_in() {
    let mut play = repeated_in_anothers_turn();
    play.says(lifecycle("p1", "completed"));
    play.says(result_from("task-notification"));
    play.takes_up("p2");
    play.says(result_of(&["p2"]));
    assert_eq!(play.prompt_state("p1"), PromptState::Delivered);
    assert_eq!(play.prompt("p1").turn, None);
    assert_eq!(play.turn_of("p2").prompts, [1]);
    assert_eq!(play.state.turns().len(), 2);
}

#[test]
fn a_result_names_all_of_its_own_prompts_and_no_other_was_its() {
    let mut play = repeated_in_anothers_turn();
    play.takes_up("p2");
    play.says(result_of(&["p2"]));
    assert_eq!(play.prompt_state("p1"), PromptState::Delivered);
    assert_eq!(play.turn_of("p2").prompts, [1]);
}

#[test]
fn a_turn_that_begins_after_all_prompts_were_done_is_another_one() {
    let mut play = Play::new();
    play.submit("p1");
    // Neither the announcement nor the result of its turn was heard.
    play.says(lifecycle("p1", "started"));
    play.says(text("m0", "words"));
    play.says(lifecycle("p1", "completed"));
    play.init();
    play.says(result_from("task-notification"));
    assert_eq!(play.turn_of("p1").prompts, [0]);
    assert_eq!(play.state.turns().len(), 2);
    assert!(play.last_turn().prompts.is_empty());
}

#[test]
fn an_old_agent_repeats_what_it_had_run_before_and_after_the_turns_own_prompt() {
    for late in [false, true] {
        let mut play = Play::new();
        play.submit("p1");
        play.submit("p2");
        play.dies();
        play.happens(What::Starting { resumed: true });
        play.happens(What::Up);
        play.init();
        if !late {
            play.says(echo("p1"));
        }
        play.says(echo("p2"));
        play.says(text("m0", "words"));
        if late {
            play.says(echo("p1"));
        }
        play.says(result());
        assert_eq!(play.last_turn().prompts, [1], "late: {late}");
        assert_eq!(play.prompt_state("p1"), PromptState::Delivered);
        assert_eq!(play.prompt("p1").turn, None);
    }
}

#[test]
fn a_prompt_is_not_written_again_to_a_process_that_does_not_know_the_conversation() {
    let mut play = Play::new();
    play.submit("p1");
    play.dies();
    play.happens(What::Starting { resumed: false });
    assert!(sent(&play.happens(What::Up)).is_empty());
    assert_eq!(play.prompt_state("p1"), PromptState::Indeterminate);
}

#[test]
fn a_prompt_that_did_not_reach_the_process_is_written_to_the_next_one() {
    for resumed in [false, true] {
        let mut play = Play::new();
        play.submit("p1");
        play.dies();
        assert_eq!(play.prompt_state("p1"), PromptState::Indeterminate);
        assert!(sent(&play.happens(What::NotWritten("p1".into()))).is_empty());
        assert_eq!(play.prompt_state("p1"), PromptState::Queued);
        play.happens(What::Starting { resumed });
        assert_eq!(sent(&play.happens(What::Up)).len(), 1);
        play.takes_up("p1");
        // A delivered prompt does not change.
        play.happens(What::NotWritten("p1".into()));
        assert_eq!(play.prompt_state("p1"), PromptState::Delivered);
    }
}

#[test]
fn a_prompt_that_began_is_not_written_again_after_a_crash() {
    let mut play = Play::new();
    play.submit("p1");
    play.takes_up("p1");
    play.dies();
    assert_eq!(play.prompt_state("p1"), PromptState::Delivered);
    play.happens(What::Starting { resumed: true });
    assert!(sent(&play.happens(What::Up)).is_empty());
}

#[test]
fn a_prompt_without_a_sign_does_not_stay_sent_for_ever() {
    let mut play = Play::new();
    play.submit("p1");
    play.wait(59);
    assert_eq!(play.prompt_state("p1"), PromptState::Sent);
    play.wait(2);
    assert_eq!(play.prompt_state("p1"), PromptState::Indeterminate);
    // A late sign still counts.
    play.takes_up("p1");
    assert_eq!(play.prompt_state("p1"), PromptState::Delivered);
}

#[test]
fn a_prompt_in_the_agents_own_queue_may_wait_as_long_as_the_turn_runs() {
    let mut play = Play::new();
    play.submit("p1");
    play.takes_up("p1");
    play.submit("p2");
    play.wait(120);
    assert_eq!(play.prompt_state("p2"), PromptState::Sent);
}

#[test]
fn what_is_left_when_the_conversation_closes_has_failed() {
    let mut play = Play::new();
    play.submit("p1");
    play.happens(What::Lost);
    play.submit("p2");
    play.happens(What::Closed);
    assert_eq!(play.prompt_state("p1"), PromptState::Failed(Failure::Lost));
    assert_eq!(play.prompt_state("p2"), PromptState::Failed(Failure::Closed));
    play.submit("p3");
    assert_eq!(play.prompt_state("p3"), PromptState::Failed(Failure::Closed));
}

#[test]
fn a_queued_prompt_can_be_taken_back_without_asking_anyone() {
    let mut play = Play::cold();
    play.submit("p1");
    let effects = play.happens(What::Withdraw {
        prompt: "p1".into(),
        request: id("r1"),
    });
    assert!(sent(&effects).is_empty());
    assert_eq!(play.prompt_state("p1"), PromptState::Failed(Failure::Withdrawn));
    assert!(sent(&play.happens(What::Up)).is_empty());
}

#[test]
fn taking_back_a_sent_prompt_is_the_agents_to_decide() {
    let mut play = Play::new();
    play.submit("p1");
    play.takes_up("p1");
    for (prompt, request, cancelled) in [("p2", "r2", true), ("p3", "r3", false)] {
        play.submit(prompt);
        let effects = play.happens(What::Withdraw {
            prompt: prompt.into(),
            request: id(request),
        });
        assert!(sent(&effects)[0].contains("cancel_async_message"));
        assert_eq!(play.prompt_state(prompt), PromptState::Sent);
        play.says(success(request, serde_json::json!({ "cancelled": cancelled })));
    }
    assert_eq!(play.prompt_state("p2"), PromptState::Failed(Failure::Withdrawn));
    assert_eq!(play.prompt_state("p3"), PromptState::Sent);
}

#[test]
fn a_prompt_that_is_cancelled_while_it_runs_was_delivered() {
    let mut play = Play::new();
    play.submit("p1");
    play.takes_up("p1");
    play.says(result_of(&["p1"]));
    play.says(lifecycle("p1", "cancelled"));
    assert_eq!(play.prompt_state("p1"), PromptState::Delivered);
}

#[test]
fn prompts_wait_while_the_way_is_lost_and_go_out_when_it_is_found() {
    let mut play = Play::new();
    play.happens(What::Lost);
    assert!(sent(&play.submit("p1")).is_empty());
    play.happens(What::CatchingUp);
    assert_eq!(play.prompt_state("p1"), PromptState::Queued);
    assert_eq!(sent(&play.happens(What::Connected)).len(), 1);
}

#[test]
fn an_old_agent_that_echoes_nothing_still_has_its_prompts_told_apart() {
    let mut play = Play::new();
    play.submit("p1");
    play.submit("p2");
    for _ in 0..2 {
        play.init();
        play.says(text("m", "answer"));
        play.says(result());
    }
    assert_eq!(play.prompt("p1").proof, Some(Proof::Presumed));
    assert_eq!((play.prompt("p1").turn, play.prompt("p2").turn), (Some(0), Some(1)));
}

#[test]
fn a_prompt_folded_into_a_running_turn_does_not_claim_the_next_one() {
    // Neither named nor echoed: it joined the turn after the call, as old agents do.
    let mut play = Play::new();
    play.submit("p1");
    play.init();
    play.says(tool_use("c1", "Bash"));
    play.submit("p2");
    play.says(tool_result("c1"));
    play.says(text("m2", "both"));
    play.says(result());
    assert_eq!(play.prompt("p2").turn, Some(0));
    play.submit("p3");
    play.init();
    assert_eq!(play.prompt("p3").turn, Some(1));
}

#[test]
fn a_prompt_that_just_missed_the_running_turn_gets_the_next_one() {
    let mut play = Play::new();
    play.submit("p1");
    play.init();
    play.says(tool_use("c1", "Bash"));
    play.submit("p2");
    play.says(tool_result("c1"));
    play.says(result());
    // Nothing else waits, so this is the turn of the prompt that was presumed to have joined.
    play.init();
    assert_eq!(play.prompt("p2").turn, Some(1));
    assert_eq!(play.state.turns()[0].prompts, [0]);
}

#[test]
fn prompts_merged_into_one_turn_are_all_delivered_by_it() {
    let mut play = Play::new();
    for prompt in ["p1", "p2", "p3"] {
        play.submit(prompt);
        play.says(lifecycle(prompt, "queued"));
    }
    for prompt in ["p1", "p2", "p3"] {
        play.says(lifecycle(prompt, "started"));
    }
    play.says(init(&["p1", "p2", "p3"]));
    play.says(result_of(&["p1", "p2", "p3"]));
    assert_eq!(play.last_turn().prompts, [0, 1, 2]);
    assert_eq!(play.state.turns().len(), 1);
}

#[test]
fn what_an_agent_says_of_a_prompt_outweighs_what_was_presumed() {
    let mut play = Play::new();
    play.submit("p1");
    play.submit("p2");
    play.init();
    assert_eq!(play.prompt("p1").proof, Some(Proof::Presumed));
    play.says(echo("p2"));
    assert_eq!(play.prompt("p2").turn, Some(0));
    assert_eq!(play.prompt_state("p1"), PromptState::Sent);
    assert_eq!(play.last_turn().prompts, [1]);
}

#[test]
fn a_request_to_an_agent_that_is_gone_is_answered_at_once() {
    let mut play = Play::new();
    play.dies();
    let effects = play.interrupt("r1");
    assert!(effects.contains(&Effect::Replied {
        request: id("r1"),
        reply: RequestOutcome::Died
    }));
}
