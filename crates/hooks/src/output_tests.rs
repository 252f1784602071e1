#![allow(clippy::unwrap_used)]

use serde_json::json;

use super::*;

fn value(event: Event, value: &Value) -> HookAnswer {
    of_value(event, value).unwrap()
}

#[test]
fn exit_codes_mean_success_deny_and_failure() {
    let said = |code| of_program(Event::PreToolUse, "guard", code, "out", "err\n");
    assert_eq!(said(0), Ok(HookAnswer::default()));
    let denied = said(2).unwrap().permission.unwrap();
    assert_eq!(
        denied,
        (
            Permission::Deny,
            Block {
                reason: "err".into(),
                shown: "[guard]: err".into()
            }
        )
    );
    assert!(matches!(said(1), Err(Failure::Broken(_))));
}

#[test]
fn the_effect_of_exit_code_2_depends_on_the_event() {
    for event in Event::ALL {
        let answer = of_program(*event, "x", 2, "", "no").unwrap();
        let refused = answer.block.is_some() || answer.permission.is_some() || answer.decision.is_some();
        assert_eq!(refused, event.can_block(), "{event:?}");
        assert_eq!(answer.message.is_some(), !event.can_block(), "{event:?}");
    }
}

#[test]
fn plain_text_is_context_for_some_events() {
    let context = |event| of_text(event, " hello \n").unwrap().context;
    assert_eq!(context(Event::UserPromptSubmit).as_deref(), Some("hello"));
    assert_eq!(context(Event::SessionStart).as_deref(), Some("hello"));
    assert_eq!(context(Event::PreToolUse), None);
    let long = of_text(Event::SessionStart, &"ä".repeat(20_000))
        .unwrap()
        .context
        .unwrap();
    assert!(long.chars().count() < 10_200);
}

#[test]
fn all_output_fields_are_parsed() {
    let answer = value(
        Event::PreToolUse,
        &json!({"continue": false, "stopReason": "enough", "systemMessage": "look", "suppressOutput": true,
            "hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "ask",
                "permissionDecisionReason": "why", "updatedInput": {"a": 1}, "additionalContext": "ctx"}}),
    );
    assert_eq!(answer.halt.as_deref(), Some("enough"));
    assert_eq!(answer.message.as_deref(), Some("look"));
    assert!(answer.quiet);
    assert_eq!(answer.permission.unwrap(), (Permission::Ask, Block::plain("why")));
    assert_eq!(answer.updated_input, Some(json!({"a": 1})));
    assert_eq!(answer.context.as_deref(), Some("ctx"));

    let old = value(Event::PreToolUse, &json!({"decision": "approve"}));
    assert_eq!(old.permission.unwrap().0, Permission::Allow);
    let old = value(Event::PreToolUse, &json!({"decision": "block", "reason": "r"}));
    assert_eq!(old.permission.unwrap(), (Permission::Deny, Block::plain("r")));
    let stop = value(Event::Stop, &json!({"decision": "block", "reason": "r"}));
    assert_eq!(stop.block, Some(Block::plain("r")));
    let post = value(
        Event::PostToolUse,
        &json!({"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedMCPToolOutput": [1]}}),
    );
    assert_eq!(post.updated_output, Some(json!([1])));
    let asked = value(
        Event::PermissionRequest,
        &json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": {"behavior": "allow"}}}),
    );
    assert_eq!(asked.decision.unwrap().behavior, Behavior::Allow);
}

#[test]
fn of_two_decisions_the_stricter_one_counts() {
    let said = |decision: &str, word: &str| {
        let answer = value(
            Event::PreToolUse,
            &json!({"decision": decision,
                "hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": word}}),
        );
        answer.permission.unwrap().0
    };
    assert_eq!(said("block", "allow"), Permission::Deny);
    assert_eq!(said("approve", "deny"), Permission::Deny);
}

#[test]
fn invalid_output_is_a_failure_and_never_allows() {
    for bad in [
        json!({"hookSpecificOutput": {"hookEventName": "PostToolUse"}}),
        json!({"hookSpecificOutput": {"hookEventName": "Frob"}}),
        json!({"decision": "maybe"}),
        json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "surely"}}),
        json!({"continue": "no"}),
        json!([1]),
        json!("allow"),
    ] {
        assert!(
            matches!(of_value(Event::PreToolUse, &bad), Err(Failure::Broken(_))),
            "{bad}"
        );
    }
    assert!(of_text(Event::PreToolUse, "{\"decision\": ").is_err());
    assert_eq!(of_value(Event::PreToolUse, &Value::Null), Ok(HookAnswer::default()));
}

#[test]
fn the_reply_of_a_model_is_parsed() {
    let no = "I think: {\"ok\": false, \"reason\": \"tests fail\"}";
    assert_eq!(
        of_judgement(Event::Stop, no, false).unwrap().block,
        Some(Block::plain("tests fail"))
    );
    assert_eq!(of_judgement(Event::PostToolUse, no, true).unwrap().halt, None);
    assert_eq!(
        of_judgement(Event::PostToolUse, no, false).unwrap().halt.as_deref(),
        Some("tests fail")
    );
    assert_eq!(
        of_judgement(Event::Stop, "{\"ok\": true}", false),
        Ok(HookAnswer::default())
    );
    for bad in ["", "yes", "{\"ok\": 1}", "} {"] {
        assert!(of_judgement(Event::Stop, bad, false).is_err(), "{bad}");
    }
}
