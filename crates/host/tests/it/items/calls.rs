//! Tool calls: status, result, permission, tasks, subagents.

use serde_json::{Value, json};
use sluice_host::conversation::{AskAnswer, AskVerdict};
use sluice_host::items::{
    CardBody, Decider, ItemBody, ItemChange, ItemCursor, ItemField, ItemStatus, PermissionOutcome, Subject,
};
use sluice_wire::Raw;

use super::{call, items, last, person};
use crate::conversation::play::{Play, ask, assistant, id, message_start, result, stream, system, text};

fn runs(play: &mut Play, id: &str, name: &str, input: Value) {
    play.says(assistant(
        "m",
        json!({"type": "tool_use", "id": id, "name": name, "input": input}),
    ));
}

fn came(play: &mut Play, id: &str, text: &str, value: Value, is_error: bool) {
    play.says(
        json!({"type": "user", "parent_tool_use_id": null, "session_id": "session", "tool_use_result": value,
        "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": text,
            "is_error": is_error}]}}),
    );
}

#[test]
fn a_call_runs_and_has_its_result() {
    let mut play = Play::new();
    runs(&mut play, "c1", "Bash", json!({"command": "make"}));
    let (status, running) = call(&play, "c1");
    assert_eq!(
        (status, running.card.subject),
        (ItemStatus::Running, Subject::Command("make".into()))
    );
    came(&mut play, "c1", "ok", json!({"stdout": "ok"}), false);
    let (status, done) = call(&play, "c1");
    assert_eq!((status, done.result.unwrap().text), (ItemStatus::Done, "ok".into()));
    assert!(done.ended.is_some());
    runs(&mut play, "c2", "Bash", json!({"command": "false"}));
    came(&mut play, "c2", "Exit code 1", json!("Error: Exit code 1"), true);
    assert_eq!(call(&play, "c2").0, ItemStatus::Failed);
}

#[test]
fn text_and_images_of_a_result_are_told_apart() {
    let mut play = Play::new();
    runs(&mut play, "c1", "Read", json!({"file_path": "/a.png"}));
    let content = json!([{"type": "text", "text": "a"}, {"type": "image", "source": {"data": "x"}}, {"type": "text", "text": "b"}]);
    play.says(
        json!({"type": "user", "parent_tool_use_id": null, "message": {"role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "c1", "content": content}]}}),
    );
    let result = call(&play, "c1").1.result.unwrap();
    assert_eq!((&*result.text, result.images.len()), ("a\nb", 1));
}

#[test]
fn an_input_that_is_being_written_already_has_a_card() {
    let mut play = Play::new();
    let mut cursor = ItemCursor::default();
    play.says(message_start("m"));
    let block = json!({"type": "tool_use", "id": "c1", "name": "Bash", "input": {}});
    play.says(stream(
        json!({"type": "content_block_start", "index": 0, "content_block": block}),
    ));
    let mut seen = Vec::new();
    let write = |play: &mut Play, json: &str| {
        play.says(stream(json!({"type": "content_block_delta", "index": 0,
            "delta": {"type": "input_json_delta", "partial_json": json}})));
    };
    write(&mut play, r#"{"comm"#);
    for change in play.state.item_changes(&mut cursor) {
        change.apply(&mut seen);
    }
    write(&mut play, r#"and":"ls -"#);
    let changes = play.state.item_changes(&mut cursor);
    let [
        ItemChange::Delta {
            field: ItemField::Input,
            text,
            ..
        },
    ] = changes.as_slice()
    else {
        panic!("{changes:?}")
    };
    assert_eq!(text, r#"and":"ls -"#);
    for change in changes {
        change.apply(&mut seen);
    }
    let item = last(&play);
    assert_eq!(item.status, ItemStatus::Streaming);
    assert_eq!(item.call().unwrap().card.subject, Subject::Command("ls -".into()));
    assert_eq!(seen.last(), Some(&item));
    runs(&mut play, "c1", "Bash", json!({"command": "ls -l"}));
    let (id, item) = (item.id, play.state.item_of_call("c1").unwrap());
    assert_eq!((item.id, item.status), (id, ItemStatus::Running));
    assert_eq!(item.call().unwrap().written, None);
}

#[test]
fn a_call_waits_for_a_person_and_says_who_answered() {
    let mut play = Play::new();
    runs(&mut play, "c1", "Bash", json!({"command": "touch x"}));
    let mut asked = ask("r1", "c1");
    asked["request"]["decision_reason"] = json!("a rule asks");
    play.says(asked);
    let (status, waiting) = call(&play, "c1");
    let permission = waiting.permission.unwrap();
    assert_eq!(
        (status, permission.outcome),
        (ItemStatus::Waiting, PermissionOutcome::Waiting)
    );
    assert_eq!(permission.reason.as_deref(), Some("a rule asks"));
    play.now += 9000;
    let mut answer = AskAnswer::allow(id("r1"));
    answer.by = Some("phone".into());
    play.answer(answer);
    let (status, running) = call(&play, "c1");
    let permission = running.permission.unwrap();
    assert_eq!(
        (status, permission.outcome),
        (ItemStatus::Running, PermissionOutcome::Allowed)
    );
    assert_eq!(permission.by, Some(person("phone")));
    assert_eq!(permission.changed_by, None);
    assert_eq!(
        running.started.0, play.now,
        "the time of the answer is not part of the call"
    );
    assert_eq!(running.original, None);
}

#[test]
fn a_denied_call_is_denied_not_failed() {
    let mut play = Play::new();
    runs(&mut play, "c1", "Bash", json!({"command": "touch x"}));
    play.says(ask("r1", "c1"));
    play.answer(AskAnswer::deny(id("r1"), "no"));
    came(&mut play, "c1", "no", json!("Error: no"), true);
    let (status, denied) = call(&play, "c1");
    assert_eq!(
        (status, denied.permission.unwrap().outcome),
        (ItemStatus::Denied, PermissionOutcome::Denied)
    );
}

#[test]
fn rules_modes_hooks_and_classifiers_are_named_as_deciders() {
    for (meta, by, outcome) in [
        (
            json!({"decision": "accept", "source": "config", "reason_type": "rule"}),
            Decider::Rule,
            PermissionOutcome::Allowed,
        ),
        (
            json!({"decision": "accept", "source": "config"}),
            Decider::Rule,
            PermissionOutcome::Allowed,
        ),
        (
            json!({"decision": "accept", "source": "config", "reason_type": "mode"}),
            Decider::Mode,
            PermissionOutcome::Allowed,
        ),
        (
            json!({"decision": "reject", "source": "hook", "reason_type": "hook"}),
            Decider::Hook,
            PermissionOutcome::Denied,
        ),
        (
            json!({"decision": "reject", "source": "config", "reason_type": "classifier"}),
            Decider::Classifier,
            PermissionOutcome::Denied,
        ),
        (
            json!({"decision": "accept", "source": "user_permanent", "reason_type": "rule"}),
            Decider::Person { sender: None },
            PermissionOutcome::Allowed,
        ),
    ] {
        let mut play = Play::new();
        runs(&mut play, "c1", "Bash", json!({"command": "x"}));
        let denied = outcome == PermissionOutcome::Denied;
        play.says(
            json!({"type": "user", "parent_tool_use_id": null, "message": {"role": "user", "content":
            [{"type": "tool_result", "tool_use_id": "c1", "content": "x", "is_error": denied}]},
            "tool_result_meta": [{"id": "c1", "permission_decision": meta}]}),
        );
        let (status, call) = call(&play, "c1");
        let permission = call.permission.unwrap();
        assert_eq!((permission.by, permission.outcome), (Some(by), outcome));
        assert_eq!(status, if denied { ItemStatus::Denied } else { ItemStatus::Done });
    }
    let mut play = Play::new();
    runs(&mut play, "c1", "Bash", json!({"command": "x"}));
    play.says(system(
        "permission_denied",
        json!({"tool_name": "Bash", "tool_use_id": "c1",
        "decision_reason_type": "rule", "message": "denied by Bash(x)"}),
    ));
    let permission = call(&play, "c1").1.permission.unwrap();
    assert_eq!(
        (permission.by, permission.reason.as_deref()),
        (Some(Decider::Rule), Some("denied by Bash(x)"))
    );
}

#[test]
fn a_hook_of_the_host_decides_and_changes_the_input() {
    let mut play = Play::new();
    runs(&mut play, "c1", "Bash", json!({"command": "rm x"}));
    play.says(
        json!({"type": "control_request", "request_id": "h1", "request": {"subtype": "hook_callback",
        "callback_id": "cb", "tool_use_id": "c1", "input": {}}}),
    );
    let answer = json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow",
        "permissionDecisionReason": "safe", "updatedInput": {"command": "rm -i x"}}});
    play.answer(AskAnswer::new(id("h1"), AskVerdict::Give(Raw::of(&answer))));
    let (_, call) = call(&play, "c1");
    let permission = call.permission.unwrap();
    assert_eq!(
        (permission.by, permission.changed_by),
        (Some(Decider::Hook), Some(Decider::Hook))
    );
    assert_eq!(permission.reason.as_deref(), Some("safe"));
    assert_eq!(call.card.subject, Subject::Command("rm -i x".into()));
    assert_eq!(call.original.unwrap().subject, Subject::Command("rm x".into()));
}

#[test]
fn a_call_that_a_person_stopped_is_cancelled_and_one_whose_process_died_is_interrupted() {
    let mut play = Play::new();
    runs(&mut play, "c1", "Bash", json!({"command": "x"}));
    came(&mut play, "c1", "stopped", json!("User rejected tool use"), true);
    assert_eq!(call(&play, "c1").0, ItemStatus::Cancelled);
    runs(&mut play, "c2", "Bash", json!({"command": "x"}));
    play.says(result());
    assert_eq!(call(&play, "c2").0, ItemStatus::Cancelled);
    runs(&mut play, "c3", "Bash", json!({"command": "x"}));
    play.dies();
    assert_eq!(call(&play, "c3").0, ItemStatus::Interrupted);
}

#[test]
fn a_command_in_the_background_is_done_when_its_task_is() {
    let mut play = Play::new();
    runs(
        &mut play,
        "c1",
        "Bash",
        json!({"command": "make", "run_in_background": true}),
    );
    play.says(system(
        "task_started",
        json!({"task_id": "b1", "tool_use_id": "c1", "task_type": "local_bash",
        "description": "make", "is_backgrounded": true}),
    ));
    came(
        &mut play,
        "c1",
        "running",
        json!({"stdout": "", "stderr": "", "backgroundTaskId": "b1"}),
        false,
    );
    let (status, running) = call(&play, "c1");
    assert_eq!(
        (status, running.task.unwrap().background),
        (ItemStatus::Background, true)
    );
    play.says(system(
        "task_notification",
        json!({"task_id": "b1", "tool_use_id": "c1", "status": "failed",
        "output_file": "/tmp/b1", "summary": "exit 2"}),
    ));
    assert_eq!(call(&play, "c1").0, ItemStatus::Failed);
    let item = last(&play);
    let ItemBody::TaskEnd(end) = item.body else { panic!() };
    assert_eq!(
        (&*end.task, end.output.as_deref(), &*end.subject),
        ("b1", Some("/tmp/b1"), "exit 2")
    );
    assert_eq!(end.call, play.state.item_of_call("c1").map(|item| item.id));
}

#[test]
fn what_a_subagent_does_has_its_call_as_parent() {
    let mut play = Play::new();
    runs(&mut play, "c1", "Agent", json!({"description": "look", "prompt": "p"}));
    let agent = play.state.item_of_call("c1").unwrap();
    for (block, ty) in [
        (json!({"type": "text", "text": "looking"}), "assistant"),
        (
            json!({"type": "tool_use", "id": "c2", "name": "Bash", "input": {"command": "ls"}}),
            "assistant",
        ),
        (json!({"type": "text", "text": "SUBTASK"}), "user"),
    ] {
        let mut said = assistant("m2", block);
        said["type"] = json!(ty);
        said["parent_tool_use_id"] = json!("c1");
        play.says(said);
        let item = last(&play);
        assert_eq!((item.parent, item.turn), (Some(agent.id), None));
    }
    play.says(system(
        "task_progress",
        json!({"task_id": "a1", "tool_use_id": "c1", "description": "look",
        "usage": {"total_tokens": 40, "tool_uses": 1, "duration_ms": 5}}),
    ));
    play.says(system(
        "task_started",
        json!({"task_id": "a1", "tool_use_id": "c1", "description": "look",
        "is_backgrounded": false, "task_type": "local_agent"}),
    ));
    let task = call(&play, "c1").1.task.unwrap();
    assert_eq!((task.tokens, task.calls, task.background), (40, 1, false));
}

#[test]
fn an_item_of_an_unseen_subagent_does_not_look_like_one_of_the_main_conversation() {
    let mut play = Play::new();
    let mut said = text("m", "who am I");
    said["parent_tool_use_id"] = json!("unseen");
    play.says(said);
    assert!(items(&play).iter().all(|item| item.parent.is_some()));
    came(&mut play, "unheard", "x", Value::Null, false);
    assert!(items(&play).iter().all(|item| item.call().is_none()));
}

#[test]
fn a_call_that_the_api_runs_itself_is_a_call() {
    let mut play = Play::new();
    play.says(assistant(
        "m",
        json!({"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "q"}}),
    ));
    let item = last(&play);
    let call = item.call().unwrap();
    assert_eq!(
        (item.status, &call.card.subject),
        (ItemStatus::Done, &Subject::Query("q".into()))
    );
    assert!(matches!(call.card.body, CardBody::Web(_)));
}
