//! Commands as tasks: announced, moved, listed, ended. The clock is paused, so it advances to the next timer when all
//! tasks wait.

use pretty_assertions::assert_eq;
use serde_json::json;
use sluice_tools::{TaskStatus, ToolEvent};

use crate::support::{Lab, said};

#[tokio::test]
async fn a_background_command_is_listed_and_its_end_reported() {
    let mut lab = Lab::new();
    let gate = lab.gate("gate");
    let outcome = lab
        .call("Bash", json!({"command": "echo one; read line <gate; echo bg done", "description": "run", "run_in_background": true}))
        .await;
    let id = outcome.result["backgroundTaskId"].as_str().unwrap().to_owned();
    assert_eq!(
        outcome.result,
        json!({"stdout": "", "stderr": "", "interrupted": false, "isImage": false, "noOutputExpected": false, "backgroundTaskId": id})
    );
    assert!(said(&outcome).starts_with(&format!(
        "Command running in background with ID: {id}. Output is being writ"
    )));
    assert!(
        id.len() == 9
            && id.starts_with('b')
            && id
                .chars()
                .all(|digit| digit.is_ascii_lowercase() || digit.is_ascii_digit())
    );
    let Some(ToolEvent::TaskStarted {
        task,
        is_backgrounded: true,
    }) = lab.events.recv().await
    else {
        panic!("no start")
    };
    assert_eq!(
        (task.id.as_str(), task.call_id.as_str(), task.description.as_str()),
        (id.as_str(), "toolu_01", "run")
    );
    assert_eq!(lab.cx.tasks.list(), [task]);
    gate.open().await;
    let Some(ToolEvent::TaskEnded {
        task,
        is_backgrounded: true,
        status: TaskStatus::Completed,
        summary,
        ..
    }) = lab.events.recv().await
    else {
        panic!("no end")
    };
    assert_eq!(summary, "Background command \"run\" completed (exit code 0)");
    assert_eq!(
        std::fs::read_to_string(task.output_file.unwrap()).unwrap(),
        "one\nbg done\n"
    );
    assert!(lab.cx.tasks.list().is_empty());
    assert_eq!(lab.cx.tasks.get(&id).unwrap().exit_code, Some(0));
}

#[tokio::test]
async fn even_an_instant_command_is_a_background_task() {
    let mut lab = Lab::new();
    let outcome = lab
        .call("Bash", json!({"command": "exit 7", "run_in_background": true}))
        .await;
    assert!(outcome.result["backgroundTaskId"].is_string());
    assert!(matches!(
        lab.events.recv().await,
        Some(ToolEvent::TaskStarted {
            is_backgrounded: true,
            ..
        })
    ));
    let Some(ToolEvent::TaskEnded {
        status, summary, task, ..
    }) = lab.events.recv().await
    else {
        panic!("no end")
    };
    assert_eq!(
        (status, status.as_notification(), task.exit_code),
        (TaskStatus::Failed, "failed", Some(7))
    );
    assert_eq!(summary, "Background command \"exit 7\" failed with exit code 7");
}

#[tokio::test]
async fn stopping_a_task_is_reported_before_it_returns() {
    let mut lab = Lab::new();
    let outcome = lab
        .call(
            "Bash",
            json!({"command": "sleep 1000", "description": "run", "run_in_background": true}),
        )
        .await;
    let id = outcome.result["backgroundTaskId"].as_str().unwrap();
    assert!(matches!(lab.events.try_recv(), Ok(ToolEvent::TaskStarted { .. })));
    let task = lab.cx.tasks.kill(id).await.unwrap();
    let Ok(ToolEvent::TaskEnded { status, summary, .. }) = lab.events.try_recv() else {
        panic!("not told")
    };
    assert_eq!(
        (task.status.as_str(), status.as_notification(), summary.as_str()),
        ("killed", "stopped", "run")
    );
    assert!(lab.cx.tasks.kill("bogus").await.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_timed_out_command_continues_in_the_background() {
    let mut lab = Lab::new();
    let gate = lab.gate("gate");
    let input = json!({"command": "echo early; echo x >begun; read line <gate; echo late", "description": "run", "timeout": 1000});
    let begun = lab.gate("begun");
    let (outcome, _) = tokio::join!(lab.call("Bash", input), begun.said());
    let id = outcome.result["backgroundTaskId"].as_str().unwrap().to_owned();
    assert_eq!(outcome.result["timedOutAfterMs"], 1000);
    assert_eq!(outcome.is_error, Some(false));
    assert!(matches!(
        lab.events.recv().await,
        Some(ToolEvent::TaskStarted {
            is_backgrounded: true,
            ..
        })
    ));
    gate.open().await;
    let task = lab.cx.tasks.wait(&id).await.unwrap();
    assert_eq!(task.status, TaskStatus::Completed);
    assert_eq!(
        std::fs::read_to_string(task.output_file.unwrap()).unwrap(),
        "early\nlate\n",
        "nothing is lost by the move"
    );
}

#[tokio::test(start_paused = true)]
async fn a_sleeping_command_is_killed_at_its_timeout() {
    let lab = Lab::new();
    let input = json!({"command": "sleep 1000; touch late", "description": "run", "timeout": 1000});
    let outcome = lab.call("Bash", input).await;
    assert_eq!(outcome.is_error, Some(true));
    let told = outcome.content.to_string();
    assert!(told.contains("Command timed out after 1s"), "{told}");
    assert!(lab.cx.tasks.running().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_slow_foreground_command_is_announced_and_its_end_reported() {
    let mut lab = Lab::new();
    let gate = lab.gate("gate");
    let input = json!({"command": "read line <gate; echo $line", "description": "run", "timeout": 600_000});
    let cx = lab.cx.clone();
    let call = tokio::spawn(async move { sluice_tools::find("Bash").unwrap().run(input, &cx).await });
    let Some(ToolEvent::TaskStarted {
        task,
        is_backgrounded: false,
    }) = lab.events.recv().await
    else {
        panic!("no start")
    };
    assert_eq!(
        lab.events.recv().await,
        Some(ToolEvent::Progress {
            call_id: "toolu_01".into(),
            elapsed_seconds: 30
        })
    );
    assert_eq!(
        lab.events.recv().await,
        Some(ToolEvent::Progress {
            call_id: "toolu_01".into(),
            elapsed_seconds: 60
        })
    );
    assert!(lab.cx.tasks.list().is_empty(), "not in the background");
    // from here on time follows the command
    tokio::time::resume();
    gate.open().await;
    let outcome = call.await.unwrap();
    assert_eq!(said(&outcome), "go");
    let ended = loop {
        match lab.events.try_recv().unwrap() {
            ToolEvent::Progress { .. } => {}
            other => break other,
        }
    };
    let ToolEvent::TaskEnded {
        task: at_the_end,
        is_backgrounded: false,
        status: TaskStatus::Completed,
        summary,
        ..
    } = ended
    else {
        panic!("{ended:?}")
    };
    assert_eq!(
        (at_the_end.id, summary.as_str(), at_the_end.output_file),
        (task.id, "run", None)
    );
}

#[tokio::test]
async fn a_foreground_command_can_be_sent_to_the_background() {
    let lab = Lab::new();
    let (begun, gate) = (lab.gate("begun"), lab.gate("gate"));
    let command = format!("echo x >{}; read line <gate; echo done", begun.path().display());
    let (outcome, asked) = tokio::join!(lab.bash(&command), async {
        begun.said().await;
        (
            lab.cx.tasks.background(Some("another")),
            lab.cx.tasks.background(Some("toolu_01")),
        )
    });
    assert_eq!(asked, (0, 1));
    assert_eq!(outcome.result["backgroundedByUser"], true);
    gate.open().await;
    let task = lab
        .cx
        .tasks
        .wait(outcome.result["backgroundTaskId"].as_str().unwrap())
        .await
        .unwrap();
    assert_eq!(std::fs::read_to_string(task.output_file.unwrap()).unwrap(), "done\n");
}

#[tokio::test]
async fn a_background_command_without_output_file_is_killed() {
    let mut lab = Lab::new();
    lab.cx.output_dir = lab.file("blocked", "a file, not a folder");
    let outcome = lab
        .call("Bash", json!({"command": "sleep 1000", "run_in_background": true}))
        .await;
    assert_eq!(outcome.is_error, Some(true));
    assert!(said(&outcome).contains("cannot be saved"), "{}", said(&outcome));
    assert!(lab.cx.tasks.running().is_empty());
}
