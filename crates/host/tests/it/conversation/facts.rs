//! What else is known: calls, tasks, lists, costs, the session.

use serde_json::{Value, json};
use sluice_host::conversation::{CallState, EntryKind, OwnRequest, TaskState, What};
use sluice_wire::stdout::system::TaskOutcome;

use super::play::{Play, assistant, result, success, system, text, tool_result, tool_use};

fn costing(total: f64) -> Value {
    let mut result = result();
    result["total_cost_usd"] = json!(total);
    result
}

fn turn(play: &mut Play, result: Value) -> f64 {
    play.init();
    play.says(result);
    play.last_turn().cost.unwrap()
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

#[test]
fn a_turn_costs_the_difference_of_the_totals() {
    let mut play = Play::new();
    assert!(close(turn(&mut play, costing(0.25)), 0.25));
    assert!(close(turn(&mut play, costing(0.75)), 0.5));
    assert!(close(play.state.cost().total, 0.75));
}

#[test]
fn an_old_process_that_counts_from_nothing_again_is_not_free() {
    let mut play = Play::new();
    turn(&mut play, costing(0.25));
    play.dies();
    play.happens(What::Starting { resumed: true });
    play.happens(What::Up);
    assert!(close(turn(&mut play, costing(0.25)), 0.25));
    assert!(close(play.state.cost().total, 0.5));
}

#[test]
fn a_new_process_that_counts_on_is_not_charged_twice() {
    let mut play = Play::new();
    let counting = |total| {
        let mut result = costing(total);
        result["model_usage_since_last_result"] = json!({});
        result
    };
    turn(&mut play, counting(0.25));
    play.dies();
    play.happens(What::Starting { resumed: true });
    play.happens(What::Up);
    assert!(close(turn(&mut play, counting(0.75)), 0.5));
}

#[test]
fn calls_find_their_results_in_any_order() {
    let mut play = Play::new();
    play.init();
    play.says(tool_use("c1", "Read"));
    play.says(tool_use("c2", "Read"));
    play.says(tool_result("c2"));
    let mut failed = tool_result("c1");
    failed["message"]["content"][0]["is_error"] = json!(true);
    play.says(failed);
    let states: Vec<CallState> = play.state.calls().iter().map(|it| it.state).collect();
    assert_eq!(states, [CallState::Failed, CallState::Done]);
    let result = play.state.calls()[0].result.unwrap();
    assert_eq!(play.state.entries()[result].kind, EntryKind::Result);
}

#[test]
fn a_call_left_open_by_a_turn_is_dropped_with_it() {
    let mut play = Play::new();
    play.init();
    play.says(tool_use("c1", "Bash"));
    play.says(result());
    assert_eq!(play.state.calls()[0].state, CallState::Dropped);
}

#[test]
fn a_background_task_that_ends_says_so_once() {
    let mut play = Play::new();
    play.says(system(
        "task_started",
        json!({
            "task_id": "t1", "tool_use_id": "c1", "description": "build", "task_type": "local_bash",
            "is_backgrounded": true,
        }),
    ));
    play.says(system(
        "task_updated",
        json!({"task_id": "t1", "patch": {"status": "completed"}}),
    ));
    play.says(system(
        "task_notification",
        json!({"task_id": "t1", "status": "completed", "output_file": "/tmp/out", "summary": "built"}),
    ));
    play.says(system("background_tasks_changed", json!({"tasks": []})));
    let task = &play.state.tasks()[0];
    assert_eq!(task.state, TaskState::Ended(TaskOutcome::Completed));
    assert_eq!(
        (task.summary.as_deref(), task.output.as_deref()),
        (Some("built"), Some("/tmp/out"))
    );
    assert_eq!(play.state.tasks().len(), 1);
}

#[test]
fn a_command_an_old_agent_leaves_running_is_a_task() {
    let mut play = Play::new();
    play.init();
    play.says(tool_use("c1", "Bash"));
    let mut left = tool_result("c1");
    left["tool_use_result"] = json!({"stdout": "", "stderr": "", "interrupted": false, "backgroundTaskId": "b1"});
    play.says(left);
    play.says(result());
    assert!(play.state.tasks()[0].is_open());
    play.init();
    play.says(tool_use("c2", "TaskOutput"));
    let mut looked = tool_result("c2");
    looked["tool_use_result"] = json!({
        "retrieval_status": "success", "task": {"task_id": "b1", "task_type": "local_bash", "status": "completed"},
    });
    play.says(looked);
    assert_eq!(play.state.tasks()[0].state, TaskState::Ended(TaskOutcome::Completed));
    play.dies();
    assert_eq!(play.state.tasks().len(), 1);
}

#[test]
fn both_kinds_of_lists_of_things_to_do_are_followed() {
    let mut play = Play::new();
    play.init();
    play.says(tool_use("c1", "TodoWrite"));
    let mut written = tool_result("c1");
    written["tool_use_result"] = json!({
        "oldTodos": [], "newTodos": [{"content": "Build", "status": "in_progress", "activeForm": "Building"}],
    });
    play.says(written);
    let todo = &play.state.todos()[0];
    assert_eq!(
        (&*todo.subject, &*todo.status, todo.active.as_deref()),
        ("Build", "in_progress", Some("Building"))
    );

    let mut play = Play::new();
    play.init();
    for (call, name, input, outcome) in [
        (
            "c1",
            "TaskCreate",
            json!({"subject": "Build"}),
            json!({"task": {"id": "1", "subject": "Build"}}),
        ),
        (
            "c2",
            "TaskCreate",
            json!({"subject": "Test"}),
            json!({"task": {"id": "2", "subject": "Test"}}),
        ),
        (
            "c3",
            "TaskUpdate",
            json!({"taskId": "1", "status": "completed"}),
            json!({"success": true, "taskId": "1"}),
        ),
        (
            "c4",
            "TaskUpdate",
            json!({"taskId": "2", "status": "deleted"}),
            json!({"success": true, "taskId": "2"}),
        ),
    ] {
        play.says(assistant(
            "m",
            json!({"type": "tool_use", "id": call, "name": name, "input": input}),
        ));
        let mut done = tool_result(call);
        done["tool_use_result"] = outcome;
        play.says(done);
    }
    let todos: Vec<(&str, &str)> = play
        .state
        .todos()
        .iter()
        .map(|it| (&*it.subject, &*it.status))
        .collect();
    assert_eq!(todos, [("Build", "completed")]);
}

#[test]
fn the_session_is_what_was_said_last() {
    let mut play = Play::new();
    play.init();
    let session = play.state.session();
    assert_eq!(
        (session.id(), session.model.as_deref()),
        (Some("session"), Some("sonnet"))
    );
    assert_eq!(&*session.servers[0].name, "db");
    play.says(system("status", json!({"status": null, "permissionMode": "plan"})));
    assert_eq!(play.state.session().mode.as_ref().unwrap().as_str(), "plan");
    play.says(json!({
        "type": "conversation_reset", "new_conversation_id": "next", "trigger": "clear", "session_id": "session",
    }));
    assert_eq!(play.state.session().ids, ["session".into(), "next".into()]);
}

#[test]
fn what_initialize_says_of_commands_is_not_forgotten_by_a_list_of_names() {
    let mut play = Play::new();
    play.happens(What::Request(OwnRequest::new(
        "r1",
        sluice_wire::control::Initialize::default(),
    )));
    play.says(success(
        "r1",
        json!({
            "commands": [{"name": "compact", "description": "Sum up", "argumentHint": "[what]"}],
            "models": [{"value": "opus", "displayName": "Opus", "description": ""}],
        }),
    ));
    play.init();
    let commands = &play.state.session().commands;
    assert_eq!(commands[0].description.as_deref(), Some("Sum up"));
    assert_eq!(commands.len(), 2);
    assert_eq!(&*play.state.session().models[0].name, "Opus");
}

#[test]
fn the_context_is_as_full_as_the_last_request_of_the_main_conversation() {
    let mut play = Play::new();
    play.init();
    let mut answer = text("m1", "x");
    answer["message"]["usage"] = json!({"input_tokens": 10, "cache_read_input_tokens": 1000, "cache_creation_input_tokens": 90, "output_tokens": 5});
    play.says(answer);
    let mut inner = text("m2", "y");
    inner["parent_tool_use_id"] = json!("agent-1");
    inner["message"]["usage"] = json!({"input_tokens": 9});
    play.says(inner);
    assert_eq!(play.state.context().tokens, 1105);
    let mut end = result();
    end["modelUsage"] = json!({"sonnet": {"contextWindow": 200_000, "costUSD": 0.5}});
    play.says(end);
    assert_eq!(play.state.context().window, Some(200_000));
}

#[test]
fn what_nobody_knows_is_kept_and_counted() {
    let mut play = Play::new();
    play.says(json!({"type": "tomorrow", "x": 1}));
    play.says(system("brand_new", json!({"y": 2})));
    play.happens(What::Garbled("not json".into()));
    let drift = play.state.drift();
    assert_eq!((drift.unknown, drift.garbled), (2, 1));
    assert!(play.state.entries().iter().all(|it| it.kind == EntryKind::Unknown));
    assert!(play.state.entries()[0].line.contains("tomorrow"));
}

#[test]
fn a_message_that_comes_twice_is_in_the_conversation_once() {
    let mut play = Play::new();
    play.init();
    let mut once = text("m1", "hello");
    once["uuid"] = json!("u1");
    play.says(once.clone());
    play.says(once);
    assert_eq!(play.state.entries().len(), 1);
}
