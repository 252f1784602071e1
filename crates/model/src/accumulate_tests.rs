#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use serde_json::json;

use super::*;

fn feed(accumulator: &mut Accumulator, events: &[Value]) -> Vec<Finished> {
    let read = |event: &Value| ModelEvent::read(event.to_string()).unwrap();
    events
        .iter()
        .filter_map(|event| accumulator.feed(&read(event)))
        .collect()
}

fn start(usage: &Value) -> Value {
    json!({"type": "message_start", "message": {"id": "msg_1", "model": "m", "content": [], "stop_reason": null, "usage": usage}})
}

fn open(index: usize, block: &Value) -> Value {
    json!({"type": "content_block_start", "index": index, "content_block": block})
}

fn delta(index: usize, delta: &Value) -> Value {
    json!({"type": "content_block_delta", "index": index, "delta": delta})
}

fn close(index: usize) -> Value {
    json!({"type": "content_block_stop", "index": index})
}

/// Assembles one block from its start and deltas.
fn block(start: &Value, deltas: &[Value]) -> Value {
    let mut events = vec![open(0, start)];
    events.extend(deltas.iter().map(|one| delta(0, one)));
    events.push(close(0));
    feed(&mut Accumulator::new(), &events).remove(0).block
}

fn call(pieces: &[&str]) -> Value {
    let deltas: Vec<Value> = pieces
        .iter()
        .map(|piece| json!({"type": "input_json_delta", "partial_json": piece}))
        .collect();
    block(
        &json!({"type": "tool_use", "id": "t", "name": "Read", "input": {}}),
        &deltas,
    )["input"]
        .clone()
}

#[test]
fn message_is_assembled_from_events() {
    let mut message = Accumulator::new();
    let finished = feed(
        &mut message,
        &[
            start(&json!({"input_tokens": 10, "output_tokens": 5, "service_tier": "standard"})),
            open(0, &json!({"type": "thinking", "thinking": "", "signature": ""})),
            delta(0, &json!({"type": "thinking_delta", "thinking": "hm"})),
            delta(0, &json!({"type": "thinking_delta", "thinking": "m"})),
            delta(0, &json!({"type": "signature_delta", "signature": "sig"})),
            close(0),
            json!({"type": "ping"}),
            open(1, &json!({"type": "text", "text": ""})),
            delta(1, &json!({"type": "text_delta", "text": "Hello "})),
            delta(1, &json!({"type": "text_delta", "text": "there"})),
            close(1),
            json!({"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": null}, "usage": {"output_tokens": 12, "service_tier": null}}),
            json!({"type": "message_stop"}),
        ],
    );
    let thinking = json!({"type": "thinking", "thinking": "hmm", "signature": "sig"});
    let text = json!({"type": "text", "text": "Hello there"});
    assert_eq!(
        finished[0],
        Finished {
            index: 0,
            block: thinking.clone()
        }
    );
    assert_eq!(
        finished[1],
        Finished {
            index: 1,
            block: text.clone()
        }
    );
    assert_eq!(message.finished(), finished);
    assert_eq!(message.id(), Some("msg_1"));
    assert_eq!(message.model(), Some("m"));
    assert_eq!(message.stop_reason(), Some("end_turn"));
    assert_eq!(message.start_usage().unwrap()["output_tokens"], 5);
    assert_eq!(
        message.usage(),
        json!({"input_tokens": 10, "output_tokens": 12, "service_tier": "standard"})
    );
    assert!(message.is_complete());
    assert_eq!(message.partial(), None);
    let whole = message.message().unwrap();
    assert_eq!(whole["content"], json!([thinking, text]));
    assert_eq!(whole["stop_reason"], "end_turn");
    assert_eq!(whole["usage"]["output_tokens"], 12);
}

#[test]
fn call_input_keeps_key_order_and_numbers() {
    let input = call(&["{\"z\": 1, ", "\"a\": [1.5, ", "true]}"]);
    assert_eq!(input.to_string(), r#"{"z":1,"a":[1.5,true]}"#);
}

#[test]
fn missing_input_is_an_empty_object() {
    for pieces in [&[][..], &[""], &["", ""], &["  "]] {
        assert_eq!(call(pieces), json!({}), "{pieces:?}");
    }
}

#[test]
fn input_that_is_not_an_object_is_wrapped() {
    for text in ["{\"command\": \"echo", "[1]", "null"] {
        let want = json!({"__unparsedToolInput": {"raw": text, "len": text.len()}});
        assert_eq!(call(&[text]), want);
    }
}

#[test]
fn input_in_the_start_event_is_kept() {
    let start = json!({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "x"}});
    assert_eq!(block(&start, &[]), start);
}

#[test]
fn redacted_thinking_is_unchanged() {
    let redacted = json!({"type": "redacted_thinking", "data": "opaque"});
    assert_eq!(block(&redacted, &[]), redacted);
}

#[test]
fn citations_are_collected() {
    let one = |n: u32| json!({"type": "citations_delta", "citation": {"n": n}});
    let got = block(&json!({"type": "text", "text": ""}), &[one(1), one(2)]);
    assert_eq!(got["citations"], json!([{"n": 1}, {"n": 2}]));
}

#[test]
fn unknown_deltas_append_strings_and_replace_other_values() {
    let got = block(
        &json!({"type": "compaction", "content": "a"}),
        &[
            json!({"type": "x", "content": "b", "n": 1}),
            json!({"type": "x", "content": "c", "n": 2}),
        ],
    );
    assert_eq!(got, json!({"type": "compaction", "content": "abc", "n": 2}));
}

#[test]
fn open_block_is_available_as_partial() {
    let mut message = Accumulator::new();
    let text = json!({"type": "text_delta", "text": "half a sen"});
    feed(
        &mut message,
        &[
            start(&json!({})),
            open(0, &json!({"type": "text", "text": ""})),
            delta(0, &text),
        ],
    );
    let partial = message.partial().unwrap();
    assert_eq!(
        partial,
        Finished {
            index: 0,
            block: json!({"type": "text", "text": "half a sen"})
        }
    );
    assert!(!message.is_complete());
    assert!(message.finished().is_empty());
}

#[test]
fn deltas_and_stops_without_a_start_are_ignored() {
    let text = json!({"type": "text_delta", "text": "x"});
    assert!(feed(&mut Accumulator::new(), &[delta(3, &text), close(3)]).is_empty());
}
