//! Rules that are never offered with a permission request.

use serde_json::json;
use sluice_permission::ReasonKind;

use crate::suggestions::{line, offered};
use crate::world::world;

#[test]
fn what_cannot_be_checked_offers_nothing() {
    let w = world();
    for command in [
        "echo $(whoami)",
        "echo z=$ZZ",
        "kill -9 $$",
        "for i in $(seq 1 6000); do echo line-$i; done",
        "for i in $(seq 1 14); do echo $i; sleep 5; done",
        "for i in 1 2 3 4 5; do echo $i; sleep 1; done",
    ] {
        line(&w, command, json!([]), None, Some(ReasonKind::Other));
    }
}

#[test]
fn an_ask_rule_offers_nothing_at_all() {
    let w = world().allow("Bash").ask("Bash(aaa:*)");
    line(&w, "aaa b", json!("absent"), None, Some(ReasonKind::Rule));
    line(
        &w,
        "bbb && aaa",
        json!("absent"),
        None,
        Some(ReasonKind::SubcommandResults),
    );
    w.allows("bbb");
}

#[test]
fn never_a_whole_interpreter_wrapper_or_runner() {
    for command in [
        "git",
        "python3",
        "bash",
        "sudo",
        "npx",
        "python3 foo",
        "bash foo",
        "env foo",
        "npx foo",
        "timeout foo",
        "xargs rm",
        "uv run x",
        "npm exec x",
        "rm x",
    ] {
        let decision = world().bash(command);
        let text = offered(&decision).to_string();
        assert!(!text.contains('*'), "{command}: {text}");
    }
}

/// Changelog 2.1.223: what people cannot see they are not offered to allow.
#[test]
fn changelog_2_1_223_hidden_text_is_shown_and_never_offered() {
    let decision = world().bash("ls\u{202e}x \u{200b}&& aaa");
    assert_eq!(offered(&decision), json!([]));
    assert!(decision.reason.text.unwrap().contains("\\u{202e}"));
    assert_eq!(sluice_permission::shell::caps::visible("a\u{200b}b"), "a\\u{200b}b");
}

#[test]
fn find_that_removes_offers_nothing() {
    line(
        &world(),
        "find . -name '*.o' -delete",
        json!([]),
        None,
        Some(ReasonKind::Other),
    );
    line(
        &world(),
        "find . -delete",
        json!([]),
        None,
        Some(ReasonKind::SafetyCheck),
    );
}
