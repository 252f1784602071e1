#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::time::Duration;

use pretty_assertions::assert_eq;
use serde_json::json;

use super::{Beat, Envelope, beats, halves, whole, words};
use crate::script::Reply;

fn envelope() -> Envelope {
    Envelope {
        id: "msg_t_1".into(),
        model: json!("m"),
        call_prefix: "toolu_t_1".into(),
    }
}

fn names(reply: &Reply) -> Vec<String> {
    let name = |beat: Beat| match beat {
        Beat::Event(name, _) => name.to_owned(),
        Beat::Wait(time) => format!("wait {}", time.as_millis()),
        Beat::Gate(name) => format!("gate {name}"),
        Beat::Cut => "cut".to_owned(),
    };
    beats(reply, &envelope()).into_iter().map(name).collect()
}

#[test]
fn words_keep_the_spaces_after_them() {
    assert_eq!(words("one  two\nthree "), ["one  ", "two\n", "three "]);
    assert_eq!(words(" lead"), [" ", "lead"]);
    assert_eq!(words(""), Vec::<&str>::new());
}

#[test]
fn halves_are_counted_in_characters() {
    assert_eq!(halves("äöü"), ("ä", "öü"));
    assert_eq!(halves(""), ("", ""));
    assert_eq!(halves("x"), ("", "x"));
}

#[test]
fn a_call_streams_its_input_in_two_halves() {
    let reply = Reply::tool_with_id("toolu_01", "Bash", json!({"command": "ls"}));
    let deltas: Vec<_> = beats(&reply, &envelope())
        .into_iter()
        .filter_map(|beat| match beat {
            Beat::Event("content_block_delta", data) => Some(data["delta"]["partial_json"].clone()),
            _ => None,
        })
        .collect();
    assert_eq!(deltas, [json!("{\"comman"), json!("d\": \"ls\"}")]);
}

#[test]
fn thinking_ends_with_its_signature_even_if_it_is_empty() {
    let kinds = |reply: &Reply| -> Vec<String> {
        beats(reply, &envelope())
            .iter()
            .filter_map(|beat| match beat {
                Beat::Event("content_block_delta", data) => Some(data["delta"]["type"].as_str().unwrap().to_owned()),
                _ => None,
            })
            .collect()
    };
    assert_eq!(
        kinds(&Reply::thinking("ab")),
        ["thinking_delta", "thinking_delta", "signature_delta"]
    );
    assert_eq!(kinds(&Reply::thinking("")), ["signature_delta"]);
}

#[test]
fn faults_come_before_the_event_they_replace() {
    assert_eq!(names(&Reply::text("a b").cut_after(0)), ["cut"]);
    assert_eq!(
        names(&Reply::text("a b").cut_after(3)),
        ["message_start", "content_block_start", "content_block_delta", "cut"]
    );
    assert_eq!(
        names(&Reply::text("a").error_after(1)),
        ["message_start", "error", "cut"]
    );
    assert_eq!(
        names(&Reply::text("a").hang_after(2, Duration::from_secs(8)))[..4],
        [
            "message_start",
            "content_block_start",
            "wait 8000",
            "content_block_delta"
        ]
    );
}

#[test]
fn gates_and_delays_come_before_deltas() {
    let reply = Reply::text("a")
        .gate("between")
        .and_text("b")
        .gate_each("each")
        .delay(Duration::from_millis(5));
    assert_eq!(
        names(&reply),
        [
            "message_start",
            "content_block_start",
            "gate each",
            "wait 5",
            "content_block_delta",
            "content_block_stop",
            "gate between",
            "content_block_start",
            "gate each",
            "wait 5",
            "content_block_delta",
            "content_block_stop",
            "message_delta",
            "message_stop",
        ]
    );
}

#[test]
fn a_message_without_streaming_has_ids_and_no_script_keys() {
    let reply = Reply::empty()
        .and_block(json!({"type": "text", "parts": ["Hel", {"gate": "g"}, "lo"]}))
        .and_tool("Read", json!({"file_path": "a"}))
        .usage(&json!({"input_tokens": 7}));
    assert_eq!(
        whole(&reply, &envelope()),
        json!({
            "id": "msg_t_1", "type": "message", "role": "assistant", "model": "m",
            "content": [
                {"type": "text", "text": "Hello"},
                {"type": "tool_use", "id": "toolu_t_1_1", "name": "Read", "input": {"file_path": "a"}},
            ],
            "stop_reason": "tool_use", "stop_sequence": null,
            "usage": {"input_tokens": 7, "output_tokens": 5, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0},
        })
    );
}
