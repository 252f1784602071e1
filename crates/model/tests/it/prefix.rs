//! The request of a turn is a byte prefix of the request of the next turn, apart from cache marks.

use proptest::prelude::*;
use serde_json::{Value, json};
use sluice_model::{Cache, Message, Request};

const MARK: &str = r#","cache_control":{"type":"ephemeral"}"#;

fn text() -> impl Strategy<Value = String> {
    // Quotes, escapes, and the text of the mark itself.
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

/// Returns the request of an earlier turn of the same conversation.
fn earlier(request: &Request, length: usize) -> Request {
    let mut earlier = request.clone();
    earlier.messages.truncate(length);
    earlier
}

fn open(body: &[u8]) -> &[u8] {
    body.strip_suffix(b"]}").unwrap()
}

/// Returns the real body without the marks. Inside strings the quotes of a mark are escaped, so those remain.
fn without_marks(request: &Request) -> String {
    String::from_utf8(request.body()).unwrap().replace(MARK, "")
}

proptest! {
    #[test]
    fn earlier_request_is_a_prefix_of_a_later_one((request, cut) in conversation()) {
        let later = without_marks(&request);
        let earlier = without_marks(&earlier(&request, cut));
        prop_assert!(later.as_bytes().starts_with(open(earlier.as_bytes())), "{earlier}\n{later}");
    }

    #[test]
    fn marks_only_add_bytes((request, _) in conversation()) {
        prop_assert_eq!(without_marks(&request).into_bytes(), request.unmarked_body());
        let marks = String::from_utf8(request.body()).unwrap().matches(MARK).count();
        prop_assert!(marks <= 4, "{marks}");
        let mut off = request.clone();
        off.cache = Cache::Off;
        prop_assert_eq!(off.body(), request.unmarked_body());
    }
}

#[test]
fn each_of_three_turns_is_a_prefix_of_the_next() {
    let message_of = |role: &str, text: &str| json!({"role": role, "content": text});
    let mut request = Request::new("claude-opus-5-5", vec![message_of("user", "one")]);
    request.system = vec![json!({"type": "text", "text": "be brief"})];
    request.tools = vec![json!({"name": "Read", "input_schema": {"type": "object"}})];
    let mut before = request.unmarked_body();
    for turn in ["two", "three"] {
        request
            .messages
            .extend([message_of("assistant", "ok"), message_of("user", turn)].map(Message::from));
        let body = request.unmarked_body();
        assert!(body.starts_with(open(&before)), "{turn}");
        assert!(body.len() > before.len());
        before = body;
    }
}
