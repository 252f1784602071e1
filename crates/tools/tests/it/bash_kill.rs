//! No process survives a call that was ended.

use std::time::Duration;

use serde_json::json;
use sluice_tools::{TaskStatus, find};

use crate::support::{Lab, is_alive, said};

/// Starts a shell, a child, a child in a separate session, and one that ignores signals and lacks our mark; prints
/// their ids.
const FAMILY: &str = r#"
sleep 1000 & one=$!
setsid sleep 1000 & two=$!
env -i PATH="$PATH" bash -c "trap '' TERM HUP INT; while :; do sleep 1000; done" & three=$!
echo $$ $one $two $three >gate
wait"#;

fn none_alive(pids: &[String]) {
    assert_eq!(pids.len(), 4, "{pids:?}");
    for pid in pids {
        assert!(!is_alive(pid), "{pid} of {pids:?} survived");
    }
}

#[tokio::test]
async fn cancelling_ends_every_descendant_and_the_call_at_once() {
    let lab = Lab::new();
    let gate = lab.gate("gate");
    let began = std::time::Instant::now();
    let (outcome, pids) = tokio::join!(lab.bash(FAMILY), async {
        let pids: Vec<String> = gate.said().await.split_whitespace().map(str::to_owned).collect();
        assert!(pids.iter().all(|pid| is_alive(pid)), "{pids:?}");
        lab.cx.cancel.cancel();
        pids
    });
    assert!(outcome.interrupted);
    assert_eq!(outcome.is_error, Some(true));
    none_alive(&pids);
    assert!(began.elapsed() < Duration::from_secs(10));
    assert!(lab.cx.tasks.running().is_empty());
}

#[tokio::test]
async fn dropping_the_call_ends_the_command() {
    let lab = Lab::new();
    let gate = lab.gate("gate");
    let pids: Vec<String> = {
        let call = lab.bash(FAMILY);
        tokio::select! {
            outcome = call => panic!("ended by itself: {outcome:?}"),
            said = gate.said() => said.split_whitespace().map(str::to_owned).collect(),
        }
    };
    for task in lab.cx.tasks.running() {
        assert_eq!(lab.cx.tasks.wait(&task.id).await.unwrap().status, TaskStatus::Killed);
    }
    none_alive(&pids);
}

#[tokio::test]
async fn killing_a_background_task_ends_every_descendant() {
    let lab = Lab::new();
    let gate = lab.gate("gate");
    let outcome = lab
        .call("Bash", json!({"command": FAMILY, "run_in_background": true}))
        .await;
    let id = outcome.result["backgroundTaskId"].as_str().unwrap();
    let pids: Vec<String> = gate.said().await.split_whitespace().map(str::to_owned).collect();
    let task = lab.cx.tasks.kill(id).await.unwrap();
    assert_eq!(task.status, TaskStatus::Killed);
    none_alive(&pids);
}

#[tokio::test]
async fn a_stopped_command_can_be_cancelled() {
    let lab = Lab::new();
    let gate = lab.gate("gate");
    let (outcome, pid) = tokio::join!(lab.bash("echo $$ >gate; kill -STOP $$; echo never"), async {
        let pid = gate.said().await;
        lab.cx.cancel.cancel();
        pid
    });
    assert!(outcome.interrupted);
    assert!(!is_alive(&pid));
}

#[tokio::test]
async fn output_before_a_cancel_is_kept() {
    let lab = Lab::new();
    let gate = lab.gate("gate");
    let (outcome, ()) = tokio::join!(lab.bash("echo begun; echo x >gate; sleep 1000; touch late"), async {
        gate.said().await;
        lab.cx.cancel.cancel();
    });
    assert!(said(&outcome).contains("begun"), "{}", said(&outcome));
    assert!(!lab.work.join("late").exists());
}

#[tokio::test]
async fn a_cancelled_call_does_not_start() {
    let lab = Lab::new();
    lab.cx.cancel.cancel();
    assert!(lab.bash("touch made").await.interrupted);
    assert!(!lab.work.join("made").exists());
}

#[tokio::test]
async fn dropping_the_session_ends_its_background_tasks() {
    let lab = Lab::new();
    let gate = lab.gate("gate");
    lab.call(
        "Bash",
        json!({"command": "echo $$ >gate; exec sleep 1000", "run_in_background": true}),
    )
    .await;
    let pid = gate.said().await;
    assert!(is_alive(&pid));
    let mut events = lab.events;
    drop(lab.cx);
    // the last event is sent when the command has ended; then the channel closes
    while events.recv().await.is_some() {}
    assert!(!is_alive(&pid));
}

/// Runs itself again as the victim: with a folder in the environment, it is the session that is killed.
#[tokio::test]
async fn killing_our_process_kills_every_descendant() {
    const VICTIM: &str = "SLUICE_TEST_VICTIM";
    if let Some(folder) = std::env::var_os(VICTIM) {
        let lab = Lab::new();
        lab.cx.cwd.set(folder);
        let outcome = lab.bash(FAMILY).await;
        panic!("ended by itself: {outcome:?}");
    }
    let lab = Lab::new();
    let gate = lab.gate("gate");
    let mut victim = tokio::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "bash_kill::killing_our_process_kills_every_descendant"])
        .env(VICTIM, &lab.work)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let pids: Vec<String> = gate.said().await.split_whitespace().map(str::to_owned).collect();
    assert!(pids.iter().all(|pid| is_alive(pid)), "{pids:?}");
    victim.kill().await.unwrap();
    // the supervisor is not our child here, so the only evidence is that the processes are gone
    let gone = tokio::time::timeout(Duration::from_secs(20), async {
        while pids.iter().any(|pid| is_alive(pid)) {
            tokio::task::yield_now().await;
        }
    });
    gone.await.unwrap_or_else(|_| none_alive(&pids));
}

#[tokio::test]
async fn a_background_task_survives_the_cancelling_of_its_call() {
    let lab = Lab::new();
    let gate = lab.gate("gate");
    let input = json!({"command": "read line <gate; echo $line", "run_in_background": true});
    let outcome = find("Bash").unwrap().run(input, &lab.cx).await;
    lab.cx.cancel.cancel();
    gate.open().await;
    let task = lab
        .cx
        .tasks
        .wait(outcome.result["backgroundTaskId"].as_str().unwrap())
        .await
        .unwrap();
    assert_eq!(task.status, TaskStatus::Completed);
    assert_eq!(std::fs::read_to_string(task.output_file.unwrap()).unwrap(), "go\n");
}
