//! The output formats.

use serde_json::{Value, json};
use sluice_stdio::Format;

use crate::rig::{door, event, informational, objects, port, result, sink};

/// The output of a session that sends these messages and ends.
async fn shown(format: Format, messages: Vec<Value>) -> String {
    let port = port(|session| async move {
        for message in messages {
            session.say(message).await;
        }
        0
    });
    let (sink, written) = sink();
    assert_eq!(door(format).serve(port, std::io::empty(), sink, |_| {}).await, 0);
    written.rest()
}

#[tokio::test]
async fn stream_json_is_one_object_per_line() {
    let messages = vec![
        informational("two\nlines\r\nand \u{2028} raw, \u{1F600} and a \u{0}"),
        event(0),
        result(json!({"result": "Hello"})),
    ];
    let text = shown(Format::StreamJson, messages.clone()).await;
    assert!(text.ends_with('\n'));
    assert_eq!(text.matches('\n').count(), 3);
    assert_eq!(objects(&text), messages);
    // Only what JSON forbids is escaped, and what ends a line for some readers.
    assert!(text.contains('\u{1F600}') && !text.contains('\u{2028}'));
    assert!(text.contains("\\u0000") && text.contains("\\n") && text.contains("\\u2028"));
}

#[tokio::test]
async fn text_is_the_last_answer() {
    let messages = vec![
        informational("aside"),
        result(json!({"result": "First"})),
        result(json!({"result": "Last\nwords"})),
    ];
    assert_eq!(shown(Format::Text, messages).await, "Last\nwords\n");
}

#[tokio::test]
async fn text_contains_the_error() {
    let failed =
        json!({"subtype": "error_max_turns", "is_error": true, "errors": ["Reached maximum number of turns (1)"]});
    assert_eq!(
        shown(Format::Text, vec![result(failed)]).await,
        "Error: Reached maximum number of turns (1)\n"
    );
    let api = json!({"is_error": true, "result": "API Error: 400 odd"});
    assert_eq!(shown(Format::Text, vec![result(api)]).await, "API Error: 400 odd\n");
}

#[tokio::test]
async fn output_is_empty_without_a_result() {
    assert_eq!(shown(Format::Text, vec![informational("aside")]).await, "");
    assert_eq!(shown(Format::Json, vec![informational("aside")]).await, "");
}

#[tokio::test]
async fn json_is_the_last_result() {
    let messages = vec![
        informational("aside"),
        result(json!({"result": "First"})),
        result(json!({"result": "Last"})),
    ];
    let text = shown(Format::Json, messages.clone()).await;
    assert_eq!(text.matches('\n').count(), 1);
    assert_eq!(objects(&text), messages[2..]);
}

#[tokio::test]
async fn json_array_contains_all_messages() {
    let messages = vec![informational("aside"), event(0), result(json!({"result": "Hello"}))];
    let text = shown(Format::JsonArray, messages.clone()).await;
    assert_eq!(text.matches('\n').count(), 1);
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), Value::Array(messages));
}
