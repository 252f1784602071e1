//! Turn N's request is a byte prefix of turn N+1's, cache marks apart.

use proptest::prelude::*;
use serde_json::{Value, json};
use sluice_model::{Cache, Message, Request};

const MARK: &str = r#","cache_control":{"type":"ephemeral"}"#;

fn text() -> impl Strategy<Value = String> {
    // Quotes, escapes, and the mark itself as somebody's words.
    prop_oneof![".{0,12}", Just(MARK.to_owned()), Just(String::new())]
}

fn block() -> impl Strategy<Value = Value> {
    prop_oneof![
        text().prop_map(|text| json!({"type": "text", "text": text})),
        text().prop_map(|text| json!({"type": "text", "text": text, "cache_control": {"type": "ephemeral"}})),
        text().prop_map(|text| json!({"type": "tool_result", "tool_use_id": "t", "content": text})),
        text().prop_map(|text| json!({"type": "tool_use", "id": "t", "name": "n", "input": {"z": text, "a": 1.5}})),
        text().prop_map(|text| json!({"type": "thinking", "thinking": text, "signature": "s"})),
    ]
}

fn message() -> impl Strategy<Value = Value> {
    let role = prop_oneof![Just("user"), Just("assistant")];
    let content = prop_oneof![
        proptest::collection::vec(block(), 0..4).prop_map(Value::Array),
        text().prop_map(Value::String),
    ];
    (role, content).prop_map(|(role, content)| json!({"role": role, "content": content}))
}

fn conversation() -> impl Strategy<Value = (Request, usize)> {
    let messages = proptest::collection::vec(message(), 1..12);
    let tools = proptest::collection::vec(text().prop_map(|name| json!({"name": name})), 0..3);
    let system = proptest::collection::vec(block(), 0..3);
    (messages, tools, system, any::<prop::sample::Index>()).prop_map(|(messages, tools, system, cut)| {
        let cut = cut.index(messages.len());
        let mut request = Request::new("claude-opus-5-5", messages);
        request.tools = tools;
        request.system = system;
        (request, cut)
    })
}

/// The request of an earlier turn of the same conversation.
fn earlier(request: &Request, length: usize) -> Request {
    let mut earlier = request.clone();
    earlier.messages.truncate(length);
    earlier
}

fn open(body: &[u8]) -> &[u8] {
    body.strip_suffix(b"]}").unwrap()
}

/// The real body with the marks cut out of its bytes. Inside a string the mark's quotes are escaped.
fn without_marks(request: &Request) -> String {
    String::from_utf8(request.body()).unwrap().replace(MARK, "")
}

proptest! {
    #[test]
    fn an_earlier_request_begins_a_later_one((request, cut) in conversation()) {
        let later = without_marks(&request);
        let earlier = without_marks(&earlier(&request, cut));
        prop_assert!(later.as_bytes().starts_with(open(earlier.as_bytes())), "{earlier}\n{later}");
    }

    #[test]
    fn marks_only_add((request, _) in conversation()) {
        prop_assert_eq!(without_marks(&request).into_bytes(), request.unmarked_body());
        let marks = String::from_utf8(request.body()).unwrap().matches(MARK).count();
        prop_assert!(marks <= 4, "{marks}");
        let mut off = request.clone();
        off.cache = Cache::Off;
        prop_assert_eq!(off.body(), request.unmarked_body());
    }
}

#[test]
fn three_turns_each_begin_the_next() {
    let said = |role: &str, text: &str| json!({"role": role, "content": text});
    let mut request = Request::new("claude-opus-5-5", vec![said("user", "one")]);
    request.system = vec![json!({"type": "text", "text": "be brief"})];
    request.tools = vec![json!({"name": "Read", "input_schema": {"type": "object"}})];
    let mut before = request.unmarked_body();
    for turn in ["two", "three"] {
        request
            .messages
            .extend([said("assistant", "ok"), said("user", turn)].map(Message::from));
        let body = request.unmarked_body();
        assert!(body.starts_with(open(&before)), "{turn}");
        assert!(body.len() > before.len());
        before = body;
    }
}
