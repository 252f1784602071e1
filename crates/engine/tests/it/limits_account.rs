//! Rate limits of a subscription.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_engine::Options;
use sluice_simulator::{Reply, Script};

use crate::stage::Stage;

const STATUS: &str = "anthropic-ratelimit-unified-status";

fn signed_in(options: &mut Options) {
    options.model.config.auth = sluice_model::Auth::Subscription("token".to_owned());
}

fn limited(reply: Reply, status: &str) -> Reply {
    reply
        .header(STATUS, status)
        .header("anthropic-ratelimit-unified-reset", "1900000000")
        .header("anthropic-ratelimit-unified-representative-claim", "five_hour")
        .header("anthropic-ratelimit-unified-5h-utilization", "0.91")
}

fn limits(stage: &Stage) -> Vec<Value> {
    let events = stage.heard.iter().filter(|it| it["type"] == "rate_limit_event");
    events.map(|event| event["rate_limit_info"].clone()).collect()
}

#[tokio::test]
async fn host_is_notified_of_changed_limits_once() {
    let script = Script::new()
        .reply(limited(Reply::text("One"), "allowed_warning"))
        .reply(limited(Reply::text("Two"), "allowed_warning"));
    let mut stage = Stage::with(script, signed_in).await;
    for prompt in ["one", "two"] {
        stage.prompt(prompt).await;
        stage.result().await;
    }
    let warning = json!({"status": "allowed_warning", "resetsAt": 1_900_000_000, "rateLimitType": "five_hour",
        "utilization": 0.91, "isUsingOverage": false});
    assert_eq!(limits(&stage), [warning]);
    stage.leave_now().await;
}

#[tokio::test]
async fn reached_limit_is_not_retried() {
    let script = Script::new()
        .reply(limited(Reply::error(429), "rejected"))
        .text("Later");
    let mut stage = Stage::with(script, signed_in).await;
    stage.prompt("go").await;
    let result = stage.result().await;
    assert_eq!(result["is_error"], true);
    assert_eq!(result["api_error_status"], 429);
    assert_eq!(
        result["result"],
        "You have reached your 5-hour limit · resets 2030-03-17 17:46 UTC"
    );
    assert_eq!(limits(&stage)[0]["status"], "rejected");
    let answer = stage.last("assistant:text");
    for message in [&result, answer] {
        assert_eq!(message["api_error"], "usage_limit_reached");
    }
    assert_eq!(answer["api_error_params"]["rate_limit_info"], limits(&stage)[0]);
    assert!(stage.heard.iter().all(|it| it["subtype"] != "api_retry"));
    stage.prompt("again").await;
    assert_eq!(stage.result().await["result"], "Later");
    assert_eq!(limits(&stage)[1], json!({"status": "allowed", "isUsingOverage": false}));
    stage.leave_now().await;
}

#[tokio::test]
async fn first_response_of_a_subscription_reports_its_limits() {
    let mut stage = Stage::with(Script::new().text("One").text("Two"), signed_in).await;
    for prompt in ["one", "two"] {
        stage.prompt(prompt).await;
        stage.result().await;
    }
    assert_eq!(limits(&stage), [json!({"status": "allowed", "isUsingOverage": false})]);
    stage.leave_now().await;
}

#[tokio::test]
async fn limits_of_a_key_or_a_gateway_token_are_not_reported() {
    for auth in [None, Some(sluice_model::Auth::Bearer("token".to_owned()))] {
        let script = Script::new().reply(limited(Reply::text("One"), "allowed_warning"));
        let mut stage = Stage::with(script, |options| {
            if let Some(auth) = auth {
                options.model.config.auth = auth;
            }
        })
        .await;
        stage.prompt("one").await;
        stage.result().await;
        assert_eq!(limits(&stage), [] as [Value; 0]);
        stage.leave_now().await;
    }
}
