//! Parsing of standard input, line by line.

use std::io::Write;
use std::sync::{Arc, Mutex};

use serde_json::json;
use sluice_engine::Input;
use sluice_stdio::Format;
use sluice_wire::ToAgent;

use crate::rig::{door, objects, port, sink};

/// The inputs of a session as text.
fn words(inputs: &[Input]) -> Vec<String> {
    let word = |input: &Input| match input {
        Input::Message(message) => match &**message {
            ToAgent::User(user) => {
                let content = serde_json::to_value(&user.message.content).unwrap();
                format!("user {}", content.as_str().unwrap())
            }
            other => other.kind().to_owned(),
        },
        Input::Bad(_) => "bad".to_owned(),
        Input::BadRequest { request_id, .. } => format!("bad request {}", request_id.as_str().unwrap_or("-")),
        Input::Eof => "eof".to_owned(),
        Input::Signal(_) => "signal".to_owned(),
    };
    inputs.iter().map(word).collect()
}

fn user(text: &str) -> String {
    json!({"type": "user", "message": {"role": "user", "content": text}}).to_string()
}

/// All inputs of a session for these bytes, and the reports.
async fn heard(bytes: &[u8]) -> (Vec<String>, Vec<String>) {
    let reports = Arc::new(Mutex::new(Vec::new()));
    let (told, hear) = tokio::sync::oneshot::channel();
    let port = port(|mut session| async move {
        let mut all = Vec::new();
        while !all.iter().any(|input| matches!(input, Input::Eof)) {
            all.extend(session.inbox.recv().await.unwrap());
        }
        told.send(words(&all)).unwrap();
        0
    });
    let (sink, _written) = sink();
    let source = std::io::Cursor::new(bytes.to_vec());
    let report = {
        let reports = reports.clone();
        move |problem: &str| reports.lock().unwrap().push(problem.to_owned())
    };
    assert_eq!(door(Format::StreamJson).serve(port, source, sink, report).await, 0);
    let reports = reports.lock().unwrap().clone();
    (hear.await.unwrap(), reports)
}

#[tokio::test]
async fn invalid_lines_are_reported_and_skipped() {
    let lines = [
        "{nonsense",
        &user("one"),
        r#"{"type":"user"}"#,
        "null",
        r#"{"type":"control_request","request_id":"r1"}"#,
        &user("two"),
        r#"{"type":"user","message":{"role":"user","content":"trunc"#,
    ];
    let (heard, reports) = heard(lines.join("\n").as_bytes()).await;
    assert_eq!(
        heard,
        [
            "bad",
            "user one",
            "bad",
            "bad",
            "bad request r1",
            "user two",
            "bad",
            "eof"
        ]
    );
    assert_eq!(reports.len(), 4, "{reports:?}");
    assert!(reports[0].contains("not JSON"), "{}", reports[0]);
}

#[tokio::test]
async fn lines_without_request_are_ignored() {
    let lines = [
        "",
        "   ",
        "\r",
        "[1]",
        "7",
        "{}",
        r#"{"type":"nonsense"}"#,
        r#"{"type":"control_response"}"#,
    ];
    let (heard, reports) = heard(lines.join("\n").as_bytes()).await;
    assert_eq!(heard, ["eof"]);
    assert!(reports.is_empty(), "{reports:?}");
}

#[tokio::test]
async fn line_endings_byte_order_mark_and_invalid_utf8_are_accepted() {
    let mut bytes = b"\xef\xbb\xbf".to_vec();
    bytes.extend(format!("{}\r\n  {}  \n", user("one"), user("two")).as_bytes());
    bytes.extend(br#"{"type":"user","message":{"role":"user","content":"thr"#);
    bytes.push(0xff);
    bytes.extend(b"e\"}}");
    let (heard, reports) = heard(&bytes).await;
    assert_eq!(heard, ["user one", "user two", "user thr\u{fffd}e", "eof"]);
    assert!(reports.is_empty(), "{reports:?}");
}

#[tokio::test]
async fn unicode_separators_do_not_end_a_line() {
    let text = "a\u{2028}b\u{2029}c\u{85}d";
    let (heard, _) = heard(user(text).as_bytes()).await;
    assert_eq!(heard, [format!("user {text}"), "eof".to_owned()]);
}

#[tokio::test]
async fn split_lines_are_joined_and_lines_of_one_write_are_batched() {
    let (reader, mut writer) = std::io::pipe().unwrap();
    let (heard, mut hear) = tokio::sync::mpsc::channel(16);
    let port = port(|mut session| async move {
        while let Some(batch) = session.inbox.recv().await {
            let last = batch.iter().any(|input| matches!(input, Input::Eof));
            heard.send(words(&batch)).await.unwrap();
            if last {
                break;
            }
        }
        0
    });
    let (sink, _written) = sink();
    let served = tokio::spawn(door(Format::StreamJson).serve(port, reader, sink, |_| {}));
    let line = user("in pieces");
    let (head, tail) = line.split_at(20);
    writer.write_all(head.as_bytes()).unwrap();
    writer.write_all(format!("{tail}\n").as_bytes()).unwrap();
    assert_eq!(hear.recv().await.unwrap(), ["user in pieces"]);
    writer
        .write_all(format!("{}\n{}\n", user("a"), user("b")).as_bytes())
        .unwrap();
    assert_eq!(hear.recv().await.unwrap(), ["user a", "user b"]);
    drop(writer);
    assert_eq!(hear.recv().await.unwrap(), ["eof"]);
    assert_eq!(served.await.unwrap(), 0);
}

#[tokio::test]
async fn responses_to_invalid_lines_are_written() {
    let port = port(|mut session| async move {
        while let Some(batch) = session.inbox.recv().await {
            for input in batch {
                match input {
                    Input::Bad(problem) => session.say(crate::rig::informational(&problem)).await,
                    Input::Message(_) => session.say(crate::rig::result(json!({"result": "Hello"}))).await,
                    Input::Eof => return 0,
                    _ => {}
                }
            }
        }
        1
    });
    let (sink, written) = sink();
    let source = std::io::Cursor::new(format!("{{broken\n{}\n", user("hi")));
    assert_eq!(door(Format::StreamJson).serve(port, source, sink, |_| {}).await, 0);
    let said = objects(&written.rest());
    assert_eq!(said[0]["subtype"], "informational");
    assert_eq!(said[1]["result"], "Hello");
}
