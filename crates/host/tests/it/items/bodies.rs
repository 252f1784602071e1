//! Prompts, text, thinking, and what happens to turns and processes.

use std::time::Duration;

use serde_json::json;
use sluice_host::conversation::{Exit, OwnRequest, What};
use sluice_host::items::{ItemBody, ItemStatus, ProcessChange, PromptSource, TurnOutcome};
use sluice_wire::control::RewindFiles;

use super::{items, last, shown, spoken, turn_end};
use crate::conversation::play::{
    Play, assistant, block_start, delta, message_start, result, result_of, stream, success, system, text, tool_result,
    tool_use,
};

fn user(text: &str) -> serde_json::Value {
    json!({"type": "user", "message": {"role": "user", "content": text}, "parent_tool_use_id": null,
        "session_id": "session"})
}

#[test]
fn a_prompt_becomes_an_item_when_it_is_taken_up() {
    let mut play = Play::new();
    play.submit("p1");
    assert!(items(&play).is_empty());
    play.takes_up("p1");
    let item = last(&play);
    let ItemBody::Prompt(prompt) = item.body else { panic!() };
    assert_eq!((prompt.uuid.as_deref(), &*prompt.text), (Some("p1"), "p1"));
    assert_eq!(
        (prompt.source, item.turn, item.status),
        (PromptSource::Host, Some(0), ItemStatus::Done)
    );
}

#[test]
fn a_prompt_of_somebody_else_names_the_sender() {
    let mut play = Play::new();
    let mut prompt = user("and the tests");
    prompt["sluice_by"] = json!("phone");
    play.says(prompt);
    let ItemBody::Prompt(prompt) = last(&play).body else {
        panic!()
    };
    assert_eq!(
        (prompt.source, prompt.sender.map(|sender| sender.name)),
        (PromptSource::Other, Some("phone".into()))
    );
    let mut replay = user("earlier");
    replay["isReplay"] = json!(true);
    play.says(replay);
    let ItemBody::Prompt(prompt) = last(&play).body else {
        panic!()
    };
    assert_eq!(prompt.source, PromptSource::Replayed);
}

#[test]
fn a_prompt_has_its_images() {
    let mut play = Play::new();
    let image = json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "x"}});
    play.says(
        json!({"type": "user", "message": {"role": "user", "content": [image, {"type": "text", "text": "see"}]},
        "parent_tool_use_id": null, "session_id": "session"}),
    );
    let ItemBody::Prompt(prompt) = last(&play).body else {
        panic!()
    };
    assert_eq!(&*prompt.text, "see");
    assert_eq!(prompt.images.len(), 1);
    assert_eq!(
        (&*prompt.images[0].mime_type, &*prompt.images[0].data),
        ("image/png", "x")
    );
}

#[test]
fn text_that_streams_is_one_item_from_its_first_byte_to_its_end() {
    let mut play = Play::new();
    play.says(message_start("m1"));
    play.says(block_start(0));
    let first = last(&play);
    assert_eq!(first.status, ItemStatus::Streaming);
    play.says(delta(0, "Hel"));
    play.says(delta(0, "lo"));
    assert_eq!(last(&play).body, spoken("Hello"));
    play.says(text("m1", "Hello.\n\"quoted\" é"));
    let said = last(&play);
    assert_eq!((said.id, said.status), (first.id, ItemStatus::Done));
    assert_eq!(said.body, spoken("Hello.\n\"quoted\" é"));
    assert!(said.revision > first.revision);
}

#[test]
fn a_message_that_is_cut_off_keeps_its_text() {
    let mut play = Play::new();
    for line in [message_start("m1"), block_start(0), delta(0, "Half")] {
        play.says(line);
    }
    play.dies();
    let found = shown(&play);
    let half = spoken("Half");
    assert!(found.contains(&(ItemStatus::Interrupted, half)), "{found:?}");
    assert!(matches!(turn_end(&play).outcome, TurnOutcome::Died { .. }));
}

#[test]
fn a_block_that_is_said_after_its_message_stopped_is_still_the_same_item() {
    let mut play = Play::new();
    for line in [message_start("m1"), block_start(0), delta(0, "All")] {
        play.says(line);
    }
    play.says(stream(json!({"type": "message_stop"})));
    play.says(text("m1", "All of it"));
    assert_eq!(shown(&play), [(ItemStatus::Done, spoken("All of it"))]);
}

#[test]
fn an_empty_block_that_is_never_said_leaves_nothing() {
    let mut play = Play::new();
    play.says(message_start("m1"));
    play.says(block_start(0));
    play.says(message_start("m2"));
    assert!(items(&play).is_empty());
}

#[test]
fn thinking_has_its_time_and_tokens() {
    let mut play = Play::new();
    play.says(message_start("m1"));
    let block = json!({"type": "thinking", "thinking": ""});
    play.says(stream(
        json!({"type": "content_block_start", "index": 0, "content_block": block}),
    ));
    play.says(stream(json!({"type": "content_block_delta", "index": 0,
        "delta": {"type": "thinking_delta", "thinking": "hm"}})));
    play.says(system("thinking_tokens", json!({"estimated_tokens": 70})));
    let ItemBody::Thinking(thinking) = last(&play).body else {
        panic!()
    };
    assert_eq!((&*thinking.text, thinking.tokens), ("hm", Some(70)));
    let mut said = assistant(
        "m1",
        json!({"type": "thinking", "thinking": "hm, yes", "signature": "s"}),
    );
    said["thinking_duration_ms"] = json!(1400);
    play.says(said);
    let ItemBody::Thinking(thinking) = last(&play).body else {
        panic!()
    };
    assert_eq!((&*thinking.text, thinking.tokens), ("hm, yes", Some(70)));
    assert_eq!(thinking.duration, Some(Duration::from_millis(1400)));
    play.says(assistant("m2", json!({"type": "redacted_thinking", "data": "x"})));
    let ItemBody::Thinking(thinking) = last(&play).body else {
        panic!()
    };
    assert_eq!((&*thinking.text, thinking.duration), ("", None));
}

#[test]
fn the_process_starts_and_ends() {
    let mut play = Play::new();
    play.dies();
    play.happens(What::Starting { resumed: true });
    play.happens(What::Up);
    let changes: Vec<ProcessChange> = play
        .state
        .items()
        .filter_map(|item| match item.body {
            ItemBody::Process(change) => Some(change),
            _ => None,
        })
        .collect();
    let exit = Exit {
        code: Some(1),
        signal: None,
    };
    assert_eq!(
        changes,
        [
            ProcessChange::Started { resumed: false },
            ProcessChange::Exited(exit.into()),
            ProcessChange::Started { resumed: true },
        ]
    );
}

#[test]
fn what_is_not_known_keeps_its_type() {
    let mut play = Play::new();
    play.says(json!({"type": "nonsense", "x": 1}));
    assert_eq!(
        last(&play).body,
        ItemBody::Unknown {
            raw_type: Some("nonsense".into())
        }
    );
    play.says(system("from_later", json!({})));
    assert_eq!(
        last(&play).body,
        ItemBody::Unknown {
            raw_type: Some("system/from_later".into())
        }
    );
    play.happens(What::Garbled("{".into()));
    assert_eq!(last(&play).body, ItemBody::Unknown { raw_type: None });
}

#[test]
fn an_odd_field_does_not_lose_a_message() {
    let mut play = Play::new();
    let mut said = text("m1", "still here");
    said["parent_tool_use_id"] = json!({"odd": 1});
    said["message"]["usage"] = json!("none");
    said["message"]["content"].as_array_mut().unwrap().push(json!(7));
    play.says(said);
    assert_eq!(last(&play).body, spoken("still here"));
}

#[test]
fn half_a_surrogate_pair_does_not_lose_a_text() {
    let mut play = Play::new();
    let line = text("m1", "PLACE").to_string().replace("PLACE", "a\\ud83db");
    play.happens(What::Said(sluice_wire::Frame::parse(&line).unwrap()));
    assert_eq!(last(&play).body, spoken("a\u{fffd}b"));
}

#[test]
fn the_end_of_a_turn_says_how_and_what_it_took() {
    let mut play = Play::new();
    play.submit("p1");
    play.takes_up("p1");
    play.says(tool_use("c1", "Bash"));
    play.says(tool_result("c1"));
    play.now += 5000;
    play.says(result_of(&["p1"]));
    let end = turn_end(&play);
    assert_eq!(
        (end.outcome, end.cost, end.calls),
        (TurnOutcome::Completed, Some(0.5), 1)
    );
    assert!(end.duration >= Duration::from_secs(5) && end.waited.is_zero());
    assert_eq!(end.tokens.unwrap().output, 5);
    for (fields, wanted) in [
        (json!({"subtype": "error_max_turns"}), TurnOutcome::MaxTurns),
        (json!({"subtype": "error_max_budget_usd"}), TurnOutcome::MaxBudget),
        (
            json!({"is_error": true, "terminal_reason": "aborted_tools"}),
            TurnOutcome::Stopped,
        ),
        (json!({"is_error": true}), TurnOutcome::Failed { reason: None }),
    ] {
        let mut ended = result();
        for (name, value) in fields.as_object().unwrap() {
            ended[name] = value.clone();
        }
        play.says(ended);
        assert_eq!(turn_end(&play).outcome, wanted);
    }
    assert_eq!(turn_end(&play).errors, ["done"]);
}

#[test]
fn files_that_are_put_back_leave_an_item() {
    let mut play = Play::new();
    let rewind = |id: &str, dry_run: bool| {
        let request = RewindFiles {
            user_message_id: "p1".into(),
            dry_run: Some(dry_run),
            ..RewindFiles::default()
        };
        What::Request(OwnRequest::new(id, request))
    };
    let answer = json!({"canRewind": true, "filesChanged": ["/a"], "insertions": 2, "deletions": 1});
    play.happens(rewind("r1", true));
    play.says(success("r1", answer.clone()));
    assert!(items(&play).is_empty(), "a rehearsal changes nothing");
    play.happens(rewind("r2", false));
    play.says(success("r2", answer));
    let ItemBody::FilesRewound(rewound) = last(&play).body else {
        panic!()
    };
    assert_eq!(
        (rewound.files, rewound.added, rewound.removed),
        (vec!["/a".to_owned()], 2, 1)
    );
}
