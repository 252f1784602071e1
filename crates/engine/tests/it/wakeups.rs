//! Prompts that the model schedules for later.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_simulator::{Reply, Script};

use crate::stage::Stage;

fn results(stage: &Stage) -> Vec<Value> {
    let users = stage.heard.iter().filter(|message| message["type"] == "user");
    users.map(|message| message["tool_use_result"].clone()).collect()
}

#[tokio::test(start_paused = true)]
async fn due_wakeup_starts_a_turn() {
    let wakeup = json!({"delaySeconds": 5, "reason": "r", "prompt": "look at the build"});
    let script = Script::new()
        .tool("ScheduleWakeup", wakeup)
        .text("Later")
        .text("The build is done");
    let mut stage = Stage::begin(script).await;
    stage.prompt("wait for the build").await;
    stage.result().await;
    let scheduled = &results(&stage)[0];
    assert_eq!(
        (&scheduled["clampedDelaySeconds"], &scheduled["wasClamped"]),
        (&json!(60), &json!(true))
    );
    stage.told();
    assert_eq!(stage.turn().await, "init assistant:text result:success");
    let origin = &stage.last("result:success")["origin"];
    assert_eq!(
        origin,
        &json!({"kind": "task-notification", "subkind": "scheduled-trigger"})
    );
    assert!(stage.said_to_model(3)[0].contains("look at the build"));
    assert_eq!(stage.end().await, 0);
}

#[tokio::test(start_paused = true)]
async fn recurring_job_starts_a_turn_each_time() {
    let script = Script::new()
        .tool("CronCreate", json!({"cron": "* * * * *", "prompt": "tick"}))
        .text("Scheduled")
        .text("One")
        .reply(Reply::text("Two"));
    let mut stage = Stage::begin(script).await;
    stage.prompt("go").await;
    for _ in 0..3 {
        stage.result().await;
    }
    let created = results(&stage)[0].clone();
    assert_eq!(
        (&created["humanSchedule"], &created["recurring"]),
        (&json!("every minute"), &json!(true))
    );
    stage.leave_now().await;
}

#[tokio::test]
async fn jobs_can_be_listed_deleted_and_rejected() {
    let script = Script::new()
        .tool(
            "CronCreate",
            json!({"cron": "0 9 * * 1-5", "prompt": "tick", "recurring": false}),
        )
        .tool("ScheduleWakeup", json!({"delaySeconds": 1200, "prompt": "wake"}))
        .tool(
            "CronCreate",
            json!({"cron": "0 9 * * *", "prompt": "tick", "durable": true}),
        )
        .tool("CronCreate", json!({"cron": "0 99 * * *", "prompt": "tick"}))
        .tool("CronDelete", json!({"id": "none"}))
        .tool("CronList", json!({}))
        .tool("ScheduleWakeup", json!({"stop": true}))
        .tool("CronList", json!({}))
        .text("Done");
    let mut stage = Stage::begin(script).await;
    stage.prompt("go").await;
    stage.result().await;
    let came = results(&stage);
    let refused: Vec<&str> = came[2..5].iter().map(|it| it.as_str().unwrap()).collect();
    assert!(refused[0].contains("not stored"), "{refused:?}");
    assert!(
        refused[1].contains("not a cron expression") && refused[2].contains("no scheduled job"),
        "{refused:?}"
    );
    let jobs = came[5]["jobs"].as_array().unwrap();
    assert_eq!(jobs.len(), 2);
    assert_eq!(jobs[0]["humanSchedule"], "on weekdays at 09:00");
    assert_eq!(came[6]["cancelledWakeups"], 1);
    assert_eq!(came[7]["jobs"].as_array().unwrap().len(), 1);
    stage.leave_now().await;
}
