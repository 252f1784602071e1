//! Faults that earlier projections had. Each test fails with them.

use std::time::Duration;

use serde_json::{Value, json};
use sluice_host::conversation::{Activity, AskAnswer, ConversationState, What};
use sluice_host::items::{FileCount, ItemBody, ItemStatus, PromptSource, Subject, TurnOutcome, of_messages};
use sluice_host::sessions::Sessions;
use sluice_wire::control::Allow;
use sluice_wire::{Frame, Raw};

use super::{call, items, person, turn_end};
use crate::conversation::play::{Play, ask, assistant, block_start, delta, id, init, message_start, result, system};

fn runs(play: &mut Play, id: &str, name: &str, input: Value) {
    play.says(assistant(
        "m",
        json!({"type": "tool_use", "id": id, "name": name, "input": input}),
    ));
}

fn came(play: &mut Play, id: &str, value: Value) {
    play.says(
        json!({"type": "user", "parent_tool_use_id": null, "session_id": "session", "tool_use_result": value,
        "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": "ok"}]}}),
    );
}

fn changed() -> AskAnswer {
    let allow = Allow {
        updated_input: Some(Raw::of(&json!({"command": "touch y"}))),
        ..Allow::default()
    };
    let mut answer = AskAnswer::allow_with(id("r1"), allow);
    answer.by = Some("desk".into());
    answer
}

#[test]
fn a_changed_call_shows_what_ran_beside_what_was_asked() {
    let mut play = Play::new();
    runs(&mut play, "c1", "Bash", json!({"command": "touch x"}));
    play.says(ask("r1", "c1"));
    play.answer(changed());
    came(&mut play, "c1", json!({"stdout": ""}));
    let (_, call) = call(&play, "c1");
    assert_eq!(call.card.subject, Subject::Command("touch y".into()));
    assert_eq!(call.original.unwrap().subject, Subject::Command("touch x".into()));
    let by = call.permission.unwrap().changed_by;
    assert_eq!(by, Some(person("desk")));
}

#[test]
fn a_changed_call_is_known_from_the_log_of_the_pipes_too() {
    let mut play = Play::new();
    runs(&mut play, "c1", "Bash", json!({"command": "touch x"}));
    play.says(ask("r1", "c1"));
    let written = json!({"type": "control_response", "response": {"subtype": "success", "request_id": "r1",
        "response": {"behavior": "allow", "updatedInput": {"command": "touch y"}}}});
    play.happens(What::Wrote(Frame::parse(&written.to_string()).unwrap()));
    let (status, call) = call(&play, "c1");
    assert_eq!(
        (status, call.card.subject),
        (ItemStatus::Running, Subject::Command("touch y".into()))
    );
    assert!(call.original.is_some());
}

#[test]
fn an_answer_to_a_question_is_no_change_of_the_call() {
    let mut play = Play::new();
    let input = json!({"questions": [{"question": "Which?"}]});
    runs(&mut play, "c1", "AskUserQuestion", input.clone());
    let mut asked = ask("r1", "c1");
    asked["request"]["input"] = input;
    play.says(asked);
    let allow = Allow {
        updated_input: Some(Raw::of(
            &json!({"questions": [{"question": "Which?"}], "answers": {"Which?": "a"}}),
        )),
        ..Allow::default()
    };
    play.answer(AskAnswer::allow_with(id("r1"), allow));
    let (_, call) = call(&play, "c1");
    assert_eq!((call.original, call.permission.unwrap().changed_by), (None, None));
}

#[test]
fn a_call_knows_the_folder_it_ran_in() {
    let mut play = Play::new();
    play.init();
    runs(&mut play, "c1", "Bash", json!({"command": "cd src && ls"}));
    came(&mut play, "c1", json!({"stdout": ""}));
    runs(&mut play, "c2", "Bash", json!({"command": "ls"}));
    assert_eq!(call(&play, "c1").1.folder.as_deref(), Some("/work"));
    assert_eq!(call(&play, "c2").1.folder.as_deref(), Some(concat!("/work", "/src")));
    let mut elsewhere = init(&[]);
    elsewhere["cwd"] = json!("/other");
    play.says(elsewhere);
    runs(&mut play, "c3", "Bash", json!({"command": "ls"}));
    assert_eq!(call(&play, "c3").1.folder.as_deref(), Some("/other"));
    assert_eq!(
        call(&play, "c2").1.folder.as_deref(),
        Some(concat!("/work", "/src")),
        "earlier calls keep theirs"
    );
}

#[test]
fn the_time_in_which_a_person_was_asked_is_not_part_of_a_turn() {
    let mut play = Play::new();
    play.init();
    runs(&mut play, "c1", "Bash", json!({"command": "touch x"}));
    play.says(ask("r1", "c1"));
    play.now += 600_000;
    play.answer(AskAnswer::allow(id("r1")));
    play.now += 2000;
    came(&mut play, "c1", json!({"stdout": ""}));
    play.says(result());
    let end = turn_end(&play);
    assert!(end.duration < Duration::from_secs(5), "{:?}", end.duration);
    assert_eq!(end.waited, Duration::from_secs(600));
    let (_, call) = call(&play, "c1");
    assert!(call.time(call.ended.unwrap()) < Duration::from_secs(5));
}

#[test]
fn the_first_turn_after_a_resume_costs_what_it_cost() {
    let mut play = Play::new();
    play.init();
    let mut ended = result();
    ended["total_cost_usd"] = json!(7.5);
    ended["model_usage_since_last_result"] = json!({"m": {"costUSD": 0.25}, "n": {"costUSD": 0.25}});
    play.says(ended);
    assert_eq!(turn_end(&play).cost, Some(0.5));
    assert_eq!(play.state.cost().total.to_string(), "0.5");
}

#[test]
fn a_stopped_turn_that_reports_no_cost_has_none() {
    let mut play = Play::new();
    play.init();
    let mut ended = result();
    ended["total_cost_usd"] = json!(0);
    ended["terminal_reason"] = json!("aborted_tools");
    play.says(ended);
    let end = turn_end(&play);
    assert_eq!((end.outcome, end.cost), (TurnOutcome::Stopped, None));
}

#[test]
fn a_command_that_the_turn_waits_for_is_not_in_the_background() {
    let mut play = Play::new();
    play.init();
    runs(&mut play, "c1", "Bash", json!({"command": "sleep 9"}));
    play.says(system(
        "task_started",
        json!({"task_id": "b1", "tool_use_id": "c1", "task_type": "local_bash",
        "description": "sleep", "is_backgrounded": false}),
    ));
    play.says(system(
        "background_tasks_changed",
        json!({"tasks": [{"task_id": "b1", "task_type": "local_bash",
        "description": "sleep"}]}),
    ));
    assert!(!play.state.tasks()[0].background);
    assert_eq!(call(&play, "c1").0, ItemStatus::Running);
    play.says(system(
        "task_updated",
        json!({"task_id": "b1", "patch": {"is_backgrounded": true}}),
    ));
    assert!(play.state.tasks()[0].background);
}

#[test]
fn tasks_say_what_has_to_be_done_before() {
    let mut play = Play::new();
    play.init();
    runs(&mut play, "c0", "TaskList", json!({}));
    came(
        &mut play,
        "c0",
        json!({"tasks": [{"id": "1", "subject": "a", "status": "pending", "blockedBy": []},
        {"id": "2", "subject": "b", "status": "pending", "blockedBy": ["1"]}]}),
    );
    runs(
        &mut play,
        "c1",
        "TaskUpdate",
        json!({"taskId": "1", "addBlockedBy": ["7"], "addBlocks": ["2"]}),
    );
    came(&mut play, "c1", json!({"success": true, "taskId": "1"}));
    let after: Vec<Vec<&str>> = play
        .state
        .todos()
        .iter()
        .map(|it| it.after.iter().map(|id| &**id).collect())
        .collect();
    assert_eq!(after, [vec!["7"], vec!["1"]]);
}

#[test]
fn a_notice_opens_no_turn() {
    let mut play = Play::new();
    play.says(system(
        "informational",
        json!({"content": "settings changed", "level": "info"}),
    ));
    play.says(system("status", json!({"status": null, "permissionMode": "plan"})));
    assert!(play.state.turns().is_empty());
    assert!(items(&play).iter().all(|item| item.turn.is_none()));
}

#[test]
fn changed_files_are_known_while_the_turn_runs() {
    let mut play = Play::new();
    play.init();
    runs(
        &mut play,
        "c1",
        "Write",
        json!({"file_path": "/folder/a", "content": "1\n2\n"}),
    );
    came(
        &mut play,
        "c1",
        json!({"type": "create", "filePath": "/folder/a", "structuredPatch": []}),
    );
    runs(
        &mut play,
        "c2",
        "Edit",
        json!({"file_path": "/folder/a", "old_string": "1", "new_string": "0"}),
    );
    let patch = json!([{"oldStart": 1, "newStart": 1, "lines": ["-1", "+0"]}]);
    came(
        &mut play,
        "c2",
        json!({"filePath": "/folder/a", "structuredPatch": patch}),
    );
    let count = FileCount {
        path: "/folder/a".into(),
        added: 3,
        removed: 1,
    };
    let wanted = vec![count];
    assert_eq!(play.state.files_changed(), wanted);
    play.says(result());
    assert_eq!(turn_end(&play).files, wanted);
    play.init();
    play.says(result());
    assert_eq!(turn_end(&play).files, []);
    assert_eq!(play.state.files_changed(), wanted);
}

#[test]
fn a_stream_that_went_silent_is_shown_as_stalled_after_a_minute() {
    let mut play = Play::new();
    play.init();
    for line in [message_start("m"), block_start(0)] {
        play.says(line);
    }
    for _ in 0..10 {
        play.wait(30);
        play.says(delta(0, "x"));
        assert!(matches!(play.state.activity(), Activity::Running { .. }));
    }
    play.wait(61);
    assert!(matches!(play.state.activity(), Activity::Stalled { .. }));
    play.says(delta(0, "x"));
    assert!(matches!(play.state.activity(), Activity::Running { .. }));
}

#[test]
fn a_saved_session_has_only_prompts_of_the_person_as_prompts_and_nothing_that_runs() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("projects/-w");
    std::fs::create_dir_all(&folder).unwrap();
    let session = "5c1d5a54-5d35-4d6f-9a3c-0d6a0a7f9a11";
    let mut parent = Value::Null;
    let mut lines = String::new();
    let mut serial = 0;
    let mut say = |ty: &str, message: Value| {
        serial += 1;
        let uuid = format!("00000000-0000-4000-8000-{serial:012}");
        let line = json!({"parentUuid": parent, "isSidechain": false, "type": ty, "message": message, "uuid": uuid,
            "timestamp": format!("2026-01-01T00:00:{serial:02}.000Z"), "sessionId": session, "cwd": "/w",
            "version": "2", "userType": "external"});
        parent = json!(uuid);
        lines.push_str(&format!("{line}\n"));
    };
    let user = |text: &str| json!({"role": "user", "content": text});
    let said =
        |block: Value| json!({"id": "m", "type": "message", "role": "assistant", "model": "x", "content": [block]});
    say("user", user("alpha"));
    say("assistant", said(json!({"type": "text", "text": "beta"})));
    say("user", user("<command-name>/compact</command-name>"));
    say("user", user("<local-command-stdout>Compacted</local-command-stdout>"));
    say(
        "user",
        user("This session is being continued from a previous conversation that ran out of context."),
    );
    say("user", user("gamma"));
    say(
        "assistant",
        said(json!({"type": "tool_use", "id": "c1", "name": "Bash", "input": {"command": "ls"}})),
    );
    std::fs::write(folder.join(format!("{session}.jsonl")), lines).unwrap();
    let messages = Sessions::under(root.path()).messages(session, None).unwrap();
    let items = of_messages(&messages);
    let prompts: Vec<&str> = items
        .iter()
        .filter_map(|item| match &item.body {
            ItemBody::Prompt(prompt) if prompt.source == PromptSource::Host => Some(&*prompt.text),
            _ => None,
        })
        .collect();
    assert_eq!(prompts, ["alpha", "gamma"]);
    assert!(items.iter().all(|item| !item.status.is_open()));
    assert_eq!(items.last().unwrap().status, ItemStatus::Interrupted);
    let command = items.iter().find_map(|item| match &item.body {
        ItemBody::Command(command) => Some((&*command.name, command.output.as_deref())),
        _ => None,
    });
    assert_eq!(command, Some(("compact", Some("Compacted"))));
    let order: Vec<u64> = items.iter().map(|item| item.at.0).collect();
    assert!(order.is_sorted(), "{order:?}");
}

#[test]
fn a_revision_is_never_used_twice_whatever_dies_when() {
    let mut play = Play::new();
    let mut used = std::collections::HashSet::new();
    let mut check = |state: &ConversationState, since: u64| {
        let mut cursor = sluice_host::items::ItemCursor::at(since);
        for change in state.item_changes(&mut cursor) {
            if let sluice_host::items::ItemChange::Item(item) = change {
                assert!(
                    item.revision > since && used.insert(item.revision),
                    "{} again",
                    item.revision
                );
            }
        }
    };
    for turn in 0..5 {
        let since = play.state.item_revision();
        play.init();
        runs(&mut play, &format!("c{turn}"), "Bash", json!({"command": "touch x"}));
        check(&play.state, since);
        let since = play.state.item_revision();
        let snapshot = serde_json::to_string(&play.state.snapshot()).unwrap();
        play.state = ConversationState::restore(serde_json::from_str(&snapshot).unwrap()).unwrap();
        assert_eq!(play.state.item_revision(), since);
        play.dies();
        play.happens(What::Starting { resumed: true });
        play.happens(What::Up);
        check(&play.state, since);
    }
}
