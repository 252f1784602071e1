//! Errors for lines that are not messages: the kind of error is reported and the text is preserved.

use sluice_wire::control::{RequestId, Subtype};
use sluice_wire::stdin::UserFault;
use sluice_wire::{Frame, Malformed, MalformedKind, ToHost};

fn agent(line: &str) -> Malformed {
    let error = match Frame::parse(line) {
        Ok(frame) => frame.to_agent().unwrap_err(),
        Err(error) => error,
    };
    assert_eq!(&*error.text, line);
    error
}

#[test]
fn each_kind_of_malformed_line_is_reported() {
    use MalformedKind::{Array, Field, NoRequest, NoResponse, NoType, NotJson, Null, Scalar, User};
    for (line, kind) in [
        ("{oops", NotJson),
        ("hello", NotJson),
        ("{\"type\":\"user\",\"message\":", NotJson),
        ("{\"type\":\"x\"} and more", NotJson),
        ("[1,2", NotJson),
        ("null", Null),
        ("[1,2]", Array),
        ("42", Scalar),
        ("\"text\"", Scalar),
        ("true", Scalar),
        ("{\"x\":1}", NoType),
        ("{\"type\":5}", NoType),
        ("{\"type\":null}", NoType),
        ("{\"type\":[\"user\"]}", NoType),
        ("{\"type\":{\"type\":\"user\"}}", NoType),
        ("{\"type\":\"control_request\",\"request_id\":\"u3\"}", NoRequest),
        ("{\"type\":\"control_response\"}", NoResponse),
        (
            "{\"type\":\"control_request\",\"request\":{\"subtype\":\"set_permission_mode\"}}",
            Field,
        ),
        ("{\"type\":\"control_request\",\"request\":7}", Field),
        ("{\"type\":\"user\"}", User(UserFault::NoMessage)),
        ("{\"type\":\"user\",\"message\":\"hi\"}", User(UserFault::NoMessage)),
        (
            "{\"type\":\"user\",\"message\":{\"content\":\"hi\"}}",
            User(UserFault::NoRole),
        ),
        (
            "{\"type\":\"user\",\"message\":{\"role\":\"assistant\",\"content\":\"hi\"}}",
            User(UserFault::OtherRole),
        ),
        (
            "{\"type\":\"user\",\"message\":{\"role\":\"user\"}}",
            User(UserFault::NoContent),
        ),
        (
            "{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":null}}",
            User(UserFault::NullContent),
        ),
        (
            "{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":5}}",
            User(UserFault::OddContent),
        ),
        (
            "{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":5}]}}",
            Field,
        ),
    ] {
        assert_eq!(agent(line).kind, kind, "{line}");
    }
}

#[test]
fn the_error_for_an_invalid_field_names_its_path() {
    let line = r#"{"type":"assistant","message":{"id":"m","role":"assistant","model":"x","content":[{"type":"text","text":7}],"usage":{"input_tokens":1,"output_tokens":1}},"uuid":"u","session_id":"s"}"#;
    let error = Frame::parse(line).unwrap().to_host().unwrap_err();
    assert_eq!(error.kind, MalformedKind::Field);
    assert!(
        error
            .error
            .starts_with("message: content: text: invalid type: integer `7`"),
        "{error}"
    );
    assert!(error.column > 0);
}

#[test]
fn a_known_message_with_a_missing_field_is_an_error() {
    let error = Frame::parse(r#"{"type":"result","subtype":"success"}"#)
        .unwrap()
        .to_host()
        .unwrap_err();
    assert!(error.error.contains("duration_ms"), "{error}");
}

#[test]
fn the_id_of_an_invalid_request_is_available() {
    let error = agent(r#"{"type":"control_request","request_id":"m9","request":{"subtype":"set_permission_mode"}}"#);
    assert_eq!(error.request_id(), RequestId::new("m9"));
    let error = agent(r#"{"type":"control_response","response":{"subtype":"error","request_id":7}}"#);
    assert_eq!(error.request_id(), RequestId(Some(7.into())));
}

#[test]
fn the_subtype_of_an_invalid_request_is_available() {
    let subtype = |line: &str| Frame::parse(line).unwrap().request_subtype();
    let bad = r#"{"type":"control_request","request_id":"m9","request":{"mode":7,"subtype":"set_permission_mode"}}"#;
    assert_eq!(subtype(bad), Some(Subtype::SetPermissionMode));
    assert_eq!(subtype(r#"{"type":"control_request","request":{"subtype":7}}"#), None);
    assert_eq!(
        subtype(r#"{"type":"user","message":{"content":"\"initialize\""}}"#),
        None
    );
}

#[test]
fn unpaired_surrogates_are_replaced_and_the_text_is_preserved() {
    let line = r#"{"type":"tool_use_summary","summary":"cut \ud83d here \\ud83d \ud83d\ude00 \udc00","preceding_tool_use_ids":[],"uuid":"u","session_id":"s"}"#;
    let frame = Frame::parse(line).unwrap();
    assert!(frame.repaired());
    assert_eq!(frame.text(), line);
    let ToHost::ToolUseSummary(message) = frame.to_host().unwrap() else {
        panic!("{frame:?}");
    };
    assert_eq!(message.summary, "cut \u{fffd} here \\ud83d 😀 \u{fffd}");
}

#[test]
fn surrogate_pairs_are_unchanged() {
    let frame = Frame::parse(r#"{"type":"x","a":"\"\ud83d\ude00\\ud83d\\"}"#).unwrap();
    assert!(!frame.repaired());
}

#[test]
fn an_unpaired_surrogate_in_a_key_is_replaced() {
    let frame = Frame::parse(r#"{"\udfff":1,"type":"x"}"#).unwrap();
    assert!(frame.repaired());
    assert_eq!(frame.ty(), "x");
}
