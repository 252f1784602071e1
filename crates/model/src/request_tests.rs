#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use serde_json::json;

use super::*;

fn user(text: &str) -> Value {
    json!({"role": "user", "content": [{"type": "text", "text": text}]})
}

fn assistant(text: &str) -> Value {
    json!({"role": "assistant", "content": [{"type": "text", "text": text}]})
}

fn parsed(request: &Request) -> Value {
    serde_json::from_slice(&request.body()).unwrap()
}

/// Returns the positions of the marks, as JSON pointers to the marked blocks.
fn marks(request: &Request) -> Vec<String> {
    fn walk(value: &Value, path: &str, found: &mut Vec<String>) {
        match value {
            Value::Object(map) => {
                for (key, value) in map {
                    if key == "cache_control" {
                        found.push(path.to_owned());
                    }
                    walk(value, &format!("{path}/{key}"), found);
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    walk(item, &format!("{path}/{index}"), found);
                }
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    walk(&parsed(request), "", &mut found);
    found
}

#[test]
fn body_matches_the_api_and_ends_with_messages() {
    let mut request = Request::new("claude-opus-5-5", vec![json!({"role": "user", "content": "hi"})]);
    request.system = vec![json!({"type": "text", "text": "be brief"})];
    request.tools = vec![json!({"name": "Read", "input_schema": {"type": "object"}})];
    request.thinking = Thinking::Adaptive;
    request.thinking_display = Some("summarized".into());
    request.effort = Some("high".into());
    request.metadata = Some(json!({"user_id": "u"}));
    request.extra.insert("tool_choice".into(), json!({"type": "auto"}));
    request.cache = Cache::Off;
    let want = concat!(
        r#"{"model":"claude-opus-5-5","thinking":{"type":"adaptive","display":"summarized"},"max_tokens":128000,"#,
        r#""stream":true,"output_config":{"effort":"high"},"metadata":{"user_id":"u"},"tool_choice":{"type":"auto"},"#,
        r#""tools":[{"name":"Read","input_schema":{"type":"object"}}],"#,
        r#""system":[{"type":"text","text":"be brief"}],"#,
        r#""messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}]}"#,
    );
    assert_eq!(String::from_utf8(request.body()).unwrap(), want);
}

#[test]
fn output_tokens_are_limited_without_streaming() {
    let request = Request::new("claude-opus-5-5", Vec::<serde_json::Value>::new());
    let body: Value = serde_json::from_slice(&request.build_body(false, &Adjustments::default()).into_bytes()).unwrap();
    assert_eq!((&body["stream"], &body["max_tokens"]), (&json!(false), &json!(64000)));
}

#[test]
fn count_body_has_only_fields_that_affect_tokens() {
    let mut request = Request::new("claude-opus-5-5", vec![user("a")]);
    request.metadata = Some(json!({}));
    request.effort = Some("low".into());
    let body: Value = serde_json::from_slice(&request.count_body(&Adjustments::default()).into_bytes()).unwrap();
    assert_eq!(
        body.as_object().unwrap().keys().collect::<Vec<_>>(),
        ["model", "messages"]
    );
}

#[test]
fn budget_leaves_tokens_for_the_answer() {
    let mut request = Request::new("claude-sonnet-4-5", Vec::<serde_json::Value>::new());
    for (requested, sent) in [(1, 1024), (2000, 2000), (u32::MAX, 31999)] {
        request.thinking = Thinking::Budget(requested);
        assert_eq!(
            parsed(&request)["thinking"],
            json!({"type": "enabled", "budget_tokens": sent})
        );
    }
    request.thinking = Thinking::Off;
    assert_eq!(parsed(&request).get("thinking"), None);
}

#[test]
fn window_suffix_is_removed_from_the_name() {
    assert_eq!(
        parsed(&Request::new("claude-sonnet-4-5[1m]", Vec::<serde_json::Value>::new()))["model"],
        "claude-sonnet-4-5"
    );
}

#[test]
fn marks_are_at_the_ends_of_repeated_content() {
    let mut request = Request::new(
        "m",
        vec![
            user("a"),
            assistant("b"),
            user("c"),
            user("d"),
            assistant("e"),
            user("f"),
        ],
    );
    request.tools = vec![json!({"name": "A"}), json!({"name": "B"})];
    request.system = vec![
        json!({"type": "text", "text": "s"}),
        json!({"type": "text", "text": "t"}),
    ];
    let places = [
        "/tools/1",
        "/system/1",
        "/messages/3/content/0",
        "/messages/5/content/0",
    ];
    assert_eq!(marks(&request), places);
    request.messages.truncate(1);
    assert_eq!(marks(&request), ["/tools/1", "/system/1", "/messages/0/content/0"]);
    request.cache = Cache::Off;
    assert!(marks(&request).is_empty());
}

#[test]
fn earlier_mark_matches_the_last_mark_of_the_previous_request() {
    let mut request = Request::new("m", vec![user("a"), assistant("b"), user("c"), user("d")]);
    let last = marks(&request).pop().unwrap();
    request
        .messages
        .extend([assistant("e"), user("f"), user("g"), user("h")].map(Message::from));
    assert_eq!(marks(&request), [last, "/messages/7/content/0".to_owned()]);
}

#[test]
fn blocks_that_cannot_carry_a_mark_have_none() {
    let blocks = json!([
        {"type": "tool_result", "tool_use_id": "t", "content": "x"},
        {"type": "text", "text": ""},
        {"type": "thinking", "thinking": "x", "signature": "y"},
    ]);
    let request = Request::new("m", vec![json!({"role": "user", "content": blocks})]);
    assert_eq!(marks(&request), ["/messages/0/content/0"]);
    let request = Request::new("m", vec![json!({"role": "user", "content": ""})]);
    assert!(marks(&request).is_empty());
}

#[test]
fn marks_of_the_host_are_removed() {
    let marked = json!({"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}});
    let message = json!({"role": "user", "content": vec![marked; 6]});
    let request = Request::new("m", vec![message]);
    assert_eq!(marks(&request), ["/messages/0/content/5"]);
}

#[test]
fn cache_control_in_call_input_is_kept() {
    let input = json!({"cache_control": {"type": "ephemeral"}});
    let call = json!({"type": "tool_use", "id": "t", "name": "N", "input": input});
    let mut request = Request::new("m", vec![json!({"role": "assistant", "content": [call]})]);
    request.cache = Cache::Off;
    assert_eq!(parsed(&request)["messages"][0]["content"][0]["input"], input);
}

#[test]
fn one_hour_cache_is_requested_with_ttl() {
    let mut request = Request::new("m", vec![user("a")]);
    request.cache = Cache::Hour;
    assert_eq!(
        parsed(&request)["messages"][0]["content"][0]["cache_control"],
        json!({"type": "ephemeral", "ttl": "1h"})
    );
}
