//! Items that tell what the agent says about itself.

use std::time::Duration;

use serde_json::json;
use sluice_host::conversation::{OwnRequest, What};
use sluice_host::items::{
    HookStatus, ItemBody, ItemStatus, ModelChangeReason, NoticeKind, NoticeLevel, RateLimitStatus,
};
use sluice_wire::control::SetModel;

use super::{items, last, shown, spoken};
use crate::conversation::play::{Play, assistant, block_start, delta, message_start, success, system, text};

fn user(text: &str) -> serde_json::Value {
    json!({"type": "user", "message": {"role": "user", "content": text}, "parent_tool_use_id": null,
        "session_id": "session"})
}

#[test]
fn a_local_command_has_its_output() {
    let mut play = Play::new();
    play.says(user(
        "<command-name>/context</command-name>\n<command-args>all</command-args>",
    ));
    play.says(user("<local-command-stdout>12% used</local-command-stdout>"));
    let ItemBody::Command(command) = last(&play).body else {
        panic!()
    };
    assert_eq!((&*command.name, &*command.arguments), ("context", "all"));
    assert_eq!(command.output.as_deref(), Some("12% used"));
    // The text was streamed as if the model wrote it.
    for line in [message_start("m"), block_start(0), delta(0, "$0.42")] {
        play.says(line);
    }
    let mut said = assistant("m", json!({"type": "text", "text": "$0.42"}));
    said["message"]["model"] = json!("<synthetic>");
    said["local_command_run"] = json!({"command": "usage", "args": ""});
    play.says(said);
    let ItemBody::Command(command) = last(&play).body else {
        panic!()
    };
    assert_eq!((&*command.name, command.output.as_deref()), ("usage", Some("$0.42")));
    assert_eq!(items(&play).len(), 2);
    play.says(system("local_command_output", json!({"content": "more"})));
    let ItemBody::Command(command) = last(&play).body else {
        panic!()
    };
    assert_eq!((&*command.name, command.output.as_deref()), ("", Some("more")));
}

#[test]
fn a_compaction_is_one_item_with_its_summary() {
    let mut play = Play::new();
    play.init();
    play.says(system("status", json!({"status": "compacting"})));
    assert_eq!(last(&play).status, ItemStatus::Running);
    play.says(system("status", json!({"status": null})));
    let made = json!({"trigger": "manual", "pre_tokens": 900, "post_tokens": 90, "duration_ms": 1500});
    play.says(system("compact_boundary", json!({"compact_metadata": made})));
    let mut summary = user("This session is being continued from a previous conversation: all is well");
    summary["isSynthetic"] = json!(true);
    play.says(summary);
    let item = last(&play);
    let ItemBody::Compaction(compaction) = item.body else {
        panic!()
    };
    assert_eq!((item.status, compaction.manual), (ItemStatus::Done, true));
    assert_eq!((compaction.before, compaction.after), (Some(900), Some(90)));
    assert_eq!(compaction.duration, Some(Duration::from_millis(1500)));
    assert!(compaction.summary.unwrap().ends_with("all is well"));
}

#[test]
fn a_compaction_that_fails_says_why() {
    let mut play = Play::new();
    play.init();
    play.says(system("status", json!({"status": "compacting"})));
    play.says(system("status", json!({"status": null, "compact_error": "too long"})));
    let item = last(&play);
    let ItemBody::Compaction(compaction) = item.body else {
        panic!()
    };
    assert_eq!(
        (item.status, compaction.error.as_deref()),
        (ItemStatus::Failed, Some("too long"))
    );
}

fn retry(attempt: u64) -> serde_json::Value {
    system(
        "api_retry",
        json!({"attempt": attempt, "max_retries": 10, "retry_delay_ms": 500.5, "error_status": 529,
        "error": "overloaded"}),
    )
}

#[test]
fn retries_are_one_item_that_disappears_with_success() {
    let mut play = Play::new();
    play.init();
    play.says(retry(1));
    let first = last(&play);
    play.says(retry(2));
    let item = last(&play);
    let ItemBody::Retry(it) = &item.body else { panic!() };
    assert_eq!((item.id, it.attempt, it.max, it.status), (first.id, 2, 10, Some(529)));
    assert_eq!(it.next.0, play.now + 500);
    play.says(text("m1", "here"));
    assert_eq!(shown(&play), [(ItemStatus::Done, spoken("here"))]);
}

#[test]
fn the_last_retry_becomes_the_error() {
    let mut play = Play::new();
    play.init();
    play.says(retry(10));
    let before = last(&play);
    let mut failed = assistant("m", json!({"type": "text", "text": "API Error: overloaded"}));
    failed["message"]["model"] = json!("<synthetic>");
    failed["error"] = json!("overloaded");
    failed["is_api_error_message"] = json!(true);
    play.says(failed);
    let item = last(&play);
    let ItemBody::Error(error) = item.body else { panic!() };
    assert_eq!((item.id, item.status), (before.id, ItemStatus::Failed));
    assert_eq!(
        (&*error.text, error.kind.as_deref(), error.retries),
        ("API Error: overloaded", Some("overloaded"), 10)
    );
}

#[test]
fn a_limit_is_shown_when_it_is_near_and_again_when_it_is_free() {
    let mut play = Play::new();
    let limit = |status: &str, used: f64| {
        json!({"type": "rate_limit_event", "session_id": "s",
            "rate_limit_info": {"status": status, "rateLimitType": "five_hour", "utilization": used, "resetsAt": 99}})
    };
    play.says(limit("allowed", 0.1));
    assert!(items(&play).is_empty());
    play.says(limit("allowed_warning", 0.8));
    play.says(limit("allowed_warning", 0.9));
    let ItemBody::RateLimit(shown) = last(&play).body else {
        panic!()
    };
    assert_eq!(
        (shown.status, shown.used_percent, shown.resets_at),
        (RateLimitStatus::Warning, Some(90), Some(99))
    );
    assert_eq!(items(&play).len(), 1);
    play.says(limit("rejected", 1.0));
    play.says(limit("allowed", 0.0));
    assert_eq!(items(&play).len(), 3);
}

#[test]
fn notices_say_what_they_are_about() {
    let mut play = Play::new();
    for (line, kind, level, text) in [
        (
            system("informational", json!({"content": "hook said no", "level": "warning"})),
            NoticeKind::Message,
            NoticeLevel::Warning,
            "hook said no",
        ),
        (
            system(
                "informational",
                json!({"content": "for the model", "level": "info", "isMeta": true}),
            ),
            NoticeKind::Context,
            NoticeLevel::Info,
            "for the model",
        ),
        (
            system("notification", json!({"key": "k", "text": "look", "priority": "high"})),
            NoticeKind::Notification,
            NoticeLevel::Info,
            "look",
        ),
        (
            system(
                "memory_recall",
                json!({"mode": "select", "memories": [{"path": "/m/a.md", "scope": "user"}]}),
            ),
            NoticeKind::Memory,
            NoticeLevel::Info,
            "/m/a.md",
        ),
        (
            system(
                "files_persisted",
                json!({"files": [{"filename": "a.txt", "file_id": "f"}], "failed": []}),
            ),
            NoticeKind::FilesStored,
            NoticeLevel::Info,
            "a.txt",
        ),
        (
            system(
                "plugin_install",
                json!({"status": "failed", "name": "p", "error": "no such plugin"}),
            ),
            NoticeKind::Plugin,
            NoticeLevel::Error,
            "no such plugin",
        ),
        (
            system(
                "session_writes_lost",
                json!({"error_code": "ENOSPC", "lost": ["transcript"]}),
            ),
            NoticeKind::WritesLost,
            NoticeLevel::Error,
            "",
        ),
        (
            system("mirror_error", json!({"error": "gone", "key": null})),
            NoticeKind::MirrorFailed,
            NoticeLevel::Error,
            "gone",
        ),
        (
            system("worker_shutting_down", json!({"reason": "idle"})),
            NoticeKind::ShuttingDown,
            NoticeLevel::Info,
            "idle",
        ),
        (
            system(
                "model_refusal_no_fallback",
                json!({"original_model": "a", "content": "refused"}),
            ),
            NoticeKind::Refusal,
            NoticeLevel::Warning,
            "refused",
        ),
        (
            json!({"type": "tool_use_summary", "summary": "read 3 files", "session_id": "s"}),
            NoticeKind::Summary,
            NoticeLevel::Info,
            "read 3 files",
        ),
        (
            json!({"type": "conversation_reset", "new_conversation_id": "n"}),
            NoticeKind::Cleared,
            NoticeLevel::Info,
            "",
        ),
        (
            user("[Request interrupted by user]"),
            NoticeKind::Stopped,
            NoticeLevel::Info,
            "[Request interrupted by user]",
        ),
        (
            user("<task-notification>done</task-notification>"),
            NoticeKind::Context,
            NoticeLevel::Info,
            "<task-notification>done</task-notification>",
        ),
    ] {
        play.says(line);
        let ItemBody::Notice(notice) = last(&play).body else {
            panic!("{kind:?}: {:?}", last(&play))
        };
        assert_eq!((notice.kind, notice.level, &*notice.text), (kind, level, text));
    }
    play.says(json!({"type": "prompt_suggestion", "suggestion": "run it", "session_id": "s"}));
    assert_eq!(last(&play).body, ItemBody::Suggestion { text: "run it".into() });
}

#[test]
fn a_hook_runs_and_ends_as_one_item() {
    let mut play = Play::new();
    let hook = json!({"hook_id": "h1", "hook_name": "Stop:lint", "hook_event": "Stop"});
    play.says(system("hook_started", hook.clone()));
    let started = last(&play);
    assert_eq!(started.status, ItemStatus::Running);
    let mut ended = hook;
    ended["output"] = json!("2 problems");
    ended["exit_code"] = json!(1);
    ended["outcome"] = json!("error");
    play.says(system("hook_response", ended));
    let item = last(&play);
    let ItemBody::Hook(run) = item.body else { panic!() };
    assert_eq!(
        (item.id, item.status, run.outcome),
        (started.id, ItemStatus::Failed, HookStatus::Failed)
    );
    assert_eq!(
        (run.exit_code, &*run.output, &*run.name),
        (Some(1), "2 problems", "Stop:lint")
    );
}

#[test]
fn another_model_is_an_item_and_says_why() {
    let mut play = Play::new();
    play.init();
    play.says(system(
        "model_fallback",
        json!({"trigger": "overloaded", "original_model": "a", "fallback_model": "b",
        "content": "b answers now"}),
    ));
    let ItemBody::ModelChange(change) = last(&play).body else {
        panic!()
    };
    assert_eq!((change.from.as_deref(), change.to.as_deref()), (Some("a"), Some("b")));
    assert_eq!(
        (change.reason, &*change.text),
        (ModelChangeReason::Unavailable, "b answers now")
    );
    let request = OwnRequest::new(
        "r1",
        SetModel {
            model: Some("c".into()),
            ..SetModel::default()
        },
    );
    play.happens(What::Request(request));
    play.says(success("r1", json!({})));
    let ItemBody::ModelChange(change) = last(&play).body else {
        panic!()
    };
    assert_eq!((change.from.as_deref(), change.to.as_deref()), (Some("b"), Some("c")));
    assert_eq!(change.reason, ModelChangeReason::Chosen);
}
