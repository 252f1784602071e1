#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use serde_json::json;

use super::*;

fn read(value: &Value) -> EventKind {
    ModelEvent::read(value.to_string()).unwrap().kind
}

#[test]
fn raw_json_is_unchanged() {
    let text = r#"{ "type":"ping", "big": 18446744073709551616, "small": 1e400 }"#;
    assert_eq!(ModelEvent::read(text.to_owned()).unwrap().raw.get(), text);
}

#[test]
fn every_event_type_is_parsed() {
    let block = json!({"type": "text", "text": ""});
    for (wire, kind) in [
        (
            json!({"type": "message_start", "message": {"id": "m"}}),
            EventKind::MessageStart {
                message: json!({"id": "m"}),
            },
        ),
        (
            json!({"type": "content_block_start", "index": 1, "content_block": block}),
            EventKind::BlockStart { index: 1, block },
        ),
        (
            json!({"type": "content_block_stop", "index": 2}),
            EventKind::BlockStop { index: 2 },
        ),
        (
            json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 3}}),
            EventKind::MessageDelta {
                delta: json!({"stop_reason": "end_turn"}),
                usage: json!({"output_tokens": 3}),
            },
        ),
        (json!({"type": "message_stop"}), EventKind::MessageStop),
        (json!({"type": "ping"}), EventKind::Ping),
        (json!({"type": "from_the_future", "index": 0}), EventKind::Unknown),
    ] {
        assert_eq!(read(&wire), kind, "{wire}");
    }
}

#[test]
fn every_delta_type_is_parsed() {
    for (wire, delta) in [
        (json!({"type": "text_delta", "text": "a\n"}), Delta::Text("a\n".into())),
        (
            json!({"type": "thinking_delta", "thinking": "b"}),
            Delta::Thinking("b".into()),
        ),
        (
            json!({"type": "signature_delta", "signature": "c"}),
            Delta::Signature("c".into()),
        ),
        (
            json!({"type": "input_json_delta", "partial_json": "{"}),
            Delta::InputJson("{".into()),
        ),
        (
            json!({"type": "citations_delta", "citation": {"n": 1}}),
            Delta::Citations(json!({"n": 1})),
        ),
        (
            json!({"type": "new_delta", "x": 1}),
            Delta::Other(json!({"type": "new_delta", "x": 1})),
        ),
        (
            json!({"type": "text_delta"}),
            Delta::Other(json!({"type": "text_delta"})),
        ),
    ] {
        let event = json!({"type": "content_block_delta", "index": 4, "delta": wire});
        assert_eq!(read(&event), EventKind::Delta { index: 4, delta });
    }
}

#[test]
fn error_event_is_a_failure() {
    let text = r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    let failure = Failure::InStream {
        kind: "overloaded_error".into(),
        message: "Overloaded".into(),
    };
    assert_eq!(ModelEvent::read(text.to_owned()).unwrap_err(), failure);
}

#[test]
fn invalid_json_is_a_failure() {
    for text in ["", "[DONE]", "{", "42", r#"{"no":"type"}"#] {
        assert!(
            matches!(ModelEvent::read(text.to_owned()), Err(Failure::Protocol(_))),
            "{text}"
        );
    }
}

#[test]
fn lone_surrogate_is_replaced() {
    let text = r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a\ud83d b"}}"#;
    let event = ModelEvent::read(text.to_owned()).unwrap();
    assert_eq!(event.raw.get(), text);
    assert_eq!(
        event.kind,
        EventKind::Delta {
            index: 0,
            delta: Delta::Text("a\u{fffd} b".into())
        }
    );
}

#[test]
fn only_lone_surrogates_are_repaired() {
    for (text, want) in [
        (r"\ud83d\ude00 \\ud83d \n", None),
        (r"\ude00", Some(r"\ufffd")),
        (r"\ud83d\ud83d\ude00", Some(r"\ufffd\ud83d\ude00")),
        (r"\ud83dé\é", Some(r"\ufffdé\é")),
        (r"\u12", None),
        (r"\", None),
    ] {
        assert_eq!(repair_surrogates(text).as_deref(), want, "{text}");
    }
}
