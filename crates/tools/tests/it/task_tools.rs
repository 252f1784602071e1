use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{Lab, said};

async fn started(lab: &Lab, command: &str) -> String {
    let input = json!({"command": command, "description": "run", "run_in_background": true});
    let outcome = lab.call("Bash", input).await;
    outcome.result["backgroundTaskId"].as_str().unwrap().to_owned()
}

async fn output(lab: &Lab, id: &str, block: bool, timeout: u64) -> (String, Value) {
    let outcome = lab
        .call("TaskOutput", json!({"task_id": id, "block": block, "timeout": timeout}))
        .await;
    (said(&outcome).to_owned(), outcome.result)
}

#[tokio::test]
async fn output_and_stop_of_a_running_task_are_as_recorded() {
    let lab = Lab::new();
    let gate = lab.gate("begun");
    let command = format!("echo one; echo go > {}; sleep 600", gate.path().display());
    let id = started(&lab, &command).await;
    gate.said().await;
    let task = |status: &str, output: &str, code: Value| json!({"task_id": id, "task_type": "local_bash", "status": status, "description": "run", "output": output, "exitCode": code});
    // output may not have reached the file yet
    let (told, result) = loop {
        let (told, result) = output(&lab, &id, false, 1000).await;
        if result["task"]["output"] != "" {
            break (told, result);
        }
        tokio::task::yield_now().await;
    };
    assert_eq!(
        result,
        json!({"retrieval_status": "not_ready", "task": task("running", "one\n", Value::Null)})
    );
    assert_eq!(
        told,
        format!(
            "<retrieval_status>not_ready</retrieval_status>\n\n<task_id>{id}</task_id>\n\n<task_type>local_bash</task_type>\n\n<status>running</status>\n\n<output>\none\n</output>"
        )
    );
    let (_, result) = output(&lab, &id, true, 0).await;
    assert_eq!(result["retrieval_status"], "timeout");
    let stopped = lab.call("TaskStop", json!({"task_id": id})).await;
    let expected = json!({
        "message": format!("Successfully stopped task: {id} ({command})"),
        "task_id": id,
        "task_type": "local_bash",
        "command": command,
    });
    assert_eq!((&stopped.result, stopped.is_error), (&expected, None));
    assert_eq!(said(&stopped), expected.to_string());
    let (_, result) = output(&lab, &id, true, 1000).await;
    assert_eq!(
        (&result["retrieval_status"], &result["task"]["status"]),
        (&json!("success"), &json!("killed"))
    );
    let again = lab.vet("TaskStop", &json!({"shell_id": id})).await.unwrap();
    assert_eq!(
        said(&again),
        format!("<tool_use_error>Task {id} is not running (status: killed)</tool_use_error>")
    );
}

#[tokio::test]
async fn the_end_is_waited_for() {
    let lab = Lab::new();
    let gate = lab.gate("go");
    let id = started(&lab, &format!("cat {}; exit 3", gate.path().display())).await;
    let (ended, ()) = tokio::join!(output(&lab, &id, true, 60_000), gate.open());
    assert_eq!(
        ended.1,
        json!({"retrieval_status": "success", "task": {"task_id": id, "task_type": "local_bash", "status": "failed", "description": "run", "output": "go\n", "exitCode": 3}})
    );
    assert!(ended.0.contains("<exit_code>3</exit_code>"));
}

#[tokio::test]
async fn the_end_of_long_output_is_shown() {
    let lab = Lab::new();
    let id = started(&lab, "seq 1 20000").await;
    let (told, result) = output(&lab, &id, true, 60_000).await;
    let shown = result["task"]["output"].as_str().unwrap();
    assert!(
        shown.starts_with("[The beginning is left out; all 108894 bytes are in "),
        "{}",
        &shown[..80]
    );
    assert!(shown.ends_with("\n19999\n20000\n"));
    assert!(told.len() < 31_000);
}

#[tokio::test]
async fn unknown_tasks_are_refused_as_recorded() {
    let lab = Lab::new();
    for (tool, input) in [
        ("TaskStop", json!({"task_id": "bogus"})),
        ("TaskStop", json!({"shell_id": "bogus"})),
        ("KillShell", json!({"shell_id": "bogus"})),
        (
            "TaskOutput",
            json!({"task_id": "bogus", "block": false, "timeout": 1000}),
        ),
    ] {
        let outcome = lab.vet(tool, &input).await.unwrap();
        assert_eq!(
            said(&outcome),
            "<tool_use_error>No task found with ID: bogus</tool_use_error>"
        );
        assert_eq!(outcome.result, "Error: No task found with ID: bogus");
        assert_eq!(outcome, lab.call(tool, input).await);
    }
    let nothing = lab.call("TaskStop", json!({})).await;
    assert!(said(&nothing).starts_with("<tool_use_error>Say which task to stop"));
}

#[tokio::test]
async fn waiting_can_be_interrupted() {
    let lab = Lab::new();
    let id = started(&lab, "sleep 600").await;
    let (outcome, ()) = tokio::join!(
        lab.call("TaskOutput", json!({"task_id": id, "block": true, "timeout": 600_000})),
        async { lab.cx.cancel.cancel() }
    );
    assert!(outcome.interrupted);
    lab.cx.tasks.kill_all().await;
}
