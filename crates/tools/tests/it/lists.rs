use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_tools::find;

use crate::support::{Lab, said};

async fn create(lab: &Lab, subject: &str) {
    lab.call("TaskCreate", json!({"subject": subject, "description": "d"}))
        .await;
}

async fn update(lab: &Lab, input: Value) -> (String, Value) {
    let outcome = lab.call("TaskUpdate", input).await;
    assert_eq!(outcome.is_error, None);
    (said(&outcome).to_owned(), outcome.result)
}

async fn listed(lab: &Lab) -> String {
    said(&lab.call("TaskList", json!({})).await).to_owned()
}

#[tokio::test]
async fn the_todo_list_is_replaced_as_a_whole() {
    let lab = Lab::new();
    let todo = |status: &str| json!([{"content": "Task 0", "status": status, "activeForm": "Doing 0"}]);
    let outcome = lab.call("TodoWrite", json!({"todos": todo("in_progress")})).await;
    assert!(said(&outcome).starts_with("Todos have been modified successfully. "));
    assert_eq!(outcome.result, json!({"oldTodos": [], "newTodos": todo("in_progress")}));
    let outcome = lab.call("TodoWrite", json!({"todos": todo("completed")})).await;
    assert_eq!(
        outcome.result,
        json!({"oldTodos": todo("in_progress"), "newTodos": todo("completed")})
    );
    assert_eq!(serde_json::to_value(lab.cx.lists.todos()).unwrap(), todo("completed"));
    let bad = lab.call("TodoWrite", json!({"todos": todo("done")})).await;
    assert_eq!(bad.is_error, Some(true));
    assert_eq!(serde_json::to_value(lab.cx.lists.todos()).unwrap(), todo("completed"));
}

#[tokio::test]
async fn numbers_are_never_used_again() {
    let lab = Lab::new();
    create(&lab, "a").await;
    update(&lab, json!({"taskId": "1", "status": "deleted"})).await;
    create(&lab, "b").await;
    assert_eq!(listed(&lab).await, "#2 [pending] b");
    assert_eq!(lab.cx.lists.items().len(), 1);
}

#[tokio::test]
async fn dependencies_are_recorded_on_both_tasks() {
    let lab = Lab::new();
    for subject in ["a", "b", "c"] {
        create(&lab, subject).await;
    }
    assert_eq!(
        update(&lab, json!({"taskId": "1", "addBlocks": ["2", "#3"]})).await,
        (
            "Updated task #1 blocks".to_owned(),
            json!({"success": true, "taskId": "1", "updatedFields": ["blocks"]})
        )
    );
    update(&lab, json!({"taskId": "3", "addBlockedBy": ["2"]})).await;
    assert_eq!(
        listed(&lab).await,
        "#1 [pending] a\n#2 [pending] b [blocked by #1]\n#3 [pending] c [blocked by #1, #2]"
    );
    let first = lab.call("TaskGet", json!({"taskId": "1"})).await;
    assert_eq!(
        said(&first),
        "Task #1: a\nStatus: pending\nDescription: d\nBlocks: #2, #3"
    );
    assert_eq!(first.result["task"]["blocks"], json!(["2", "3"]));
    // a completed task blocks nothing, but the dependency is kept
    update(&lab, json!({"taskId": "1", "status": "completed"})).await;
    assert_eq!(
        listed(&lab).await,
        "#1 [completed] a\n#2 [pending] b\n#3 [pending] c [blocked by #2]"
    );
    let last = lab.call("TaskGet", json!({"taskId": "3"})).await;
    assert_eq!(last.result["task"]["blockedBy"], json!(["1", "2"]));
    update(&lab, json!({"taskId": "2", "status": "deleted"})).await;
    let last = lab.call("TaskGet", json!({"taskId": "3"})).await;
    assert_eq!(last.result["task"]["blockedBy"], json!(["1"]));
}

#[tokio::test]
async fn a_task_cannot_depend_on_itself() {
    let lab = Lab::new();
    for subject in ["a", "b", "c"] {
        create(&lab, subject).await;
    }
    update(&lab, json!({"taskId": "1", "addBlocks": ["2"]})).await;
    update(&lab, json!({"taskId": "2", "addBlocks": ["3"]})).await;
    for input in [
        json!({"taskId": "1", "addBlocks": ["1"]}),
        json!({"taskId": "3", "addBlocks": ["1"]}),
        json!({"taskId": "1", "addBlockedBy": ["3"], "subject": "changed"}),
        json!({"taskId": "2", "addBlocks": ["99"], "subject": "changed"}),
    ] {
        let (said, result) = update(&lab, input).await;
        assert_eq!(result["success"], false);
        assert_eq!(result["error"], said);
    }
    assert_eq!(
        listed(&lab).await,
        "#1 [pending] a\n#2 [pending] b [blocked by #1]\n#3 [pending] c [blocked by #2]"
    );
}

#[tokio::test]
async fn only_changes_are_reported() {
    let lab = Lab::new();
    create(&lab, "a").await;
    let (said, result) = update(
        &lab,
        json!({"taskId": "1", "subject": "b", "description": "d", "owner": "me", "activeForm": "b-ing", "metadata": {"k": 1}, "status": "in_progress"}),
    )
    .await;
    assert_eq!(said, "Updated task #1 subject, activeForm, owner, metadata, status");
    assert_eq!(result["statusChange"], json!({"from": "pending", "to": "in_progress"}));
    assert_eq!(listed(&lab).await, "#1 [in_progress] b (me)");
    let tasks = lab.call("TaskList", json!({})).await.result;
    assert_eq!(
        tasks.to_string(),
        r#"{"tasks":[{"id":"1","subject":"b","status":"in_progress","owner":"me","blockedBy":[]}]}"#
    );
    let (said, result) = update(
        &lab,
        json!({"taskId": "1", "status": "in_progress", "metadata": {"k": 1}}),
    )
    .await;
    assert_eq!(said, "Task #1 is as it was");
    assert_eq!(result, json!({"success": true, "taskId": "1", "updatedFields": []}));
    update(&lab, json!({"taskId": "1", "metadata": {"k": null, "l": 2}})).await;
    let item = lab.cx.lists.items().remove(0);
    assert_eq!(Value::Object(item.metadata), json!({"l": 2}));
}

#[test]
fn reads_run_in_parallel_and_changes_do_not() {
    for (name, safe) in [
        ("TaskGet", true),
        ("TaskList", true),
        ("TaskCreate", false),
        ("TaskUpdate", false),
        ("TodoWrite", false),
    ] {
        let tool = find(name).unwrap();
        assert_eq!(tool.concurrency_safe(&json!({})), safe, "{name}");
        assert!(!tool.descriptor().default, "{name}");
    }
}
