//! The serialised form of messages.

use serde_json::{Value, json};
use sluice_wire::content::Block;
use sluice_wire::control::{CanUseTool, ControlRequest, ControlResponse, Interrupt, RequestId};
use sluice_wire::mode::PermissionMode;
use sluice_wire::stdin;
use sluice_wire::stdout::system::{Status, ThinkingTokens};
use sluice_wire::stdout::{StreamEvent, System, TurnResult, User, UserMessage};
use sluice_wire::{Extra, Frame, Number, Raw, ToAgent, ToHost};

#[test]
fn tags_are_written_first_then_fields_in_order() {
    let status: ToHost = Status {
        permission_mode: Some(PermissionMode::Plan),
        session_id: "s".into(),
        uuid: "u".into(),
        ..Status::default()
    }
    .into();
    assert_eq!(
        status.to_line(),
        r#"{"type":"system","subtype":"status","status":null,"permissionMode":"plan","session_id":"s","uuid":"u"}"#
    );
}

#[test]
fn costs_are_written_as_javascript_does() {
    for (cost, text) in [
        (0.0, "0"),
        (-0.0, "0"),
        (1.0, "1"),
        (0.000_012, "0.000012"),
        (0.042, "0.042"),
        (1e-7, "1e-7"),
        (1e16, "10000000000000000"),
        (1e21, "1e+21"),
        (f64::NAN, "null"),
    ] {
        assert_eq!(serde_json::to_string(&Number(cost)).unwrap(), text);
    }
    let result = TurnResult {
        total_cost_usd: Number(0.000_012),
        ..TurnResult::default()
    };
    assert!(ToHost::from(result).to_line().contains(r#""total_cost_usd":0.000012,"#));
}

#[test]
fn a_raw_event_is_written_unchanged() {
    let event = r#"{"type":"x","n":18446744073709551616,"f":1.50}"#;
    let message = ToHost::from(StreamEvent {
        event: Raw::from_text(event.to_owned()).unwrap(),
        ..StreamEvent::default()
    });
    assert!(message.to_line().contains(event));
}

#[test]
fn a_serialised_message_contains_no_line_breaks() {
    let message = ToHost::from(StreamEvent {
        event: Raw::from_text("{\n\"a\":\r\n1}".to_owned()).unwrap(),
        ..StreamEvent::default()
    });
    let line = message.to_line();
    assert!(!line.contains(['\n', '\r']), "{line}");
    assert_eq!(serde_json::from_str::<Value>(&line).unwrap()["event"], json!({"a": 1}));
}

#[test]
fn unknown_values_fields_and_types_are_preserved() {
    let line = r#"{"type":"system","subtype":"status","status":"dreaming","uuid":"u","session_id":"s","sky":{"stars":[1,2]},"moon":null}"#;
    let message = Frame::parse(line).unwrap().to_host().unwrap();
    let ToHost::System(system) = &message else { panic!() };
    let System::Status(status) = &**system else { panic!() };
    assert_eq!(status.status.as_ref().unwrap().as_str(), "dreaming");
    assert_eq!(status.extra.value("sky"), Some(json!({"stars": [1, 2]})));
    assert_eq!(
        serde_json::from_str::<Value>(&message.to_line()).unwrap(),
        serde_json::from_str::<Value>(line).unwrap()
    );
    let line = r#"{ "type": "system", "subtype": "eclipse", "dark": 1e400 }"#;
    let message = Frame::parse(line).unwrap().to_host().unwrap();
    assert_eq!(message.to_line(), line);
}

#[test]
fn unknown_fields_may_be_nested_deeply() {
    let deep = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
    let line = format!(r#"{{"type":"keep_alive","pit":{deep}}}"#);
    let message = Frame::parse(&line).unwrap().to_host().unwrap();
    assert_eq!(message.to_line(), line);
}

#[test]
fn absent_and_null_fields_are_distinguished() {
    for line in [
        r#"{"type":"user","message":{"role":"user","content":"x"}}"#,
        r#"{"type":"user","message":{"role":"user","content":"x"},"parent_tool_use_id":null}"#,
        r#"{"type":"user","message":{"role":"user","content":"x"},"parent_tool_use_id":null,"uuid":null}"#,
    ] {
        let message = Frame::parse(line).unwrap().to_agent().unwrap();
        assert_eq!(message.to_line(), line);
    }
}

#[test]
fn a_field_set_after_parsing_replaces_its_null() {
    let line = r#"{"type":"user","message":{"role":"user","content":"x"},"uuid":null}"#;
    let Ok(ToAgent::User(mut user)) = Frame::parse(line).unwrap().to_agent() else {
        panic!()
    };
    user.uuid = Some("u".into());
    user.parent_tool_use_id = Some("p".into());
    let written = serde_json::to_value(&user).unwrap();
    assert_eq!(
        written,
        json!({"type": "user", "message": {"role": "user", "content": "x"}, "parent_tool_use_id": "p", "uuid": "u"})
    );
}

#[test]
fn a_new_prompt_has_the_fields_of_the_official_hosts() {
    let prompt = ToAgent::from(stdin::User::new(vec![Block::text("go")]));
    assert_eq!(
        prompt.to_line(),
        r#"{"type":"user","message":{"role":"user","content":[{"type":"text","text":"go"}]},"parent_tool_use_id":null,"session_id":""}"#
    );
}

#[test]
fn responses_repeat_the_request_id_unchanged() {
    for (line, answer) in [
        (
            r#"{"type":"control_request","request_id":"a","request":{"subtype":"interrupt"}}"#,
            r#"{"type":"control_response","response":{"subtype":"success","request_id":"a"}}"#,
        ),
        (
            r#"{"type":"control_request","request_id":7,"request":{"subtype":"interrupt"}}"#,
            r#"{"type":"control_response","response":{"subtype":"success","request_id":7}}"#,
        ),
        (
            r#"{"type":"control_request","request":{"subtype":"interrupt"}}"#,
            r#"{"type":"control_response","response":{"subtype":"success"}}"#,
        ),
    ] {
        let Ok(ToAgent::ControlRequest(request)) = Frame::parse(line).unwrap().to_agent() else {
            panic!("{line}");
        };
        let response = ToHost::from(ControlResponse::ok(request.request_id));
        assert_eq!(response.to_line(), answer);
    }
}

#[test]
fn requests_and_errors_can_be_constructed() {
    let request = ControlRequest::new("r", Interrupt::default());
    assert_eq!(request.request.kind(), "interrupt");
    let ask = ControlRequest::new(
        "a",
        CanUseTool {
            tool_name: "Bash".into(),
            input: Raw::from(json!({"command": "ls"})),
            ..CanUseTool::default()
        },
    );
    assert_eq!(
        ToHost::from(ask).to_line(),
        r#"{"type":"control_request","request_id":"a","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"ls"}}}"#
    );
    let failure = ControlResponse::error(RequestId::new("r"), "no");
    assert_eq!(
        ToAgent::from(failure).to_line(),
        r#"{"type":"control_response","response":{"subtype":"error","request_id":"r","error":"no"}}"#
    );
}

#[test]
fn null_fields_can_be_forced_and_suppressed() {
    let mut status = Status::default();
    status.extra.leave_out("status");
    status.extra.write_null("permissionMode");
    assert_eq!(
        serde_json::to_value(&status).unwrap(),
        json!({"type": "system", "subtype": "status", "permissionMode": null, "session_id": "", "uuid": ""})
    );
}

#[test]
fn extra_fields_can_be_added() {
    let mut extra: Extra = [("a", 1)].into_iter().collect();
    extra.insert("a", &2);
    let message = ThinkingTokens {
        extra,
        ..ThinkingTokens::default()
    };
    assert_eq!(serde_json::to_value(&message).unwrap()["a"], json!(2));
}

#[test]
fn the_last_of_duplicate_keys_counts() {
    let frame =
        Frame::parse(r#"{"type":"x","type":"user","message":{"role":"a","role":"user","content":"1","content":"2"}}"#);
    let Ok(ToHost::User(user)) = frame.unwrap().to_host() else {
        panic!()
    };
    let expected = User {
        message: UserMessage::new("2"),
        ..User::default()
    };
    assert_eq!(*user, expected);
}

/// Cargo features are global: a dependency that enables `arbitrary_precision` would enable it for all crates. A
/// flattened double detects this.
#[test]
fn arbitrary_precision_is_off() {
    #[derive(serde::Deserialize)]
    struct Inner {
        x: f64,
    }
    #[derive(serde::Deserialize)]
    struct Outer {
        #[serde(flatten)]
        inner: Inner,
    }
    let outer: Outer = serde_json::from_str(r#"{"x":1.5}"#).expect("arbitrary_precision is on");
    assert!((outer.inner.x - 1.5).abs() < f64::EPSILON);
    let big: Value = serde_json::from_str("18446744073709551616").unwrap();
    assert!(big.is_f64());
}
